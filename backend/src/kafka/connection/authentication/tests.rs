//! Authentications over loopback to a broker that does what the test says.

use std::sync::Arc;

use shared::protocol::{
    AnyRequest, ApiKey, AuthBytes, HeartbeatRequest, HeartbeatResponse, SaslAuthenticateResponse,
    SaslHandshakeResponse,
};
use shared::time::{Millis, Timestamp};

use super::{Authentication, session};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::connection::{Connection, Dialer, Opened};
use crate::kafka::link_end::LinkEnd;
use crate::kafka::scripted_peer::{ScriptedPeer, Session, all_versions};
use crate::kafka::security::Security;
use crate::kafka::security::sasl::Credentials;
use crate::secret::Secret;
use crate::world::Chance;

const LONG: Millis = Millis(60_000);

fn credentials() -> Credentials {
    Credentials::Plain {
        username: "alice".to_owned(),
        password: Secret::new("sesame".to_owned()),
    }
}

fn dialer(timeout: Millis) -> Dialer {
    let (reporter, _reports) = Reporter::channel(1);
    let security = Security {
        sasl: Some(credentials()),
        ..Security::default()
    };
    Dialer::new(Clock::start(), reporter, LONG, timeout).secured(security)
}

/// Answers one handshake and gives what the client proves itself by.
async fn handshake(session: &mut Session) -> (shared::protocol::RequestHeader, Vec<u8>) {
    let asked = session.expect(ApiKey::SaslHandshake).await;
    assert_eq!(asked.header.version, 1);
    let AnyRequest::SaslHandshake(offered) = asked.request else {
        unreachable!("expected")
    };
    assert_eq!(offered.mechanism, "PLAIN");
    session
        .answer(&asked.header, SaslHandshakeResponse::default())
        .await;
    let asked = session.expect(ApiKey::SaslAuthenticate).await;
    let AnyRequest::SaslAuthenticate(said) = asked.request else {
        unreachable!("expected")
    };
    (asked.header, said.auth_bytes.0.clone())
}

async fn prove(session: &mut Session, session_lifetime_ms: i64) {
    let (header, said) = handshake(session).await;
    assert_eq!(said, b"\0alice\0sesame");
    let accepted = SaslAuthenticateResponse {
        session_lifetime_ms,
        ..Default::default()
    };
    session.answer(&header, accepted).await;
}

/// A connection whose first session is so long.
async fn pair(session_lifetime_ms: i64) -> (Connection, Session) {
    let peer = ScriptedPeer::bind().await;
    let dialer = dialer(LONG);
    let address = peer.address();
    let script = async {
        let mut session = peer.accept_ready().await;
        prove(&mut session, session_lifetime_ms).await;
        session
    };
    let (opened, session) = tokio::join!(dialer.open(&address, None, Arc::from("demo-1")), script);
    (opened.expect("a connection").connection, session)
}

async fn refused(dialer: &Dialer, peer: &ScriptedPeer, script: impl AsyncFnOnce(Session)) -> LinkEnd {
    let address = peer.address();
    let script = async { script(peer.accept_ready().await).await };
    let (opened, ()) = tokio::join!(dialer.open(&address, None, Arc::from("demo-1")), script);
    opened
        .map(|Opened { versions, .. }| versions)
        .expect_err("refused")
}

fn beat(connection: &mut Connection, token: u64) {
    connection
        .send(token, 4, &HeartbeatRequest::default().into(), LONG)
        .expect("sent");
}

async fn answer_beat(session: &mut Session) {
    let asked = session.expect(ApiKey::Heartbeat).await;
    session.answer(&asked.header, HeartbeatResponse::default()).await;
}

#[tokio::test]
async fn a_session_without_an_end_is_proved_once() {
    let (mut connection, mut session) = pair(0).await;
    assert_eq!(connection.deadline(), None);
    beat(&mut connection, 1);
    answer_beat(&mut session).await;
    assert_eq!(connection.answer().await.expect("an answer").token, 1);
}

