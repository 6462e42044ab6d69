//! Small parts that several views share: pills, names, what is not visible, links, choices.

use shared::error_code::{self, Severity};
use web_sys::{HtmlInputElement, HtmlSelectElement, MouseEvent};
use yew::prelude::*;

use super::Act;
use super::tone::Tone;
use super::words::{NOT_VISIBLE, cut_tail, spelled};
use crate::model::Action;
use crate::model::address::Address;

/// A state in its tone, with a sign and a word: nothing is told by colour alone.
pub fn pill(tone: Tone, sign: &'static str, word: &str) -> Html {
    html! {
        <span class="pill" data-tone={tone.name()}><i aria-hidden="true">{ sign }</i>{ word }</span>
    }
}

/// A member by its name: its client id where that is told, else its id without the random tail. The whole id is shown on hover
/// and focus, and is what gets copied and read aloud; behind a client id that it does not begin with, it stands beside that.
pub fn member_name(id: &str, client_id: Option<&str>) -> Html {
    let (name, tail) = match client_id.filter(|client_id| !client_id.is_empty()) {
        Some(client_id) => match id.strip_prefix(client_id) {
            Some(tail) => (client_id, spelled(tail)),
            None => (client_id, [" ", &spelled(id)].concat()),
        },
        None => {
            let (name, tail) = cut_tail(id);
            (name, spelled(tail))
        }
    };
    let shown = if name.is_empty() {
        html! { <span class="unseen">{ "(empty id)" }</span> }
    } else {
        yielding(&spelled(name), &tail)
    };
    hint("hint", spelled(id), shown)
}

/// A word with what stands behind it, shown on hover and on focus.
pub fn hint(class: &'static str, behind: String, word: Html) -> Html {
    html! { <span {class} tabindex="0" data-hint={behind}>{ word }</span> }
}

/// A name whose middle gives way where there is no room, so that its end stays: ids of one family begin alike. The end is
/// drawn from `data-end` and stands in the text, with the tail, where it takes no room but is copied and read aloud.
fn yielding(name: &str, tail: &str) -> Html {
    const END: usize = 8;
    let end = name
        .char_indices()
        .rev()
        .nth(END - 1)
        .map_or(0, |(start, _)| start);
    // What is hardly longer than its end is left whole.
    let end = if end < END { name.len() } else { end };
    let (head, end) = name.split_at(end);
    html! {
        <span class="id cut" data-end={(!end.is_empty()).then(|| end.to_owned())}><bdi>{ head }<span class="tail">{ end }{ tail }</span></bdi></span>
    }
}

/// An id that has no random tail: a group's.
pub fn plain_id(id: &str) -> Html {
    if id.is_empty() {
        return html! { <span class="unseen">{ "(empty id)" }</span> };
    }
    html! { <bdi>{ spelled(id) }</bdi> }
}

/// The same where room is short.
pub fn short_id(id: &str) -> Html {
    if id.is_empty() {
        return plain_id(id);
    }
    let whole = spelled(id);
    html! { <span title={whole.clone()}>{ yielding(&whole, "") }</span> }
}

/// What cannot be seen from here, and why.
pub fn unseen(why: &str) -> Html {
    absent(NOT_VISIBLE, why)
}

fn absent(word: &'static str, why: &str) -> Html {
    let whole = html! { <>{ word }<span class="sr">{ [": ", why].concat() }</span></> };
    hint("hint unseen", why.to_owned(), whole)
}

/// What has not been there so far, and would be seen.
pub fn none_yet(what: &str) -> Html {
    absent("none yet", what)
}

/// A value, or "not visible" with the reason.
pub fn seen_or(value: Option<Html>, why: &str) -> Html {
    value.unwrap_or_else(|| unseen(why))
}

/// A fact of a list: its name over its value.
pub fn fact(name: &'static str, value: Html) -> Html {
    html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> }
}

