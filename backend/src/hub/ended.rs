//! The end of a rebalance as it is told: whoever sees an end need not have seen the start, and the board has both in one row.

use shared::board::{Board, GroupKey, Rebalance};
use shared::event::{Change, Observation, Rebalanced};
use shared::time::Millis;

/// Adds to the news of an end what the row it belongs to knows by now: why the rebalance began, who caused it, how long it took.
/// The board that took the news in stays as it is when it takes in the completed one.
pub(super) fn complete(what: &mut Observation, board: &Board) {
    let (Change::RebalanceFinished(told), Some(group)) = (&mut what.change, &what.group) else {
        return;
    };
    let group = board.group(&GroupKey::new(&what.cluster, group));
    let mut rows = group.into_iter().flat_map(|group| &group.rebalances);
    if let Some(row) = rows.find(|row| row.generation == Some(told.generation)) {
        as_in(row, told);
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
