//! Who comes back again and again, and rebalances that follow each other without rest.

use serde::Serialize;

use super::bounded::push_newest;
use super::limits;
use super::member::Member;
use super::state::MemberState;
use crate::event::RebalanceCause;
use crate::ids::{Generation, InstanceId, MemberId};
use crate::sorted::SortedMap;
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// A client as far as it can be told from others: by its client id, its host and its instance id. Its member ids change
/// whenever it joins anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, FromNode)]
pub struct Identity {
    /// `client.id`.
    pub client_id: Option<String>,
    /// Where it comes from.
    pub host: Option<String>,
    /// `group.instance.id`.
    pub instance_id: Option<InstanceId>,
}

impl Identity {
    /// Of a member's row; one known by its id alone is nobody in particular.
    #[must_use]
    pub fn of(member: &Member) -> Self {
        Self {
            client_id: member.client_id.get().cloned(),
            host: member.host.get().cloned(),
            instance_id: member.instance_id.get().cloned(),
        }
    }

    /// Whether it tells anybody from anybody.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.client_id.is_some() || self.instance_id.is_some()
    }
}

/// What is remembered of one client that has left the group at least once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Party {
    /// Who.
    pub identity: Identity,
    /// When it was in the group for the first time under a member id, and under which; newest first, at most
    /// [`limits::COMINGS`].
    pub comings: Vec<(UnixMs, MemberId)>,
    /// When it went, and how; newest first, as many.
    pub goings: Vec<(UnixMs, MemberState)>,
    /// Under how many member ids it came in all.
    pub ids: u64,
    /// How many members at a time looked like it, at most.
    pub most: usize,
    /// The last member of it that went without ever having sent a heartbeat: how long it was there.
    pub never_beat: Option<Millis>,
}

impl Party {
    pub(super) fn new(identity: Identity) -> Self {
        Self {
            identity,
            comings: Vec::new(),
            goings: Vec::new(),
            ids: 0,
            most: 1,
            never_beat: None,
        }
    }

    pub(super) fn came(&mut self, id: &MemberId, at: UnixMs) {
        if self.comings.iter().any(|(_, known)| known == id) {
            return;
        }
        self.ids = self.ids.saturating_add(1);
        // One that is first heard of when it goes came before others that are known.
        let place = self.comings.iter().take_while(|(later, _)| *later > at).count();
        self.comings.insert(place, (at, id.clone()));
        self.comings.truncate(limits::COMINGS);
    }

    pub(super) fn went(&mut self, at: UnixMs, how: MemberState) {
        push_newest(&mut self.goings, (at, how), limits::COMINGS);
    }

    /// A better source knows how it went, and when.
    pub(super) fn went_otherwise(&mut self, told: (UnixMs, MemberState), known: (UnixMs, MemberState)) {
        if let Some(going) = self.goings.iter_mut().find(|going| **going == told) {
            *going = known;
        }
    }

    /// Whether its first comings are not remembered any more.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.ids > self.comings.len() as u64
    }
}

/// Rebalances that follow each other with no more than [`limits::RUN_GAP`] between two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Run {
    /// When the first began.
    pub since: UnixMs,
    /// When the last generation was formed, or its rebalance was over.
    pub last: UnixMs,
    /// The generation before the first.
    pub from: Option<Generation>,
    /// The last generation.
    pub to: Generation,
    /// How many generations were formed; none while only members came and went since.
    pub turns: u64,
    /// When the last of them were, newest first, at most [`limits::TURNS`].
    pub recent: Vec<UnixMs>,
    /// Why, and how many times.
    pub causes: SortedMap<RebalanceCause, u64>,
    /// Who made them, at most [`limits::STARTERS`].
    pub starters: Vec<Starter>,
    /// How many were made by others than those, or by nobody that can be told.
    pub by_others: u64,
    /// Members that came meanwhile under an id not seen before.
    pub came: u64,
    /// Members that went meanwhile by themselves.
    pub left: u64,
    /// Members that went meanwhile because the coordinator removed them.
    pub removed: u64,
    /// Members that are gone meanwhile, and it is not visible how.
    #[serde(default)]
    pub gone: u64,
    /// How many members the group had meanwhile, at most.
    pub most: usize,
    /// Why the generation that is being formed is, where it is not the open rebalance's first.
    pub(super) next: Option<(RebalanceCause, Option<MemberId>)>,
}

/// Who made rebalances of a [`Run`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Starter {
    /// Who.
    pub identity: Identity,
    /// Its member id the last time.
    pub member: MemberId,
    /// How many it made by coming or going.
    pub memberships: u64,
    /// How many it made otherwise.
    pub others: u64,
    /// How many members at a time looked like it, at most.
    pub most: usize,
}

/// Whether a rebalance of that cause comes from somebody that comes or goes.
#[must_use]
pub const fn is_membership(cause: RebalanceCause) -> bool {
    matches!(
        cause,
        RebalanceCause::MemberJoined
            | RebalanceCause::MemberLeft
            | RebalanceCause::MemberTimedOut
            | RebalanceCause::MemberReplaced
    )
}

impl Run {
    pub(super) fn new(since: UnixMs, from: Option<Generation>) -> Self {
        Self {
            since,
            last: since,
            from,
            to: from.unwrap_or(Generation::NONE),
            turns: 0,
            recent: Vec::new(),
            causes: SortedMap::new(),
            starters: Vec::new(),
            by_others: 0,
            came: 0,
            left: 0,
            removed: 0,
            gone: 0,
            most: 0,
            next: None,
        }
    }

    /// The count of those that went so.
    pub(super) const fn went(&mut self, how: MemberState) -> &mut u64 {
        match how {
            MemberState::Expired | MemberState::Evicted | MemberState::Fenced => &mut self.removed,
            MemberState::Left => &mut self.left,
            _ => &mut self.gone,
        }
    }

    /// Whether something at that time still belongs to it.
    pub(super) fn goes_on(&self, at: UnixMs) -> bool {
        at.since(self.last) <= limits::RUN_GAP
    }

    /// One more generation.
    pub(super) fn turn(
        &mut self,
        at: UnixMs,
        generation: Generation,
        cause: RebalanceCause,
        by: Option<(Identity, MemberId, usize)>,
    ) {
        self.last = self.last.max(at);
        self.to = generation;
        self.turns = self.turns.saturating_add(1);
        push_newest(&mut self.recent, at, limits::TURNS);
        let of_cause = self.causes.get_or_default(cause);
        *of_cause = of_cause.saturating_add(1);
        let Some((identity, member, most)) = by else {
            self.by_others = self.by_others.saturating_add(1);
            return;
        };
        // Members of which nobody tells who they are are not one client for that.
        let known = |starter: &Starter| {
            starter.identity == identity && (identity.is_known() || starter.member == member)
        };
        if !self.starters.iter().any(known) && self.starters.len() < limits::STARTERS {
            self.starters.push(Starter {
                identity: identity.clone(),
                member: member.clone(),
                memberships: 0,
                others: 0,
                most: 0,
            });
        }
        let Some(starter) = self.starters.iter_mut().find(|starter| known(starter)) else {
            self.by_others = self.by_others.saturating_add(1);
            return;
        };
        starter.member = member;
        starter.most = starter.most.max(most);
        let count = if is_membership(cause) {
            &mut starter.memberships
        } else {
            &mut starter.others
        };
        *count = count.saturating_add(1);
    }
}
