//! What one member sees of its group's rebalances, and what it must leave open.
//!
//! A member learns that its group rebalances from 27, or by its own join; when that began, and through whom, it mostly cannot
//! see. It learns that it is over when its SyncGroup is answered. Only a leader is told who is in the group.

use std::collections::BTreeMap;

use super::Member;
use crate::event::{Change, Departure, Joined, RebalanceCause, Rebalanced};
use crate::ids::{Generation, InstanceId, MemberId};
use crate::protocol::JoinGroupResponseMember;
use crate::time::Timestamp;

/// A list of more members than this is not remembered: who came and went is then not visible.
const ROSTER_MAX: usize = 10_000;

/// Who is in a generation.
type Roster = BTreeMap<MemberId, Option<InstanceId>>;

/// What the member has seen since it was last in a stable generation.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The last generation it was stable in, and as whom.
    stable: Option<(Generation, MemberId)>,
    /// Who was in that generation, where it led.
    roster: Option<Roster>,
    /// Who is in the generation being formed, where it leads.
    forming: Option<Roster>,
    /// The rebalance that runs.
    open: Option<Open>,
    /// What it did itself that makes the group rebalance once it joins.
    ours: Option<RebalanceCause>,
    join_sent: Option<Timestamp>,
    join_answered: Option<Timestamp>,
    /// Generations it was taken into that did not become stable.
    abandoned: u32,
}

#[derive(Debug)]
struct Open {
    began: Timestamp,
    cause: RebalanceCause,
    member: Option<MemberId>,
}

impl Seen {
    /// A JoinGroup went out; the first one counts.
    pub(super) fn join_sent(&mut self, now: Timestamp) {
        self.join_sent.get_or_insert(now);
    }

    /// The generation being formed was given up.
    pub(super) fn abandon(&mut self) {
        self.abandoned = self.abandoned.saturating_add(1);
    }

    pub(super) fn caused_by_us(&mut self, cause: RebalanceCause) {
        self.ours = Some(cause);
    }

    /// Whether it was stable as this member.
    pub(super) fn was(&self, member: &MemberId) -> bool {
        !member.is_empty() && self.stable.as_ref().is_some_and(|(_, id)| id == member)
    }

    fn stable_in(&self) -> Option<Generation> {
        self.stable.as_ref().map(|(generation, _)| *generation)
    }
}

impl Member {
    /// 27: the group rebalances, and who caused it is not visible from here.
    pub(super) fn rebalance_seen(&mut self, now: Timestamp) {
        if self.seen.open.is_none() {
            self.open_rebalance(now, RebalanceCause::NotVisible, None);
        }
    }

    fn open_rebalance(&mut self, began: Timestamp, cause: RebalanceCause, member: Option<MemberId>) {
        self.tell(Change::RebalanceStarted {
            cause,
            member: member.clone(),
            from_generation: self.seen.stable_in(),
        });
        self.seen.open = Some(Open { began, cause, member });
    }

    /// JoinGroup was answered: a generation is formed, with these members where this one leads.
    pub(super) fn generation_formed(&mut self, now: Timestamp, members: Option<&[JoinGroupResponseMember]>) {
        self.seen.join_answered = Some(now);
        self.seen.forming = members.filter(|members| members.len() <= ROSTER_MAX).map(roster);
        let generation = self.membership.generation;
        let me = self.membership.member_id.clone();
        if self.seen.stable_in().is_some_and(|from| from > generation) {
            // The coordinator has lost the group and counts anew: "from" would be above what comes.
            self.seen.stable = None;
            self.seen.roster = None;
            self.seen.open = None;
        }
        let newcomer = !self.seen.was(&me);
        let ours = self.seen.ours.take();
        if self.seen.open.is_some() || self.seen.stable_in() == Some(generation) {
            return;
        }
        let began = self.seen.join_sent.unwrap_or(now);
        match ours {
            Some(cause) => self.open_rebalance(began, cause, Some(me)),
            // A static member that comes back takes its seat without a rebalance: whether this was one is not visible.
            None if newcomer && self.config.instance.is_some() => {}
            None if newcomer => self.open_rebalance(began, RebalanceCause::MemberJoined, Some(me)),
            None => self.open_rebalance(began, RebalanceCause::NotVisible, None),
        }
    }

    /// SyncGroup was answered: the generation is stable as far as this member can see.
    pub(super) fn generation_stable(&mut self, now: Timestamp) {
        let seen = std::mem::take(&mut self.seen);
        let generation = self.membership.generation;
        let me = self.membership.member_id.clone();
        let (arrived, departed) = match (&seen.roster, &seen.forming) {
            (Some(before), Some(after)) => (Some(missing_in(before, after)), Some(missing_in(after, before))),
            _ => (None, None),
        };
        if let (Some(before), Some(after), Some(departed)) = (&seen.roster, &seen.forming, &departed) {
            for id in departed.iter().filter(|id| **id != me) {
                self.tell_about(id, departure(before.get(id).and_then(Option::as_ref), after));
            }
        }
        for (id, instance) in seen.forming.iter().flatten().filter(|(id, _)| **id != me) {
            // Without a list before it is not known who is new: they are seen in the group now.
            if arrived.as_ref().is_none_or(|arrived| arrived.contains(id)) {
                let joined = Joined {
                    generation: Some(generation),
                    instance_id: instance.clone(),
                    ..Joined::default()
                };
                self.tell_about(id, Change::MemberJoined(joined));
            }
        }
        let joined = self.joined(seen.join_sent.map(|sent| millis(sent, now)));
        self.tell(if seen.was(&me) {
            Change::MemberRejoined(joined)
        } else {
            Change::MemberJoined(joined)
        });
        if let Some(finished) = finished(&seen, generation, now, arrived.as_deref(), departed.as_deref()) {
            self.tell(Change::RebalanceFinished(finished));
        }
        self.seen = Seen {
            stable: Some((generation, me)),
            roster: seen.forming,
            ..Seen::default()
        };
    }

