//! Every heartbeat that leaves us, byte by byte, while a survey, placed probes and pings run beside members of others: none
//! names a member of theirs.

mod placed;

use std::collections::BTreeSet;
use std::time::Duration;

use shared::event::{Change, Observation};
use shared::ids::MemberId;
use shared::member::Config;
use shared::protocol::{AnyRequest, FrameReader, RequestHeader};
use shared::rules::Rules;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::*;
use crate::clock::Clock;
use crate::coordinator::config;
use crate::coordinator::topics::Topics;
use crate::embedded::{Embedded, EmbeddedConfig, EmbeddedHandle};
use crate::hub::Reporter;
use crate::kafka::connection::Dialer;
use crate::network::{Network, Tap};
use crate::placement::Placer;
use crate::probe::{ProbeConfig, Probes};
use crate::survey::Surveyor;
use crate::survey::port::Coordinators;

/// In virtual time.
const PATIENCE: Duration = Duration::from_secs(900);

fn members_of(group: &str, members: u32, coordinator: &EmbeddedHandle) -> ProbeConfig {
    let mut member = Config::new(GroupId::from(group), group, Rules::MODERN);
    member.heartbeat_interval = Millis(1_000);
    member.session_timeout = Millis(6_000);
    ProbeConfig {
        bootstrap: vec![coordinator.local_addr().into()],
        member,
        members,
        connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
        host: None,
        security: crate::kafka::security::Security::default(),
    }
}

/// Waits until so many heartbeats of the group were answered 0; the ids they went by.
async fn beats(reports: &mut mpsc::Receiver<Observation>, group: &str, wanted: u32) -> BTreeSet<MemberId> {
    let mut ids = BTreeSet::new();
    let mut seen = 0;
    let search = async {
        while seen < wanted {
            let report = reports.recv().await.expect("all run");
            let ours = report
                .group
                .as_ref()
                .is_some_and(|id| id.as_str().starts_with(group));
            if ours && matches!(report.change, Change::HeartbeatAnswered { error: 0, .. }) {
                seen += 1;
                ids.extend(report.member);
            }
        }
    };
    timeout(PATIENCE, search).await.expect("they beat");
    ids
}

/// Group, member id and epoch of all heartbeats that were sent.
fn heartbeats(tap: &Tap) -> Vec<(String, String, Option<i32>)> {
    let mut found = Vec::new();
    for sent in tap.lock().unwrap().values() {
        let mut frames = FrameReader::new(1 << 20);
        frames.push(sent);
        while let Some(frame) = frames.next_frame().expect("whole frames") {
            let (header, body) = RequestHeader::decode(&frame).expect("a header");
            let key = ApiKey::try_from(header.key).expect("a request we know");
            match AnyRequest::decode(key, header.version, body).expect("a request") {
                AnyRequest::Heartbeat(beat) => found.push((beat.group_id, beat.member_id, None)),
                AnyRequest::ConsumerGroupHeartbeat(beat) => {
                    found.push((beat.group_id, beat.member_id, Some(beat.member_epoch)));
                }
                _ => {}
            }
        }
    }
    found
}

#[tokio::test(start_paused = true)]
async fn no_heartbeat_that_leaves_us_names_a_member_of_others() {
    let clock = Clock::start();
    let theirs = World::in_memory(clock, 7);
    let Network::Memory(memory) = &theirs.network else {
        unreachable!("a world in memory")
    };
    let (memory, tap) = memory.tapped();
    let ours = World {
        network: Network::Memory(memory),
        ..theirs.clone()
    };
    let (reporter, mut reports) = Reporter::channel(65_536);
    let config = EmbeddedConfig {
        listen: "127.0.0.1:9092".parse().unwrap(),
        topics: Topics::parse("demo:6").unwrap(),
        coordinator: config::Config::from_settings(["group.initial.rebalance.delay.ms=0"]).unwrap(),
    };
    let coordinator = Embedded::start(config, theirs.clone(), Reporter::channel(65_536).0).unwrap();

    // Others, in a group of theirs; the ids they are given are known from what they tell.
    let (their_reporter, mut their_reports) = Reporter::channel(65_536);
    let _others = Probes::start(members_of("orders", 3, &coordinator), theirs, their_reporter).unwrap();
    let foreign = beats(&mut their_reports, "orders", 9).await;
    assert_eq!(foreign.len(), 3, "{foreign:?}");

    // Ours: a survey, the probe group, one placed beside it, and pings.
    let told = members_of("probe", 1, &coordinator);
    let dialer = Dialer::new(
        ours.clone(),
        reporter.clone(),
        told.connect_timeout,
        Millis(5_000),
    );
    let cluster = Arc::new(Cluster::new(told.bootstrap.clone(), dialer, Millis(5_000)));
    let surveyor = Surveyor::start(
        Arc::clone(&cluster),
        "probe",
        &"probe".into(),
        None,
        clock,
        reporter.clone(),
    );
    let probes = Arc::new(Probes::start(told.clone(), ours.clone(), reporter).unwrap());
    let (_tell, seen) = watch::channel(the_only_one(&surveyor).await);
    let _placer = Placer::start(Arc::clone(&probes), told, clock, seen);
    let mut own = beats(&mut reports, "probe-", 3).await;
    own.extend(beats(&mut reports, "probe", 9).await);

    let pinger = Pinger::new(cluster, "probe", ours.clone(), Millis(5_000));
    let pinged = pinger.ping(&"orders".into(), Heartbeat::Classic).await.unwrap();
    assert_eq!((pinged.error, pinged.api), (25, "Heartbeat"));
    assert_eq!(
        pinged.beside.keys().copied().collect::<Vec<_>>(),
        ["ApiVersions", "DescribeGroups"]
    );
    let again = pinger.ping(&"orders".into(), Heartbeat::Classic).await;
    assert_eq!(again, Err(PingError::TooSoon));

    // A coordinator that knows KIP-848, on the same network.
    let newer = "127.0.0.2:9092".parse().unwrap();
    let answers = peer::Answers {
        heartbeat: 25,
        ..peer::Answers::default()
    };
    let _came = peer::listen(&ours, newer, answers);
    let dialer = Dialer::new(
        ours.clone(),
        Reporter::channel(16).0,
        Millis(5_000),
        Millis(5_000),
    );
    let cluster = Arc::new(Cluster::new(vec![newer.into()], dialer, Millis(5_000)));
    let pinger = Pinger::new(cluster, "probe", ours, Millis(5_000));
    let pinged = pinger.ping(&"bills".into(), Heartbeat::Consumer).await.unwrap();
    assert_eq!((pinged.error, pinged.api), (25, "ConsumerGroupHeartbeat"));

    each_is_ours_or_nobodys(&heartbeats(&tap), &foreign, &own);
}

