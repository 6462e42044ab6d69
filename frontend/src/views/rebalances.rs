//! The rebalances of a group: from which generation to which, why, through whom, how long, and who came back how fast.

use std::sync::Arc;

use shared::board::{Group, Rebalance};
use shared::event::{RebalanceCause, Source};
use shared::health::words::{at_least, between};
use shared::ids::MemberId;
use shared::time::{Millis, UnixMs};
use yew::prelude::*;

use super::members::facts::Why;
use super::members::seen_by;
use super::parts::{Column, bare, cell, hint, member_name, panel_head, pill, seen_or, table_head, unseen};
use super::still::{Part, still_at};
use super::story;
use super::tone::{self, Tone, plain};
use super::words;
use super::{ByPointer, Now};

/// The columns of its table.
const COLUMNS: [Column; 7] = [
    ("", "Generation"),
    ("", "Cause"),
    ("", "Member"),
    ("num", "Took"),
    ("", "Phases"),
    ("fill", "Rejoined"),
    ("", "Evidence"),
];

/// The panel.
pub fn panel(group: &Group, why: &Why, now: Now) -> Html {
    let longest = group
        .rebalances
        .iter()
        .filter_map(|row| row.took())
        .max()
        .unwrap_or(Millis(1))
        .max(Millis(1));
    let total = group.rebalance_count();
    let none = match total {
        Some(_) => "None has been seen.".to_owned(),
        None => format!("Whether there were any is not visible: {}.", why.rebalances()),
    };
    let of = |row: &Arc<Rebalance>, at, now| Row {
        row: ByPointer(Arc::clone(row)),
        longest,
        at,
        now,
    };
    let open = group
        .open
        .as_ref()
        .map(|row| still_at("open", of(row, now.shown, now)));
    // Keyed by the generation, by the end where that is not visible: a row that closes is drawn anew, one that learns more is changed.
    let finished = group.rebalances.iter().map(|row| {
        let ended = || row.finished.get().map_or(0, |at| -at.0.cast_signed());
        let key = row
            .generation
            .map_or_else(ended, |generation| i64::from(generation.0));
        still_at(key, of(row, None, now.without_time()))
    });
    html! {
        <section class="panel" aria-labelledby="rebalances-title">
            { panel_head("rebalances-title", "Rebalances", head_note(group)) }
            if group.rebalances.is_empty() && group.open.is_none() {
                <p class="nothing">{ none }</p>
            } else {
                <table class="rows rebalances" role="table">
                    { table_head(&COLUMNS) }
                    <tbody role="rowgroup">{ open }{ for finished }</tbody>
                </table>
                <div class="foot legend" aria-hidden="true">
                    <span><svg width="12" height="8"><rect class="phase-join" width="12" height="8" rx="2" /></svg>{ "join phase" }</span>
                    <span><svg width="12" height="8"><rect class="phase-sync" width="12" height="8" rx="2" /></svg>{ "sync phase" }</span>
                </div>
            }
        </section>
    }
}

fn head_note(group: &Group) -> String {
    let Some(total) = group.rebalance_count() else {
        return words::NOT_VISIBLE.to_owned();
    };
    let kept = group.rebalances.len();
    let least = at_least(group.rebalanced_unseen());
    let count = words::thousands(total);
    if total > kept as u64 {
        format!("the last {kept} of {least}{count}")
    } else {
        format!("{least}{count}")
    }
}

#[derive(PartialEq)]
struct Row {
    row: ByPointer<Rebalance>,
    /// The longest one on show: the bars' scale.
    longest: Millis,
    /// The moment, for one that runs.
    at: Option<UnixMs>,
    now: Now,
}

impl Part for Row {
    fn draw(&self) -> Html {
        let row = &*self.row;
        let cause = row.cause();
        // A number is what is exact; bounds are for the eye.
        let took = row.took_between().filter(|(least, most)| *most == Some(*least));
        let generation = row
            .generation
            .map(|generation| generation.to_string())
            .unwrap_or_default();
        let running = self.at.and_then(|at| row.running(at));
        html! {
            <tr role="row" data-testid="rebalance" data-generation={generation} data-cause={cause.as_str()}
                data-took-ms={took.map(|(took, _)| took.0.to_string())}>
                <td role="cell" class="half" data-label="generation"><b>{ generations(row, "→") }</b>{ skipped(row) }</td>
                { bare("half bare", cause_pill(cause)) }
                { cell("half", "through", culprit(row)) }
                { cell("num half took", "took", duration(row, running)) }
                { bare("whole bare", phases(row, self.longest)) }
                { cell("why whole", "rejoined", rejoined(row)) }
                { cell("whole", "evidence", evidence(row, self.now)) }
            </tr>
        }
    }
}

/// From which generation to which, as far as that is known: "1,041 → 1,042", with the word or the sign that is to stand between.
pub fn generations(row: &Rebalance, to: &str) -> String {
    let from = row.from_generation.get().map(|from| from.0);
    let next = row.generation.map(|next| next.0);
    let unknown = match row.finished.get() {
        Some(_) if from.or(next).is_none() => return words::NOT_VISIBLE.to_owned(),
        Some(_) => "?",
        None => "…",
    };
    let told = |generation: Option<i32>, unknown: &str| {
        generation.map_or_else(|| unknown.to_owned(), words::thousands_of)
    };
    format!("{} {to} {}", told(from, "?"), told(next, unknown))
}

