//! Brokers in memory: what they coordinate, what stands in their log, and what they answer a survey.
//!
//! - `answers`: who they are
//! - `groups`: lists and descriptions
//! - `log`: the offsets log; `epochs`: what it says of groups with epochs
//! - `offsets`: what groups have committed, and how they are set
//! - `restart`: whoever looks ends, and another one begins
//! - `traffic`: how much they are asked

mod answers;
mod epochs;
mod groups;
mod log;
mod names;
mod offsets;
mod reports;
mod restart;
mod shares;
mod traffic;

use std::collections::{BTreeMap, BTreeSet};

use shared::board::Board;
use shared::event::LinkFault;
use shared::ids::NodeId;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey, FetchRequest};
use shared::time::{Millis, Timestamp, UnixMs};

use self::answers::{digest, versions};
pub(super) use self::epochs::{InLog, Kind};
pub(super) use self::groups::{Group, Member, consumer, fixed, member};
pub(super) use self::log::{Log, Record, Sat, commit, group, newer, sat, sat_with, tombstone};
pub(super) use self::offsets::End;
use self::traffic::Traffic;
use crate::survey::machine::Survey;
use crate::survey::port::{Input, Lane, Link, Output, Report};

/// How long an answer takes, if nothing else is said.
pub(super) const TRIP: Millis = Millis(2);

#[derive(Debug)]
struct Flight {
    at: Timestamp,
    link: Link,
    token: Option<u64>,
    input: Input,
}

#[derive(Debug)]
struct Parked {
    until: Timestamp,
    link: Link,
    token: u64,
    request: FetchRequest,
    /// Whether the log may not be read: looked at when the request comes, not when it is answered.
    denied: bool,
}

#[derive(Debug)]
pub(super) struct Cluster {
    survey: Survey,
    now: Timestamp,
    groups: BTreeMap<NodeId, BTreeMap<String, Group>>,
    frozen: BTreeSet<NodeId>,
    /// Those that the cluster does not count.
    left: BTreeSet<NodeId>,
    /// Whether they do not know of each other yet.
    pub(super) uninformed: bool,
    /// How often a connection for looks was made.
    opened: BTreeMap<NodeId, usize>,
    pub(super) unreachable: bool,
    /// What we may do with the cluster, a bit for each operation.
    pub(super) operations: i32,
    /// With what lists are refused.
    pub(super) no_list: i16,
    /// How long it takes until a connection to a frozen broker is given up.
    pub(super) hangs: Millis,
    /// Groups that answers to looks leave out.
    pub(super) left_out: BTreeSet<String>,
    /// How long a description takes.
    pub(super) trip: Millis,
    /// How much longer brokers take for it.
    slow: BTreeMap<NodeId, Millis>,
    flying: Vec<Flight>,
    /// Fetches that wait for something to be written.
    parked: Vec<Parked>,
    pub(super) log: Log,
    pub(super) offsets: offsets::Offsets,
    pub(super) shares: shares::Shares,
    pub(super) names: names::Names,
    /// Whether they understand but the oldest version of OffsetFetch that tells all topics, and nothing about share groups' offsets.
    pub(super) oldest: bool,
    /// The board that this look began with.
    before: Board,
    pub(super) reports: Vec<Report>,
    pub(super) most_unanswered: usize,
    traffic: Traffic,
    /// How often each group was described.
    looks: BTreeMap<String, usize>,
    asked: BTreeMap<ApiKey, usize>,
    /// When each group was asked for last, and the longest it was not.
    seen: BTreeMap<String, Timestamp>,
    longest: Millis,
    /// The digests that answers are to be compared with.
    compare: BTreeMap<(Link, u64), u64>,
    /// Answers that were told as the same.
    pub(super) same: usize,
}

