//! That a group's coordinator answered nobody: the cause of what its members did then, and soon after.

use std::sync::Arc;

use super::Round;
use super::thresholds::AFTERMATH_MS;
use super::words::{ago, span};
use crate::board::{Group, Outage, Party};
use crate::time::UnixMs;

/// Those that the group remembers, and the one that lasts.
pub(super) fn outages(round: &Round<'_>, group: &Group, now: UnixMs) -> Vec<Outage> {
    let seat = group.coordinator.as_ref().map(|seat| seat.node);
    let lasts = seat.zip(round.unanswered_since(group));
    let lasts = lasts.map(|(node, from)| Outage { node, from, to: now });
    lasts.into_iter().chain(group.outages.iter().copied()).collect()
}

/// Clients with what they did by themselves: without what an outage explains.
pub(super) fn by_themselves(outages: &[Outage], parties: &[Arc<Party>]) -> Vec<Arc<Party>> {
    let due = |at: UnixMs| outages.iter().any(|outage| outage.explains(at));
    let all = parties.iter().map(|party| {
        let moves = party.comings.iter().map(|(at, _)| *at);
        if !moves.chain(party.goings.iter().map(|(at, _)| *at)).any(due) {
            return Arc::clone(party);
        }
        let mut own = (**party).clone();
        own.comings.retain(|(at, _)| !due(*at));
        own.goings.retain(|(at, _)| !due(*at));
        own.ids -= (party.comings.len() - own.comings.len()) as u64;
        Arc::new(own)
    });
    all.collect()
}

/// The last one that is over, where it explains what happened in the group.
pub(super) fn explained(group: &Group, now: UnixMs) -> Option<String> {
    let last = group
        .outages
        .first()
        .filter(|last| now.since(last.to).0 <= AFTERMATH_MS)?;
    let over = group.rebalances.first().and_then(|row| row.finished.get());
    let gone = group.departed.first().map(|gone| &gone.end.at);
    let explained = over.into_iter().chain(gone).any(|at| last.explains(*at));
    explained.then(|| {
        format!(
            "Broker {}, its coordinator then, answered nobody about it for {} until {}: by the times that is why members went and came back \
             (inferred), no fault of theirs.",
            last.node,
            span(last.to.since(last.from)),
            ago(now.since(last.to))
        )
    })
}