    fn joined(&self, took_ms: Option<u64>) -> Joined {
        Joined {
            generation: Some(self.membership.generation),
            client_id: Some(self.config.client_id.clone()),
            host: None,
            instance_id: self.config.instance.clone(),
            took_ms,
            session_timeout_ms: Some(self.config.session_timeout.0),
            rebalance_timeout_ms: Some(self.effective_rebalance_timeout().0),
            heartbeat_interval_ms: Some(self.config.heartbeat_interval.0),
            ..Joined::default()
        }
    }

    /// The coordinator answered 25: it has no such member, and does not say since when or why.
    pub(super) fn no_longer_known(&mut self, member: &MemberId) {
        if !self.seen.was(member) {
            return;
        }
        self.tell_about(
            member,
            Change::MemberGone {
                possible: vec![Departure::TimedOut, Departure::Evicted, Departure::Left],
                why: "the coordinator answered 25 UNKNOWN_MEMBER_ID: it no longer has this member, and does not say why"
                    .to_owned(),
            },
        );
        if let Some((_, id)) = &mut self.seen.stable {
            *id = MemberId::default();
        }
    }
}

/// The rebalance that is over; none where this member came back into the generation it had left.
fn finished(
    seen: &Seen,
    generation: Generation,
    now: Timestamp,
    arrived: Option<&[MemberId]>,
    departed: Option<&[MemberId]>,
) -> Option<Rebalanced> {
    let from_generation = seen.stable_in();
    if seen.open.is_none() && from_generation == Some(generation) {
        return None;
    }
    let open = seen.open.as_ref();
    let phase = |from: Option<Timestamp>, to: Option<Timestamp>| {
        open.and(from).zip(to).map(|(from, to)| millis(from, to))
    };
    let began = open.map(|open| open.began);
    let passed = from_generation.map_or(0, |from| {
        let steps = i64::from(generation.0) - i64::from(from.0) - 1;
        u32::try_from(steps).unwrap_or(0)
    });
    let named = |ids: Option<&[MemberId]>| -> Option<Vec<MemberId>> {
        Some(ids?.iter().take(Rebalanced::NAMED).cloned().collect())
    };
    let unnamed = [arrived, departed]
        .into_iter()
        .flatten()
        .map(|ids| ids.len().saturating_sub(Rebalanced::NAMED))
        .sum::<usize>();
    Some(Rebalanced {
        generation,
        from_generation,
        cause: open.map_or(RebalanceCause::NotVisible, |open| open.cause),
        member: open.and_then(|open| open.member.clone()),
        took_ms: phase(began, Some(now)),
        took_between_ms: None,
        join_ms: phase(began, seen.join_answered),
        sync_ms: phase(seen.join_answered, Some(now)),
        joined: named(arrived),
        left: named(departed),
        unnamed: u32::try_from(unnamed).unwrap_or(u32::MAX),
        abandoned: seen.abandoned,
        missed: passed.saturating_sub(seen.abandoned),
    })
}

fn millis(from: Timestamp, to: Timestamp) -> u64 {
    to.micros_since(from) / 1000
}

fn roster(members: &[JoinGroupResponseMember]) -> Roster {
    members
        .iter()
        .map(|member| {
            let instance = member.group_instance_id.as_deref().map(InstanceId::from);
            (MemberId::from(member.member_id.as_str()), instance)
        })
        .collect()
}

/// Who is in `there` and not in `here`.
fn missing_in(here: &Roster, there: &Roster) -> Vec<MemberId> {
    there
        .keys()
        .filter(|id| !here.contains_key(*id))
        .cloned()
        .collect()
}

/// How a member went that is no longer in the list.
fn departure(instance: Option<&InstanceId>, after: &Roster) -> Change {
    let successor = instance.and_then(|instance| {
        let holder = after.iter().find(|(_, held)| held.as_ref() == Some(instance));
        holder.map(|(id, _)| (instance, id))
    });
    match successor {
        Some((instance, by)) => Change::MemberReplaced {
            cause: format!("{by} holds its instance id {instance} now"),
            by: Some(by.clone()),
        },
        None => Change::MemberGone {
            possible: vec![Departure::Left, Departure::TimedOut, Departure::Evicted],
            why: "it is not in the list that the leader was given for the new generation; why is not visible to a member"
                .to_owned(),
        },
    }
}
