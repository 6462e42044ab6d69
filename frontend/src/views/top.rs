//! The top bar: what this is, where it looks, whether what is shown is live, and the theme.

use shared::time::Millis;
use yew::prelude::*;

use super::parts::{button, link, pill};
use super::tone::Tone;
use super::words;
use super::{Act, Now, past};
use crate::model::address::{Address, View};
use crate::model::{Action, LinkState, Model, Theme};

/// The bar and, below it, what the viewer must know before reading on.
pub fn bar(model: &Model, now: Now, act: &Act) -> Html {
    html! {
        <>
            <header class="top">
                { link(act, &model.address().to(Address::default()), "brand", false, brand()) }
                { views(model, act) }
                <span class="where" data-testid="where">{ whereabouts(model) }</span>
                { scenario(model) }
                <div class="right">
                    if model.past().is_none() { { past::way(model, now, act) } }
                    { link_state(model) }
                    <time aria-label="server time">{ now.shown.map(|at| now.local.clock(at)).unwrap_or_default() }</time>
                    { button("utc", Some(model.utc()), act, Action::SetUtc(!model.utc()), "UTC") }
                    { theme_toggle(model.theme(), act) }
                </div>
            </header>
            { notice(model, now) }
        </>
    }
}

/// The ways to the views.
fn views(model: &Model, act: &Act) -> Html {
    let here = model.address();
    let way = |view: View, name: &'static str| {
        let current = here.view == view && (view != View::Groups || here.group.is_none());
        link(act, &here.to(Address::of_view(view)), "", current, html! { name })
    };
    html! {
        <nav aria-label="Views">
            { way(View::Groups, "Groups") }{ way(View::Coordinators, "Coordinators") }{ way(View::Events, "Events") }
        </nav>
    }
}

fn whereabouts(model: &Model) -> Html {
    let Some(place) = model.whereabouts() else {
        return Html::default();
    };
    let name = if place.embedded {
        html! { "embedded coordinator" }
    } else {
        html! { <>{ "cluster " }<bdi>{ words::spelled(place.cluster.as_str()) }</bdi></> }
    };
    let coordinator = place
        .coordinator
        .map(|(host, port)| format!(" · {}:{port}", words::spelled(host)));
    html! { <>{ name }<span class="faint">{ coordinator.unwrap_or_default() }</span></> }
}

/// What is played, and how much faster than life: every time on the page is a time of it.
fn scenario(model: &Model) -> Html {
    let Some(name) = model.scenario() else {
        return Html::default();
    };
    let rate = model.clock().rate();
    let pace = match rate.get() {
        1 => String::new(),
        more => format!(", {more} times faster than life"),
    };
    html! {
        <span data-testid="scenario" data-scenario={name.to_owned()} data-rate={rate.to_string()}>
            { pill(Tone::Move, "▶", &format!("scenario {name}{pace}")) }
        </span>
    }
}

fn brand() -> Html {
    html! {
        <>
            <svg width="26" height="18" viewBox="0 0 26 18" aria-hidden="true">
                <path class="pulse" d="M1 10h6l2.5-7 4 13 3-9 1.5 3h7" />
            </svg>
            { "Heartline" }
        </>
    }
}

/// The link, and up to which event the page is drawn. What stands still at another moment is not called live.
fn link_state(model: &Model) -> Html {
    let state = model.link();
    let seq = model.board().map_or(0, |board| board.seq);
    let (tone, sign) = match state {
        LinkState::Connecting => (Tone::Move, "○"),
        LinkState::Live => (Tone::Ok, "●"),
        LinkState::Stale => (Tone::Late, "◔"),
        LinkState::Reconnecting => (Tone::Bad, "⟳"),
    };
    let (tone, sign, word) = match model.past() {
        Some(_) if state == LinkState::Live && model.is_to_come() => (Tone::Move, "◷", "to come"),
        Some(_) if state == LinkState::Live => (Tone::Move, "◷", "past"),
        _ => (tone, sign, state.name()),
    };
    html! {
        <span data-testid="link" data-state={state.name()} data-seq={seq.to_string()} role="status">
            { pill(tone, sign, word) }
        </span>
    }
}

fn theme_toggle(theme: Theme, act: &Act) -> Html {
    let (sign, word) = match theme {
        Theme::System => ("◐", "auto"),
        Theme::Light => ("☀", "light"),
        Theme::Dark => ("☾", "dark"),
    };
    let onclick = act.reform(move |_: MouseEvent| Action::SetTheme(theme.next()));
    let label = format!("Theme: {word}. Change.");
    html! {
        <button class="button theme" type="button" data-testid="theme" aria-label={label} {onclick}>
            <span aria-hidden="true">{ sign }</span>{ " " }{ word }
        </button>
    }
}

/// What is wrong between this page and its server, if anything is: said before all else, because everything below it is old.
fn notice(model: &Model, now: Now) -> Html {
    let (tone, sentence) = match (model.trouble(), model.link()) {
        (Some(trouble), _) => (Tone::Bad, trouble.to_owned()),
        (None, LinkState::Live | LinkState::Connecting) => return Html::default(),
        (None, LinkState::Stale) => (Tone::Late, quiet(model, now)),
        (None, LinkState::Reconnecting) => (Tone::Bad, format!("{} Connecting again.", quiet(model, now))),
    };
    html! {
        <div class="notice" data-tone={tone.name()} data-testid="notice">
            <span aria-hidden="true">{ "⚠" }</span><p>{ sentence }</p>
            // No link within the page: it loads the page anew.
            if model.trouble().is_some() { <a class="underlined" href={model.address().href()}>{ "Reload" }</a> }
        </div>
    }
}

fn quiet(model: &Model, now: Now) -> String {
    let (Some(Millis(ms)), Some(told)) = (now.age, model.clock().told()) else {
        return "The server does not answer.".to_owned();
    };
    let age = words::setting(Millis((ms / 1000).max(1) * 1000));
    let since = now.local.clock(told);
    format!("Nothing heard from the server for {age}: what you see is from {since}.")
}
