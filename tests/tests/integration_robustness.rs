//! Peers that come by thousands, say half of what they mean, or never listen: the coordinator holds no more than its limits
//! say (`backend/src/limits.rs`), gives it back, and three members that behave notice nothing.
//!
//! Memory is what the kernel says of the coordinator's process, so each bound has room for what is not counted byte by byte:
//! a vector that grows holds up to twice what is in it, and what was given back the allocator may keep. Whether something
//! leaks shows in a second round, which must not need more than the first.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use backend::limits::{COORDINATOR_ANSWERS, COORDINATOR_HELD, COORDINATOR_HELD_FREE};
use backend::open_files;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use shared::event::{Change, Observation};
use shared::time::Millis;
use tests::cast::{Cast, PARTITIONS, TOPIC, config, good_beat};
use tests::coordinator::Coordinator;
use tests::hostile::{
    ask_and_read_slowly, come_and_go, connect, connect_deaf, flood, half_of_a_sync_group, is_answered, is_cut,
};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// What the allocator may keep of what was given back to it, in bytes.
const SLACK: u64 = 16 << 20;

/// A connection's task and its place in the runtime, beside what [`COORDINATOR_HELD_FREE`] lets it hold, in bytes.
const TASK: u64 = 8 << 10;

/// Peers that are there together, where they come in turn.
const TOGETHER: usize = 64;

/// Connections at once, where they come all at once.
const AT_ONCE: usize = 10_000;

/// Members that behave.
const MEMBERS: usize = 3;

/// The coordinator under siege.
struct Server {
    coordinator: Coordinator,
    /// Files it has open without any of the besiegers.
    files: usize,
}

/// Both sides of the wall.
struct Stage {
    server: Server,
    members: Cast,
}

impl Server {
    /// All peers have gone, and it knows.
    async fn is_left_alone(&self) {
        self.coordinator
            .until_open_files("the peers' sockets are closed", |open| open <= self.files)
            .await;
    }

    /// So many peers are there at once.
    async fn has_taken(&self, peers: usize) {
        self.coordinator
            .until_open_files("it has taken all peers", |open| open >= self.files + peers)
            .await;
    }

    async fn connect(&self, peers: Range<usize>) -> Vec<TcpStream> {
        let to = self.coordinator.address();
        let peers = stream::iter(peers).map(|nth| connect(to, nth));
        let connected = peers.buffer_unordered(TOGETHER);
        connected
            .map(|peer| peer.expect("a connection is taken"))
            .collect()
            .await
    }

    async fn come_and_go(&self, peers: Range<usize>) {
        let to = self.coordinator.address();
        stream::iter(peers)
            .for_each_concurrent(TOGETHER, |nth| come_and_go(to, nth))
            .await;
        self.is_left_alone().await;
    }

    fn memory(&self) -> u64 {
        self.coordinator.usage().memory
    }

    fn peak(&self) -> u64 {
        self.coordinator.usage().peak_memory
    }
}

impl Stage {
    /// A coordinator with members that beat; none where the program is not built.
    async fn set() -> Option<Self> {
        let _as_many_as_there_are = open_files::raise();
        let topics = format!("{TOPIC}:{PARTITIONS}");
        let quick = "group.initial.rebalance.delay.ms=0";
        let coordinator = Coordinator::start(&["--topics", &topics, "--coordinator-config", quick]).await?;
        let mut config = config(&coordinator.address().into(), "behaves", 3);
        // For a machine that is busy with the siege itself: what is asked is whether they beat on.
        config.member.session_timeout = Millis(30_000);
        config.member.request_timeout = Millis(40_000);
        config.member.rebalance_timeout = Millis(60_000);
        config.member.heartbeat_interval = Millis(250);
        let mut members = Cast::start(config);
        members.until("all beat in one generation", are_together).await;
        members.forget();
        let files = coordinator.open_files();
        let server = Server { coordinator, files };
        Some(Self { server, members })
    }

    async fn siege(&mut self, siege: impl AsyncFnOnce(&Server)) {
        let Self { server, members } = self;
        members.while_going_on(siege(server)).await;
    }

    /// Good beats and nothing else since the stage was set, and one more of each member.
    async fn ends_unharmed(mut self) {
        let seen = self.members.seen.len();
        let all_since = |reports: &[Observation]| {
            let beats = reports.get(seen..)?.iter().filter_map(good_beat);
            let members: BTreeSet<_> = beats.map(|beat| beat.member).collect();
            (members.len() == MEMBERS).then_some(())
        };
        self.members.until("each beats once more", all_since).await;
        let reports = self.members.seen.iter();
        let harm: Vec<&Change> = reports
            .filter(|report| good_beat(report).is_none())
            .map(|report| &report.change)
            .collect();
        assert!(harm.is_empty(), "{harm:?}");
    }
}

