//! Members of ours over TLS, with a client certificate, and with SASL; and where the secrets are not seen.

use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Listener, SCRAM_USER};

#[tokio::test]
async fn a_member_joins_over_tls() {
    if !crate::ready() {
        return;
    }
    let heartline = start(Listener::Ssl, "over-tls", &[]).await;
    joins(&heartline).await;
}

#[tokio::test]
async fn a_member_joins_with_a_client_certificate_and_without_one_is_told_what_is_missing() {
    if !crate::ready() {
        return;
    }
    let client = kafka::shared().await.secured().certificates().client();
    let keystore = format!("ssl.keystore.location={}", client.display());
    let heartline = start(
        Listener::Mutual,
        "with-certificate",
        &["ssl.keystore.type=PEM", &keystore],
    )
    .await;
    joins(&heartline).await;
    let heartline = start(Listener::Mutual, "without-certificate", &[]).await;
    is_told(&heartline, "ssl.keystore.location").await;
}

#[tokio::test]
async fn a_member_joins_by_scram_and_its_password_is_seen_nowhere() {
    if !crate::ready() {
        return;
    }
    let jaas = format!(
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username=\"{}\" password=\"{}\";",
        SCRAM_USER.name, SCRAM_USER.password
    );
    let lines = ["sasl.mechanism=SCRAM-SHA-512", &jaas, "acks=all"];
    let heartline = start(Listener::SaslSsl, "by-scram", &lines).await;
    joins(&heartline).await;
    let said = heartline.everything().await;
    assert!(said.contains("acks"), "the key without meaning is not told");
    assert_eq!(said.matches(SCRAM_USER.password).count(), 0);
}

#[tokio::test]
async fn a_wrong_password_is_told_and_seen_nowhere() {
    const WRONG: &str = "wRoNg-pAsSwOrD-51be20";
    if !crate::ready() {
        return;
    }
    let jaas = format!(
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username=\"{}\" password=\"{WRONG}\";",
        SCRAM_USER.name
    );
    let heartline = start(
        Listener::SaslSsl,
        "wrong-password",
        &["sasl.mechanism=SCRAM-SHA-512", &jaas],
    )
    .await;
    is_told(&heartline, "58 SASL_AUTHENTICATION_FAILED").await;
    let said = heartline.everything().await;
    assert!(said.contains("sasl.jaas.config"), "what to check is not told");
    assert_eq!(said.matches(WRONG).count(), 0);
}

/// Heartline with one member in a group of this name, over a listener of the shared broker.
async fn start(listener: Listener, group: &str, lines: &[&str]) -> Heartline {
    let secured = kafka::shared().await.secured();
    let file = secured.client_file(listener, group, lines).display().to_string();
    let address = secured.address(listener);
    let arguments = [
        "--bootstrap-servers",
        &address,
        "--command-config",
        &file,
        "--probe-group",
        group,
        "--members",
        "1",
    ];
    Heartline::start(&arguments).await
}

async fn joins(heartline: &Heartline) {
    heartline
        .event_after(0, "the member in its group", |event| {
            matches!(event.what.change, Change::MemberJoined(_)).then_some(())
        })
        .await;
}

/// What keeps the member out reaches the events.
async fn is_told(heartline: &Heartline, words: &str) {
    heartline
        .event_after(0, words, |event| match &event.what.change {
            Change::CoordinatorNotFound { detail, .. } => detail.as_deref()?.contains(words).then_some(()),
            _ => None,
        })
        .await;
}
