//! What the driver reports before a cluster has told which it is, over loopback.

use shared::event::{Change, LinkFault};
use shared::protocol::{ApiKey, MetadataResponse, MetadataResponseBroker};
use shared::time::Millis;

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