impl Cluster {
    pub(super) fn of(nodes: &[NodeId]) -> Self {
        Self {
            survey: restart::survey(),
            now: Timestamp::from_millis(1_000),
            groups: nodes.iter().map(|node| (*node, BTreeMap::new())).collect(),
            frozen: BTreeSet::new(),
            left: BTreeSet::new(),
            uninformed: false,
            opened: BTreeMap::new(),
            unreachable: false,
            operations: i32::MAX,
            no_list: 0,
            hangs: TRIP,
            left_out: BTreeSet::new(),
            trip: TRIP,
            slow: BTreeMap::new(),
            flying: Vec::new(),
            parked: Vec::new(),
            log: Log::default(),
            offsets: offsets::Offsets::default(),
            shares: shares::Shares::default(),
            names: names::Names::default(),
            oldest: false,
            before: Board::default(),
            reports: Vec::new(),
            most_unanswered: 0,
            traffic: Traffic::default(),
            looks: BTreeMap::new(),
            asked: BTreeMap::new(),
            seen: BTreeMap::new(),
            longest: Millis(0),
            compare: BTreeMap::new(),
            same: 0,
        }
    }

    pub(super) fn put(&mut self, node: NodeId, id: &str, group: Group) {
        self.groups.entry(node).or_default().insert(id.to_owned(), group);
    }

    pub(super) fn take(&mut self, node: NodeId, id: &str) {
        self.groups.entry(node).or_default().remove(id);
    }

    pub(super) fn freeze(&mut self, node: NodeId) {
        self.frozen.insert(node);
    }

    pub(super) fn thaw(&mut self, node: NodeId) {
        self.frozen.remove(&node);
    }

    /// It is no more, and the cluster has noticed.
    pub(super) fn leave(&mut self, node: NodeId) {
        self.freeze(node);
        self.left.insert(node);
    }

    pub(super) fn come(&mut self, node: NodeId) {
        self.thaw(node);
        self.left.remove(&node);
    }

    /// How often a connection for looks was made.
    pub(super) fn opened(&self, node: NodeId) -> usize {
        self.opened.get(&node).copied().unwrap_or(0)
    }

    fn counted(&self) -> impl Iterator<Item = NodeId> {
        let counted = self.groups.keys().filter(|node| !self.left.contains(node));
        counted.copied().filter(|_| !self.uninformed)
    }

    pub(super) fn asked(&self, api: ApiKey) -> usize {
        self.asked.get(&api).copied().unwrap_or(0)
    }

    pub(super) fn longest_unseen(&self) -> Millis {
        self.longest
    }

    pub(super) fn unseen_for(&self, id: &str) -> Millis {
        let seen = self.seen.get(id).copied().unwrap_or_default();
        Millis(self.now.micros_since(seen) / 1_000)
    }

    /// How long a broker takes to describe groups.
    pub(super) fn slow(&mut self, node: NodeId, trip: Millis) {
        self.slow.insert(node, trip);
    }

    pub(super) fn looks(&self, id: &str) -> usize {
        self.looks.get(id).copied().unwrap_or(0)
    }

    fn unanswered(&self, node: NodeId) -> usize {
        let flying = self
            .flying
            .iter()
            .filter(|flight| flight.link.node == node && flight.token.is_some());
        flying.count()
            + self
                .parked
                .iter()
                .filter(|parked| parked.link.node == node)
                .count()
    }

    pub(super) const fn now(&self) -> Timestamp {
        self.now
    }

    /// The time of day at the brokers, which is not ours.
    pub(super) fn unix(&self) -> UnixMs {
        reports::unix(self.now)
    }

    /// Writes a record into a group's partition of the offsets log.
    pub(super) fn write(&mut self, record: &Record) {
        self.log.write(record, self.unix());
    }

    pub(super) fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Lets time pass.
    pub(super) fn run(&mut self, millis: Millis) {
        let end = self.now + millis;
        self.survey.handle(self.now, Input::Time);
        loop {
            self.carry_out();
            self.unpark();
            let landing = self.flying.iter().map(|flight| flight.at).min();
            let parked = self.parked.iter().map(|parked| parked.until).min();
            let deadlines = [landing, parked, self.survey.deadline()];
            let next = deadlines.into_iter().flatten().min();
            let next = next.unwrap_or(Timestamp::FAR).max(self.now);
            if next > end {
                self.now = end;
                return;
            }
            self.now = next;
            match self.flying.iter().position(|flight| flight.at <= next) {
                Some(at) => {
                    let flight = self.flying.remove(at);
                    if matches!(flight.input, Input::Ended { .. }) {
                        self.flying.retain(|other| other.link != flight.link);
                    }
                    self.survey.handle(next, flight.input);
                }
                None if parked.is_some_and(|parked| parked <= next) => {}
                None => self.survey.handle(next, Input::Time),
            }
        }
    }

