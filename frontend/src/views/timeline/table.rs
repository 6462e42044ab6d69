//! The timeline as a table, for who cannot see the drawing, and what its signs mean.

use yew::prelude::*;

use super::lanes::Timeline;
use super::span::Span;
use super::{LanesProps, told};

/// How many rows it has at most.
const ROWS: usize = 200;

/// All that is more than life going on, newest first.
pub(super) fn rows(timeline: &Timeline, span: Span, props: &LanesProps) -> Html {
    let marks = timeline.turns(&props.group, span);
    let more = marks.len().saturating_sub(ROWS);
    let rows = marks.iter().take(ROWS).map(|mark| {
            html! { <tr><td>{ props.local.exact(mark.at) }</td><td>{ mark.lane.map(told::place) }</td><td>{ told::what(mark, &props.group, props.local) }</td></tr> }
        });
    html! {
        <table class="rows facts-of" data-testid="timeline-table">
            <thead><tr><th scope="col">{ "When" }</th><th scope="col">{ "Who" }</th><th scope="col">{ "What" }</th></tr></thead>
            <tbody>
                { for rows }
                if more > 0 { <tr><td colspan="3">{ format!("and {more} more: zoom in") }</td></tr> }
                if marks.is_empty() { <tr><td colspan="3">{ "Nothing but life going on." }</td></tr> }
            </tbody>
        </table>
    }
}

/// The signs, and what they mean.
const SIGNS: [(&str, &str, &str); 9] = [
    ("ok", "❙", "heartbeat: taller, amber and red from 100 ms and 1 s"),
    ("ok", "◆", "last commit"),
    ("ok", "▲", "came"),
    ("dim", "◀", "left"),
    ("bad", "✕", "gone, refused, or no answer"),
    ("bad", "┅", "silent before it was gone"),
    ("move", "●", "back in a generation"),
    ("move", "¦", "told to join again"),
    (
        "move",
        "█",
        "rebalance, its join phase on top; pale where it may have begun",
    ),
];

/// What the signs mean.
pub(super) fn legend() -> Html {
    let signs = SIGNS.map(
        |(tone, sign, words)| html! { <span><b class="sign" data-tone={tone}>{ sign }</b>{ words }</span> },
    );
    html! {
        <div class="foot legend" aria-hidden="true">
            { for signs }
        </div>
    }
}
