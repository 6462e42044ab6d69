//! One member in one task: its machine's outputs become connections and events, what happens becomes its inputs.

use std::future::{pending, poll_fn};
use std::sync::Arc;

use shared::error_code;
use shared::event::{Change, Evidence, Observation, Source};
use shared::ids::{ClusterId, GroupId, MemberId};
use shared::member::{Config, End, Fatal, Input, Member, Outlook, Output, State};
use shared::time::Timestamp;
use tokio::time::sleep_until;

use super::defects::Defects;
use super::links::{Happened, Links};
use super::outlook::Lookout;
use super::refusals::{Failure, Refusals};
use super::repeats::{Repeats, Told};
use super::roster::{Order, Place};
use super::topic_search::TopicSearch;
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::cluster::{Cluster, ClusterError, Description};

/// How a member's task ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// Its machine came to its end.
    Itself(End),
    /// It was killed.
    Killed,
}

/// Drives one member. Lives in a box: a future holds what it was given and what it moved on, each in a place of its own.
pub(super) struct Driver {
    member: Member,
    links: Links,
    place: Place,
    topics: TopicSearch,
    defects: Defects,
    repeats: Repeats,
    refusals: Refusals,
    lookout: Lookout,
    group: GroupId,
    cluster: ClusterId,
    clock: Clock,
    reporter: Reporter,
    /// The latest moment the machine was told: an answer was read a little before it is handled.
    now: Timestamp,
}

enum Wake {
    Order(Order),
    Link(Happened),
    Topics(Result<Description, ClusterError>),
    Outlook(Outlook),
    Deadline,
}

impl Driver {
    /// Makes one; where its configuration makes no sense, that is the member's end.
    pub(super) fn of(
        config: Config,
        seed: u64,
        place: Place,
        id: ClusterId,
        brokers: Arc<Cluster>,
        clock: Clock,
        reporter: Reporter,
    ) -> Result<Box<Self>, Ended> {
        let now = clock.now();
        let group = config.group.clone();
        let client_id = Arc::clone(&place.client_id);
        let pause = config.retry_backoff_max;
        let defects = Defects::none(config.rules);
        let member = Member::new(config, seed, now).map_err(|error| {
            let sentence = error.to_string();
            Ended::Itself(End::Fatal(Fatal { code: None, sentence }))
        })?;
        Ok(Box::new(Self {
            member,
            links: Links::new(Arc::clone(&brokers), Arc::clone(&client_id)),
            topics: TopicSearch::new(brokers, client_id, pause, clock),
            defects,
            repeats: Repeats::default(),
            refusals: Refusals::default(),
            lookout: Lookout::default(),
            place,
            group,
            cluster: id,
            clock,
            reporter,
            now,
        }))
    }

    /// The same, in the place of one that an error ended.
    pub(super) fn after(mut self: Box<Self>, before: Option<Failure>) -> Box<Self> {
        self.refusals = Refusals::after(before);
        self
    }

    /// The same, told what is seen of its coordinator from outside.
    pub(super) fn told_by(mut self: Box<Self>, lookout: Lookout) -> Box<Self> {
        self.lookout = lookout;
        self
    }

    /// Runs until the machine ends or the member is killed; then its connections are cut. How it ended, and the error that ended it.
    pub(super) async fn run(mut self: Box<Self>) -> (Ended, Option<Failure>) {
        let ended = self.live().await;
        (ended, self.refusals.into_failure())
    }

    async fn live(&mut self) -> Ended {
        self.input(self.clock.now(), Input::Tick);
        loop {
            if let Some(end) = self.carry_out().await {
                return Ended::Itself(end);
            }
            match self.wake().await {
                Wake::Order(Order::Die) => {
                    let left = self.repeats.over();
                    self.report(left).await;
                    return Ended::Killed;
                }
                Wake::Order(Order::Leave) => {
                    let reason = Some("told to leave by its operator".to_owned());
                    self.input(self.clock.now(), Input::Leave { reason });
                }
                Wake::Order(Order::Stay) => self.take_up_deeds(),
                Wake::Link(Happened { read, input }) => {
                    let now = read.unwrap_or_else(|| self.clock.now());
                    if let Input::LinkUp { link, .. } = &input {
                        self.repeats.connected(*link);
                    }
                    self.input(now, input);
                }
                Wake::Topics(found) => self.topics_found(found).await,
                Wake::Outlook(outlook) => self.input(self.clock.now(), Input::Outlook(outlook)),
                Wake::Deadline => {
                    let now = self.clock.now();
                    self.links.expire(now);
                    while let Some(input) = self.defects.due(now) {
                        self.input(now, input);
                    }
                    self.input(now, Input::Tick);
                }
            }
        }
    }

