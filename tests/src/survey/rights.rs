//! A survey as a user whom SASL knows and who lacks a right: what it is told.

use serde_json::Value;
use shared::event::Change;

use super::{row, watching};
use crate::heartline::Heartline;
use crate::kafka::{Broker, Listener, SCRAM_USER, User};

/// The arguments by which Heartline is one of the users whom SASL knows; `file` names its client's file.
///
/// # Panics
///
/// When the broker was not started with secured listeners.
#[must_use]
pub fn arguments_as(broker: &Broker, user: User, file: &str) -> [String; 4] {
    let secured = broker.secured();
    let (mechanism, module) = if user.name == SCRAM_USER.name {
        ("SCRAM-SHA-512", "scram.ScramLoginModule")
    } else {
        ("PLAIN", "plain.PlainLoginModule")
    };
    let lines = [
        format!("sasl.mechanism={mechanism}"),
        format!(
            "sasl.jaas.config=org.apache.kafka.common.security.{module} required username=\"{}\" password=\"{}\";",
            user.name, user.password
        ),
    ];
    let listener = Listener::SaslPlaintext;
    let file = secured.client_file(listener, file, &lines.each_ref().map(String::as_str));
    [
        "--bootstrap-servers".to_owned(),
        secured.address(listener),
        "--command-config".to_owned(),
        file.display().to_string(),
    ]
}

/// Heartline as one of these users, without members of its own.
///
/// # Panics
///
/// When it does not come up.
pub async fn watching_as(broker: &Broker, user: User, file: &str) -> Heartline {
    let [_, bootstrap, config, file] = arguments_as(broker, user, file);
    watching(&bootstrap, &[&config, &file]).await
}

/// Waits for the event that names a missing right, of this group or of the cluster.
///
/// # Panics
///
/// When it does not come.
pub async fn is_missing(heartline: &Heartline, group: Option<&str>, code: i16, words: &str) {
    heartline
        .event_after(0, words, |event| match &event.what.change {
            Change::NotAuthorized { error, right } => {
                let of = event.what.group.as_ref().map(|group| group.as_str());
                (*error == code && of == group && right.contains(words)).then_some(())
            }
            _ => None,
        })
        .await;
}

/// The group's row, once its verdict is that a right is missing, and names it.
///
/// # Panics
///
/// When it does not become so.
pub async fn refused(heartline: &Heartline, group: &str, right: &str) -> Value {
    row(heartline, group, right, |row| {
        let sentence = row["sentence"].as_str().unwrap_or_default();
        row["verdict"] == "not-authorized" && sentence.contains(right)
    })
    .await
}
