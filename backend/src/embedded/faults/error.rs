//! What comes of asking for a fault.

use std::net::SocketAddr;

use shared::ids::{GroupId, MemberId};
use shared::protocol::ApiKey;

use crate::limits;

/// A fault that is in force now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// What it does, for the person who asked.
    pub sentence: String,
}

impl Played {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
        }
    }
}

/// Why a fault is not played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The supervisor of our own members plays it.
    #[error("the fault {fault:?} acts on members of ours: the coordinator cannot play it")]
    OfMembers { fault: &'static str },
    /// Not a plan for single answers.
    #[error("it acts on the coordinator as a whole")]
    OfTheWhole,
    /// No member of that name.
    #[error(
        "there is no member {member:?}; by member id there are: {}{}",
        if known.is_empty() { "none".into() } else { known.join(", ") },
        if *more { ", and more" } else { "" }
    )]
    Member {
        member: MemberId,
        known: Vec<String>,
        more: bool,
    },
    /// No group of that name.
    #[error("there is no group {group:?} on this coordinator")]
    Group { group: GroupId },
    /// No API of that name.
    #[error("unknown api {api:?}; allowed are {}", api_names())]
    Api { api: String },
    /// Too often, or never.
    #[error("times {times} is not allowed: from 1 to {}", limits::fault::TIMES)]
    Times { times: u32 },
    /// Too long.
    #[error("ms {ms} is not allowed: at most {}", limits::fault::MS)]
    Delay { ms: u64 },
    /// No code of Kafka's.
    #[error("unknown error code {error}; allowed are Kafka's codes and \"disconnect\"")]
    Code { error: i16 },
    /// An answer without an error is more than its code.
    #[error("error 0 is not allowed for {api}, whose answer is more than a code: only Heartbeat takes it")]
    NoError { api: ApiKey },
    /// Too many wait to be played.
    #[error("{} faults are in force already, the most allowed", limits::FAULTS_WAITING)]
    TooMany,
    /// Stopped twice.
    #[error("the coordinator is stopped already; \"restart\" lets it serve again")]
    AlreadyStopped,
    /// Nothing moves on a cluster that stands still.
    #[error("the coordinator is stopped; \"restart\" lets it serve again")]
    Stopped,
    /// The port is gone.
    #[error("cannot listen on {address} again: {error}")]
    Listen { address: SocketAddr, error: String },
    /// The coordinator has been shut down.
    #[error("the coordinator has ended")]
    Ended,
}

fn api_names() -> String {
    let served = |key: &&ApiKey| super::Broker::versions(**key).is_some();
    let names: Vec<&str> = ApiKey::ALL.iter().filter(served).map(|key| key.name()).collect();
    names.join(", ")
}