/// However long a request may take: whoever asked looks at the page meanwhile.
#[tokio::test(start_paused = true)]
async fn a_coordinator_that_is_frozen_is_told_as_silent_after_five_seconds() {
    let clock = Clock::start();
    let ours = World::in_memory(clock, 7);
    let frozen = "127.0.0.1:9092".parse().unwrap();
    let socket = ours.network.bind(frozen).unwrap();
    let _never_accepts = socket.listen(8).unwrap();
    let long = Millis(60_000);
    let dialer = Dialer::new(ours.clone(), Reporter::channel(16).0, long, long);
    let cluster = Arc::new(Cluster::new(vec![frozen.into()], dialer, long));
    let pinger = Pinger::new(cluster, "probe", ours, long);
    let start = clock.now();
    let pinged = pinger.ping(&"orders".into(), Heartbeat::Classic).await;
    assert!(matches!(pinged, Err(PingError::NoAnswer(why)) if why.ends_with("did not answer within 5 s")));
    assert_eq!(clock.now(), start + Millis(5_000));
}

fn each_is_ours_or_nobodys(
    beats: &[(String, String, Option<i32>)],
    foreign: &BTreeSet<MemberId>,
    own: &BTreeSet<MemberId>,
) {
    let pings = beats
        .iter()
        .filter(|(group, id, _)| group == "orders" && id.starts_with(MADE_UP));
    assert_eq!(pings.count(), 1);
    let newer = beats
        .iter()
        .filter(|(group, _, epoch)| group == "bills" && epoch.is_some());
    assert_eq!(newer.count(), 1);
    let placed = beats.iter().filter(|(group, ..)| group.starts_with("probe-"));
    assert!(placed.count() >= 3);
    for (group, id, epoch) in beats {
        let member = MemberId::from(id.as_str());
        assert!(!foreign.contains(&member), "{id} of {group} is not ours");
        let is_own = own.contains(&member) && group.starts_with("probe");
        assert!(
            is_own || id.starts_with(MADE_UP),
            "{id} of {group} is nobody's that we know"
        );
        assert!(epoch.is_none_or(|epoch| epoch > 0), "{epoch:?} joins or leaves");
    }
}

/// The coordinator that was found, as one that leads all partitions.
async fn the_only_one(surveyor: &Surveyor) -> Coordinators {
    let mut busy = surveyor.coordinators();
    let found = timeout(PATIENCE, busy.wait_for(|seen| !seen.busy.is_empty())).await;
    let found = found.expect("it is seen").expect("the survey runs");
    let node = *found.busy.first().unwrap();
    Coordinators {
        partitions: 50,
        leaders: (0..50).map(|partition| (partition, node)).collect(),
        busy: [node].into(),
        answering: [node].into(),
        named: Arc::default(),
    }
}

#[test]
fn only_types_with_a_heartbeat_that_changes_nothing_are_pinged() {
    assert_eq!(Heartbeat::of(&GroupType::Classic), Some(Heartbeat::Classic));
    assert_eq!(Heartbeat::of(&GroupType::Consumer), Some(Heartbeat::Consumer));
    for other in [
        GroupType::Share,
        GroupType::Streams,
        GroupType::Other("quorum".into()),
    ] {
        assert_eq!(Heartbeat::of(&other), None);
    }
    const { assert!(EPOCH > 0, "0 joins, -1 and -2 leave") };
}
