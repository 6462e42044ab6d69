//! The request that a step stands for, with one coordinator's ids.

use shared::protocol::ConsumerProtocol as _;
use shared::protocol::{
    AnyRequest, ConsumerProtocolSubscription, HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol,
    LeaveGroupRequest, ListGroupsRequest, MemberIdentity, OffsetCommitRequest, OffsetCommitRequestPartition,
    OffsetCommitRequestTopic, OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic,
    OffsetFetchRequestTopics, SyncGroupRequest, SyncGroupRequestAssignment, Uuid,
};

use super::side::Side;
use super::step::{
    self, Action, Id, Instance, Join, Names, Parts, Protocol, Span, Spoken, Step, Sync, Topic,
};
use crate::cast::{PARTITIONS, TOPIC};

/// An id that no coordinator gave.
pub(super) const STRANGER: &str = "stranger";

/// Longer than any sequence takes.
const LONG_MS: i32 = 300_000;

/// Below the least session timeout of both coordinators, which is 1000.
const BELOW_LIMIT_MS: i32 = 999;

/// Above the greatest.
const ABOVE_LIMIT_MS: i32 = 1_800_001;

/// The request and its version; none where a step sends nothing.
pub(super) fn request(side: &Side, number: usize, step: &Step) -> Option<(i16, AnyRequest)> {
    of_action(side, number, step.actor, &step.action)
}

fn of_action(side: &Side, number: usize, actor: usize, action: &Action) -> Option<(i16, AnyRequest)> {
    let request = match action {
        Action::Join(join) => (join.version, joining(side, actor, join).into()),
        Action::Sync(sync) => (sync.version, syncing(side, number, actor, sync).into()),
        Action::Beat {
            version,
            names,
            generation,
        } => {
            let request = HeartbeatRequest {
                group_id: side.group.clone(),
                generation_id: side.generation + generation,
                member_id: id(side, actor, names.id),
                group_instance_id: instance(actor, names.instance),
            };
            (*version, request.into())
        }
        Action::Leave { version, members } => (*version, leaving(side, actor, *version, members).into()),
        Action::Commit {
            version,
            names,
            generation,
            topic,
        } => {
            let generation = generation.map_or(-1, |off| side.generation + off);
            (
                *version,
                committing(side, number, (actor, *names), generation, *topic).into(),
            )
        }
        Action::Offsets {
            version,
            names,
            generation,
            topic,
        } => {
            let generation = side.generation + generation;
            let request = asking_for_offsets(side, *version, (actor, *names), generation, *topic);
            (*version, request.into())
        }
        Action::List { version } => (*version, ListGroupsRequest::default().into()),
        Action::Nameless(action) => {
            let (version, mut request) = of_action(side, number, actor, action)?;
            if let Some(group) = group_of(&mut request) {
                group.clear();
            }
            (version, request)
        }
        Action::Pass { .. } | Action::Await => return None,
    };
    Some(request)
}

/// The group that a request is about.
fn group_of(request: &mut AnyRequest) -> Option<&mut String> {
    match request {
        AnyRequest::JoinGroup(request) => Some(&mut request.group_id),
        AnyRequest::SyncGroup(request) => Some(&mut request.group_id),
        AnyRequest::Heartbeat(request) => Some(&mut request.group_id),
        AnyRequest::LeaveGroup(request) => Some(&mut request.group_id),
        AnyRequest::OffsetCommit(request) => Some(&mut request.group_id),
        _ => None,
    }
}

fn id(side: &Side, actor: usize, id: Id) -> String {
    let newest = |actor: usize, back: usize| side.cast.get(actor)?.ids.values().rev().nth(back).cloned();
    match id {
        Id::Empty => String::new(),
        Id::Own => newest(actor, 0).unwrap_or_default(),
        Id::Former => newest(actor, 1).unwrap_or_else(|| STRANGER.into()),
        Id::Of(other) => newest(other, 0).unwrap_or_else(|| STRANGER.into()),
        Id::Stranger => STRANGER.into(),
    }
}

fn instance(actor: usize, name: Instance) -> Option<String> {
    match name {
        Instance::Absent => None,
        Instance::Empty => Some(String::new()),
        Instance::Own => Some(step::instance(actor)),
        Instance::Of(other) => Some(step::instance(other)),
        Instance::Stranger => Some("iStranger".into()),
    }
}

fn joining(side: &Side, actor: usize, join: &Join) -> JoinGroupRequest {
    let ms = |span: Span| match span {
        Span::Long => LONG_MS,
        Span::Short => i32::try_from(side.unit.as_millis()).unwrap_or(LONG_MS),
        Span::BelowLimit => BELOW_LIMIT_MS,
        Span::AboveLimit => ABOVE_LIMIT_MS,
    };
    let protocol = |Protocol(name, topic): &Protocol| {
        let subscription = ConsumerProtocolSubscription {
            topics: vec![format!("t{topic}")],
            ..ConsumerProtocolSubscription::default()
        };
        JoinGroupRequestProtocol {
            name: (*name).into(),
            metadata: subscription.to_bytes(0).expect("a subscription"),
        }
    };
    JoinGroupRequest {
        group_id: side.group.clone(),
        session_timeout_ms: ms(join.session),
        rebalance_timeout_ms: ms(join.rebalance),
        member_id: id(side, actor, join.names.id),
        group_instance_id: instance(actor, join.names.instance),
        protocol_type: join.protocol_type.into(),
        protocols: join.protocols.iter().map(protocol).collect(),
        reason: None,
    }
}

