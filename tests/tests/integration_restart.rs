//! `heartline coordinator --data-dir` as a process that ends and starts again: what was answered is there, and nobody has
//! to rejoin. And the folders it cannot use.

#![expect(clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use shared::event::{Change, Observation};
use shared::ids::{Generation, MemberId};
use shared::protocol::{
    HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, ListOffsetsPartition,
    ListOffsetsRequest, ListOffsetsTopic, MetadataRequest, OffsetCommitRequest, OffsetCommitRequestPartition,
    OffsetCommitRequestTopic, OffsetFetchRequest, OffsetFetchRequestGroup, Request, SyncGroupRequest,
    SyncGroupRequestAssignment, Uuid,
};
use shared::time::Millis;
use tests::bench::load::ask;
use tests::cast::{Cast, PARTITIONS, TOPIC, config, good_beat};
use tests::coordinator::Coordinator;
use tests::folder::TempFolder;
use tests::group::Group;
use tests::heartline::binary;
use tokio::net::TcpStream;

/// Members of ours.
const MEMBERS: usize = 2;
/// What the group that is spoken to frame by frame has committed for partition 2.
const COMMITTED: i64 = 42;
/// Its generation's assignment.
const PART: [u8; 3] = [4, 5, 6];

fn path(folder: &TempFolder) -> &str {
    folder.path().to_str().expect("a path of ours is text")
}

/// A client that writes and reads single frames.
struct Client(TcpStream);

impl Client {
    async fn new(coordinator: &Coordinator) -> Self {
        Self(
            TcpStream::connect(coordinator.address())
                .await
                .expect("it listens"),
        )
    }

    async fn ask<R: Request>(&mut self, version: i16, request: R) -> R::Response {
        let answer = ask(&mut self.0, version, request.into())
            .await
            .expect("an answer");
        R::Response::try_from(answer).unwrap_or_else(|other| panic!("{other:?}"))
    }

    /// Makes the group `frames` Stable with one member, which commits.
    async fn make_group(&mut self) -> JoinGroupResponse {
        let joining = |member: &str| JoinGroupRequest {
            group_id: "frames".into(),
            session_timeout_ms: 600_000,
            rebalance_timeout_ms: 600_000,
            member_id: member.into(),
            protocol_type: "consumer".into(),
            protocols: vec![JoinGroupRequestProtocol {
                name: "range".into(),
                metadata: vec![1, 2, 3],
            }],
            ..JoinGroupRequest::default()
        };
        let given = self.ask(9, joining("")).await;
        let joined = self.ask(9, joining(&given.member_id)).await;
        assert_eq!(joined.error_code, 0);
        assert_eq!(self.part(&joined, &PART).await, (0, PART.to_vec()));
        let partition = OffsetCommitRequestPartition {
            partition_index: 2,
            committed_offset: COMMITTED,
            committed_metadata: Some("note".into()),
            ..Default::default()
        };
        let commit = OffsetCommitRequest {
            group_id: "frames".into(),
            generation_id_or_member_epoch: joined.generation_id,
            member_id: joined.member_id.clone(),
            topics: vec![OffsetCommitRequestTopic {
                name: TOPIC.into(),
                partitions: vec![partition],
                ..Default::default()
            }],
            ..Default::default()
        };
        let committed = self.ask(9, commit).await;
        assert_eq!(committed.topics[0].partitions[0].error_code, 0);
        joined
    }

    /// Its part of the assignment, which it brings itself where it is asked for one.
    async fn part(&mut self, joined: &JoinGroupResponse, brought: &[u8]) -> (i16, Vec<u8>) {
        let request = SyncGroupRequest {
            group_id: "frames".into(),
            generation_id: joined.generation_id,
            member_id: joined.member_id.clone(),
            protocol_type: Some("consumer".into()),
            protocol_name: Some("range".into()),
            assignments: vec![SyncGroupRequestAssignment {
                member_id: joined.member_id.clone(),
                assignment: brought.to_vec(),
            }],
            ..Default::default()
        };
        let synced = self.ask(5, request).await;
        (synced.error_code, synced.assignment)
    }

