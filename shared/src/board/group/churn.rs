//! Who comes back again and again, and rebalances that follow each other: told by what the group's other rows tell.

use std::sync::Arc;

use super::{Group, News};
use crate::board::bounded::push_newest;
use crate::board::churn::{Identity, Party, Run};
use crate::board::departed::Departed;
use crate::board::limits::PARTIES;
use crate::board::member::Member;
use crate::board::state::MemberState;
use crate::event::{GroupState, RebalanceCause};
use crate::ids::{Generation, MemberId};
use crate::time::UnixMs;

impl Group {
    /// A member came under a new id: where its like have gone before, it is one of them that came back.
    pub(super) fn party_came(&mut self, id: &MemberId, at: UnixMs) {
        if self.parties.is_empty() {
            return;
        }
        let Some(identity) = self.members.get(id).map(|row| Identity::of(row)) else {
            return;
        };
        let Some(place) = self.parties.iter().position(|party| party.identity == identity) else {
            return;
        };
        let most = self.how_many(&identity);
        let mut party = self.parties.remove(place);
        let known = Arc::make_mut(&mut party);
        known.came(id, at);
        known.most = known.most.max(most);
        self.parties.insert(0, party);
    }

    /// A member went: it is remembered from now on, by what tells it from others.
    pub(super) fn party_went(&mut self, gone: &Departed, news: &News<'_>) {
        self.note_going(gone.end.state, gone.end.at);
        let identity = gone.identity();
        if !identity.is_known() {
            return;
        }
        let place = self.parties.iter().position(|party| party.identity == identity);
        let most = self.how_many(&identity) + 1;
        let mut party = match place {
            Some(place) => self.parties.remove(place),
            None => Arc::new(Party::new(identity)),
        };
        let known = Arc::make_mut(&mut party);
        known.most = known.most.max(most);
        known.came(&gone.id, gone.since.unwrap_or(gone.end.at));
        known.went(gone.end.at, gone.end.state);
        let room = PARTIES.min(news.room.parties);
        let out = push_newest(&mut self.parties, party, room);
        self.forgotten = self.forgotten.saturating_add(out);
    }

    /// How many members look like that; who has lost its id is none until it has another.
    fn how_many(&self, identity: &Identity) -> usize {
        self.members
            .values()
            .filter(|row| {
                row.named
                    && row.client_id.get() == identity.client_id.as_ref()
                    && row.host.get() == identity.host.as_ref()
                    && row.instance_id.get() == identity.instance_id.as_ref()
            })
            .count()
    }

    /// That the group has a member under an id that it never had before.
    pub(super) fn newcomer(&mut self, at: UnixMs) {
        let run = self.run_at(at);
        run.came = run.came.saturating_add(1);
    }

    fn note_going(&mut self, how: MemberState, at: UnixMs) {
        let count = self.run_at(at).went(how);
        *count = count.saturating_add(1);
    }

    /// A better source tells of a member that has departed how it went.
    pub(super) fn went_otherwise(&mut self, gone: &Departed, told: (UnixMs, MemberState)) {
        let known = (gone.end.at, gone.end.state);
        let identity = gone.identity();
        if let Some(party) = self.parties.iter_mut().find(|party| party.identity == identity) {
            Arc::make_mut(party).went_otherwise(told, known);
        }
        // One that went before the run began was not counted in it.
        if let Some(run) = self.run.as_mut().filter(|run| told.0 >= run.since) {
            let run = Arc::make_mut(run);
            let before = run.went(told.1);
            *before = before.saturating_sub(1);
            let count = run.went(known.1);
            *count = count.saturating_add(1);
        }
    }

    /// The run that what happens then belongs to; where none goes on, one begins with it, and a rebalance will follow.
    fn run_at(&mut self, at: UnixMs) -> &mut Run {
        if self.run.as_ref().is_some_and(|run| !run.goes_on(at)) {
            self.run = None;
        }
        let from = self.generation.get().copied();
        Arc::make_mut(self.run.get_or_insert_with(|| Arc::new(Run::new(at, from))))
    }

    /// Why the open rebalance starts over, where it does: what happens after a generation was formed and before it is
    /// Stable. Coordinators do not say it.
    pub(super) fn restarts(&mut self, cause: RebalanceCause, member: Option<&MemberId>) {
        let formed = self.state.get() == Some(&GroupState::CompletingRebalance);
        if let Some(run) = self.run.as_mut().filter(|run| formed && run.next.is_none()) {
            Arc::make_mut(run).next = Some((cause, member.cloned()));
        }
    }

    /// One more generation was formed, or a rebalance is over whose generation was not seen being formed.
    pub(super) fn turned(&mut self, generation: Generation, at: UnixMs, members: usize) {
        if self.run.as_ref().is_some_and(|run| run.to == generation) {
            return;
        }
        let open = self
            .open
            .as_ref()
            .or_else(|| self.rebalances.first())
            .map(Arc::clone);
        let started = open.as_ref().and_then(|open| open.started.get().copied());
        let since = started.unwrap_or(at).min(at);
        let mut run = self
            .run
            .take()
            .filter(|run| run.goes_on(since))
            .unwrap_or_else(|| {
                let from = open.as_ref().and_then(|open| open.from_generation.get().copied());
                Arc::new(Run::new(since, from))
            });
        let known = Arc::make_mut(&mut run);
        if known.turns == 0 {
            known.since = known.since.min(since);
            let before = open.as_ref().and_then(|open| open.from_generation.get().copied());
            known.from = before.or(known.from);
        }
        let (cause, member) = known.next.take().unwrap_or_else(|| {
            open.as_ref().map_or((RebalanceCause::NotVisible, None), |open| {
                (open.cause(), open.member.get().cloned())
            })
        });
        let by = member.and_then(|member| {
            let identity = match self.members.get(&member) {
                Some(row) => Identity::of(row),
                None => self.gone(&member)?.identity(),
            };
            let most = self.how_many(&identity).max(1);
            Some((identity, member, most))
        });
        known.most = known.most.max(members).max(self.members.len());
        known.turn(at, generation, cause, by);
        self.run = Some(run);
    }
}

impl Member {
    /// Whether this join is the first that is told under its id; it does not hang on beats, which may make the row before. One
    /// of ours, whose row is there before it has that id, is there as that one from then on.
    pub(super) const fn is_counted_first(&mut self, at: UnixMs) -> bool {
        let first = !std::mem::replace(&mut self.counted, true);
        if first && self.goes_by.is_some() {
            self.since = at;
        }
        first
    }
}