    fn take_up_deeds(&mut self) {
        let now = self.clock.now();
        for deed in self.place.deeds() {
            let stable = self.member.state() == State::Stable;
            if let Some(input) = self.defects.take_up(now, deed, stable) {
                self.input(now, input);
            }
        }
    }

    fn input(&mut self, now: Timestamp, input: Input) {
        self.now = self.now.max(now);
        self.member.handle(self.now, input);
    }

    /// Does what the machine wants: first all that goes to the network, since it was timed just now, then the events.
    async fn carry_out(&mut self) -> Option<End> {
        let held = self.repeats.reached();
        let mut events = Vec::new();
        let mut end = None;
        while let Some(output) = self.member.poll() {
            self.repeats.asked(&output);
            match output {
                Output::Connect { link, to } => self.links.connect(link, to),
                Output::Disconnect { link } => {
                    self.links.disconnect(link);
                    self.defects.disconnected(link);
                }
                Output::Send {
                    link,
                    token,
                    version,
                    request,
                    timeout,
                } => {
                    if !self.defects.withholds(self.now, (link, token), &request, timeout) {
                        self.links.send(link, token, version, &request, timeout);
                    }
                }
                Output::FindTopics(topics) => self.topics.start(topics),
                Output::Event { member, change } => events.push((member, change)),
                Output::Ended(ended) => end = Some(ended),
            }
        }
        if !events.is_empty() {
            self.place.rename(self.member.name());
            let (state, leads) = (self.member.state(), self.member.leads());
            self.place
                .sit(|seat| (seat.joined, seat.leads) = (state.joined(), leads && state.joined()));
            let stable = |(_, change): &(MemberId, Change)| {
                matches!(
                    change,
                    Change::MemberMoved {
                        to: State::Stable,
                        ..
                    }
                )
            };
            if events.iter().any(stable) {
                self.defects.became_stable(self.now);
            }
        }
        self.report(held).await;
        let at = self.now;
        for (member, change) in events {
            for told in self.refusals.pass(Told { at, member, change }) {
                let news = self.repeats.pass(told);
                self.report(news).await;
            }
        }
        if end.is_some() {
            let left = self.repeats.over();
            self.report(left).await;
        }
        end
    }

    async fn report(&mut self, news: Vec<Told>) {
        for Told { at, member, change } in news {
            self.reporter.report(self.observation(at, member, change)).await;
        }
    }

    fn observation(&self, at: Timestamp, member: MemberId, change: Change) -> Observation {
        let evidence = match &change {
            // That a member is no longer listed was seen; that it is gone for good is concluded.
            Change::MemberGone { .. } => Evidence::Inferred,
            _ => Evidence::Observed,
        };
        Observation {
            at: self.clock.unix(at),
            at_earliest: None,
            source: Source::Probe,
            evidence,
            cluster: self.cluster.clone(),
            group: Some(self.group.clone()),
            member: Some(member),
            change,
        }
    }

    async fn wake(&mut self) -> Wake {
        let due = [
            self.member.deadline(),
            self.links.deadline(),
            self.defects.deadline(),
        ];
        let due = due.into_iter().flatten().min();
        let clock = self.clock;
        let deadline = async {
            match due {
                Some(due) => sleep_until(clock.instant(due).into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            order = self.place.ordered() => Wake::Order(order),
            event = poll_fn(|cx| self.links.poll(cx)) => Wake::Link(event),
            found = self.topics.found() => Wake::Topics(found),
            outlook = self.lookout.changed(&self.group) => Wake::Outlook(outlook),
            () = deadline => Wake::Deadline,
        }
    }

    async fn topics_found(&mut self, found: Result<Description, ClusterError>) {
        let now = self.clock.now();
        let change = match found {
            Ok(described) => {
                self.input(now, Input::Topics(described.partitions()));
                match described.hidden_topic() {
                    Some(topic) => Change::NotAuthorized {
                        error: error_code::TOPIC_AUTHORIZATION_FAILED,
                        right: format!("DESCRIBE on topic {topic}"),
                    },
                    None => return,
                }
            }
            Err(error) if self.topics.try_again(&error) => {
                let at = self.clock.unix(now);
                Change::Gap {
                    what: "how many partitions the topics have".to_owned(),
                    from: at,
                    to: at,
                    why: error.to_string(),
                }
            }
            Err(_same_as_before) => return,
        };
        self.reporter
            .report(self.observation(self.now, self.member.name().clone(), change))
            .await;
    }
}
