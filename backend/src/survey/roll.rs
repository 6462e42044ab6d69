//! Which groups there are, where, and who is in them: ListGroups on every broker, then the describe call of each group's type.
//!
//! - `brokers`: which brokers there are
//! - `asking`: what each broker is asked next
//! - `broker`: one broker's seat: its connection, what is asked of it, which of its groups are due
//! - `group`: one group as it was seen last, and what a new look at it says
//! - `before`: groups as the run before this one left them
//! - `listing`: what a new list of a broker says; `absence`: whether a group that is on none is gone; `ended`: that one is, as the log
//!   tells, or that another one has its name
//! - `turn`: a rebalance, from one look at rest to the next
//! - `changes`: what a look says of a member, as changes
//! - `rights`: whether the lists are whole
//! - `departure`: how a member may have gone; `heard`: what the offsets log told of a group, `epochs`: of one with epochs
//! - `trips`: how long a broker takes to answer
//! - `together`: what one look shows, as one event
//! - `same`: answers that are the same as before, and are not read again
//! - `reconciling`: how far members are on their way to their assignments
//! - `words`: what else is told of members
//! - `unanswered`: groups that are not answered for
//! - `view`: what the rounds need of it, and what they tell it
//!
//! A broker lists the groups it coordinates and no others, and only a group's coordinator describes it (protocol.md 4.1).

mod absence;
mod asking;
mod before;
mod broker;
mod brokers;
mod changes;
mod departure;
mod ended;
mod epochs;
mod group;
mod heard;
mod listing;
mod reconciling;
pub(super) mod rights;
mod same;
mod together;
mod trips;
mod turn;
mod unanswered;
mod view;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::event::{Change, LinkFault};
use shared::ids::{GroupId, NodeId};
use shared::protocol::{AnyResponse, MetadataRequest, MetadataResponse};
use shared::time::{Millis, Timestamp};

use self::broker::{Asked, Seat};
use self::ended::Over;
use self::group::Known;
use self::rights::Rights;
pub(super) use self::view::Configured;
use super::ledger::Ledger;
use super::look::{self, Describe};
use super::port::{Input, Lane, Link, Output, Report};
use crate::kafka::address::Address;
use crate::kafka::cluster::Broker;
use crate::limits;

/// All groups of the cluster, as they were seen last.
#[derive(Debug, Default)]
pub(super) struct Roll {
    client_id: String,
    /// The probe group of ours; those named after it with a counter are too.
    probes: Option<GroupId>,
    seats: BTreeMap<NodeId, Seat>,
    /// Each in a box: the map is a third empty.
    groups: BTreeMap<GroupId, Box<Known>>,
    /// Groups of which the log told lately that they are there no more: who is listed under such a name is another, or listed by an
    /// answer that is older.
    ended: BTreeMap<GroupId, Over>,
    tokens: u64,
    /// When to ask who is there: a broker that is connected, else the bootstrap list.
    find_due: Timestamp,
    /// Whether that is asked and not yet answered.
    finding: bool,
    /// How the search failed last, so that it is told on change only.
    not_found: Option<LinkFault>,
    rights: Rights,
    /// Until when other questions wait for the first look at all groups; none before a broker is found.
    first_until: Option<Timestamp>,
    /// Whether they need not wait any more.
    pictured: bool,
    /// When to look for groups that are not answered for.
    doubt_due: Timestamp,
    /// Whether the list that is being read says what the next one must be read for again.
    unsettled: bool,
}

