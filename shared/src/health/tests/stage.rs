//! A board told as our own coordinator would tell it: several groups, hosts, and time that passes when it is said to.

use crate::board::{Board, Group, GroupKey};
use crate::event::{
    Change, Event, Evidence, GroupState, Joined, Observation, RebalanceCause, Rebalanced, Source,
};
use crate::health::{Finding, Round, Verdict};
use crate::ids::{ClusterId, Generation, GroupId, InstanceId, MemberId};
use crate::time::UnixMs;

pub(super) const START: u64 = 1_764_417_600_000;

/// A client: its id, its host, its instance id, its session in milliseconds.
#[derive(Clone, Copy)]
pub(super) struct Client {
    pub(super) id: &'static str,
    pub(super) host: &'static str,
    pub(super) instance: Option<&'static str>,
    pub(super) session: u64,
}

/// A dynamic member of the usual session of 10 s.
pub(super) const fn client(id: &'static str, host: &'static str) -> Client {
    Client {
        id,
        host,
        instance: None,
        session: 10_000,
    }
}

#[derive(Default)]
pub(super) struct Stage {
    pub(super) board: Board,
    pub(super) now: u64,
    /// How much earlier what is told may have been.
    pub(super) blur: u64,
    generation: i32,
}

impl Stage {
    pub(super) fn at(&mut self, ms: u64) -> &mut Self {
        assert!(ms >= self.now, "time goes on");
        self.now = ms;
        self
    }

    pub(super) fn tell(
        &mut self,
        group: &str,
        source: Source,
        member: Option<&str>,
        change: Change,
    ) -> &mut Self {
        self.apply(Some(GroupId::from(group)), source, member, change)
    }

    /// Of the whole cluster, by a survey.
    pub(super) fn of_cluster(&mut self, change: Change) -> &mut Self {
        self.apply(None, Source::Survey, None, change)
    }

    fn apply(
        &mut self,
        group: Option<GroupId>,
        source: Source,
        member: Option<&str>,
        change: Change,
    ) -> &mut Self {
        let event = Event {
            seq: self.board.seq + 1,
            seen: UnixMs(START + self.now),
            what: Observation {
                at: UnixMs(START + self.now),
                at_earliest: (self.blur > 0).then(|| UnixMs(START + self.now - self.blur)),
                source,
                evidence: Evidence::Observed,
                cluster: ClusterId::from("c"),
                group,
                member: member.map(MemberId::from),
                change,
            },
        };
        self.board.apply(&event);
        self
    }

    /// Of a member of the group `orders`, by the coordinator.
    pub(super) fn of(&mut self, member: &str, change: Change) -> &mut Self {
        self.tell("orders", Source::Embedded, Some(member), change)
    }

    /// Of the group `orders`, by the coordinator.
    pub(super) fn group_of(&mut self, change: Change) -> &mut Self {
        self.tell("orders", Source::Embedded, None, change)
    }

    pub(super) fn started(&mut self, cause: RebalanceCause, by: &str) -> &mut Self {
        let from_generation = Some(Generation(self.generation));
        self.of(
            by,
            Change::RebalanceStarted {
                cause,
                member: Some(by.into()),
                from_generation,
            },
        )
    }

    pub(super) fn join(&mut self, member: &str, client: Client) -> &mut Self {
        self.of(
            member,
            Change::JoinReceived {
                client_id: client.id.into(),
                host: client.host.into(),
                session_timeout_ms: Some(client.session),
            },
        )
    }

    pub(super) fn formed(&mut self, leader: &str, members: u32) -> &mut Self {
        self.generation += 1;
        let formed = Change::GenerationFormed {
            generation: Generation(self.generation),
            leader: Some(leader.into()),
            protocol: Some("range".into()),
            members,
        };
        self.group_of(Change::GroupState {
            from: Some(GroupState::PreparingRebalance),
            to: GroupState::CompletingRebalance,
        })
        .group_of(formed)
    }

