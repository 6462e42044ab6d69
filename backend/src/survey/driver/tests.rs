//! What the driver reports before a cluster has told which it is, over loopback.

use shared::board::Board;
use shared::event::{Change, Event, Evidence, GroupType, LinkFault};
use shared::protocol::{ApiKey, MetadataResponse, MetadataResponseBroker};
use shared::time::Millis;
use tokio::net::TcpSocket;

use super::*;
use crate::kafka::connection::Dialer;
use crate::kafka::scripted_peer::ScriptedPeer;

impl Insight {
    /// One that tells these figures.
    pub(crate) fn telling(figures: Figures) -> Self {
        let (questions, mut asked) = mpsc::channel::<oneshot::Sender<Figures>>(1);
        tokio::spawn(async move {
            while let Some(answer) = asked.recv().await {
                let _gone = answer.send(figures.clone());
            }
        });
        Self { questions }
    }
}

/// A deadline that does not pass during the test.
const LONG: Millis = Millis(60_000);

#[tokio::test]
async fn a_cluster_that_is_down_at_the_start_is_told_without_a_name_and_named_once_it_is_known() {
    let peer = ScriptedPeer::bind().await;
    let clock = Clock::start();
    let (reporter, mut reports) = Reporter::channel(64);
    let dialer = Dialer::new(clock, reporter.clone(), LONG, LONG);
    let cluster = Arc::new(Cluster::new(vec![peer.address()], dialer, LONG));
    let _surveyor = Surveyor::start(cluster, "heartline", &"probe".into(), None, clock, reporter);

    // Nobody is at home at first.
    peer.accept().await.reset();
    let told = reports.recv().await.expect("the survey runs");
    assert_eq!((told.cluster, told.group), (ClusterId::default(), None));
    let Change::CoordinatorNotFound { cause, detail, .. } = told.change else {
        panic!("{:?}", told.change);
    };
    assert_eq!(cause, Some(LinkFault::Disconnect));
    assert!(detail.is_some_and(|detail| detail.starts_with(&peer.address().to_string())));

    let mut session = peer.accept_ready().await;
    let asked = session.expect(ApiKey::Metadata).await;
    let broker = MetadataResponseBroker {
        node_id: 1,
        host: "127.0.0.1".to_owned(),
        port: peer.port().into(),
        ..Default::default()
    };
    let answer = MetadataResponse {
        cluster_id: Some("Jx3".to_owned()),
        brokers: vec![broker],
        ..Default::default()
    };
    session.answer(&asked.header, answer).await;
    // It names a broker, which is gone by the time it is asked for its groups.
    assert!(reports.try_recv().is_err(), "once");
    let told = loop {
        tokio::select! {
            told = reports.recv() => break told.expect("the survey runs"),
            // One for each part of the survey.
            session = peer.accept() => session.reset(),
        }
    };
    assert_eq!(told.cluster, ClusterId::from("Jx3"));
    assert!(
        matches!(told.change, Change::BrokerSilent { .. }),
        "{:?}",
        told.change
    );
}

#[tokio::test]
async fn while_a_broker_of_the_list_is_frozen_and_the_others_are_down_each_is_told_before_any_deadline() {
    // Its system takes the connection, and nobody answers on it.
    let frozen = ScriptedPeer::bind().await;
    // Nobody listens there, and nobody else can.
    let down = TcpSocket::new_v4().expect("a socket");
    down.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let down_at = down.local_addr().expect("bound");
    let frozen_at = frozen.address();
    let clock = Clock::start();
    let (reporter, mut reports) = Reporter::channel(64);
    let dialer = Dialer::new(clock, reporter.clone(), LONG, LONG);
    let brokers = vec![frozen_at.clone(), down_at.into()];
    let cluster = Arc::new(Cluster::new(brokers, dialer, LONG));
    let started = clock.now_unix();
    let _surveyor = Surveyor::start(cluster, "heartline", &"probe".into(), None, clock, reporter);
    let told = reports.recv().await.expect("the survey runs");
    let Change::CoordinatorNotFound {
        detail: Some(detail), ..
    } = told.change
    else {
        panic!("{:?}", told.change);
    };
    assert!(
        detail.starts_with("none of 2 brokers has answered yet: "),
        "{detail}"
    );
    assert!(
        detail.contains(&format!("{frozen_at}: no answer yet")),
        "{detail}"
    );
    assert!(
        detail.contains(&format!("{down_at}: cannot be reached: ")),
        "{detail}"
    );
    let since = told.at_earliest.expect("since when it is asked");
    assert!(since >= started && since < told.at, "{since:?} of {:?}", told.at);

    // One that comes is found though the other stands still.
    let came = ScriptedPeer::of(down.listen(16).expect("listens"));
    let mut session = came.accept_ready().await;
    session.expect(ApiKey::Metadata).await;
}

