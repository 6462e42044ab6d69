//! Stock members of five clients in one group, as the dashboard shows them.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::event::{Change, Event};
use shared::ids::MemberId;
use tests::heartline::Heartline;
use tests::peers::Peer;
use tests::peers::client::Client;

use crate::stage::alone;

/// Those that know the assignor `range`.
const CLIENTS: [Client; 5] = [
    Client::Java,
    Client::Librdkafka,
    Client::KafkaPython,
    Client::Aiokafka,
    Client::FranzGo,
];

/// One way to end a membership each; all of it is seen by the coordinator, none of it by members of ours.
#[tokio::test]
async fn members_of_five_clients_share_a_group_and_the_dashboard_tells_how_each_ended() {
    if !CLIENTS.into_iter().all(Client::is_installed) {
        return;
    }
    let Some((heartline, scene)) = alone(Client::Java, &[]).await else {
        return;
    };
    let mut peers: Vec<Peer> = CLIENTS
        .into_iter()
        .map(|client| Peer::start(client, scene.role(&client.to_string())))
        .collect();
    let roster = scene.settled(&mut peers.iter_mut().collect::<Vec<_>>()).await;
    assert_eq!(
        (&*roster.protocol, roster.shares()),
        ("range", vec![2, 1, 1, 1, 1])
    );

    shows_as_they_are(&heartline, &peers).await;

    let mut rest = peers.split_off(2);
    let (first, second) = (peers.pop(), peers.pop());
    let (librdkafka, java) = (first.expect("librdkafka's"), second.expect("the Java client's"));
    let (killed, left) = (librdkafka.member(), java.member());
    librdkafka.kill();
    java.leave().await;
    scene.settled(&mut rest.iter_mut().collect::<Vec<_>>()).await;
    let events = heartline.events_after(0, "&group=case").await;
    // KIP-800: the reason it gave itself.
    let gave_its_reason = |change: &Change| match change {
        Change::MemberLeft { cause } => cause.contains("the consumer is being closed"),
        _ => false,
    };
    assert_eq!(of(&events, &left, gave_its_reason), 1);
    let expired = |change: &Change| matches!(change, Change::MemberExpired { .. });
    assert_eq!(of(&events, &killed, expired), 1);
    let ended = |change: &Change| {
        matches!(
            change,
            Change::MemberLeft { .. } | Change::MemberExpired { .. } | Change::MemberEvicted { .. }
        )
    };
    for peer in &rest {
        assert_eq!(of(&events, &peer.member(), ended), 0);
    }
}

/// Each by its ids and its session, and the generation that those know who tell one.
async fn shows_as_they_are(heartline: &Heartline, peers: &[Peer]) {
    let (_, group) = heartline.get("/api/group?group=case").await;
    let shown: BTreeSet<_> = group["members"]
        .as_array()
        .expect("members")
        .iter()
        .map(facts)
        .collect();
    let session = peers
        .first()
        .map(|peer| i64::from(peer.role().session_timeout_ms));
    let told: BTreeSet<_> = peers
        .iter()
        .map(|peer| {
            (
                Some(peer.member()),
                Some(peer.role().client_id.clone()),
                session,
                Some(false),
            )
        })
        .collect();
    assert_eq!(shown, told);
    let newest = peers.iter().filter_map(|peer| peer.membership()?.1).max();
    assert_eq!(group["group"]["generation"].as_i64(), newest.map(i64::from));
}

/// How many events of a member are such a change.
fn of(events: &[Event], member: &str, is_it: impl Fn(&Change) -> bool) -> usize {
    let member = MemberId::from(member);
    events
        .iter()
        .filter(|event| event.what.member.as_ref() == Some(&member) && is_it(&event.what.change))
        .count()
}

/// Member id, client id, session timeout, whether it is one of ours.
fn facts(member: &Value) -> (Option<String>, Option<String>, Option<i64>, Option<bool>) {
    (
        member["member"].as_str().map(str::to_owned),
        member["client_id"].as_str().map(str::to_owned),
        member["session_timeout_ms"].as_i64(),
        member["ours"].as_bool(),
    )
}
