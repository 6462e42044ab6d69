//! Brokers in memory: what they coordinate, and what they answer a survey.

use std::collections::{BTreeMap, BTreeSet};

use shared::event::{Change, LinkFault};
use shared::ids::{ClusterId, GroupId, NodeId};
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsResponse, BrokerVersions,
    ConsumerGroupDescribeResponse, DescribeGroupsResponse, DescribedGroup, DescribedGroupMember,
    ListGroupsResponse, ListedGroup, MetadataResponse, MetadataResponseBroker, ShareGroupDescribeResponse,
    StreamsGroupDescribeResponse, consumer_group_describe as consumer, share_group_describe as share,
    streams_group_describe as streams,
};
use shared::time::{Millis, Timestamp};

use crate::kafka::address::Address;
use crate::kafka::cluster::Broker;
use crate::survey::machine::Survey;
use crate::survey::port::{Input, Link, Output, Report};

/// How long an answer takes.
const TRIP: Millis = Millis(2);

#[derive(Clone, Debug)]
pub(super) struct Group {
    group_type: String,
    state: String,
    epoch: i32,
    members: Vec<Member>,
    error: i16,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) id: String,
    pub(super) client_id: String,
    pub(super) instance: Option<String>,
    pub(super) epoch: i32,
}

pub(super) fn member(id: &str, client_id: &str) -> Member {
    consumer(id, client_id, 0)
}

pub(super) fn consumer(id: &str, client_id: &str, epoch: i32) -> Member {
    Member {
        id: id.to_owned(),
        client_id: client_id.to_owned(),
        instance: None,
        epoch,
    }
}

impl Group {
    pub(super) fn classic(state: &str, members: &[Member]) -> Self {
        Self::new("classic", state, 0, members)
    }

    pub(super) fn new(group_type: &str, state: &str, epoch: i32, members: &[Member]) -> Self {
        Self {
            group_type: group_type.to_owned(),
            state: state.to_owned(),
            epoch,
            members: members.to_vec(),
            error: 0,
        }
    }

    pub(super) fn refused(group_type: &str, error: i16) -> Self {
        Self {
            error,
            ..Self::new(group_type, "Stable", 0, &[])
        }
    }
}

#[derive(Debug)]
struct Flight {
    at: Timestamp,
    link: Link,
    token: Option<u64>,
    input: Input,
}

#[derive(Debug)]
pub(super) struct Cluster {
    survey: Survey,
    now: Timestamp,
    groups: BTreeMap<NodeId, BTreeMap<String, Group>>,
    frozen: BTreeSet<NodeId>,
    pub(super) unreachable: bool,
    flying: Vec<Flight>,
    pub(super) reports: Vec<Report>,
    pub(super) most_unanswered: usize,
    asked: BTreeMap<ApiKey, usize>,
    /// When each group was asked for last, and the longest it was not.
    seen: BTreeMap<String, Timestamp>,
    longest: Millis,
}

