//! Every mechanism and every kind of store on Apache Kafka's own listeners, and what a listener of another kind is told.

use std::path::Path;

use shared::event::{Change, Event};
use tests::heartline::{self, Heartline};
use tests::kafka::stores::{self, STORE_PASSWORD};
use tests::kafka::{self, Broker, Listener, PLAIN_USER, SCRAM_USER, User};
use tests::token_endpoint::TokenEndpoint;
use tests::wait::wait_until;

fn ready() -> bool {
    heartline::binary().is_some() && kafka::is_resolved()
}

fn login(mechanism: &str, module: &str, options: &str) -> [String; 2] {
    [
        format!("sasl.mechanism={mechanism}"),
        format!("sasl.jaas.config=org.apache.kafka.common.security.{module} required {options};"),
    ]
}

fn password_of(user: User) -> String {
    format!("username=\"{}\" password=\"{}\"", user.name, user.password)
}

/// Heartline with one member in a group of this name, over a listener of the shared broker.
async fn start(listener: Listener, group: &str, lines: &[String]) -> Heartline {
    let secured = kafka::shared().await.secured();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let file = secured.client_file(listener, group, &lines);
    start_with(&secured.address(listener), &file, group).await
}

async fn start_with(address: &str, file: &Path, group: &str) -> Heartline {
    let file = file.display().to_string();
    let fast = ["--members", "1", "--heartbeat-interval", "500"];
    let arguments = [
        "--bootstrap-servers",
        address,
        "--command-config",
        &file,
        "--probe-group",
        group,
    ];
    Heartline::start(&[&arguments[..], &fast[..]].concat()).await
}

/// Waits until the member is in its group; the event that tells it.
async fn joins(heartline: &Heartline) -> u64 {
    let (joined, ()) = heartline
        .event_after(0, "the member in its group", |event| {
            matches!(event.what.change, Change::MemberJoined(_)).then_some(())
        })
        .await;
    joined
}

async fn is_told(heartline: &Heartline, words: &str) {
    heartline
        .event_after(0, words, |event| match &event.what.change {
            Change::CoordinatorNotFound { detail, .. } => detail.as_deref()?.contains(words).then_some(()),
            _ => None,
        })
        .await;
}

#[tokio::test]
async fn a_member_joins_by_every_mechanism_in_the_clear_and_in_tls() {
    if !ready() {
        return;
    }
    for listener in [Listener::SaslPlaintext, Listener::SaslSsl] {
        for (mechanism, module, user) in [
            ("PLAIN", "plain.PlainLoginModule", PLAIN_USER),
            ("SCRAM-SHA-256", "scram.ScramLoginModule", SCRAM_USER),
            ("SCRAM-SHA-512", "scram.ScramLoginModule", SCRAM_USER),
        ] {
            let group = format!("{}-{mechanism}", listener.name());
            let lines = login(mechanism, module, &password_of(user));
            let heartline = start(listener, &group, &lines).await;
            joins(&heartline).await;
            assert!(!heartline.everything().await.contains(user.password));
        }
    }
}

#[tokio::test]
async fn a_member_joins_by_a_token_of_its_own_of_a_file_and_of_an_endpoint() {
    const MODULE: &str = "oauthbearer.OAuthBearerLoginModule";
    if !ready() {
        return;
    }
    let own = login("OAUTHBEARER", MODULE, "unsecuredLoginStringClaim_sub=\"alice\"");
    joins(&start(Listener::SaslSsl, "token-of-its-own", &own).await).await;

    let endpoint = TokenEndpoint::start().await;
    let mut lines = login(
        "OAUTHBEARER",
        MODULE,
        "clientId=\"heartline\" clientSecret=\"cLiEnT-sEcReT\"",
    )
    .to_vec();
    lines.push(format!("sasl.oauthbearer.token.endpoint.url={}", endpoint.url()));
    let heartline = start(Listener::SaslSsl, "token-of-an-endpoint", &lines).await;
    joins(&heartline).await;
    let said = heartline.everything().await;
    assert!(!said.contains("cLiEnT-sEcReT") && !said.contains(&TokenEndpoint::token()[..20]));
    let asked = endpoint.asked();
    assert!(
        !asked.is_empty()
            && asked
                .iter()
                .all(|request| request.contains("grant_type=client_credentials"))
    );

    let folder = kafka::shared().await.secured().certificates().folder();
    let file = folder.join("token");
    std::fs::write(&file, format!("{}\n", TokenEndpoint::token())).expect("the folder is ours");
    let mut lines = login("OAUTHBEARER", MODULE, "").to_vec();
    lines.push(format!(
        "sasl.oauthbearer.token.endpoint.url=file://{}",
        file.display()
    ));
    joins(&start(Listener::SaslPlaintext, "token-of-a-file", &lines).await).await;
}