impl Roll {
    pub(super) fn new(client_id: &str) -> Self {
        Self {
            client_id: client_id.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn handle(
        &mut self,
        now: Timestamp,
        input: Input,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        match input {
            Input::Found { brokers, .. } => {
                self.first_until.get_or_insert(now + limits::SURVEY_FIRST);
                self.brokers(now, brokers, out);
            }
            Input::NotFound { fault, detail } => {
                self.finding = false;
                self.find_due = now + limits::SURVEY_RETRY;
                if self.not_found.replace(fault) != Some(fault) {
                    let change = Change::CoordinatorNotFound {
                        error: None,
                        cause: Some(fault),
                        detail: Some(detail),
                    };
                    out.push_back(Output::Report(Report::of_cluster(now, change)));
                }
            }
            Input::Opened { link, versions } => {
                if let Some(seat) = self.seats.get_mut(&link.node) {
                    seat.opened(now, versions);
                }
            }
            Input::Ended { link, fault, detail } => self.ended(now, link.node, fault, detail, out),
            Input::Answered {
                link,
                token,
                sent,
                response,
                digest,
            } => {
                if let Some(seat) = self.seats.get_mut(&link.node) {
                    seat.trips.answered(token, response.key(), sent, now);
                    seat.digested(token, digest);
                }
                self.answered(now, link.node, token, response, ledger, out);
            }
            Input::Same {
                link,
                token,
                api,
                sent,
            } => {
                if let Some(seat) = self.seats.get_mut(&link.node) {
                    seat.trips.answered(token, api, sent, now);
                }
                self.same(now, link.node, token, ledger, out);
            }
            Input::Time => {}
        }
        self.ask_on(now, ledger, out);
        self.doubt(now, out);
        self.pictured = self.pictured || self.is_over(now);
    }

    /// Whether the first look at all groups is over, or has taken too long.
    fn is_over(&self, now: Timestamp) -> bool {
        let caught_up = |seat: &Seat| !seat.is_up() || seat.is_caught_up(now);
        self.first_until.is_some_and(|until| until <= now)
            || (self.is_whole() && self.seats.values().all(caught_up))
    }

    pub(super) fn probes_are(&mut self, probes: &GroupId) {
        self.probes = Some(probes.clone());
    }

    /// Whether a group is a probe group of ours.
    fn is_probe(&self, id: &str) -> bool {
        let Some(rest) = self
            .probes
            .as_ref()
            .and_then(|base| id.strip_prefix(base.as_str()))
        else {
            return false;
        };
        let counter = rest.strip_prefix('-');
        rest.is_empty() || counter.is_some_and(|counter| counter.parse::<u32>().is_ok())
    }

    /// Brokers that answer.
    pub(super) fn answering(&self) -> BTreeSet<NodeId> {
        let answering = self.seats.iter();
        let answering = answering.filter(|(_, seat)| seat.standing == broker::Standing::Answers);
        answering.map(|(node, _)| *node).collect()
    }

    /// Brokers that coordinated a group of others when they told their groups last.
    pub(super) fn busy(&self) -> BTreeSet<NodeId> {
        let busy = self.seats.iter().filter(|(_, seat)| seat.coordinates);
        busy.map(|(node, _)| *node).collect()
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let find = (!self.finding).then_some(self.find_due);
        let seats = self.seats.values().filter_map(Seat::deadline);
        let doubt = (!self.groups.is_empty()).then_some(self.doubt_due);
        seats.chain(find).chain(doubt).chain(self.rights_deadline()).min()
    }

    fn answered(
        &mut self,
        now: Timestamp,
        node: NodeId,
        token: u64,
        response: AnyResponse,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        self.heard_of(now, node, out);
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        match (seat.take(token), response) {
            (Some(Asked::Brokers), AnyResponse::Metadata(answer)) => {
                self.brokers(now, addresses(answer), out);
            }
            (Some(Asked::List), AnyResponse::ListGroups(answer)) => {
                self.listed(now, node, answer, ledger, out);
            }
            (Some(Asked::Rights), AnyResponse::DescribeCluster(answer)) => {
                self.rights.answered(now, &answer, out);
            }
            (Some(Asked::Describe(call, asked)), response) => {
                let looks = look::looks(response).unwrap_or_default();
                self.described(now, node, (call, asked), looks, ledger, out);
            }
            _ => {}
        }
    }

    /// What the coordinator said of the groups it was asked about.
    fn described(
        &mut self,
        now: Timestamp,
        node: NodeId,
        (call, asked): (Describe, Vec<GroupId>),
        looks: Vec<look::Look>,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        for look in looks {
            self.is_another(now, &look, ledger, out);
            // Of one that has another coordinator by now, it tells what was so before.
            let known = self.groups.get_mut(&look.group);
            if let Some(known) = known.filter(|known| known.node == node && known.asked) {
                known.look(now, look, call, &self.client_id, ledger, out);
            }
        }
        self.answers_for(now, node, &asked, out);
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        for group in asked {
            // Moved, or gone, meanwhile: then it is somebody else's, or nobody's.
            let known = self.groups.get_mut(&group);
            if let Some(known) = known.filter(|known| known.node == node && known.asked) {
                known.asked = false;
                known.due = now + known.pace();
                if known.answered_at != now {
                    // An answer that left it out says nothing of it the next time either.
                    known.stamp = None;
                }
                // Of a group that is not described the lists tell all, each of them.
                seat.remembered.list_is_settled &= !known.is_refused();
                seat.plan(&group, known);
            }
        }
    }

    /// Asks who is there.
    fn find(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        if self.finding || self.find_due > now {
            return;
        }
        self.finding = true;
        let whole = MetadataRequest {
            topics: Some(Vec::new()),
            allow_auto_topic_creation: true,
            ..Default::default()
        };
        for (node, seat) in &mut self.seats {
            if seat.has_room() {
                self.tokens += 1;
                if let Some(asked) = ask(seat, *node, self.tokens, whole.clone(), Asked::Brokers, None) {
                    out.push_back(asked);
                    return;
                }
            }
        }
        out.push_back(Output::Find);
    }
}

/// The request as an output, noted in the broker's seat; none where the broker does not understand it.
fn ask(
    seat: &mut Seat,
    node: NodeId,
    token: u64,
    request: impl Into<shared::protocol::AnyRequest>,
    what: Asked,
    compare: Option<u64>,
) -> Option<Output> {
    let request = request.into();
    let version = seat.version(request.key())?;
    seat.ask(token, what);
    Some(Output::Ask {
        link: look_at(node),
        token,
        version,
        request,
        timeout: limits::SURVEY_ANSWER,
        compare,
    })
}

const fn look_at(node: NodeId) -> Link {
    Link {
        node,
        lane: Lane::Look,
    }
}

/// The brokers an answer to Metadata names.
pub(super) fn addresses(answer: MetadataResponse) -> Vec<Broker> {
    let brokers = answer.brokers.into_iter().map(|broker| Broker {
        node: NodeId(broker.node_id),
        address: Address::new(&broker.host, broker.port),
    });
    brokers.collect()
}

/// How soon a group is looked at again.
impl Known {
    fn pace(&self) -> Millis {
        if self.is_changing() {
            limits::SURVEY_CHANGING_PACE
        } else {
            limits::SURVEY_CALM_PACE
        }
    }
}

#[cfg(test)]
mod tests;
