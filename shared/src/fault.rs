//! The faults the embedded coordinator can be told to play: what `POST /api/faults` takes and the page's buttons send.

use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, MemberId};

/// One fault, by the names of docs/contract.md. `member` takes a member id or the client id of a member of ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// What the member sends is swallowed unanswered until it has expired (a stopped process, a long pause).
    Silence { member: MemberId },
    /// Its socket is cut; it does not leave and does not come back.
    Kill { member: MemberId },
    /// It sends LeaveGroup and ends.
    Leave { member: MemberId },
    /// More members of ours.
    Add {
        #[serde(default = "one")]
        count: u32,
    },
    /// Answers of one API are held back.
    Delay {
        api: String,
        ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
        #[serde(default = "one")]
        times: u32,
    },
    /// Answers of one API are never sent.
    Drop {
        api: String,
        #[serde(default = "one")]
        times: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
    },
    /// The coordinator's sockets are closed, its timers frozen, its state kept.
    Stop,
    /// It serves again; every member gets a full session, as Kafka after a load.
    Restart,
    /// The next answers of one API carry a code, or are a disconnect.
    Answer {
        api: String,
        error: AnswerWith,
        #[serde(default = "one")]
        times: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
    },
}

/// What an answer is replaced by: a code, or the word "disconnect".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnswerWith {
    /// An error code.
    Code(i16),
    /// The connection is closed instead.
    Word(AnswerWord),
}

/// The one word [`AnswerWith`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWord {
    /// Close the connection instead of answering.
    Disconnect,
}

const fn one() -> u32 {
    1
}
