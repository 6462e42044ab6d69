//! Kafka's error codes: number, Kafka's name, a sentence for an operator, and whether it is part of normal life.
//!
//! Whole up to 136 for what the group, metadata and SASL requests can answer (Kafka 4.4,
//! `org.apache.kafka.common.protocol.Errors`). A number that is not here is shown as the number.

mod table;

pub use table::*;

use serde::Serialize;

use crate::tree::FromNode;

/// Whether an operator has to do something about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Part of how groups work: rebalances, coordinators that move or load.
    Normal,
    /// Something is wrong or misconfigured.
    Serious,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// As on the wire.
    pub number: i16,
    /// As Kafka spells it.
    pub name: &'static str,
    /// What it means and what to do, for an operator.
    pub sentence: &'static str,
    /// Whether it is part of normal life.
    pub severity: Severity,
}

/// The row of a number, where the table knows it.
#[must_use]
pub fn find(number: i16) -> Option<&'static ErrorCode> {
    ALL.iter().find(|row| row.number == number)
}

/// Whether an answer with that code says that a right on a topic, a group or the cluster is missing.
#[must_use]
pub const fn is_for_want_of_a_right(number: i16) -> bool {
    matches!(
        number,
        TOPIC_AUTHORIZATION_FAILED | GROUP_AUTHORIZATION_FAILED | CLUSTER_AUTHORIZATION_FAILED
    )
}

/// The row of a name as Kafka spells it.
#[must_use]
pub fn named(name: &str) -> Option<&'static ErrorCode> {
    ALL.iter().find(|row| row.name == name)
}

/// `"25 UNKNOWN_MEMBER_ID"`; only the number where the table does not know it.
#[must_use]
pub fn label(number: i16) -> String {
    find(number).map_or_else(|| number.to_string(), |row| format!("{number} {}", row.name))
}

/// The operator's sentence; for an unknown number one that says so.
#[must_use]
pub fn sentence(number: i16) -> String {
    find(number).map_or_else(
        || format!("Code {number} is not among the codes Heartline knows (Kafka 4.4): look it up in the broker's version."),
        |row| row.sentence.to_owned(),
    )
}

/// How much a code matters; one the table does not know is serious, because nobody expects it.
#[must_use]
pub fn severity(number: i16) -> Severity {
    find(number).map_or(Severity::Serious, |row| row.severity)
}

#[cfg(test)]
mod tests;
