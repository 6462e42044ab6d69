//! How members of ours end by their own word, and which rebalances that explains.

use std::sync::Arc;

use super::{Group, News};
use crate::board::departed::End;
use crate::board::state::MemberState;
use crate::event::{RebalanceCause, Source};
use crate::ids::MemberId;
use crate::time::UnixMs;

impl Group {
    /// One of ours has ended for good. Where it had left, its row is gone already; where it had not, nobody tells of it any
    /// more, but its coordinator of how its session runs out.
    pub(super) fn ended_itself(&mut self, id: &MemberId, news: &News<'_>) {
        let Some(row) = self.row_id(id).and_then(|row| self.members.get(&row)) else {
            return;
        };
        if row.sources.contains(Source::Embedded) || !row.is_ours() {
            return;
        }
        if row.sources.contains(Source::Survey) {
            return self.stays_listed(&row.id.clone(), news.at);
        }
        let (id, named) = (row.id.clone(), row.named);
        if !named {
            // Under which id a coordinator would count it is not known.
            self.members.remove(&id);
            self.forget_blind_probe();
            return self.forget_death();
        }
        let sighting = news.sighting();
        let end = End {
            state: MemberState::Gone,
            at: sighting.at,
            at_earliest: sighting.at_earliest,
            cause: "Ended by us without leaving: its coordinator keeps it until its session is over."
                .to_owned(),
            possible: Vec::new(),
            evidence: sighting.evidence,
            source: sighting.source,
        };
        self.depart(&id, end, news);
        self.forget_death();
    }

    /// One of ours is at an end and its coordinator keeps it: from now on it is a member as those of others are, until a survey
    /// misses it. Who starts again goes by another id.
    fn stays_listed(&mut self, id: &MemberId, at: UnixMs) {
        self.aliases.retain(|_, row| row != id);
        if let Some(row) = self.members.get_mut(id) {
            Arc::make_mut(row).given_up(at);
        }
        self.forget_blind_probe();
        self.forget_death();
    }

    /// Why a rebalance began that is told without a cause: through one that was ended and did not leave, its session ran out; through
    /// one that is told to have left, that it left.
    pub(super) fn cause_of(&self, told: RebalanceCause, member: Option<&MemberId>) -> RebalanceCause {
        let Some(id) = member.filter(|_| told == RebalanceCause::NotVisible) else {
            return told;
        };
        let row = self.members.get(id);
        let leaves = row.is_some_and(|row| row.leaving.is_some());
        let left = self
            .gone(id)
            .is_some_and(|gone| gone.end.state == MemberState::Left);
        match row.is_some_and(|row| row.killed.is_some()) {
            true => RebalanceCause::MemberTimedOut,
            false if leaves || left => RebalanceCause::MemberLeft,
            false => told,
        }
    }

    /// With the last of ours at an end, nobody is left that takes the coordinator for dead or looks for it.
    fn forget_death(&mut self) {
        if self.members.values().any(|member| member.is_ours()) {
            return;
        }
        self.not_found = None;
        if let Some(seat) = &mut self.coordinator {
            seat.dead = None;
        }
    }

    /// A member is told to have left, and by now it is known through whom which rebalance began.
    pub(super) fn leaving_was_the_cause(&mut self, id: &MemberId, source: Source) {
        if self
            .gone(id)
            .is_none_or(|gone| gone.end.state != MemberState::Left)
        {
            return;
        }
        for row in self.open.iter_mut().chain(&mut self.rebalances) {
            if row.member.get() == Some(id) && row.cause.get().is_none() {
                let cause = &mut Arc::make_mut(row).cause;
                cause.tell(Some(RebalanceCause::MemberLeft), source);
            }
        }
    }
}
