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
    let Some(group) = &what.group else { return };
    let Some(group) = board.group(&GroupKey::new(&what.cluster, group)) else {
        return;
    };
    match &mut what.change {
        Change::RebalanceFinished(told) => {
            let mut rows = group.rebalances.iter();
            if let Some(row) = rows.find(|row| row.generation == Some(told.generation)) {
                as_in(row, told);
            }
        }
        Change::RebalanceStarted {
            cause,
            member: Some(member),
            from_generation,
        } if *cause == RebalanceCause::NotVisible => {
            let mut rows = group.open.iter().chain(&group.rebalances);
            let row = rows.find(|row| {
                row.member.get() == Some(member) && row.from_generation.get() == from_generation.as_ref()
            });
            *cause = row.map_or(*cause, |row| row.cause());
        }
        Change::MemberGone { possible, why } => {
            let gone = group
                .departed
                .iter()
                .find(|gone| Some(&gone.id) == what.member.as_ref());
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
        told.took_between_ms = row.took_between().map(in_ms);
    }
}