#[tokio::test]
async fn a_session_that_ends_is_proved_again_and_requests_wait_meanwhile_in_their_order() {
    // Over at once, so that the first request finds it due.
    let (mut connection, mut session) = pair(1).await;
    assert!(connection.deadline().is_some());
    while connection.clock.now() < connection.deadline().expect("due") {
        tokio::task::yield_now().await;
    }
    beat(&mut connection, 1);
    beat(&mut connection, 2);
    let script = async {
        prove(&mut session, 0).await;
        answer_beat(&mut session).await;
        answer_beat(&mut session).await;
    };
    let answers = async { (connection.answer().await, connection.answer().await) };
    let ((first, second), ()) = tokio::join!(answers, script);
    assert_eq!(first.expect("an answer").token, 1);
    assert_eq!(second.expect("an answer").token, 2);
    assert_eq!(connection.deadline(), None);
}

#[tokio::test]
async fn a_session_is_proved_again_only_once_what_is_unanswered_is_answered() {
    let (mut connection, mut session) = pair(60_000).await;
    beat(&mut connection, 1);
    let asked = session.expect(ApiKey::Heartbeat).await;
    // As if the session were over while the broker holds its answer back.
    if let Some(authentication) = &mut connection.authentication {
        authentication.stage = super::Stage::Proved(Some((Timestamp(0), Timestamp(0))));
    }
    beat(&mut connection, 2);
    session.answer(&asked.header, HeartbeatResponse::default()).await;
    assert_eq!(connection.answer().await.expect("an answer").token, 1);
    let script = async {
        prove(&mut session, 0).await;
        answer_beat(&mut session).await;
    };
    let (second, ()) = tokio::join!(connection.answer(), script);
    assert_eq!(second.expect("an answer").token, 2);
}

#[tokio::test]
async fn a_broker_that_changes_its_mind_ends_the_connection_and_no_request_by_name() {
    let (mut connection, mut session) = pair(1).await;
    while connection.clock.now() < connection.deadline().expect("due") {
        tokio::task::yield_now().await;
    }
    beat(&mut connection, 7);
    let script = async {
        let (header, _) = handshake(&mut session).await;
        let refusal = SaslAuthenticateResponse {
            error_code: 58,
            error_message: Some("no\u{1b} more".to_owned()),
            ..Default::default()
        };
        session.answer(&header, refusal).await;
    };
    let (end, ()) = tokio::join!(connection.answer(), script);
    let end = end.expect_err("refused");
    assert_eq!(end.request(), None);
    let said = end.to_string();
    assert!(
        said.contains("58 SASL_AUTHENTICATION_FAILED: \"no\\u{1b} more\""),
        "{said}"
    );
    assert!(!said.contains("sesame"), "{said}");
}

#[tokio::test]
async fn a_mechanism_that_is_not_offered_is_told_with_those_that_are() {
    let (dialer, peer) = (dialer(LONG), ScriptedPeer::bind().await);
    for (error_code, words) in [
        (33, "set sasl.mechanism to one of SCRAM-SHA-512, OAUTHBEARER"),
        (34, "security.protocol is PLAINTEXT or SSL there"),
        (42, "42 INVALID_REQUEST"),
    ] {
        let dialer = dialer.clone().secured(Security {
            sasl: Some(credentials()),
            ..Security::default()
        });
        let peer = if error_code == 33 {
            &peer
        } else {
            &ScriptedPeer::bind().await
        };
        let end = refused(&dialer, peer, async |mut session| {
            let asked = session.expect(ApiKey::SaslHandshake).await;
            let refusal = SaslHandshakeResponse {
                error_code,
                mechanisms: vec!["SCRAM-SHA-512".to_owned(), "OAUTHBEARER".to_owned()],
            };
            session.answer(&asked.header, refusal).await;
        })
        .await;
        assert!(end.to_string().contains(words), "{end}");
    }
    // And is not asked again at once: no script answers here.
    let again = dialer.open(&peer.address(), None, Arc::from("demo-1")).await;
    assert!(matches!(again, Err(LinkEnd::Authentication { .. })));
}

