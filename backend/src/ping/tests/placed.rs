//! Probe groups while leadership moves: who joins and who leaves, over the wire.

use shared::ids::NodeId;
use shared::protocol::offsets_log::partition_of;

use super::*;

const PARTITIONS: i32 = 50;

/// Two brokers that coordinate groups, of which one leads the partitions of `two` and the other all else.
fn led(two: impl Fn(i32) -> bool) -> Coordinators {
    let leader = |partition| NodeId(if two(partition) { 2 } else { 1 });
    Coordinators {
        partitions: PARTITIONS,
        leaders: (0..PARTITIONS)
            .map(|partition| (partition, leader(partition)))
            .collect(),
        busy: [NodeId(1), NodeId(2)].into(),
        answering: [NodeId(1), NodeId(2)].into(),
        named: Arc::default(),
    }
}

/// The groups in which so many different ones beat, as heartbeats are answered 0 from now on.
async fn beating(reports: &mut mpsc::Receiver<Observation>, wanted: usize) -> BTreeSet<String> {
    let mut groups = BTreeSet::new();
    let search = async {
        while groups.len() < wanted {
            let report = reports.recv().await.expect("all run");
            if matches!(report.change, Change::HeartbeatAnswered { error: 0, .. }) {
                groups.extend(report.group.map(|group| group.as_str().to_owned()));
            }
        }
    };
    timeout(PATIENCE, search).await.expect("they beat");
    groups
}

/// Waits until a member of ours has left this group.
async fn left(reports: &mut mpsc::Receiver<Observation>, group: &str) {
    let search = async {
        loop {
            let report = reports.recv().await.expect("all run");
            let its = report.group.is_some_and(|id| id.as_str() == group);
            if its && matches!(report.change, Change::MemberLeft { .. }) {
                return;
            }
        }
    };
    timeout(PATIENCE, search).await.expect("it leaves");
}

#[tokio::test(start_paused = true)]
async fn a_probe_whose_partition_moved_leaves_its_group_and_joins_one_that_its_broker_leads() {
    let world = World::in_memory(Clock::start(), 11);
    let clock = world.clock;
    let config = EmbeddedConfig {
        listen: "127.0.0.1:9092".parse().unwrap(),
        topics: Topics::parse("demo:6").unwrap(),
        coordinator: config::Config::from_settings(["group.initial.rebalance.delay.ms=0"]).unwrap(),
    };
    let coordinator = Embedded::start(config, world.clone(), Reporter::channel(65_536).0).unwrap();
    let (reporter, mut reports) = Reporter::channel(65_536);
    let told = members_of("probe", 0, &coordinator);
    let probes = Arc::new(Probes::idle(world, reporter));
    let before = led(|partition| partition % 2 == 1);
    let (tell, seen) = watch::channel(before.clone());
    let _placer = Placer::start(Arc::clone(&probes), told, clock, seen);

    let groups = beating(&mut reports, 2).await;
    let partition = |group: &String| partition_of(group, PARTITIONS);
    let node = |of: &Coordinators, group: &String| of.leaders[&partition(group)];
    assert_eq!(
        groups
            .iter()
            .map(|group| node(&before, group))
            .collect::<BTreeSet<_>>(),
        [NodeId(1), NodeId(2)].into()
    );
    assert_eq!(probes.running(), 2);

    // What the second one's name falls in is the first's now.
    let moved = groups
        .iter()
        .find(|group| node(&before, group) == NodeId(2))
        .unwrap()
        .clone();
    let stays = groups.iter().find(|group| **group != moved).unwrap().clone();
    let gone = partition(&moved);
    let after = led(|partition| partition % 2 == 1 && partition != gone);
    tell.send(after.clone()).unwrap();
    left(&mut reports, &moved).await;
    let now = beating(&mut reports, 2).await;
    assert!(now.contains(&stays) && !now.contains(&moved), "{now:?}");
    let newcomer = now.iter().find(|group| **group != stays).unwrap();
    assert_eq!(node(&after, newcomer), NodeId(2));
    assert_eq!(probes.running(), 2, "the one that left is replaced by nobody");
}
