//! A member of a consumer group as a sans-IO machine: it finds its coordinator, joins, syncs, heartbeats, rejoins and leaves.
//!
//! Kafka's `AbstractCoordinator` with the parts of `ConsumerCoordinator` that a member without an application needs, for two
//! ages of Kafka at once: [`crate::rules`]. It does no IO and reads no clock; whoever drives it gives it time and events and
//! carries out what it says.
//!
//! # The law of one input
//!
//! One [`Member::handle`], then [`Member::poll`] until it says none, then wait for the next event or for
//! [`Member::deadline`], whichever comes first. A deadline that has been handled is over: the next lies in the future, or
//! there is none and the member waits for an answer or for a connection.
//!
//! # Layout
//!
//! - `port`: all that goes in and comes out; `config`: what it is told when it is made
//! - `state`: where it stands, drawn; `membership`: who it is in the group
//! - `link`, `negotiation`, `request`, `sending`: connections, versions, requests written down and handed out
//! - `coordinator`, `outlook`, `response`: finding the coordinator, doubting it, losing it, and what happens to an answer before its
//!   code is read
//! - `task`, `beat`: the guard before each heartbeat, and what its answer does; the timing is [`crate::heartbeat`]
//! - `join`, `sync`, `lead`, `assignor`, `leave`, `end`: the rest of its life
//! - `seen`: what it can tell of its group's rebalances

pub mod assignor;
mod beat;
mod config;
mod coordinator;
mod end;
mod join;
mod lead;
mod leave;
mod link;
mod membership;
mod negotiation;
mod outlook;
mod port;
mod request;
mod response;
mod seen;
mod sending;
mod state;
mod sync;
mod task;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

pub use config::{Config, ConfigError, LeaveOperation};
pub use outlook::Outlook;
pub use port::{AnswerFault, End, Fatal, Input, LinkId, Output, Peer, Token};
pub use state::{MoveCause, State};

use crate::backoff::{Backoff, Jitter};
use crate::event::{Change, DeathCause, LinkFault, WithheldReason};
use crate::heartbeat::Heartbeat;
use crate::ids::{Generation, MemberId};
use crate::protocol::{AnyResponse, BrokerVersions};
use crate::rules::Retry;
use crate::time::Timestamp;
use coordinator::{Coordinator, Lookup, LookupFailure};
use join::Joining;
use lead::Leading;
use membership::Membership;
use negotiation::Spoken;
use response::CoordinatorResponseHandler;
use seen::Seen;
use state::Standing;
use task::HeartbeatTask;

/// A member of a consumer group.
#[derive(Debug)]
pub struct Member {
    config: Config,
    topics: Arc<[String]>,
    /// Its member id, or its client id while it has none: whom its events are about.
    name: MemberId,
    standing: Standing,
    membership: Membership,
    /// Java's `rejoinNeeded`.
    must_rejoin: bool,
    heartbeat: Heartbeat,
    task: HeartbeatTask,
    coordinator: Option<Coordinator>,
    lookup: Lookup,
    lookups: Backoff,
    lookup_failure: Option<LookupFailure>,
    outlook: Outlook,
    joining: Joining,
    leading: Leading,
    seen: Seen,
    /// The missing right last told.
    denied: Option<i16>,
    links: Counter,
    tokens: Counter,
    outputs: VecDeque<Output>,
}

impl Member {
    /// A member that begins to look for its coordinator at `now`. `seed` is for the jitter of its retries: draw another for
    /// each member, or they retry in step.
    ///
    /// # Errors
    /// The configuration makes no sense.
    pub fn new(mut config: Config, seed: u64, now: Timestamp) -> Result<Self, ConfigError> {
        config.check()?;
        let mut seeds = Counter(seed);
        let mut backoff = || match config.rules.retry {
            Retry::Constant => Backoff::constant(config.retry_backoff),
            Retry::Exponential => Backoff::exponential(
                config.retry_backoff,
                config.retry_backoff_max,
                Jitter::Seeded(seeds.next()),
            ),
        };
        let heartbeat = Heartbeat::new(
            &config.rules,
            config.session_timeout,
            config.heartbeat_interval,
            backoff(),
            now,
        )?;
        let mut member = Self {
            topics: lead::subscription(std::mem::take(&mut config.topics)),
            name: MemberId::from(config.client_id.as_str()),
            standing: Standing::new(),
            membership: Membership::none(),
            must_rejoin: true,
            heartbeat,
            task: HeartbeatTask::new(&config.rules),
            coordinator: None,
            lookup: Lookup::Waiting { until: now },
            lookups: backoff(),
            lookup_failure: None,
            outlook: Outlook::default(),
            joining: Joining::new(backoff(), now),
            leading: Leading::default(),
            seen: Seen::default(),
            denied: None,
            links: Counter::default(),
            tokens: Counter::default(),
            outputs: VecDeque::new(),
            config,
        };
        member.look_up_coordinator(now);
        Ok(member)
    }

