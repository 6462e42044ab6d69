//! The marks of a timeline in sentences.

use shared::board::{Group, Rebalance, limits};
use shared::error_code;
use shared::event::RebalanceCause;
use shared::health::words::{because, between};
use shared::time::UnixMs;

use super::lanes::{Band, Lane, Life, Seen};
use super::marks::{Mark, What};
use crate::views::words::{self, LocalTime, spelled};
use crate::views::{rebalances, story};

/// A mark: "14:31:07.043 payments-7 on 10.0.3.8: …".
pub(super) fn mark(mark: &Mark<'_>, group: &Group, local: LocalTime) -> String {
    let whose = mark
        .lane
        .map(|lane| format!(" {}:", place(lane)))
        .unwrap_or_default();
    format!("{}{whose} {}", local.exact(mark.at), what(mark, group, local))
}

/// The same without when and whose.
pub(super) fn what(mark: &Mark<'_>, group: &Group, local: LocalTime) -> String {
    match &mark.what {
        What::Rebalance(band) => rebalance(band, local),
        What::Came(life) => came(life, group),
        What::Went(life, end) => {
            let reason = life.reason().unwrap_or_default();
            format!("{}: {}.", end.state.as_str(), story::sentence(&reason))
        }
        What::Sign(_, seen) => sign(*seen),
        What::Forgotten(_) => format!("older heartbeats are not on this page: {}.", kept()),
    }
}

/// How many heartbeats there are to be drawn.
pub(super) fn kept() -> String {
    format!(
        "of each member the last {} are, of one that is gone the last",
        limits::CELLS
    )
}

/// Whose a lane is.
pub(super) fn place(lane: &Lane) -> String {
    let name = spelled(&lane.name);
    match &lane.host {
        Some(host) => format!("{name} on {}", spelled(host)),
        None => name,
    }
}

fn came(life: &Life, group: &Group) -> String {
    let id = spelled(life.member.as_str());
    if !life.joined {
        return format!("asked to come in as {id}: it was not in the group.");
    }
    if life.from.is_some_and(|from| from <= group.since) {
        return format!("there as {id} when the group was first seen.");
    }
    format!("in the group as {id}.")
}

fn sign(seen: Seen) -> String {
    match seen {
        Seen::Beats {
            count,
            latency_us,
            error,
        } => {
            let beats = match count {
                1 => "heartbeat".to_owned(),
                count => words::count(u64::from(count), "heartbeat", "heartbeats"),
            };
            let slowest = if count == 1 { "" } else { "at most " };
            let latency = latency_us.map_or_else(
                || ", latency not visible".to_owned(),
                |us| format!(" answered in {slowest}{}", words::latency(us)),
            );
            let code = match error {
                error_code::NONE => ".".to_owned(),
                code => format!(
                    " with {}: {}",
                    error_code::label(code),
                    error_code::sentence(code)
                ),
            };
            format!("{beats}{latency}{code}")
        }
        Seen::Renewed => "renewed its session for the last time.".to_owned(),
        Seen::Unanswered(cause) => format!("a heartbeat got no answer: {}.", story::link_fault(cause)),
        Seen::Commit => "the last sign of life that is visible: a commit. Heartbeats are not.".to_owned(),
        Seen::Rejoined { generation, took } => {
            let which = generation.map_or_else(
                || "a generation".to_owned(),
                |generation| format!("generation {}", words::thousands_of(generation.0)),
            );
            let took = took.map(|took| format!(", {} after its JoinGroup", words::took(took)));
            format!("in {which}{}.", took.unwrap_or_default())
        }
    }
}

fn rebalance(band: &Band, local: LocalTime) -> String {
    let row = &band.row;
    let why = match row.cause() {
        RebalanceCause::NotVisible => "why is not visible".to_owned(),
        cause => {
            let who = row.member.get().map(story::name);
            because(cause, who.as_deref())
        }
    };
    let since = band.earliest.map(|earliest| {
        format!(
            ", begun between {} and {}",
            local.exact(earliest),
            local.exact(band.from)
        )
    });
    format!(
        "rebalance {}: {why}{}{}.",
        rebalances::generations(row, "to"),
        took(row, band),
        since.unwrap_or_default()
    )
}

fn took(row: &Rebalance, band: &Band) -> String {
    match (band.until, row.took_between()) {
        (None, _) => ", still going on".to_owned(),
        (Some(_), Some(took)) => {
            let given_up = if row.gave_way() { "given up after " } else { "" };
            format!(", {given_up}{}", between(took, words::took))
        }
        (Some(_), None) => String::new(),
    }
}

/// The whole in words, for who cannot see the drawing.
pub(super) fn summary(
    lanes: usize,
    bands: usize,
    (from, until): (UnixMs, UnixMs),
    local: LocalTime,
) -> String {
    format!(
        "Timeline from {} to {}: {}, {}.",
        local.clock(from),
        local.clock(until),
        words::count(lanes as u64, "lane", "lanes"),
        words::count(bands as u64, "rebalance seen", "rebalances seen")
    )
}