/// Whether the last beat of each was in the same generation.
fn are_together(reports: &[Observation]) -> Option<()> {
    let mut last = BTreeMap::new();
    for beat in reports.iter().filter_map(good_beat) {
        last.insert(beat.member, beat.generation);
    }
    let generations: BTreeSet<_> = last.values().collect();
    (last.len() == MEMBERS && generations.len() == 1).then_some(())
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_thousand_connections_opened_and_dropped_in_turn_leave_nothing_behind() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage
        .siege(async |server| {
            // What runtime and allocator need once, they have after these.
            server.come_and_go(0..5_000).await;
            let before = server.memory();
            server.come_and_go(5_000..55_000).await;
            let after = server.memory();
            assert!(after <= before + SLACK, "{before} bytes before, {after} after");
        })
        .await;
    stage.ends_unharmed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_connections_at_once_are_answered_and_cost_what_the_limits_say() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage
        .siege(async |server| {
            let before = server.memory();
            all_at_once(server).await;
            let first = server.peak();
            let each = COORDINATOR_HELD_FREE as u64 * 2 + TASK;
            let allowed = AT_ONCE as u64 * each + SLACK;
            assert!(
                first <= before + allowed,
                "{before} bytes before, {first} with them"
            );
            all_at_once(server).await;
            let second = server.peak();
            assert!(second <= first + SLACK, "{first} bytes at first, then {second}");
        })
        .await;
    stage.ends_unharmed().await;
}

/// Ten thousand come, are answered, say half of what they mean next, and go.
async fn all_at_once(server: &Server) {
    let mut peers = server.connect(0..AT_ONCE).await;
    server.has_taken(AT_ONCE).await;
    let half = half_of_a_sync_group(1 << 20, COORDINATOR_HELD_FREE - 1);
    let asked = stream::iter(&mut peers).for_each_concurrent(TOGETHER, async |peer| {
        is_answered(peer, 7).await;
        peer.write_all(&half).await.expect("half a request is taken");
    });
    asked.await;
    drop(peers);
    server.is_left_alone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_requests_hold_no_more_than_all_connections_may_together() {
    /// The longest request there may be, but for its last byte: 300 of them are twice what may be held.
    const HALF: usize = 1 << 20;
    const PEERS: usize = 2 * COORDINATOR_HELD / HALF;
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage
        .siege(async |server| {
            let before = server.memory();
            let half = half_of_a_sync_group(HALF, HALF - 1);
            for round in 0..2 {
                let mut peers = server.connect(0..PEERS).await;
                // Those that are one too many are cut, some while they write.
                let _cut = join_all(peers.iter_mut().map(|peer| peer.write_all(&half))).await;
                let most = server.files + COORDINATOR_HELD / HALF + 3;
                let cut = format!("those that are too many are cut in round {round}");
                server
                    .coordinator
                    .until_open_files(&cut, |open| open <= most)
                    .await;
                drop(peers);
                server.is_left_alone().await;
            }
            let peak = server.peak();
            let allowed = 2 * COORDINATOR_HELD as u64 + PEERS as u64 * TASK + SLACK;
            assert!(
                peak <= before + allowed,
                "{before} bytes before, {peak} with them"
            );
        })
        .await;
    stage.ends_unharmed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_gets_every_answer_in_its_order_and_holds_no_more_than_it_may() {
    const READERS: usize = 3;
    /// Their answers are far more than sockets and coordinator keep: it stops reading until they have read.
    const QUESTIONS: i32 = 60_000;
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage
        .siege(async |server| {
            let before = server.memory();
            let to = server.coordinator.address();
            let readers = (0..READERS).map(async |nth| {
                let slow = connect_deaf(to).await.expect("it is taken");
                let mut quick = connect(to, nth).await.expect("it is taken");
                // Somebody else is asked and answered between any two bites.
                let mut correlation = 0;
                ask_and_read_slowly(slow, QUESTIONS, async || {
                    correlation += 1;
                    is_answered(&mut quick, correlation).await;
                })
                .await;
            });
            join_all(readers).await;
            let each = (COORDINATOR_HELD_FREE + COORDINATOR_ANSWERS) as u64 * 2 + TASK;
            let (peak, allowed) = (server.peak(), 2 * READERS as u64 * each + SLACK);
            assert!(
                peak <= before + allowed,
                "{before} bytes before, {peak} with them"
            );
            server.is_left_alone().await;
        })
        .await;
    stage.ends_unharmed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_floods_and_never_reads_or_says_half_and_no_more_is_cut() {
    const FLOODS: usize = 8;
    const HALVES: usize = 50;
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage
        .siege(async |server| {
            let before = server.memory();
            let to = server.coordinator.address();
            let floods = join_all((0..FLOODS).map(|_| connect_deaf(to))).await;
            let mut floods: Vec<TcpStream> = floods
                .into_iter()
                .map(|peer| peer.expect("it is taken"))
                .collect();
            let mut halves = server.connect(0..HALVES).await;
            let half = half_of_a_sync_group(1 << 20, 100);
            for peer in &mut halves {
                peer.write_all(&half).await.expect("half a request is taken");
            }
            let flooded = join_all(floods.iter_mut().map(flood)).await;
            assert!(flooded.iter().all(|taken| *taken > 0), "{flooded:?}");
            let each = (COORDINATOR_HELD_FREE + COORDINATOR_ANSWERS) as u64 * 2 + TASK;
            let (peak, allowed) = (server.peak(), (FLOODS + HALVES) as u64 * each + SLACK);
            assert!(
                peak <= before + allowed,
                "{before} bytes before, {peak} with them"
            );
            // Cut, though nobody reads a byte of what the floods were answered.
            server.is_left_alone().await;
            join_all(halves.iter_mut().chain(&mut floods).map(is_cut)).await;
        })
        .await;
    stage.ends_unharmed().await;
}