#[tokio::test]
async fn a_token_that_the_broker_refuses_is_told() {
    if !ready() {
        return;
    }
    // An unsecured token whose time is over before it is used.
    let options = "unsecuredLoginStringClaim_sub=\"alice\" unsecuredLoginLifetimeSeconds=\"0\"";
    let lines = login("OAUTHBEARER", "oauthbearer.OAuthBearerLoginModule", options);
    let heartline = start(Listener::SaslSsl, "expired-token", &lines).await;
    is_told(&heartline, "58 SASL_AUTHENTICATION_FAILED").await;
}

#[tokio::test]
async fn a_member_joins_with_every_kind_of_store_that_keytool_and_openssl_make() {
    if !ready() {
        return;
    }
    let secured = kafka::shared().await.secured();
    let certificates = secured.certificates();
    for (group, lines) in stores::of_every_kind(certificates) {
        let mut text = String::from("security.protocol=SSL\n");
        if !lines.iter().any(|line| line.starts_with("ssl.truststore")) {
            let authority = certificates.authority();
            text += &format!(
                "ssl.truststore.type=PEM\nssl.truststore.location={}\n",
                authority.display()
            );
        }
        text += &lines.join("\n");
        let file = certificates.folder().join(format!("{group}.properties"));
        std::fs::write(&file, text).expect("the folder is ours");
        let heartline = start_with(&secured.address(Listener::Mutual), &file, group).await;
        joins(&heartline).await;
        assert!(!heartline.everything().await.contains(STORE_PASSWORD));
    }
}

#[tokio::test]
async fn a_listener_of_another_kind_is_told_with_what_to_set() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let secured = broker.secured();
    let plain = login("PLAIN", "plain.PlainLoginModule", &password_of(PLAIN_USER));
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let scram = login(
        "SCRAM-SHA-512",
        "scram.ScramLoginModule",
        "username=\"nobody\" password=\"x\"",
    );
    let scram: Vec<&str> = scram.iter().map(String::as_str).collect();
    let file = |listener, name: &str, lines: &[&str]| secured.client_file(listener, name, lines);
    for (address, file, words) in [
        (
            broker.address(),
            file(Listener::Ssl, "tls-to-plain", &[]),
            "security.protocol is then PLAINTEXT",
        ),
        (
            broker.address(),
            file(Listener::SaslPlaintext, "sasl-to-plain", &plain),
            "the listener wants no SASL",
        ),
        (
            secured.address(Listener::SaslSsl),
            file(Listener::SaslSsl, "nobody", &scram),
            "58 SASL_AUTHENTICATION_FAILED",
        ),
    ] {
        let group = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name")
            .to_owned();
        is_told(&start_with(&address, &file, &group).await, words).await;
    }
    let wants_tls = start_plain(&secured.address(Listener::Ssl), "plain-to-tls").await;
    is_told(&wants_tls, "the peer wants TLS").await;
    let wants_sasl = start_plain(&secured.address(Listener::SaslPlaintext), "plain-to-sasl").await;
    is_told(&wants_sasl, "so does a listener that wants SASL").await;
}

/// Heartline as it is without a client's file.
async fn start_plain(address: &str, group: &str) -> Heartline {
    let arguments = [
        "--bootstrap-servers",
        address,
        "--probe-group",
        group,
        "--members",
        "1",
    ];
    Heartline::start(&arguments).await
}

#[tokio::test]
async fn a_session_is_authenticated_again_before_it_ends_and_no_heartbeat_is_lost() {
    if !ready() {
        return;
    }
    let broker = Broker::start_secured(&["connections.max.reauth.ms=2000"]).await;
    let secured = broker.secured();
    let lines = login(
        "SCRAM-SHA-512",
        "scram.ScramLoginModule",
        &password_of(SCRAM_USER),
    );
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let file = secured.client_file(Listener::SaslSsl, "again", &lines);
    let heartline = start_with(&secured.address(Listener::SaslSsl), &file, "again").await;
    // A broker just started first answers 16, which is no loss.
    let joined = joins(&heartline).await;
    let beats = |events: &[Event]| {
        let answered =
            |event: &&Event| matches!(event.what.change, Change::HeartbeatAnswered { error: 0, .. });
        events.iter().filter(answered).count()
    };
    // Five sessions long, on one connection.
    let events = wait_until("twenty heartbeats answered", async || {
        let events = heartline.events_after(joined, "&group=again").await;
        if beats(&events) >= 20 {
            Ok(events)
        } else {
            Err(beats(&events))
        }
    })
    .await;
    let lost: Vec<_> = events
        .iter()
        .filter(|event| {
            matches!(
                event.what.change,
                Change::HeartbeatFailed { .. } | Change::CoordinatorDead { .. } | Change::RejoinNeeded { .. }
            )
        })
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    let metrics = heartline.text("/metrics").await;
    let proved: u64 = metrics
        .lines()
        .filter(|line| line.starts_with("heartline_requests_total") && line.contains("SaslHandshake"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum();
    assert!(proved >= 5, "{proved} proofs in five sessions");
}
