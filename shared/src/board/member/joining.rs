//! That a member is in the group, and what that tells of it.

use super::{Member, Phase, Rejoin};
use crate::board::bounded::push_newest;
use crate::board::limits::REJOINS;
use crate::board::text::clipped;
use crate::board::told::Told;
use crate::event::{Joined, Source};
use crate::time::{Millis, UnixMs};

impl Member {
    /// That it is in the group.
    pub(in crate::board) fn tell_joined(&mut self, joined: &Joined, at: UnixMs, source: Source) {
        self.client_id
            .tell(joined.client_id.as_ref().map(clipped), source);
        self.host.tell(joined.host.as_ref().map(clipped), source);
        self.instance_id
            .tell(joined.instance_id.as_ref().map(clipped), source);
        self.session_timeout
            .tell(joined.session_timeout_ms.map(Millis), source);
        self.rebalance_timeout
            .tell(joined.rebalance_timeout_ms.map(Millis), source);
        self.heartbeat_interval
            .tell(joined.heartbeat_interval_ms.map(Millis), source);
        self.generation.tell(joined.generation, source);
        self.rack = joined.rack.as_ref().map(clipped).or_else(|| self.rack.take());
        self.classic = joined.classic.or(self.classic);
        if is_listing(joined, source) {
            if !self.is_seen_beating() {
                self.enter(Phase::InGroup, at);
            }
            if joined.took_ms.is_some() {
                self.tell_rejoin(joined, at, source);
            }
            return;
        }
        // One of ours that has ended is in the group no more, whatever the coordinator still has of it.
        if source == Source::Probe || !self.has_failed() {
            self.enter(Phase::InGroup, at);
        }
        self.withheld = None;
        let renewed = UnixMs(at.0.saturating_sub(joined.session_ran_ms.unwrap_or(0)));
        self.losses_over(renewed);
        self.gap_from = None;
        self.join_since = None;
        self.abandoned = None;
        self.sync_due = None;
        self.unsynced = 0;
        self.renewed.tell_latest(renewed, source);
        self.tell_rejoin(joined, at, source);
    }

    fn tell_rejoin(&mut self, joined: &Joined, at: UnixMs, source: Source) {
        let known = self
            .rejoins
            .iter_mut()
            .find(|rejoin| joined.generation.is_some() && rejoin.generation == joined.generation);
        if let Some(rejoin) = known {
            rejoin.took_ms.fill(joined.took_ms, source);
            return;
        }
        let mut took_ms = Told::default();
        took_ms.fill(joined.took_ms, source);
        let rejoin = Rejoin {
            at,
            generation: joined.generation,
            took_ms,
        };
        push_newest(&mut self.rejoins, rejoin, REJOINS);
    }
}

/// Whether a join tells only that the member stands in a list: a survey's, or the one a leader of ours was given. That
/// renews no session, and says less of a member than those who see it beat.
pub(in crate::board) const fn is_listing(joined: &Joined, source: Source) -> bool {
    match source {
        Source::Embedded => false,
        Source::Probe => joined.session_timeout_ms.is_none(),
        Source::Survey => true,
    }
}