    pub(super) fn in_group(&mut self, member: &str, client: Client) -> &mut Self {
        let joined = self.joined(client);
        let key = GroupKey::new(&ClusterId::from("c"), &GroupId::from("orders"));
        let row = self.board.group(&key).and_then(|group| group.members.get(member));
        let was_in =
            row.is_some_and(|row| !row.rejoins.is_empty() && row.named && row.generation.get().is_some());
        self.of(
            member,
            if was_in {
                Change::MemberRejoined(joined)
            } else {
                Change::MemberJoined(joined)
            },
        )
    }

    pub(super) fn joined(&self, client: Client) -> Joined {
        Joined {
            generation: Some(Generation(self.generation)),
            client_id: Some(client.id.into()),
            host: Some(client.host.into()),
            instance_id: client.instance.map(InstanceId::from),
            session_timeout_ms: Some(client.session),
            rebalance_timeout_ms: Some(300_000),
            heartbeat_interval_ms: Some(3000),
            took_ms: None,
            ..Joined::default()
        }
    }

    pub(super) fn finished(&mut self, cause: RebalanceCause, by: &str, took_ms: u64) -> &mut Self {
        let generation = Generation(self.generation);
        self.group_of(Change::RebalanceFinished(Rebalanced {
            generation,
            from_generation: Some(Generation(self.generation - 1)),
            cause,
            member: Some(by.into()),
            took_ms: Some(took_ms),
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        }))
    }

    /// A whole rebalance in `took` milliseconds: all these join, the first leads.
    pub(super) fn rebalance(
        &mut self,
        cause: RebalanceCause,
        by: &str,
        members: &[(&str, Client)],
        took: u64,
    ) -> &mut Self {
        self.started(cause, by);
        let end = self.now + took;
        self.at(end);
        for (member, client) in members {
            self.join(member, *client);
        }
        self.formed(members[0].0, members.len() as u32);
        for (member, client) in members {
            let generation = Generation(self.generation);
            self.of(member, Change::SyncReceived { generation })
                .in_group(member, *client);
        }
        self.finished(cause, by, took)
    }

    pub(super) fn beat(&mut self, member: &str, error: i16) -> &mut Self {
        let generation = Generation(self.generation);
        self.of(member, Change::HeartbeatReceived { generation, error })
    }

    pub(super) fn beats(&mut self, members: &[&str]) -> &mut Self {
        for member in members {
            self.beat(member, 0);
        }
        self
    }

    pub(super) fn refused(
        &mut self,
        member: &str,
        client: Client,
        api: &str,
        error: i16,
        times: u32,
    ) -> &mut Self {
        self.of(
            member,
            Change::RequestRefused {
                api: api.into(),
                error,
                client_id: client.id.into(),
                host: client.host.into(),
                times,
            },
        )
    }

    pub(super) fn group(&self, group: &str) -> &Group {
        let key = GroupKey::new(&ClusterId::from("c"), &GroupId::from(group));
        self.board.group(&key).expect("the group has a row")
    }

    pub(super) fn said(&self, group: &str) -> Vec<Finding> {
        Round::new(&self.board, UnixMs(START + self.now)).verdicts(self.group(group))
    }

    /// The sentence of a verdict on `orders`.
    pub(super) fn says(&self, verdict: Verdict) -> String {
        let said = self.said("orders");
        let found = said.iter().find(|finding| finding.verdict == verdict);
        found
            .unwrap_or_else(|| panic!("{verdict} is not among {said:#?}"))
            .sentence
            .clone()
    }

    /// Fails where anything but life is said of any group.
    pub(super) fn is_calm(&self) {
        let round = Round::new(&self.board, UnixMs(START + self.now));
        for group in self.board.groups() {
            let finding = round.verdict(group);
            let calm = [Verdict::Stable, Verdict::Empty, Verdict::Rebalancing];
            assert!(
                calm.contains(&finding.verdict),
                "at {} ms: {finding:#?}",
                self.now
            );
        }
    }
}

/// Fails unless the sentence has each of these parts.
pub(super) fn has(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "no {part:?} in {sentence:?}");
    }
}