impl Cluster {
    pub(super) fn of(nodes: &[NodeId]) -> Self {
        Self {
            survey: Survey::new("heartline"),
            now: Timestamp::from_millis(1_000),
            groups: nodes.iter().map(|node| (*node, BTreeMap::new())).collect(),
            frozen: BTreeSet::new(),
            unreachable: false,
            flying: Vec::new(),
            reports: Vec::new(),
            most_unanswered: 0,
            asked: BTreeMap::new(),
            seen: BTreeMap::new(),
            longest: Millis(0),
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

    /// All that was told of a group.
    pub(super) fn of_group(&self, id: &str) -> Vec<Change> {
        let of_it = self
            .reports
            .iter()
            .filter(|report| report.group == Some(GroupId::from(id)));
        of_it.map(|report| report.change.clone()).collect()
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

    /// Lets time pass.
    pub(super) fn run(&mut self, millis: Millis) {
        let end = self.now + millis;
        self.survey.handle(self.now, Input::Time);
        loop {
            self.carry_out();
            let landing = self.flying.iter().map(|flight| flight.at).min();
            let next = [landing, self.survey.deadline()].into_iter().flatten().min();
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
                None => self.survey.handle(next, Input::Time),
            }
        }
    }

    fn carry_out(&mut self) {
        while let Some(output) = self.survey.poll() {
            match output {
                Output::Report(report) => self.reports.push(report),
                Output::Find => self.find(),
                Output::Open { link, .. } => {
                    let input = if self.frozen.contains(&link.node) {
                        ended(link)
                    } else {
                        let versions = versions();
                        Input::Opened { link, versions }
                    };
                    self.fly(link, None, TRIP, input);
                }
                Output::Close { link } => self.flying.retain(|flight| flight.link != link),
                Output::Ask {
                    link,
                    token,
                    request,
                    timeout,
                    ..
                } => self.ask(link, token, request, timeout),
            }
        }
    }

    fn find(&mut self) {
        let input = if self.unreachable {
            Input::NotFound {
                fault: LinkFault::Disconnect,
                detail: "connection refused".to_owned(),
            }
        } else {
            Input::Found {
                cluster: Some(ClusterId::from("c")),
                brokers: self.groups.keys().map(|node| broker(*node)).collect(),
            }
        };
        let nobody = Link {
            node: NodeId(-1),
            lane: crate::survey::port::Lane::Look,
        };
        self.fly(nobody, None, TRIP, input);
    }

    fn ask(&mut self, link: Link, token: u64, request: AnyRequest, timeout: Millis) {
        *self.asked.entry(request.key()).or_default() += 1;
        if self.frozen.contains(&link.node) {
            self.fly(link, Some(token), timeout, ended(link));
            return;
        }
        let response = self.answer(link.node, request);
        let input = Input::Answered {
            link,
            token,
            response,
        };
        self.fly(link, Some(token), TRIP, input);
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

    fn answer(&mut self, node: NodeId, request: AnyRequest) -> AnyResponse {
        match request {
            AnyRequest::Metadata(_) => MetadataResponse {
                brokers: self.groups.keys().map(|node| named(*node)).collect(),
                ..Default::default()
            }
            .into(),
            AnyRequest::ListGroups(_) => self.list(node).into(),
            AnyRequest::DescribeGroups(asked) => DescribeGroupsResponse {
                groups: self.each(node, asked.groups, classic),
                ..Default::default()
            }
            .into(),
            AnyRequest::ConsumerGroupDescribe(asked) => ConsumerGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, in_epochs),
                ..Default::default()
            }
            .into(),
            AnyRequest::ShareGroupDescribe(asked) => ShareGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, |id, group| share::DescribedGroup {
                    group_id: id,
                    group_state: group.map(|group| group.state.clone()).unwrap_or_default(),
                    ..Default::default()
                }),
                ..Default::default()
            }
            .into(),
            AnyRequest::StreamsGroupDescribe(asked) => StreamsGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, |id, group| streams::DescribedGroup {
                    group_id: id,
                    group_state: group.map(|group| group.state.clone()).unwrap_or_default(),
                    ..Default::default()
                }),
                ..Default::default()
            }
            .into(),
            other => panic!("a survey does not ask for {}", other.key()),
        }
    }

    fn each<T>(
        &mut self,
        node: NodeId,
        ids: Vec<String>,
        describe: impl Fn(String, Option<&Group>) -> T,
    ) -> Vec<T> {
        let mut described = Vec::new();
        for id in ids {
            if let Some(before) = self.seen.insert(id.clone(), self.now) {
                self.longest = self.longest.max(Millis(self.now.micros_since(before) / 1_000));
            }
            let group = self.groups.get(&node).and_then(|groups| groups.get(&id));
            described.push(describe(id, group));
        }
        described
    }

    fn list(&self, node: NodeId) -> ListGroupsResponse {
        let groups = self.groups.get(&node).into_iter().flatten();
        ListGroupsResponse {
            groups: groups
                .map(|(id, group)| ListedGroup {
                    group_id: id.clone(),
                    protocol_type: "consumer".to_owned(),
                    group_state: group.state.clone(),
                    group_type: group.group_type.clone(),
                })
                .collect(),
            ..Default::default()
        }
    }
}

fn classic(id: String, group: Option<&Group>) -> DescribedGroup {
    // A coordinator answers so about a group that it does not have, and about one of another type (protocol.md 4.1).
    let Some(group) = group.filter(|group| group.group_type == "classic") else {
        return DescribedGroup {
            group_id: id,
            group_state: "Dead".to_owned(),
            ..Default::default()
        };
    };
    let members = group.members.iter().map(|member| DescribedGroupMember {
        member_id: member.id.clone(),
        group_instance_id: member.instance.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        ..Default::default()
    });
    DescribedGroup {
        error_code: group.error,
        group_id: id,
        group_state: group.state.clone(),
        protocol_type: "consumer".to_owned(),
        members: members.collect(),
        ..Default::default()
    }
}

fn in_epochs(id: String, group: Option<&Group>) -> consumer::DescribedGroup {
    let Some(group) = group.filter(|group| group.group_type == "consumer") else {
        return consumer::DescribedGroup {
            error_code: 69,
            group_id: id,
            ..Default::default()
        };
    };
    let members = group.members.iter().map(|member| consumer::Member {
        member_id: member.id.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        member_epoch: member.epoch,
        ..Default::default()
    });
    consumer::DescribedGroup {
        error_code: group.error,
        group_id: id,
        group_state: group.state.clone(),
        group_epoch: group.epoch,
        members: members.collect(),
        ..Default::default()
    }
}

fn ended(link: Link) -> Input {
    Input::Ended {
        link,
        fault: LinkFault::Timeout,
        detail: "no answer".to_owned(),
    }
}

fn versions() -> BrokerVersions {
    let all = ApiKey::ALL.iter().map(|key| ApiVersion {
        api_key: i16::from(*key),
        min_version: key.versions().min,
        max_version: key.versions().max,
    });
    BrokerVersions::new(&ApiVersionsResponse {
        api_keys: all.collect(),
        ..Default::default()
    })
}

fn broker(node: NodeId) -> Broker {
    Broker {
        node,
        address: Address::new(&format!("broker-{node}"), 9092),
    }
}

fn named(node: NodeId) -> MetadataResponseBroker {
    MetadataResponseBroker {
        node_id: node.0,
        host: format!("broker-{node}"),
        port: 9092,
        ..Default::default()
    }
}
