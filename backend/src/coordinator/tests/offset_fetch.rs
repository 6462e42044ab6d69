//! OffsetFetch in every version: what was committed, what was not, and whose groups are not here.

use std::sync::Arc;

use shared::protocol::{
    AnyResponse, Message, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
    OffsetFetchResponse, Uuid,
};

use super::super::*;

/// A coordinator with an offset of 42 that group `g` committed for partition 1 of `demo`, with a note.
struct World {
    coordinator: Coordinator,
    demo: Uuid,
}

/// Partition, offset, leader epoch, note, code.
type Row = (i32, i64, i32, String, i16);

impl World {
    fn new() -> Self {
        let topics = Topics::parse("demo:2,other:1").unwrap();
        let demo = topics.by_name("demo").unwrap().id;
        let coordinator = Coordinator::new(Config::default(), Arc::new(topics), 1);
        let mut world = Self { coordinator, demo };
        let partition = OffsetCommitRequestPartition {
            partition_index: 1,
            committed_offset: 42,
            committed_leader_epoch: 3,
            committed_metadata: Some("note".into()),
            ..Default::default()
        };
        let topic = OffsetCommitRequestTopic {
            name: "demo".into(),
            partitions: vec![partition],
            ..Default::default()
        };
        let commit = OffsetCommitRequest {
            group_id: "g".into(),
            topics: vec![topic],
            ..Default::default()
        };
        world.ask(9, commit.into());
        world
    }

    fn ask(&mut self, version: i16, request: AnyRequest) -> AnyResponse {
        let from = Origin {
            client_id: "c",
            host: "/127.0.0.1",
        };
        let call = Call {
            ticket: Ticket(1),
            version,
            from,
        };
        let now = Timestamp::from_millis(1);
        self.coordinator.handle(now, Input::Request(call, request));
        loop {
            match self.coordinator.poll().expect("an answer") {
                Output::Reply { response, .. } => return response,
                Output::Append { append, .. } => {
                    let result = Ok(());
                    self.coordinator.handle(now, Input::Appended { append, result });
                }
                Output::Observed(_) => {}
            }
        }
    }

    /// What the group is told in a version: its code and rows, of these topics or of all.
    fn fetch(&mut self, version: i16, group: &str, topics: Option<&[(&str, &[i32])]>) -> (i16, Vec<Row>) {
        let request = self.request(version, group, topics);
        let AnyResponse::OffsetFetch(answer) = self.ask(version, request.into()) else {
            panic!("not an answer to it");
        };
        rows(version, answer)
    }

    fn request(&self, version: i16, group: &str, topics: Option<&[(&str, &[i32])]>) -> OffsetFetchRequest {
        if version < 8 {
            let topic = |(name, partitions): &(&str, &[i32])| OffsetFetchRequestTopic {
                name: (*name).into(),
                partition_indexes: partitions.to_vec(),
            };
            return OffsetFetchRequest {
                group_id: group.into(),
                topics: topics.map(|topics| topics.iter().map(topic).collect()),
                ..Default::default()
            };
        }
        let topic = |(name, partitions): &(&str, &[i32])| OffsetFetchRequestTopics {
            name: if version < 10 {
                (*name).into()
            } else {
                String::new()
            },
            topic_id: match *name {
                "demo" if version >= 10 => self.demo,
                _ => Uuid::ZERO,
            },
            partition_indexes: partitions.to_vec(),
        };
        let group = OffsetFetchRequestGroup {
            group_id: group.into(),
            topics: topics.map(|topics| topics.iter().map(topic).collect()),
            ..Default::default()
        };
        OffsetFetchRequest {
            groups: vec![group],
            ..Default::default()
        }
    }
}

fn rows(version: i16, answer: OffsetFetchResponse) -> (i16, Vec<Row>) {
    if version < 8 {
        let partitions = answer.topics.into_iter().flat_map(|topic| topic.partitions);
        let row = |p: shared::protocol::OffsetFetchResponsePartition| {
            let note = p.metadata.unwrap();
            (
                p.partition_index,
                p.committed_offset,
                p.committed_leader_epoch,
                note,
                p.error_code,
            )
        };
        return (answer.error_code, partitions.map(row).collect());
    }
    let [group] = <[_; 1]>::try_from(answer.groups).unwrap();
    let partitions = group.topics.into_iter().flat_map(|topic| topic.partitions);
    let row = |p: shared::protocol::OffsetFetchResponsePartitions| {
        let note = p.metadata.unwrap();
        (
            p.partition_index,
            p.committed_offset,
            p.committed_leader_epoch,
            note,
            p.error_code,
        )
    };
    (group.error_code, partitions.map(row).collect())
}

#[test]
fn what_was_committed_is_told_in_every_version_and_what_was_not_is_minus_1() {
    let mut world = World::new();
    for version in OffsetFetchRequest::SCHEMA.versions.iter() {
        let asked: &[(&str, &[i32])] = &[("demo", &[0, 1, 7])];
        let expected = [
            (0, -1, -1, String::new(), 0),
            (1, 42, 3, "note".to_owned(), 0),
            (7, -1, -1, String::new(), 0),
        ];
        assert_eq!(
            world.fetch(version, "g", Some(asked)),
            (0, expected.to_vec()),
            "version {version}"
        );
        if version >= 2 {
            let all = world.fetch(version, "g", None);
            assert_eq!(all, (0, expected[1..2].to_vec()), "version {version}");
        }
    }
}

#[test]
fn an_unknown_group_has_committed_nothing_and_an_unknown_topic_neither() {
    let mut world = World::new();
    let asked: &[(&str, &[i32])] = &[("nowhere", &[0])];
    let nothing = vec![(0, -1, -1, String::new(), 0)];
    for version in 1..10 {
        assert_eq!(world.fetch(version, "unknown", Some(asked)), (0, nothing.clone()));
        assert_eq!(world.fetch(version, "g", Some(asked)), (0, nothing.clone()));
    }
    assert_eq!(world.fetch(8, "unknown", None), (0, Vec::new()));
    let by_id = vec![(0, -1, -1, String::new(), 100)];
    assert_eq!(
        world.fetch(10, "g", Some(asked)),
        (0, by_id),
        "by an id nobody has"
    );
}

#[test]
fn each_of_many_groups_is_told_for_itself_and_once() {
    let mut world = World::new();
    let away = offsets_log::partition_of("away");
    assert_ne!(away, offsets_log::partition_of("g"));
    let node = NodeId(1);
    let now = Timestamp::from_millis(1);
    world.coordinator.handle(
        now,
        Input::Unload {
            node,
            partition: away,
        },
    );
    let group = |group_id: &str| OffsetFetchRequestGroup {
        group_id: group_id.into(),
        topics: None,
        ..Default::default()
    };
    let request = OffsetFetchRequest {
        groups: vec![group("g"), group("away"), group("g")],
        require_stable: true,
        ..Default::default()
    };
    let AnyResponse::OffsetFetch(answer) = world.ask(9, request.into()) else {
        panic!("not an answer to it");
    };
    let told: Vec<_> = answer
        .groups
        .iter()
        .map(|group| (group.group_id.as_str(), group.error_code, group.topics.len()))
        .collect();
    assert_eq!(told, [("g", 0, 1), ("away", 16, 0)]);
    assert_eq!(world.fetch(5, "away", Some(&[("demo", &[0])])).0, 16);
    let oldest = world.fetch(1, "away", Some(&[("demo", &[0])]));
    assert_eq!(oldest.1[0].4, 16, "version 1 has a code for each partition alone");
}