#[tokio::test]
async fn a_broker_that_never_answers_a_proof_is_left_at_the_deadline() {
    let (dialer, peer) = (dialer(Millis(50)), ScriptedPeer::bind().await);
    let end = refused(&dialer, &peer, async |mut session| {
        session.expect(ApiKey::SaslHandshake).await;
        session.closed().await;
    })
    .await;
    assert!(
        end.to_string().contains("SaslHandshake was not answered")
            || end.to_string().contains("was not over"),
        "{end}"
    );
}

#[tokio::test]
async fn a_broker_that_says_more_than_the_mechanism_has_is_left() {
    let (dialer, peer) = (dialer(LONG), ScriptedPeer::bind().await);
    let end = refused(&dialer, &peer, async |mut session| {
        let (header, _) = handshake(&mut session).await;
        let more = SaslAuthenticateResponse {
            auth_bytes: AuthBytes(b"more".to_vec()),
            ..Default::default()
        };
        session.answer(&header, more).await;
    })
    .await;
    assert!(end.to_string().contains("more than PLAIN has to say"), "{end}");
}

#[tokio::test]
async fn a_broker_that_knows_sasl_only_as_it_was_before_kafka_1_0_is_told_no_secret_and_refused_in_one_line()
{
    let without = |key: ApiKey, most: Option<i16>| {
        let mut versions = all_versions();
        versions.api_keys.retain_mut(|row| {
            let its = row.api_key == i16::from(key);
            if let Some(most) = most.filter(|_| its) {
                row.max_version = most;
            }
            !its || most.is_some()
        });
        versions
    };
    let older = "brokers with SaslHandshake 1 and SaslAuthenticate are needed, Kafka 1.0 or later";
    for (versions, words) in [
        (without(ApiKey::SaslHandshake, Some(0)), older),
        (without(ApiKey::SaslAuthenticate, None), older),
        (
            without(ApiKey::SaslHandshake, None),
            "set security.protocol to PLAINTEXT or SSL",
        ),
    ] {
        let (dialer, peer) = (dialer(LONG), ScriptedPeer::bind().await);
        let address = peer.address();
        let script = async {
            let mut session = peer.accept().await;
            let asked = session.expect(ApiKey::ApiVersions).await;
            session.answer(&asked.header, versions).await;
            // Nothing comes any more, least of all a password.
            assert!(session.next().await.is_none());
        };
        let (opened, ()) = tokio::join!(dialer.open(&address, None, Arc::from("demo-1")), script);
        let end = opened.map(|_| ()).expect_err("refused").to_string();
        assert!(
            end.starts_with("authentication by PLAIN: ") && end.contains(words),
            "{end}"
        );
        assert_eq!(end.lines().count(), 1);
    }
}

#[test]
fn a_session_is_proved_again_at_85_to_95_hundredths_of_it() {
    let now = Timestamp(1_000_000);
    for seed in 0..200 {
        let chance = Chance::Seeded(Arc::new(seed.into()));
        let (due, last) = session(now, 10_000, &chance).expect("it ends");
        assert!(
            (8_500_000..=9_500_000).contains(&due.micros_since(now)),
            "{due:?}"
        );
        assert!(due < last && last.micros_since(now) < 10_000_000, "{last:?}");
    }
    let chance = Chance::Seeded(Arc::new(1.into()));
    assert_eq!(session(now, 0, &chance), None);
    assert_eq!(session(now, -1, &chance), None);
    let (due, last) = session(now, i64::MAX, &chance).expect("it ends");
    assert!(now < due && due <= last);
}

#[test]
fn an_authentication_prints_no_secret() {
    let chance = Chance::Seeded(Arc::new(1.into()));
    let authentication = Authentication::new(credentials(), &Default::default(), LONG, chance);
    let printed = format!("{authentication:?}");
    assert!(
        printed.contains("PLAIN") && !printed.contains("sesame"),
        "{printed}"
    );
}