    async fn beat(&mut self, joined: &JoinGroupResponse) -> i16 {
        let request = HeartbeatRequest {
            group_id: "frames".into(),
            generation_id: joined.generation_id,
            member_id: joined.member_id.clone(),
            group_instance_id: None,
        };
        self.ask(4, request).await.error_code
    }

    /// What is committed: partition, offset, note.
    async fn committed(&mut self) -> Vec<(i32, i64, Option<String>)> {
        let request = OffsetFetchRequest {
            groups: vec![OffsetFetchRequestGroup {
                group_id: "frames".into(),
                topics: None,
                ..Default::default()
            }],
            ..Default::default()
        };
        let answer = self.ask(8, request).await;
        let topics = answer.groups.into_iter().flat_map(|group| group.topics);
        topics
            .flat_map(|topic| topic.partitions)
            .map(|row| (row.partition_index, row.committed_offset, row.metadata))
            .collect()
    }

    /// The ids of the cluster and of the topic, and the end of the topic's partition 2.
    async fn cluster(&mut self) -> (Option<String>, Uuid, i64) {
        let all = MetadataRequest {
            topics: None,
            ..Default::default()
        };
        let cluster = self.ask(12, all).await;
        let topic = cluster
            .topics
            .iter()
            .find(|topic| topic.name.as_deref() == Some(TOPIC));
        let partition = ListOffsetsPartition {
            partition_index: 2,
            timestamp: -1,
            ..Default::default()
        };
        let ends = ListOffsetsRequest {
            replica_id: -1,
            topics: vec![ListOffsetsTopic {
                name: TOPIC.into(),
                partitions: vec![partition],
            }],
            ..Default::default()
        };
        let ends = self.ask(7, ends).await;
        let id = topic.expect("the topic is there").topic_id;
        (cluster.cluster_id, id, ends.topics[0].partitions[0].offset)
    }
}

/// Each member with the generation of its last good heartbeat, once all have one.
fn beating(reports: &[Observation]) -> Option<BTreeMap<MemberId, Generation>> {
    let beats = reports.iter().filter_map(good_beat);
    let last: BTreeMap<_, _> = beats.map(|beat| (beat.member, beat.generation)).collect();
    let generations: BTreeSet<_> = last.values().collect();
    (last.len() == MEMBERS && generations.len() == 1).then_some(last)
}

/// What members that had to start over would tell.
fn starts_over(report: &Observation) -> bool {
    matches!(
        report.change,
        Change::RejoinNeeded { .. }
            | Change::MemberMoved { .. }
            | Change::MemberJoined(_)
            | Change::MemberRejoined(_)
            | Change::MemberFailed { .. }
    )
}

