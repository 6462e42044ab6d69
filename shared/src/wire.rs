//! What crosses the WebSocket, versioned: text frames of JSON (docs/contract.md).

use std::num::NonZeroU32;

use serde::Serialize;

use crate::event::Event;
use crate::ids::GroupId;
use crate::time::UnixMs;
use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// The version both ends must speak.
pub const VERSION: u32 = 1;

/// A frame from a viewer above this many bytes closes its connection.
pub const CLIENT_FRAME_MAX: usize = 64 * 1024;

/// What the page says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first frame.
    Hello {
        /// The version it speaks.
        version: u32,
        /// The stream it has seen; none on a first visit.
        stream: Option<String>,
        /// The last seq it has of that stream.
        resume: Option<u64>,
        /// Which beats it wants one by one.
        watch: Watch,
    },
    /// In force from the next range on.
    Watch {
        /// Which beats it wants one by one from then on.
        watch: Watch,
    },
}

/// Which beats a viewer wants one by one. JSON: `"overview"`, or a list of group ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Watch {
    /// Every transition; heartbeats only as summaries.
    Word(WatchWord),
    /// The same, and each heartbeat of these groups.
    Groups(Vec<GroupId>),
}

/// The one word [`Watch`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum WatchWord {
    /// No group in particular.
    Overview,
}

impl Watch {
    /// No group in particular.
    pub const OVERVIEW: Self = Self::Word(WatchWord::Overview);
}

impl FromNode for Watch {
    /// By hand, so that the error names the value and what is allowed.
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        const ALLOWED: &str = "\"overview\" or a list of group ids";
        match node {
            Node::Text(word) if word == "overview" => Ok(Self::OVERVIEW),
            Node::Text(_) => Err(node.is_no(ALLOWED)),
            Node::List(_) => Vec::from_node(node).map(Self::Groups),
            _ => Err(node.is_not(ALLOWED)),
        }
    }
}

deserialize_from_node!(Watch);

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to hello.
    Welcome {
        /// The version it speaks.
        version: u32,
        /// Its stream: one run of the server.
        stream: String,
        /// The last seq so far.
        seq: u64,
        /// Its clock.
        now: UnixMs,
        /// Whether events follow from the page's `resume` + 1; else from `seq` + 1, and the page takes /api/board.
        resumed: bool,
        /// How many times faster than life its clock runs; absent: 1.
        #[serde(default = "life", skip_serializing_if = "is_life")]
        rate: NonZeroU32,
        /// The scenario that is played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scenario: Option<String>,
        /// Which page it serves: another word, another page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<String>,
    },
    /// A range without a hole: `from` is the last `to` + 1; what `watch` leaves out lies inside it.
    Events {
        /// Its first seq.
        from: u64,
        /// Its last seq.
        to: u64,
        /// What of it is watched, by rising seq.
        events: Vec<Event>,
    },
    /// Every second.
    Tick {
        /// The server's clock.
        now: UnixMs,
        /// The last seq so far.
        seq: u64,
    },
    /// The viewer fell behind: take /api/board again; ranges go on from `seq` + 1.
    Lagged {
        /// The board will be at this seq or later.
        seq: u64,
    },
    /// A version the server does not speak; a close follows.
    Unsupported {
        /// The version it speaks.
        version: u32,
    },
}

const fn life() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn is_life(rate: &NonZeroU32) -> bool {
    *rate == life()
}

#[cfg(test)]
mod tests;