    /// Takes one input. What carries a [`LinkId`] or [`Token`] that is over is ignored: a late answer of an old coordinator
    /// must not hurt the new one.
    pub fn handle(&mut self, now: Timestamp, input: Input) {
        if self.standing.state() == State::Ended {
            return;
        }
        let now = self.heartbeat.observe(now);
        match input {
            Input::Tick => {}
            Input::LinkUp { link, versions } => self.link_up(now, link, &versions),
            Input::LinkDown { link, cause, detail } => self.link_down(now, link, cause, detail),
            Input::Answer { link, token, result } => self.answered(now, link, token, result),
            Input::Topics(counts) => self.topics_told(counts),
            Input::Subscribe(topics) => self.subscribe(topics),
            Input::Rejoin => self.rejoin_asked(),
            Input::Obey(answers) => self.config.rules.answers = answers,
            Input::Outlook(outlook) => self.outlook = outlook,
            Input::Leave { reason } => self.leave(now, reason),
        }
        self.lap(now);
    }

    /// What is to be done next; none when the input is dealt with.
    #[must_use]
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::Tick`] is due, if nothing else happens first.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        if self.standing.state() == State::Ended {
            return None;
        }
        let coordinator = self.coordinator.as_ref().and_then(|known| known.link.deadline());
        let lookup = match &self.lookup {
            Lookup::Idle => None,
            Lookup::Waiting { .. } if self.standing.state().over() => None,
            Lookup::Waiting { until } => Some(*until),
            Lookup::Asking(link) => link.deadline(),
        };
        let due = [
            coordinator,
            lookup,
            self.join_due(),
            self.assignment_due(),
            self.task.deadline(),
        ];
        due.into_iter().flatten().min()
    }

    /// Where it stands.
    #[must_use]
    pub const fn state(&self) -> State {
        self.standing.state()
    }

    /// The generation it is in; none is [`Generation::NONE`].
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.membership.generation
    }

    /// Whom its events are about: its member id, or its client id while it has none.
    #[must_use]
    pub const fn name(&self) -> &MemberId {
        &self.name
    }

    /// All that has come due, in the order in which a poll of Kafka's consumer does it: requests that waited too long, the
    /// coordinator, the group, the heartbeat.
    fn lap(&mut self, now: Timestamp) {
        self.fail_expired(now);
        self.hand_out(now);
        self.look_up_coordinator(now);
        self.assign_if_due(now);
        self.join_if_due(now);
        self.run_heartbeat_task(now);
        // The task may have found the session over, or sent to whom is doubted.
        self.look_twice(now);
        self.look_up_coordinator(now);
    }

    fn link_up(&mut self, now: Timestamp, id: LinkId, versions: &BrokerVersions) {
        let (link, needed) = if let Some(coordinator) = self.coordinator.as_mut().filter(|c| c.link.id == id)
        {
            (&mut coordinator.link, negotiation::MEMBERSHIP)
        } else if let Lookup::Asking(link) = &mut self.lookup
            && link.id == id
        {
            (link, negotiation::LOOKUP)
        } else {
            return;
        };
        match Spoken::negotiate(&self.config, versions, needed) {
            Ok(spoken) => {
                link.ready(spoken);
                self.hand_out(now);
            }
            Err(sentence) => self.failed(None, sentence),
        }
    }

    fn link_down(&mut self, now: Timestamp, id: LinkId, cause: LinkFault, detail: Option<String>) {
        if self.coordinator.as_ref().is_some_and(|known| known.link.id == id) {
            let detail = detail.or_else(|| (cause != LinkFault::Disconnect).then(|| cause.to_string()));
            self.coordinator_dead(now, DeathCause::Disconnect, detail);
        } else if matches!(&self.lookup, Lookup::Asking(link) if link.id == id) {
            self.lookup_unanswered(now, cause, detail);
        }
    }

    fn answered(
        &mut self,
        now: Timestamp,
        id: LinkId,
        token: Token,
        result: Result<AnyResponse, AnswerFault>,
    ) {
        if let Some(coordinator) = self.coordinator.as_mut().filter(|c| c.link.id == id) {
            if let Some(sent) = coordinator.link.take(token) {
                let throttled = result
                    .as_ref()
                    .ok()
                    .and_then(|answer| coordinator.link.throttle(now, sent.request, answer));
                CoordinatorResponseHandler { member: self, now }.complete(sent, result);
                if let Some(wait) = throttled {
                    self.tell(Change::HeartbeatWithheld {
                        reason: WithheldReason::Throttled,
                        for_ms: Some(wait.0),
                    });
                }
            }
        } else if let Lookup::Asking(link) = &mut self.lookup
            && link.id == id
            && link.take(token).is_some()
        {
            self.coordinator_looked_up(now, result);
        }
    }

    /// The one way to another state.
    fn transition(&mut self, to: State, cause: MoveCause) {
        let moved = self.standing.transition(to, cause);
        self.tell(moved);
    }

    /// Something happened to this member.
    fn tell(&mut self, change: Change) {
        let member = self.name.clone();
        self.outputs.push_back(Output::Event { member, change });
    }

    /// Something happened to a member, of which this one was told.
    fn tell_about(&mut self, member: &MemberId, change: Change) {
        let member = member.clone();
        self.outputs.push_back(Output::Event { member, change });
    }

    /// After the member id has changed.
    fn rename(&mut self) {
        self.name = if self.membership.member_id.is_empty() {
            MemberId::from(self.config.client_id.as_str())
        } else {
            self.membership.member_id.clone()
        };
    }
}

/// Numbers that are given out once.
#[derive(Debug, Default)]
struct Counter(u64);

impl Counter {
    fn next(&mut self) -> u64 {
        let number = self.0;
        self.0 = number.wrapping_add(1);
        number
    }
}