    fn carry_out(&mut self) {
        while let Some(output) = self.survey.poll() {
            match output {
                Output::Report(report) => reports::add(report, &mut self.reports),
                Output::Find => self.find(),
                Output::Open { link, .. } => {
                    if link.lane == Lane::Look {
                        *self.opened.entry(link.node).or_default() += 1;
                    }
                    let (takes, input) = if self.frozen.contains(&link.node) {
                        (self.hangs, ended(link))
                    } else {
                        let versions = versions(self.oldest);
                        (TRIP, Input::Opened { link, versions })
                    };
                    self.fly(link, None, takes, input);
                }
                Output::Close { link } => {
                    self.flying.retain(|flight| flight.link != link);
                    self.parked.retain(|parked| parked.link != link);
                }
                Output::Ask {
                    link,
                    token,
                    request,
                    timeout,
                    compare,
                    ..
                } => {
                    if let Some(known) = compare {
                        self.compare.insert((link, token), known);
                    }
                    self.ask(link, token, request, timeout);
                }
            }
        }
    }

    fn ask(&mut self, link: Link, token: u64, request: AnyRequest, timeout: Millis) {
        self.traffic
            .sent(self.now, link.node, self.unanswered(link.node) + 1);
        *self.asked.entry(request.key()).or_default() += 1;
        if self.frozen.contains(&link.node) || self.shares.is_stuck(&request) {
            self.fly(link, Some(token), timeout, ended(link));
            return;
        }
        if let AnyRequest::Fetch(request) = request {
            let wait = Millis(u64::try_from(request.max_wait_ms).unwrap());
            self.parked.push(Parked {
                until: self.now + wait,
                link,
                token,
                request,
                denied: self.log.denied,
            });
            return;
        }
        let response = self.answer(link.node, request);
        self.answers(link, token, response);
    }

    fn unpark(&mut self) {
        for parked in std::mem::take(&mut self.parked) {
            let (node, now) = (parked.link.node, self.now);
            let answer = self.log.fetch(node, &parked.request, parked.denied);
            if parked.until <= now || log::is_full(&answer) {
                self.answers(parked.link, parked.token, answer.into());
            } else {
                self.parked.push(parked);
            }
        }
    }

    fn answers(&mut self, link: Link, token: u64, response: AnyResponse) {
        let sent = self.now;
        let compare = self.compare.remove(&(link, token));
        let digest = compare.map_or(0, |_| digest(&response));
        let input = if compare == Some(digest) {
            self.same += 1;
            let api = response.key();
            Input::Same {
                link,
                token,
                api,
                sent,
            }
        } else {
            Input::Answered {
                link,
                token,
                sent,
                response,
                digest,
            }
        };
        let slow = self.slow.get(&link.node).copied();
        let trip = if link.lane == Lane::Look {
            slow.unwrap_or(self.trip)
        } else {
            TRIP
        };
        self.fly(link, Some(token), trip, input);
        let out = |flight: &&Flight| flight.link == link && flight.token.is_some();
        self.most_unanswered = self.most_unanswered.max(self.flying.iter().filter(out).count());
    }

    fn fly(&mut self, link: Link, token: Option<u64>, takes: Millis, input: Input) {
        let at = self.now + takes;
        self.flying.push(Flight {
            at,
            link,
            token,
            input,
        });
    }
}

fn ended(link: Link) -> Input {
    Input::Ended {
        link,
        fault: LinkFault::Timeout,
        detail: "no answer".to_owned(),
    }
}
