//! The faults the embedded coordinator can be told to play: what `POST /api/faults` takes and the page's buttons send.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::error_code;
use crate::ids::{GroupId, MemberId};

/// One fault, by the names of docs/contract.md. `member` takes a member id or the client id of a member of ours.
///
/// Fields it does not know are refused with the list of those it does; [`SHAPES`] tells them beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// What the member sends is swallowed unanswered until it has expired (a stopped process, a long pause).
    Silence {
        /// Which.
        member: MemberId,
    },
    /// Its socket is cut; it does not leave and does not come back.
    Kill {
        /// Which.
        member: MemberId,
    },
    /// It sends LeaveGroup and ends.
    Leave {
        /// Which.
        member: MemberId,
    },
    /// More members of ours.
    Add {
        /// How many.
        #[serde(default = "one")]
        count: u32,
    },
    /// Answers of one API are held back.
    Delay {
        /// Kafka's name of it: "Heartbeat".
        api: String,
        /// How long, in milliseconds.
        ms: u64,
        /// Only answers to this member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        /// Only answers to members of this group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
        /// How many answers.
        #[serde(default = "one")]
        times: u32,
    },
    /// Answers of one API are never sent.
    Drop {
        /// Kafka's name of it: "Heartbeat".
        api: String,
        /// How many answers.
        #[serde(default = "one")]
        times: u32,
        /// Only answers to this member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        /// Only answers to members of this group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
    },
    /// The coordinator's sockets are closed, its timers frozen, its state kept.
    #[serde(deserialize_with = "nothing")]
    Stop,
    /// It serves again; every member gets a full session, as Kafka after a load.
    #[serde(deserialize_with = "nothing")]
    Restart,
    /// The next answers of one API carry a code, or are a disconnect.
    Answer {
        /// Kafka's name of it: "Heartbeat".
        api: String,
        /// What they carry.
        error: AnswerWith,
        /// How many answers.
        #[serde(default = "one")]
        times: u32,
        /// Only answers to this member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
        /// Only answers to members of this group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
    },
}

impl Fault {
    /// Its name, as `fault` in JSON and `data-fault` on the page.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Silence { .. } => "silence",
            Self::Kill { .. } => "kill",
            Self::Leave { .. } => "leave",
            Self::Add { .. } => "add",
            Self::Delay { .. } => "delay",
            Self::Drop { .. } => "drop",
            Self::Stop => "stop",
            Self::Restart => "restart",
            Self::Answer { .. } => "answer",
        }
    }

    /// Which member it hits, where it names one.
    #[must_use]
    pub const fn member(&self) -> Option<&MemberId> {
        match self {
            Self::Silence { member } | Self::Kill { member } | Self::Leave { member } => Some(member),
            Self::Delay { member, .. } | Self::Drop { member, .. } | Self::Answer { member, .. } => {
                member.as_ref()
            }
            Self::Add { .. } | Self::Stop | Self::Restart => None,
        }
    }
}

/// What a fault takes: a row of `GET /api/faults`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// The fields that can stand beside `fault`; those not required have a default or mean "any".
    pub fields: &'static [Field],
}

/// A field of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes, in words.
    pub takes: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

const fn field(name: &'static str, takes: &'static str, required: bool) -> Field {
    Field {
        name,
        takes,
        required,
    }
}

const MEMBER: Field = field(
    "member",
    "a member id, or the client id of a member of ours",
    true,
);
const ANY_MEMBER: Field = field(
    "member",
    "a member id, or the client id of a member of ours; default any",
    false,
);
const ANY_GROUP: Field = field("group", "a group id; default any", false);
const API: Field = field("api", "Kafka's name of a request: Heartbeat", true);
const TIMES: Field = field("times", "how many answers; default 1", false);

/// Every fault and its fields, in the order of docs/contract.md.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "silence",
        fields: &[MEMBER],
    },
    Shape {
        name: "kill",
        fields: &[MEMBER],
    },
    Shape {
        name: "leave",
        fields: &[MEMBER],
    },
    Shape {
        name: "add",
        fields: &[field("count", "how many members; default 1", false)],
    },
    Shape {
        name: "delay",
        fields: &[
            API,
            field("ms", "how long, in milliseconds", true),
            TIMES,
            ANY_MEMBER,
            ANY_GROUP,
        ],
    },
    Shape {
        name: "drop",
        fields: &[API, TIMES, ANY_MEMBER, ANY_GROUP],
    },
    Shape {
        name: "stop",
        fields: &[],
    },
    Shape {
        name: "restart",
        fields: &[],
    },
    Shape {
        name: "answer",
        fields: &[
            API,
            field(
                "error",
                "an error code (-32768 to 32767), Kafka's name of one, or \"disconnect\"",
                true,
            ),
            TIMES,
            ANY_MEMBER,
            ANY_GROUP,
        ],
    },
];

/// What an answer is replaced by: a code, or the word "disconnect".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

impl<'de> Deserialize<'de> for AnswerWith {
    /// By hand, so that the error names the value and what is allowed.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnswerVisitor)
    }
}

struct AnswerVisitor;

impl de::Visitor<'_> for AnswerVisitor {
    type Value = AnswerWith;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error code (-32768 to 32767), Kafka's name of one or \"disconnect\"")
    }

    fn visit_i64<E: de::Error>(self, code: i64) -> Result<AnswerWith, E> {
        i16::try_from(code)
            .map(AnswerWith::Code)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(code), &self))
    }

    fn visit_u64<E: de::Error>(self, code: u64) -> Result<AnswerWith, E> {
        i16::try_from(code)
            .map(AnswerWith::Code)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(code), &self))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<AnswerWith, E> {
        if word == "disconnect" {
            return Ok(AnswerWith::Word(AnswerWord::Disconnect));
        }
        let code = error_code::named(word).map(|row| AnswerWith::Code(row.number));
        code.ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
    }
}

const fn one() -> u32 {
    1
}

/// Refuses fields beside `fault`, which serde lets pass for a variant without any.
fn nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}

    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

#[cfg(test)]
mod tests;