/// An error code explained in place.
pub fn explained(code: i16) -> Html {
    let (tone, word) = match error_code::severity(code) {
        Severity::Normal => (Tone::Move, "normal"),
        Severity::Serious => (Tone::Bad, "serious"),
    };
    html! {
        <span class="code" data-tone={tone.name()}>
            <b>{ error_code::label(code) }</b><span class="weight">{ word }</span>{ " " }{ error_code::sentence(code) }
        </span>
    }
}

/// A link within the page: a plain click navigates without a load, anything else is the browser's.
pub fn link(act: &Act, to: &Address, class: &'static str, current: bool, content: Html) -> Html {
    let act = act.clone();
    let target = to.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
        if plain {
            event.prevent_default();
            act.emit(Action::Go(target.clone()));
        }
    });
    let current = current.then_some("page");
    html! { <a {class} href={to.href()} aria-current={current} {onclick}>{ content }</a> }
}

/// A button that does one thing; `pressed` where it is one that stays down.
pub fn button(testid: &'static str, pressed: Option<bool>, act: &Act, action: Action, words: &str) -> Html {
    let onclick = act.reform(move |_: MouseEvent| action.clone());
    let pressed = pressed.map(|pressed| if pressed { "true" } else { "false" });
    html! { <button class="button" type="button" data-testid={testid} aria-pressed={pressed} {onclick}>{ words }</button> }
}

/// What can be chosen: its value, and what it is called.
pub type Choosable = (String, String);

/// A word that says what it is.
pub fn choosable(word: &str) -> Choosable {
    (word.to_owned(), word.to_owned())
}

/// A labelled choice.
pub fn choice(
    label: Html,
    testid: &'static str,
    options: Vec<Choosable>,
    chosen: &str,
    on_choose: &Callback<String>,
) -> Html {
    let on_choose = on_choose.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            on_choose.emit(select.value());
        }
    });
    let options = options.into_iter().map(|(value, words)| {
        let selected = value == chosen;
        html! { <option {value} {selected}>{ words }</option> }
    });
    html! {
        <label>{ label }<select data-testid={testid} {onchange}>{ for options }</select></label>
    }
}

/// Something to fill in; `keys` is what a keyboard on glass offers, `good` whether what stands in it can be taken.
///
/// A number too is a text to the browser: a field of numbers says nothing while it holds the sign of a number to come, and
/// would lose it at the next draw.
pub fn entry(
    label: Html,
    testid: &'static str,
    keys: &'static str,
    good: bool,
    value: String,
    on_fill: &Callback<String>,
) -> Html {
    let on_fill = on_fill.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            on_fill.emit(input.value());
        }
    });
    let placeholder = (keys == "search").then_some("search ids");
    let invalid = (!good).then_some("true");
    html! {
        <label>{ label }<input data-testid={testid} type="text" inputmode={keys} autocomplete="off" spellcheck="false"
            aria-invalid={invalid} {placeholder} {value} {oninput} /></label>
    }
}

/// A table's column: its class in the style sheet, or "", and its name.
pub type Column = (&'static str, &'static str);

/// A table's head.
pub fn table_head(columns: &[Column]) -> Html {
    let names = columns.iter().map(|(class, name)| {
        html! { <th role="columnheader" class={classed(class)}>{ *name }</th> }
    });
    html! { <thead><tr role="row">{ for names }</tr></thead> }
}

/// A table's cell that says its name where the row becomes a card.
pub fn cell(class: &'static str, label: &'static str, value: Html) -> Html {
    html! { <td role="cell" class={classed(class)} data-label={label}>{ value }</td> }
}

/// A table's cell that says what it is by itself.
pub fn bare(class: &'static str, value: Html) -> Html {
    html! { <td role="cell" {class}>{ value }</td> }
}

/// A panel's head: its title, and a note beside it.
pub fn panel_head(id: &'static str, title: &'static str, note: String) -> Html {
    html! { <header><h2 {id}>{ title }</h2><span class="faint">{ note }</span></header> }
}

fn classed(class: &'static str) -> Option<&'static str> {
    (!class.is_empty()).then_some(class)
}
