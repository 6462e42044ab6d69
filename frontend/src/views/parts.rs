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

/// A member by its name, without the random tail of its id. The whole id is shown on hover and focus, and is what gets
/// copied and read aloud.
pub fn member_name(id: &str, client_id: Option<&str>) -> Html {
    let (name, tail) = match client_id.and_then(|client_id| id.strip_prefix(client_id).zip(Some(client_id))) {
        Some((tail, client_id)) if !client_id.is_empty() => (client_id, tail),
        _ => cut_tail(id),
    };
    let shown = if name.is_empty() {
        html! { <span class="unseen">{ "(empty id)" }</span> }
    } else {
        yielding(&spelled(name), &spelled(tail))
    };
    html! {
        <span class="hint" tabindex="0" data-hint={spelled(id)}>{ shown }</span>
    }
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
    html! {
        <span class="hint unseen" tabindex="0" data-hint={why.to_owned()}>
            { NOT_VISIBLE }<span class="sr">{ format!(": {why}") }</span>
        </span>
    }
}

/// What has not been there so far, and would be seen.
pub fn none_yet(what: &str) -> Html {
    html! {
        <span class="hint unseen" tabindex="0" data-hint={what.to_owned()}>
            { "none yet" }<span class="sr">{ format!(": {what}") }</span>
        </span>
    }
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

/// A labelled choice.
pub fn choice(
    label: Html,
    testid: &'static str,
    options: impl IntoIterator<Item = (String, String)>,
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
    let invalid = (!good).then_some("true");
    html! {
        <label>{ label }<input data-testid={testid} type="text" inputmode={keys} autocomplete="off" spellcheck="false"
            aria-invalid={invalid} {value} {oninput} /></label>
    }
}
