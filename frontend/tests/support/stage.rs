//! A model on a simulated clock: what a server would send it, scene by scene, through the same door as in the browser.

use std::num::NonZeroU32;

use frontend::model::address::Address;
use frontend::model::fetch::{Answer, EventsAnswer, FaultsAnswer, OfferedFault, Request, Want};
use frontend::model::follow::BoardAnswer;
use frontend::model::{LinkState, Model, Theme};
use frontend::views::Now;
use frontend::views::words::LocalTime;
use shared::backoff::Jitter;
use shared::board::Board;
use shared::event::{
    Change, Event, Evidence, GroupState, GroupType, Joined, Observation, RebalanceCause, Rebalanced, Source,
};
use shared::fault::SHAPES;
use shared::ids::{Generation, MemberId, NodeId};
use shared::time::{Timestamp, UnixMs};
use shared::wire::{ServerMessage, VERSION};

/// The server's time when a scene begins: 12:00:00 UTC.
pub(crate) const NOON: u64 = 1_764_417_600_000;

/// A model and the time it lives at.
pub(crate) struct Stage {
    pub(crate) model: Model,
    /// Milliseconds since the scene began, by the server's clock.
    pub(crate) ms: u64,
    /// How many times faster than the browser's that one runs.
    rate: NonZeroU32,
    seq: u64,
    group: String,
    cluster: String,
}

impl Stage {
    /// A page just opened at `query`, not connected yet.
    pub(crate) fn open(query: &str) -> Self {
        Self {
            model: Model::new(Address::parse(query), Theme::System, &Jitter::Fixed(0.5)),
            ms: 0,
            rate: NonZeroU32::MIN,
            seq: 0,
            group: "demo".to_owned(),
            cluster: "Jx3-embedded".to_owned(),
        }
    }

    /// The same, connected to a server that has nothing to show yet.
    pub(crate) fn live(query: &str, faults: bool) -> Self {
        Self::playing(query, faults, None)
    }

    /// The same, where a scenario is played, so many times faster than life.
    pub(crate) fn playing(query: &str, faults: bool, scenario: Option<(&str, NonZeroU32)>) -> Self {
        let mut stage = Self::open(query);
        stage.rate = scenario.map_or(NonZeroU32::MIN, |(_, rate)| rate);
        stage.say(ServerMessage::Welcome {
            version: VERSION,
            stream: "run-1".to_owned(),
            seq: 0,
            now: stage.now(),
            resumed: false,
            rate: stage.rate,
            scenario: scenario.map(|(name, _)| name.to_owned()),
            page: None,
        });
        stage.model.set_link(LinkState::Live);
        while let Some(request) = stage.model.poll(stage.browser()) {
            let answer = stage.answer(&request, faults);
            stage.model.answered(stage.browser(), &request, answer);
        }
        stage
    }

    fn answer(&self, request: &Request, faults: bool) -> Answer {
        match request.want {
            Want::Board | Want::PastBoard => Answer::Board(Box::new(BoardAnswer {
                stream: "run-1".to_owned(),
                seq: 0,
                now: self.now(),
                oldest: None,
                board: Board::default(),
            })),
            Want::Events | Want::PastEvents => Answer::Events(EventsAnswer {
                stream: "run-1".to_owned(),
                events: Vec::new(),
                next: None,
                whole_above: 0,
            }),
            Want::Faults if faults => Answer::Faults(FaultsAnswer {
                faults: SHAPES
                    .iter()
                    .map(|shape| OfferedFault {
                        name: shape.name.to_owned(),
                    })
                    .collect(),
            }),
            Want::Faults => Answer::NotHere,
        }
    }

    pub(crate) fn now(&self) -> UnixMs {
        UnixMs(NOON + self.ms)
    }

    pub(crate) fn browser(&self) -> Timestamp {
        Timestamp(self.ms * 1_000 / u64::from(self.rate.get()))
    }

    /// The moment to draw for, in a zone an hour ahead of UTC.
    pub(crate) fn drawn_at(&self) -> Now {
        Now::of(&self.model, self.browser(), LocalTime { minutes_ahead: 60 })
    }

    pub(crate) fn say(&mut self, message: ServerMessage) {
        self.model.receive(self.browser(), message);
    }

    /// Lets time pass, with the server's tick at the end.
    pub(crate) fn pass(&mut self, ms: u64) {
        self.ms += ms;
        self.say(ServerMessage::Tick {
            now: self.now(),
            seq: self.seq,
        });
    }

    /// What follows is about this group.
    pub(crate) fn turn_to(&mut self, group: &str) {
        self.group = group.to_owned();
    }

    /// An event now.
    pub(crate) fn tell(&mut self, source: Source, member: Option<&str>, change: Change) {
        self.tell_with(source, Evidence::Observed, None, member, change);
    }