fn skipped(row: &Rebalance) -> Html {
    let notes: Vec<String> = [(&row.abandoned, "abandoned"), (&row.missed, "never seen")]
        .into_iter()
        .filter_map(|(count, word)| {
            count
                .get()
                .filter(|count| **count > 0)
                .map(|count| format!("{count} {word}"))
        })
        .collect();
    if notes.is_empty() {
        return Html::default();
    }
    html! { <small class="faint">{ format!(" ({})", notes.join(", ")) }</small> }
}

/// A cause as a pill.
pub fn cause_pill(cause: RebalanceCause) -> Html {
    let sign = match tone::of_cause(cause) {
        Tone::Bad => "✕",
        Tone::Dim => "?",
        Tone::Ok | Tone::Late | Tone::Move => "⟳",
    };
    pill(tone::of_cause(cause), sign, &plain(cause.as_str()))
}

fn culprit(row: &Rebalance) -> Html {
    let told = row.member.get().map(|id| member_name(id.as_str(), None));
    seen_or(told, "who caused it was not seen")
}

fn duration(row: &Rebalance, running: Option<Millis>) -> Html {
    if row.finished.get().is_none() {
        let least = if row.starts_exactly() { "" } else { "at least " };
        return match running {
            Some(running) => html! { <b>{ format!("{least}{} so far", words::span(running)) }</b> },
            None => html! { "running" },
        };
    }
    match row.took_between() {
        Some(took) => html! { between(took, words::took) },
        None => unseen("its start or its end was not seen"),
    }
}

/// Join and sync phase on one scale for all rows; the whole where the phases were not seen.
fn phases(row: &Rebalance, longest: Millis) -> Html {
    const WIDTH: u64 = 96;
    let scaled = |ms: u64| (WIDTH.saturating_mul(ms) / longest.0).clamp(2, WIDTH);
    let parts = match (row.join_between(), row.sync_ms.get(), row.took_between()) {
        (Some(join), Some(sync), _) => Some((
            scaled(join.0.0),
            scaled(*sync),
            format!(
                "join {}, sync {}",
                between(join, words::took),
                words::took(Millis(*sync))
            ),
        )),
        (_, _, Some(took)) => Some((
            scaled(took.0.0),
            0,
            format!("{}, phases not visible", between(took, words::took)),
        )),
        _ => None,
    };
    let Some((first, second, label)) = parts else {
        return Html::default();
    };
    let class = if second > 0 { "phase-join" } else { "phase-open" };
    html! {
        <span class="hint toleft" tabindex="0" data-hint={label.clone()}>
            <svg class="phases" role="img" aria-label={label} width={(WIDTH + 5).to_string()} height="10">
                <rect {class} width={first.to_string()} height="10" rx="2" />
                if second > 0 { <rect class="phase-sync" x={(first + 1).to_string()} width={second.to_string()} height="10" rx="2" /> }
            </svg>
        </span>
    }
}

/// Who came back and how long each took; slowest first, because the group waited for that one.
fn rejoined(row: &Rebalance) -> Html {
    const NAMED: usize = 6;
    let mut rejoined: Vec<_> = row.rejoined.iter().collect();
    rejoined.sort_by_key(|one| std::cmp::Reverse(one.took_ms.get().copied()));
    let more = rejoined.len().saturating_sub(NAMED);
    let names = rejoined.into_iter().take(NAMED).enumerate().map(|(place, one)| {
        let took = one.took_ms.get().map(|ms| words::took(Millis(*ms)));
        html! {
            <>
                { if place > 0 { " · " } else { "" } }{ story::name(&one.member) }
                { took.map(|took| format!(" {took}")).unwrap_or_default() }
            </>
        }
    });
    let left = named("gone", row.left.get());
    // A survey concludes who it was: no record tells when each JoinGroup came.
    let first = row.rejoined.first().filter(|one| one.took_ms.get().is_none());
    let inferred = first.is_some() && row.sources.iter().next() == Some(Source::Survey);
    html! {
        <>
            { for names }
            { if more > 0 { format!(" and {more} more") } else { String::new() } }
            if inferred { <span class="faint">{ " (inferred; how long is not visible)" }</span> }
            if let Some(left) = left { <span class="faint">{ format!(" — {left}") }</span> }
        </>
    }
}

fn named(word: &str, ids: Option<&Vec<MemberId>>) -> Option<String> {
    const NAMED: usize = 3;
    let ids = ids.filter(|ids| !ids.is_empty())?;
    let names: Vec<String> = ids.iter().take(NAMED).map(story::name).collect();
    let more = match ids.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{word}: {}{more}", names.join(", ")))
}

fn evidence(row: &Rebalance, now: Now) -> Html {
    let word = row
        .evidence
        .get()
        .map_or("", |evidence| super::log::evidence(*evidence));
    let when = row
        .finished
        .get()
        .or(row.started.get())
        .map(|at| now.local.clock(*at))
        .unwrap_or_default();
    let by = seen_by(row.sources.iter());
    hint(
        "hint toleft faint",
        format!("seen by: {by}; {when}"),
        html! { word },
    )
}
