//! Connections over loopback to a peer that does what the test says. Nothing here waits for time to pass but the
//! deadlines under test, which are short.

use std::sync::Arc;

use shared::event::LinkFault;
use shared::protocol::{
    AnyRequest, ApiKey, ApiVersion, ApiVersionsResponse, HeartbeatRequest, HeartbeatResponse,
    JoinGroupRequest, JoinGroupRequestProtocol, encode_response,
};
use shared::time::Millis;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::{Connection, Dialer, LinkEnd, Opened};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::address::Address;
use crate::kafka::scripted_peer::{ScriptedPeer, Session, all_versions};

/// A deadline that passes during the test.
const SHORT: Millis = Millis(50);
/// A deadline that does not.
const LONG: Millis = Millis(60_000);

fn dialer(connect: Millis, handshake: Millis) -> Dialer {
    let (reporter, _reports) = Reporter::channel(1);
    Dialer::new(Clock::start(), reporter, connect, handshake)
}

async fn open(dialer: &Dialer, address: &Address) -> Result<Opened, LinkEnd> {
    dialer.open(address, None, Arc::from("demo-1")).await
}

async fn pair() -> (Connection, Session) {
    let peer = ScriptedPeer::bind().await;
    let dialer = dialer(LONG, LONG);
    let address = peer.address();
    let (opened, session) = tokio::join!(open(&dialer, &address), peer.accept_ready());
    (opened.expect("a connection").connection, session)
}

fn beat(connection: &mut Connection, token: u64, timeout: Millis) {
    connection
        .send(token, 4, &HeartbeatRequest::default().into(), timeout)
        .expect("sent");
}

/// How it ends: by what comes, or by the deadline of what is unanswered.
async fn end_of(connection: &mut Connection) -> LinkEnd {
    let deadline = connection.deadline().expect("something is unanswered");
    let due = connection.clock.instant(deadline);
    match tokio::time::timeout_at(due.into(), connection.answer()).await {
        Ok(answered) => answered.expect_err("no answer"),
        Err(_elapsed) => connection.overdue(deadline).expect("overdue"),
    }
}

#[tokio::test]
async fn the_handshake_asks_in_our_highest_version_and_tells_the_brokers_versions() {
    let peer = ScriptedPeer::bind().await;
    let dialer = dialer(LONG, LONG);
    let address = peer.address();
    let script = async {
        let mut session = peer.accept().await;
        let asked = session.expect(ApiKey::ApiVersions).await;
        assert_eq!(asked.header.version, ApiKey::ApiVersions.versions().max);
        assert_eq!(asked.header.client_id(), "demo-1");
        session.answer(&asked.header, all_versions()).await;
    };
    let (opened, ()) = tokio::join!(open(&dialer, &address), script);
    let versions = opened.expect("a connection").versions;
    assert_eq!(versions.highest_common(ApiKey::Heartbeat), Ok(4));
}

#[tokio::test]
async fn a_broker_that_does_not_know_our_version_is_asked_again_in_one_it_names() {
    for (named, asked_next) in [(Some(3), 3), (None, 0)] {
        let peer = ScriptedPeer::bind().await;
        let dialer = dialer(LONG, LONG);
        let address = peer.address();
        let script = async {
            let mut session = peer.accept().await;
            let mut asked = session.expect(ApiKey::ApiVersions).await;
            // KIP-511: answered in version 0, whatever was asked.
            asked.header.version = 0;
            let refusal = ApiVersionsResponse {
                error_code: 35,
                api_keys: named.into_iter().map(own_versions).collect(),
                ..Default::default()
            };
            session.answer(&asked.header, refusal).await;
            let again = session.expect(ApiKey::ApiVersions).await;
            assert_eq!(again.header.version, asked_next);
            session.answer(&again.header, all_versions()).await;
        };
        let (opened, ()) = tokio::join!(open(&dialer, &address), script);
        opened.expect("a connection");
    }
}

fn own_versions(max_version: i16) -> ApiVersion {
    ApiVersion {
        api_key: ApiKey::ApiVersions.into(),
        min_version: 0,
        max_version,
    }
}

#[tokio::test]
async fn a_broker_that_refuses_its_versions_altogether_is_left() {
    let peer = ScriptedPeer::bind().await;
    let dialer = dialer(LONG, LONG);
    let address = peer.address();
    let script = async {
        let mut session = peer.accept().await;
        let asked = session.expect(ApiKey::ApiVersions).await;
        let refusal = ApiVersionsResponse {
            error_code: 42,
            ..Default::default()
        };
        session.answer(&asked.header, refusal).await;
        session.closed().await;
    };
    let (opened, ()) = tokio::join!(open(&dialer, &address), script);
    assert_eq!(opened.expect_err("refused"), LinkEnd::Handshake { code: 42 });
}

