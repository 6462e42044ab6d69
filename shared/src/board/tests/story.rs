//! Tells a board a story: numbered events of one cluster at given times.

use crate::board::{Board, Group, GroupKey, Member};
use crate::event::{
    Change, Event, Evidence, Joined, LinkFault, Observation, RebalanceCause, Rebalanced, RejoinCause, Source,
};
use crate::ids::{ClusterId, Generation, GroupId, MemberId, NodeId};
use crate::member::{MoveCause, State};
use crate::time::UnixMs;

/// When every story begins: a whole second.
pub(super) const START: u64 = 1_764_417_600_000;

/// A moment of the story, in milliseconds since its start.
pub(super) const fn at(ms: u64) -> UnixMs {
    UnixMs(START + ms)
}

/// A board and what it has been told so far, all of the group `demo`.
#[derive(Default)]
pub(super) struct Story {
    pub(super) board: Board,
    pub(super) events: Vec<Event>,
    pub(super) now: u64,
}

impl Story {
    /// What follows happens `ms` after the start.
    pub(super) fn at(&mut self, ms: u64) -> &mut Self {
        self.now = ms;
        self
    }

    pub(super) fn probe(&mut self, member: &str, change: Change) -> &mut Self {
        self.tell(Source::Probe, Some("demo"), Some(member), change)
    }

    pub(super) fn embedded(&mut self, member: &str, change: Change) -> &mut Self {
        self.tell(Source::Embedded, Some("demo"), Some(member), change)
    }

    pub(super) fn survey(&mut self, member: &str, change: Change) -> &mut Self {
        self.tell(Source::Survey, Some("demo"), Some(member), change)
    }

    /// Of the group, not of a member.
    pub(super) fn group_of(&mut self, source: Source, change: Change) -> &mut Self {
        self.tell(source, Some("demo"), None, change)
    }

    pub(super) fn tell(
        &mut self,
        source: Source,
        group: Option<&str>,
        member: Option<&str>,
        change: Change,
    ) -> &mut Self {
        self.put(
            source,
            (group, member),
            (None, Evidence::Observed),
            at(self.now),
            change,
        )
    }

    /// What a survey concluded of a member, which happened between two looks.
    pub(super) fn since(&mut self, earliest: UnixMs, at: UnixMs, member: &str, change: Change) -> &mut Self {
        let how = (Some(earliest), Evidence::Inferred);
        self.put(Source::Survey, (Some("demo"), Some(member)), how, at, change)
    }

    /// What a survey read of the group at `seen`, and what was written at `at`: milliseconds since the start.
    pub(super) fn heard(&mut self, seen: u64, written: u64, change: Change) -> &mut Self {
        self.now = seen;
        let how = (None, Evidence::Observed);
        self.put(Source::Survey, (Some("demo"), None), how, at(written), change)
    }

    /// The same of the group.
    pub(super) fn of_group_since(&mut self, earliest: UnixMs, at: UnixMs, change: Change) -> &mut Self {
        let how = (Some(earliest), Evidence::Inferred);
        self.put(Source::Survey, (Some("demo"), None), how, at, change)
    }

    fn put(
        &mut self,
        source: Source,
        (group, member): (Option<&str>, Option<&str>),
        (at_earliest, evidence): (Option<UnixMs>, Evidence),
        when: UnixMs,
        change: Change,
    ) -> &mut Self {
        let event = Event {
            seq: self.events.len() as u64 + 1,
            seen: at(self.now).max(when),
            what: Observation {
                at: when,
                at_earliest,
                source,
                evidence,
                cluster: ClusterId::from("c"),
                group: group.map(GroupId::from),
                member: member.map(MemberId::from),
                change,
            },
        };
        self.board.apply(&event);
        self.events.push(event);
        self
    }

    pub(super) fn group(&self) -> &Group {
        self.board.group(&key("demo")).expect("the group has a row")
    }

    pub(super) fn members(&self) -> Vec<&str> {
        self.group().members.keys().map(MemberId::as_str).collect()
    }

    pub(super) fn departed(&self) -> Vec<&str> {
        self.group()
            .departed
            .iter()
            .map(|gone| gone.id.as_str())
            .collect()
    }

    pub(super) fn member(&self, id: &str) -> &Member {
        self.group().members.get(id).expect("the member has a row")
    }

    pub(super) fn state(&self, id: &str, ms: u64) -> &'static str {
        self.member(id).state(at(ms)).as_str()
    }
}

pub(super) fn key(group: &str) -> GroupKey {
    GroupKey::new(&ClusterId::from("c"), &GroupId::from(group))
}

pub(super) fn found(node: i32) -> Change {
    Change::CoordinatorFound {
        node: NodeId(node),
        host: "127.0.0.1".into(),
        port: 9092,
    }
}

/// Joined with the demo's timeouts: a beat a second, a session of six.
pub(super) fn joined(client_id: &str, generation: i32) -> Change {
    Change::MemberJoined(facts(client_id, generation))
}

pub(super) fn rejoined(client_id: &str, generation: i32, took_ms: u64) -> Change {
    Change::MemberRejoined(Joined {
        took_ms: Some(took_ms),
        ..facts(client_id, generation)
    })
}

pub(super) fn facts(client_id: &str, generation: i32) -> Joined {
    Joined {
        generation: Some(Generation(generation)),
        client_id: Some(client_id.into()),
        host: Some("/127.0.0.1".into()),
        instance_id: None,
        took_ms: None,
        session_timeout_ms: Some(6000),
        rebalance_timeout_ms: Some(10_000),
        heartbeat_interval_ms: Some(1000),
        ..Joined::default()
    }
}

pub(super) fn answered(generation: i32, error: i16) -> Change {
    Change::HeartbeatAnswered {
        generation: Generation(generation),
        latency_us: 100,
        error,
        renews: error == 0 || error == 27,
        behind: None,
    }
}

pub(super) fn received(generation: i32, error: i16) -> Change {
    Change::HeartbeatReceived {
        generation: Generation(generation),
        error,
    }
}

pub(super) fn committed(generation: i32, error: i16) -> Change {
    Change::CommitReceived {
        generation: Generation(generation),
        error,
    }
}

pub(super) fn failed(generation: i32) -> Change {
    Change::HeartbeatFailed {
        generation: Generation(generation),
        cause: LinkFault::Disconnect,
        detail: None,
    }
}

pub(super) fn moved(from: State, to: State, cause: MoveCause) -> Change {
    Change::MemberMoved { from, to, cause }
}

pub(super) fn rejoin_needed(error: i16, member_id_cleared: bool) -> Change {
    Change::RejoinNeeded {
        cause: match error {
            22 => RejoinCause::IllegalGeneration,
            25 => RejoinCause::UnknownMemberId,
            82 => RejoinCause::FencedInstanceId,
            _ => RejoinCause::RebalanceInProgress,
        },
        error: Some(error),
        member_id_cleared,
        detail: None,
    }
}

pub(super) fn started(cause: RebalanceCause, member: Option<&str>, from: Option<i32>) -> Change {
    Change::RebalanceStarted {
        cause,
        member: member.map(MemberId::from),
        from_generation: from.map(Generation),
    }
}

/// A finished rebalance of which only the generations are visible.
pub(super) fn bare(generation: i32, from: Option<i32>) -> Rebalanced {
    Rebalanced {
        generation: Generation(generation),
        from_generation: from.map(Generation),
        cause: RebalanceCause::NotVisible,
        member: None,
        took_ms: None,
        took_between_ms: None,
        join_ms: None,
        sync_ms: None,
        joined: None,
        left: None,
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    }
}
