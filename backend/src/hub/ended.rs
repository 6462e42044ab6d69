//! The end of a rebalance or of a membership as it is told: whoever sees an end need not have seen the start, and the board has both in one row.

use shared::board::{Board, GroupKey, MemberState, Rebalance};
use shared::event::{Change, Departure, Observation, RebalanceCause, Rebalanced};
use shared::time::Millis;

/// Adds to the news of an end what the row it belongs to knows by now: why the rebalance began, who caused it, how long it took; and
/// to the news of a start or of a departure what that member told itself. The board that took the news in stays as it is when it
/// takes in the completed one. Nothing is told that began after it happened.
pub(super) fn complete(what: &mut Observation, board: &Board) {
    let at = what.at;
    what.at_earliest = what.at_earliest.filter(|earliest| *earliest <= at);
    // Looked for where it is needed alone: every heartbeat comes by here.
    let group = || board.group(&GroupKey::new(&what.cluster, what.group.as_ref()?));
    match &mut what.change {
        Change::RebalanceFinished(told) => {
            let mut rows = group().into_iter().flat_map(|group| &group.rebalances);
            if let Some(row) = rows.find(|row| row.generation == Some(told.generation)) {
                as_in(row, told);
            }
        }
        Change::RebalanceStarted {
            cause,
            member: Some(member),
            from_generation,
        } if *cause == RebalanceCause::NotVisible => {
            let rows = group().into_iter();
            let mut rows = rows.flat_map(|group| group.open.iter().chain(&group.rebalances));
            let row = rows.find(|row| {
                row.member.get() == Some(member) && row.from_generation.get() == from_generation.as_ref()
            });
            *cause = row.map_or(*cause, |row| row.cause());
        }
        Change::MemberGone { possible, why } => {
            let mut gone = group().into_iter().flat_map(|group| &group.departed);
            let gone = gone.find(|gone| Some(&gone.id) == what.member.as_ref());
            if let Some(gone) = gone.filter(|gone| gone.end.state == MemberState::Left) {
                (*possible, *why) = (vec![Departure::Left], gone.end.cause.clone());
            }
        }
        _ => {}
    }
}

fn as_in(row: &Rebalance, told: &mut Rebalanced) {
    told.from_generation = told.from_generation.or(row.from_generation.get().copied());
    if told.cause != row.cause() {
        // Whoever was named is of the other cause.
        (told.cause, told.member) = (row.cause(), None);
    }
    told.member = told.member.take().or_else(|| row.member.get().cloned());
    if told.took_ms.is_none() {
        let in_ms = |(least, most): (Millis, Option<Millis>)| (least.0, most.map(|most| most.0));
        told.took_between_ms = row.took_between().map(in_ms).or(told.took_between_ms);
    }
}