#[tokio::test]
async fn nobody_listening_is_told_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = Address::from(listener.local_addr().expect("bound"));
    drop(listener);
    let end = open(&dialer(LONG, LONG), &address).await.expect_err("refused");
    assert!(matches!(end, LinkEnd::Unreachable { .. }), "{end}");
    assert_eq!(end.fault(), LinkFault::Disconnect);
}

#[tokio::test]
async fn a_name_without_an_address_is_told_by_name() {
    // A label this long fits into no question to a name server, so none is asked.
    let address = Address::new(&format!("{}.invalid", "x".repeat(64)), 9092).expect("a name");
    let end = open(&dialer(LONG, LONG), &address).await.expect_err("no address");
    assert!(matches!(end, LinkEnd::Unresolved { .. }), "{end}");
}

#[tokio::test]
async fn a_connect_that_never_completes_ends_at_its_deadline() {
    // A listener whose queue is full drops what comes next, as a host does that is gone.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind("127.0.0.1:0".parse().expect("an address"))
        .expect("a free port");
    let listener = socket.listen(1).expect("listening");
    let bound = listener.local_addr().expect("bound");
    let mut queued = Vec::new();
    while let Ok(stream) = tokio::time::timeout(SHORT_DURATION, TcpStream::connect(bound)).await {
        queued.push(stream.expect("queued"));
    }
    let end = open(&dialer(SHORT, LONG), &bound.into())
        .await
        .expect_err("no room");
    assert_eq!(end, LinkEnd::ConnectTimedOut { within: SHORT });
    assert_eq!(end.fault(), LinkFault::Timeout);
}

const SHORT_DURATION: std::time::Duration = std::time::Duration::from_millis(SHORT.0);

#[tokio::test]
async fn a_peer_that_never_tells_its_versions_is_left_at_the_deadline() {
    let peer = ScriptedPeer::bind().await;
    let dialer = dialer(LONG, SHORT);
    let address = peer.address();
    let script = async { peer.accept().await.closed().await };
    let (opened, ()) = tokio::join!(open(&dialer, &address), script);
    let end = opened.expect_err("no answer");
    assert!(
        matches!(
            end,
            LinkEnd::Unanswered {
                api: ApiKey::ApiVersions,
                ..
            }
        ),
        "{end}"
    );
}