/// The coordinator ends by this signal and starts again on the same folder and address.
async fn all_is_there_after(signal: &str, code: Option<i32>) {
    let folder = TempFolder::new("restart");
    let topics = format!("{TOPIC}:{PARTITIONS}");
    let arguments = [
        "--topics",
        &topics,
        "--coordinator-config",
        "group.initial.rebalance.delay.ms=0",
        "--data-dir",
        path(&folder),
    ];
    let Some(coordinator) = Coordinator::start(&arguments).await else {
        return;
    };
    let address = coordinator.address();
    let mut config = config(&address.into(), "lives", u32::try_from(MEMBERS).expect("a few"));
    // A busy machine takes its time to start the program again.
    config.member.session_timeout = Millis(60_000);
    config.member.request_timeout = Millis(70_000);
    config.member.rebalance_timeout = Millis(60_000);
    config.member.heartbeat_interval = Millis(100);
    let mut members = Cast::start(config);
    let group = Group::new(&address.into(), "lives", TOPIC);
    let shared = members.while_going_on(group.shared_by(MEMBERS, PARTITIONS)).await;
    members.forget();
    let before = members.until("all beat in one generation", beating).await;
    let mut client = Client::new(&coordinator).await;
    let joined = client.make_group().await;
    let (cluster, topic, _end) = client.cluster().await;

    let ended = members.while_going_on(coordinator.ended_by(signal)).await;
    assert_eq!(ended.code(), code);
    members.forget();
    let again = Coordinator::start_on(address, &arguments);
    let again = members.while_going_on(again).await.expect("it is built");

    let mut client = Client::new(&again).await;
    assert_eq!(client.beat(&joined).await, 0);
    assert_eq!(client.part(&joined, &[]).await, (0, PART.to_vec()));
    let note = Some("note".to_owned());
    assert_eq!(client.committed().await, [(2, COMMITTED, note)]);
    // Nothing was written, and yet a log does not start again before what was committed.
    assert_eq!(client.cluster().await, (cluster, topic, COMMITTED));

    let after = members.until("all beat again", beating).await;
    assert_eq!(after, before, "the same members in the same generation");
    let started_over: Vec<_> = members.seen.iter().filter(|report| starts_over(report)).collect();
    assert!(started_over.is_empty(), "{started_over:#?}");
    let roster = members.while_going_on(group.shared_by(MEMBERS, PARTITIONS)).await;
    assert_eq!(roster, shared);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_started_again_the_coordinator_has_its_groups_and_nobody_rejoins() {
    all_is_there_after("KILL", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_and_started_again_the_coordinator_has_its_groups_and_nobody_rejoins() {
    all_is_there_after("TERM", Some(0)).await;
}

/// Starts it on a folder that it cannot use: one line, and 1.
fn is_refused(folder: &Path, why: &str) {
    let Some(binary) = binary() else { return };
    let mut command = Command::new(binary);
    command.args(["coordinator", "--listen", "127.0.0.1:0", "--data-dir"]);
    let Output {
        status,
        stdout,
        stderr,
    } = command.arg(folder).output().expect("it is built");
    let told = String::from_utf8_lossy(&stderr);
    let refusals: Vec<_> = told
        .lines()
        .filter(|line| line.starts_with("heartline: --data-dir: "))
        .collect();
    assert_eq!((status.code(), refusals.len()), (Some(1), 1), "{told}");
    assert!(
        refusals[0].contains(why) && refusals[0].contains(&folder.display().to_string()),
        "{told}"
    );
    assert!(stdout.is_empty());
}

#[tokio::test]
async fn a_second_process_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let folder = TempFolder::new("twice");
    let Some(first) = Coordinator::start(&["--data-dir", path(&folder)]).await else {
        return;
    };
    is_refused(
        folder.path(),
        "is in use: another Heartline runs on this data directory",
    );
    let everything = MetadataRequest::default();
    let mut client = Client::new(&first).await;
    assert!(client.ask(12, everything).await.cluster_id.is_some());
}

#[tokio::test]
async fn a_folder_of_a_newer_heartline_is_refused_with_both_numbers() {
    let folder = TempFolder::new("newer");
    let Some(first) = Coordinator::start(&["--data-dir", path(&folder)]).await else {
        return;
    };
    let all = MetadataRequest::default();
    let cluster = Client::new(&first).await.ask(12, all).await.cluster_id;
    assert_eq!(first.ended_by("TERM").await.code(), Some(0));
    let file = folder
        .path()
        .join(cluster.expect("it has an id"))
        .join("coordinator");
    let database = redb::Database::open(file).expect("nobody else has it");
    let writing = database.begin_write().expect("it can be written");
    let about = redb::TableDefinition::<&str, u64>::new("about");
    writing
        .open_table(about)
        .expect("it says what it is")
        .insert("format", 99)
        .expect("it can be written");
    writing.commit().expect("it can be written");
    drop(database);
    is_refused(
        folder.path(),
        "has format 99, written by a newer Heartline; this one knows format 1",
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_the_systems_own_words() {
    // Where nobody may write, whoever runs the tests.
    let folder = Path::new("/proc/heartline-of-a-test");
    let words = std::fs::create_dir(folder).expect_err("nobody can write there");
    is_refused(folder, &words.to_string());
}