/// The board that a run before left: two groups of the cluster `old`.
fn left() -> Board {
    let mut board = Board::default();
    for (seq, group) in (1..).zip(["orders", "payments"]) {
        let change = Change::GroupFound {
            group_type: GroupType::Classic,
            protocol_type: None,
        };
        board.apply(&event(seq, Some(group), change));
    }
    board
}

fn event(seq: u64, group: Option<&str>, change: Change) -> Event {
    let what = Observation {
        at: UnixMs(5_000),
        at_earliest: None,
        source: Source::Survey,
        evidence: Evidence::Observed,
        cluster: ClusterId::from("old"),
        group: group.map(GroupId::from),
        member: None,
        change,
    };
    let seen = what.at;
    Event { seq, seen, what }
}

/// What a survey that goes on from that board tells of groups first, where the cluster it finds goes by `id`.
async fn told_of_groups(id: &str, board: &Board) -> Vec<Observation> {
    let peer = ScriptedPeer::bind().await;
    let clock = Clock::start();
    let (reporter, mut reports) = Reporter::channel(64);
    let dialer = Dialer::new(clock, reporter.clone(), LONG, LONG);
    let cluster = Arc::new(Cluster::new(vec![peer.address()], dialer, LONG));
    let groups = board.groups().cloned().collect();
    let before = Before::new(UnixMs(9_000), ClusterId::from("old"), groups);
    let _surveyor = Surveyor::start(
        cluster,
        "heartline",
        &"probe".into(),
        Some(before),
        clock,
        reporter,
    );
    let mut session = peer.accept_ready().await;
    let asked = session.expect(ApiKey::Metadata).await;
    let broker = MetadataResponseBroker {
        node_id: 1,
        host: "127.0.0.1".to_owned(),
        port: peer.port().into(),
        ..Default::default()
    };
    let answer = MetadataResponse {
        cluster_id: Some(id.to_owned()),
        brokers: vec![broker],
        ..Default::default()
    };
    session.answer(&asked.header, answer).await;
    // Told at once, before its broker, which is gone by then.
    let mut of_groups = Vec::new();
    loop {
        tokio::select! {
            told = reports.recv() => {
                let told = told.expect("the survey runs");
                if matches!(told.change, Change::BrokerSilent { .. }) {
                    return of_groups;
                }
                of_groups.extend(Some(told).filter(|told| told.group.is_some()));
            }
            session = peer.accept() => session.reset(),
        }
    }
}

#[tokio::test]
async fn where_another_cluster_answers_than_before_each_group_of_that_one_is_told_to_be_gone() {
    let mut board = left();
    let gone = told_of_groups("new", &board).await;
    let named = gone.iter().filter_map(|told| told.group.as_ref());
    assert_eq!(
        named.map(GroupId::as_str).collect::<Vec<_>>(),
        ["orders", "payments"]
    );
    for (seq, told) in (3..).zip(gone) {
        assert_eq!(told.cluster, ClusterId::from("old"));
        assert_eq!(told.at_earliest, Some(UnixMs(9_000)), "when the run before ended");
        assert_eq!(told.evidence, Evidence::Inferred);
        assert!(
            matches!(told.change, Change::GroupGone { .. }),
            "{:?}",
            told.change
        );
        let seen = told.at;
        board.apply(&Event {
            seq,
            seen,
            what: told,
        });
    }
    assert_eq!(board.groups().len(), 0, "nobody looks at them any more");
    assert_eq!(board.gone.len(), 2);
}

#[tokio::test]
async fn where_the_same_cluster_answers_none_of_its_groups_is_told_to_be_gone() {
    assert_eq!(told_of_groups("old", &left()).await, []);
}