#[tokio::test]
async fn answers_come_back_with_their_tokens_and_the_moment_they_were_read() {
    let (mut connection, mut session) = pair().await;
    let before = connection.clock.now();
    beat(&mut connection, 7, LONG);
    let asked = session.expect(ApiKey::Heartbeat).await;
    session.answer(&asked.header, HeartbeatResponse::default()).await;
    let answered = connection.answer().await.expect("an answer");
    assert_eq!(answered.token, 7);
    assert!(before <= answered.received && answered.received <= connection.clock.now());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_counts_as_received_when_its_packet_came_however_late_it_is_read() {
    let (mut connection, mut session) = pair().await;
    let (mut other, mut other_session) = pair().await;
    // The kernel begins to note times only a moment after the first socket on the machine has asked for them.
    for _attempt in 0..50 {
        beat(&mut connection, 1, LONG);
        let asked = session.expect(ApiKey::Heartbeat).await;
        session.answer(&asked.header, HeartbeatResponse::default()).await;
        // The answer waits in the socket while something else goes on.
        for token in 0..100 {
            beat(&mut other, token, LONG);
            let asked = other_session.expect(ApiKey::Heartbeat).await;
            other_session
                .answer(&asked.header, HeartbeatResponse::default())
                .await;
            other.answer().await.expect("an answer");
        }
        let before_it_is_read = connection.clock.now();
        let answered = connection.answer().await.expect("an answer");
        if answered.received < before_it_is_read {
            return;
        }
    }
    panic!("it never counts before it is read");
}

#[tokio::test]
async fn an_answer_that_comes_with_the_close_is_still_taken() {
    let (mut connection, mut session) = pair().await;
    beat(&mut connection, 1, LONG);
    beat(&mut connection, 2, LONG);
    let asked = session.expect(ApiKey::Heartbeat).await;
    session.answer(&asked.header, HeartbeatResponse::default()).await;
    session.expect(ApiKey::Heartbeat).await;
    drop(session);
    assert_eq!(connection.answer().await.expect("an answer").token, 1);
    assert_eq!(end_of(&mut connection).await, LinkEnd::Closed { unanswered: 1 });
}

#[tokio::test]
async fn a_close_inside_an_answer_is_told_as_such() {
    let (mut connection, mut session) = pair().await;
    beat(&mut connection, 1, LONG);
    let asked = session.expect(ApiKey::Heartbeat).await;
    let id = asked.header.correlation_id;
    let answer = encode_response(ApiKey::Heartbeat, 4, id, &HeartbeatResponse::default().into());
    session.write(&answer.expect("encodes")[..6]).await;
    drop(session);
    assert_eq!(end_of(&mut connection).await, LinkEnd::ClosedInside { bytes: 6 });
}

#[tokio::test]
async fn a_reset_is_told_in_the_systems_words() {
    let (mut connection, mut session) = pair().await;
    beat(&mut connection, 1, LONG);
    session.expect(ApiKey::Heartbeat).await;
    session.reset();
    let end = end_of(&mut connection).await;
    assert!(matches!(end, LinkEnd::Broken { .. }), "{end}");
}

#[tokio::test]
async fn a_half_open_peer_is_found_by_its_silence() {
    let (mut connection, mut session) = pair().await;
    beat(&mut connection, 1, SHORT);
    session.expect(ApiKey::Heartbeat).await;
    let end = end_of(&mut connection).await;
    let (token, api, within) = (1, ApiKey::Heartbeat, SHORT);
    assert_eq!(
        end,
        LinkEnd::Unanswered {
            token,
            api,
            within,
            bytes: 0
        }
    );
    assert_eq!(end.fault(), LinkFault::Timeout);
}

#[tokio::test]
async fn half_an_answer_and_silence_ends_at_the_deadline() {
    let (mut connection, mut session) = pair().await;
    beat(&mut connection, 1, SHORT);
    session.expect(ApiKey::Heartbeat).await;
    session.write(&[0, 0, 0, 10, 0]).await;
    let end = end_of(&mut connection).await;
    let (token, api, within) = (1, ApiKey::Heartbeat, SHORT);
    assert_eq!(
        end,
        LinkEnd::Unanswered {
            token,
            api,
            within,
            bytes: 5
        }
    );
}

/// A request just below what the scripted peer takes; loopback's buffers hold a few of them.
fn large() -> AnyRequest {
    let protocol = JoinGroupRequestProtocol {
        name: "range".to_owned(),
        metadata: (0..=255).cycle().take((1 << 20) - 1024).collect(),
    };
    let request = JoinGroupRequest {
        protocols: vec![protocol],
        ..Default::default()
    };
    request.into()
}

#[tokio::test]
async fn a_peer_that_reads_nothing_stalls_no_longer_than_the_deadline() {
    let (mut connection, _session) = pair().await;
    for token in 0..16 {
        connection.send(token, 4, &large(), SHORT).expect("sent or kept");
    }
    let end = end_of(&mut connection).await;
    let (token, api, within) = (0, ApiKey::JoinGroup, SHORT);
    assert_eq!(end, LinkEnd::Unsent { token, api, within });
}

#[tokio::test]
async fn what_the_socket_did_not_take_at_once_is_written_as_the_peer_reads_on() {
    let (mut connection, mut session) = pair().await;
    for token in 0..16 {
        connection.send(token, 4, &large(), LONG).expect("sent or kept");
    }
    let script = async {
        for _ in 0..16 {
            assert_eq!(session.expect(ApiKey::JoinGroup).await.request, large());
        }
        drop(session);
    };
    let (end, ()) = tokio::join!(end_of(&mut connection), script);
    // As a SASL listener does to a client without SASL: nothing that was asked is answered.
    assert_eq!(end, LinkEnd::ClosedAtOnce);
}

#[tokio::test]
async fn every_request_is_counted_by_broker_and_api() {
    let peer = ScriptedPeer::bind().await;
    let (reporter, _reports) = Reporter::channel(1);
    let counts = reporter.requests();
    let dialer = Dialer::new(Clock::start(), reporter, LONG, LONG);
    let address = peer.address();
    let node = Some(shared::ids::NodeId(3));
    let (opened, _session) = tokio::join!(
        dialer.open(&address, node, Arc::from("demo-1")),
        peer.accept_ready()
    );
    let mut connection = opened.expect("a connection").connection;
    beat(&mut connection, 1, LONG);
    beat(&mut connection, 2, LONG);
    assert_eq!(
        counts.snapshot(),
        [(node, "ApiVersions", 1), (node, "Heartbeat", 2)]
    );
}
