//! The timeline as a table, for who cannot see the drawing, and what its signs mean.

use yew::prelude::*;

use super::lanes::Timeline;
use super::span::Span;
use super::{LanesProps, told};
use crate::views::parts::{Column, cell, table_head};

/// How many rows it has at most.
const ROWS: usize = 200;

const COLUMNS: [Column; 3] = [("", "When"), ("", "Who"), ("", "What")];

/// All that is more than life going on, newest first.
pub(super) fn rows(timeline: &Timeline, span: Span, props: &LanesProps) -> Html {
    let marks = timeline.turns(&props.group, span);
    let more = marks.len().saturating_sub(ROWS);
    let rows = marks.iter().take(ROWS).map(|mark| {
        let what = told::what(mark, &props.group, props.local);
        let who = mark.lane.map(told::place).unwrap_or_default();
        html! {
            <tr role="row">
                { cell("half", "when", html! { props.local.exact(mark.at) }) }
                { cell("half", "who", html! { who }) }
                { cell("why whole", "what", html! { what }) }
            </tr>
        }
    });
    html! {
        <>
            <table class="rows" role="table" data-testid="timeline-table">
                { table_head(&COLUMNS) }
                <tbody role="rowgroup">{ for rows }</tbody>
            </table>
            if more > 0 { <p class="nothing">{ format!("{more} more are in this stretch of time: zoom in.") }</p> }
            if timeline.lanes.iter().any(|lane| lane.lives.iter().any(|life| life.forgotten(&props.group).is_some())) {
                <p class="nothing">{ format!("Not all heartbeats are on this page: {}.", told::kept()) }</p>
            }
            if marks.is_empty() { <p class="nothing">{ "Nothing but life going on." }</p> }
        </>
    }
}

/// The signs, and what they mean.
const SIGNS: [(&str, &str, &str); 11] = [
    ("ok", "❙", "heartbeat: taller, amber and red from 100 ms and 1 s"),
    ("ok", "◆", "last commit"),
    ("ok", "▲", "came"),
    ("move", "□", "asks to come in"),
    ("dim", "◀", "left"),
    ("bad", "✕", "gone, refused, or no answer"),
    ("bad", "┅", "silent before it was gone"),
    ("dim", "┈", "older heartbeats are not on this page"),
    ("move", "●", "in a new generation"),
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