fn syncing(side: &Side, number: usize, actor: usize, sync: &Sync) -> SyncGroupRequest {
    let (kind, name) = side.spoken.clone();
    let (kind, name) = (kind.or(Some("consumer".into())), name.or(Some("a".into())));
    let (protocol_type, protocol_name) = match sync.spoken {
        Spoken::Right => (kind, name),
        Spoken::WrongType => (Some("wrong".into()), name),
        Spoken::WrongName => (kind, Some("wrong".into())),
        Spoken::Nothing => (None, None),
    };
    SyncGroupRequest {
        group_id: side.group.clone(),
        generation_id: side.generation + sync.generation,
        member_id: id(side, actor, sync.names.id),
        group_instance_id: instance(actor, sync.names.instance),
        protocol_type,
        protocol_name,
        assignments: parts(side, number, sync.parts),
    }
}

/// Whose part it is and which step gave it stands in each part.
fn parts(side: &Side, number: usize, parts: Parts) -> Vec<SyncGroupRequestAssignment> {
    let part = |whose: &str, id: &str| SyncGroupRequestAssignment {
        member_id: id.into(),
        assignment: format!("{whose} by step {number}").into_bytes(),
    };
    let of = |(number, actor): (usize, &super::side::Actor)| {
        let newest = actor.ids.values().next_back()?;
        Some((number, part(&step::actor(number), newest)))
    };
    let all = side.cast.iter().enumerate().filter_map(of);
    match parts {
        Parts::Nobodys => Vec::new(),
        Parts::Everybodys => all.map(|(_, part)| part).collect(),
        Parts::AllBut(one) => {
            let others = all.filter(|(number, _)| *number != one).map(|(_, part)| part);
            others.chain([part("nobody", STRANGER)]).collect()
        }
    }
}

fn leaving(side: &Side, actor: usize, version: i16, members: &[Names]) -> LeaveGroupRequest {
    let mut request = LeaveGroupRequest {
        group_id: side.group.clone(),
        ..LeaveGroupRequest::default()
    };
    let identity = |names: &Names| MemberIdentity {
        member_id: id(side, actor, names.id),
        group_instance_id: instance(actor, names.instance),
        reason: None,
    };
    if version < 3 {
        request.member_id = members
            .first()
            .map(|names| id(side, actor, names.id))
            .unwrap_or_default();
    } else {
        request.members = members.iter().map(identity).collect();
    }
    request
}

fn committing(
    side: &Side,
    number: usize,
    (actor, names): (usize, Names),
    generation: i32,
    topic: Topic,
) -> OffsetCommitRequest {
    let Place {
        name,
        topic_id,
        partition_index,
    } = place(side, topic);
    let partition = OffsetCommitRequestPartition {
        partition_index,
        committed_offset: i64::try_from(number).unwrap_or(0),
        committed_metadata: Some(format!("by step {number}")),
        ..OffsetCommitRequestPartition::default()
    };
    OffsetCommitRequest {
        group_id: side.group.clone(),
        generation_id_or_member_epoch: generation,
        member_id: id(side, actor, names.id),
        group_instance_id: instance(actor, names.instance),
        topics: vec![OffsetCommitRequestTopic {
            name: name.into(),
            topic_id,
            partitions: vec![partition],
        }],
        ..OffsetCommitRequest::default()
    }
}

/// What is asked of the versions from 8 on in their way, of those before in theirs.
fn asking_for_offsets(
    side: &Side,
    version: i16,
    (actor, names): (usize, Names),
    generation: i32,
    topic: Option<Topic>,
) -> OffsetFetchRequest {
    let place = topic.map(|topic| place(side, topic));
    if version < 8 {
        let topic = |place: Place| OffsetFetchRequestTopic {
            name: place.name.into(),
            partition_indexes: vec![place.partition_index],
        };
        return OffsetFetchRequest {
            group_id: side.group.clone(),
            topics: place.map(|place| vec![topic(place)]),
            ..OffsetFetchRequest::default()
        };
    }
    let topic = |place: Place| OffsetFetchRequestTopics {
        name: place.name.into(),
        topic_id: place.topic_id,
        partition_indexes: vec![place.partition_index],
    };
    let member = id(side, actor, names.id);
    let group = OffsetFetchRequestGroup {
        group_id: side.group.clone(),
        member_epoch: if member.is_empty() { -1 } else { generation },
        member_id: (!member.is_empty()).then_some(member),
        topics: place.map(|place| vec![topic(place)]),
    };
    OffsetFetchRequest {
        groups: vec![group],
        ..OffsetFetchRequest::default()
    }
}

/// A partition as requests name it.
struct Place {
    name: &'static str,
    topic_id: Uuid,
    partition_index: i32,
}

fn place(side: &Side, topic: Topic) -> Place {
    let (name, topic_id) = match topic {
        Topic::Known | Topic::UnknownPartition => (TOPIC, side.coordinator.topic),
        Topic::Unknown => ("no-such-topic", Uuid([7; 16])),
    };
    let partition_index = match topic {
        Topic::UnknownPartition => i32::try_from(PARTITIONS).unwrap_or(i32::MAX),
        Topic::Known | Topic::Unknown => 0,
    };
    Place {
        name,
        topic_id,
        partition_index,
    }
}