    pub(crate) fn tell_with(
        &mut self,
        source: Source,
        evidence: Evidence,
        earliest: Option<u64>,
        member: Option<&str>,
        change: Change,
    ) {
        self.observe(Observation {
            at: self.now(),
            at_earliest: earliest.map(|ms| UnixMs(NOON + ms)),
            source,
            evidence,
            cluster: self.cluster.as_str().into(),
            group: Some(self.group.as_str().into()),
            member: member.map(MemberId::from),
            change,
        });
    }

    /// What a survey says of a whole cluster, or of one that has not told its name.
    pub(crate) fn survey(&mut self, cluster: &str, change: Change) {
        self.observe(Observation {
            at: self.now(),
            at_earliest: None,
            source: Source::Survey,
            evidence: Evidence::Observed,
            cluster: cluster.into(),
            group: None,
            member: None,
            change,
        });
    }

    /// The same of the scene's own cluster.
    pub(crate) fn tell_cluster(&mut self, change: Change) {
        let cluster = self.cluster.clone();
        self.survey(&cluster, change);
    }

    fn observe(&mut self, what: Observation) {
        self.seq += 1;
        let event = Event {
            seq: self.seq,
            seen: self.now(),
            what,
        };
        self.say(ServerMessage::Events {
            from: self.seq,
            to: self.seq,
            events: vec![event],
        });
    }

    /// A rebalance from the coordinator's seat: `ids` are in the new generation.
    pub(crate) fn rebalance(
        &mut self,
        cause: RebalanceCause,
        culprit: Option<&str>,
        to: i32,
        join_ms: u64,
        sync_ms: u64,
    ) {
        let from = Some(Generation(to - 1));
        self.tell(
            Source::Embedded,
            None,
            Change::RebalanceStarted {
                cause,
                member: culprit.map(MemberId::from),
                from_generation: from,
            },
        );
        self.ms += join_ms + sync_ms;
        self.tell(
            Source::Embedded,
            None,
            Change::RebalanceFinished(Rebalanced {
                generation: Generation(to),
                from_generation: from,
                cause,
                member: culprit.map(MemberId::from),
                took_ms: Some(join_ms + sync_ms),
                took_between_ms: None,
                join_ms: Some(join_ms),
                sync_ms: Some(sync_ms),
                joined: Some(Vec::new()),
                left: Some(Vec::new()),
                unnamed: 0,
                abandoned: 0,
                missed: 0,
            }),
        );
    }

    /// The members come into a generation, each after `took_ms`.
    pub(crate) fn join(&mut self, generation: i32, members: &[(&str, u64)]) {
        for (id, took_ms) in members {
            let joined = Joined {
                generation: Some(Generation(generation)),
                client_id: Some(client_of(id).to_owned()),
                host: Some("127.0.0.1".to_owned()),
                took_ms: Some(*took_ms),
                session_timeout_ms: Some(6_000),
                rebalance_timeout_ms: Some(10_000),
                heartbeat_interval_ms: Some(1_000),
                ..Joined::default()
            };
            self.tell(Source::Probe, Some(id), Change::MemberRejoined(joined));
        }
    }

    /// The coordinator is found by a member.
    pub(crate) fn found(&mut self, id: &str) {
        self.tell(
            Source::Probe,
            Some(id),
            Change::CoordinatorFound {
                node: NodeId(0),
                host: "127.0.0.1".to_owned(),
                port: 41_237,
            },
        );
    }

    /// The group is there, of the classic type, in a state.
    pub(crate) fn group(&mut self, state: GroupState) {
        self.tell(
            Source::Embedded,
            None,
            Change::GroupFound {
                group_type: GroupType::Classic,
                protocol_type: None,
            },
        );
        self.tell(
            Source::Embedded,
            None,
            Change::GroupState {
                from: None,
                to: state,
            },
        );
    }

    /// Each member's heartbeat is answered once a second, for some seconds.
    pub(crate) fn beat(&mut self, generation: i32, members: &[&str], seconds: u64) {
        for _ in 0..seconds {
            for id in members {
                self.answered(generation, id, 0);
            }
            self.pass(1_000);
        }
    }

    /// One heartbeat is answered.
    pub(crate) fn answered(&mut self, generation: i32, id: &str, error: i16) {
        // A latency that wanders, the same in every run.
        let latency_us = 90 + (self.seq * 37) % 60 + if self.seq.is_multiple_of(29) { 120 } else { 0 };
        self.tell(
            Source::Probe,
            Some(id),
            Change::HeartbeatAnswered {
                generation: Generation(generation),
                latency_us,
                error,
                renews: error == 0 || error == 27,
                behind: None,
            },
        );
    }
}

/// The client id before the UUID.
fn client_of(id: &str) -> &str {
    frontend::views::words::cut_tail(id).0
}
