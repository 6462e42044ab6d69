//! What crosses the WebSocket, versioned: text frames of JSON (docs/contract.md).

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::ids::GroupId;
use crate::time::UnixMs;

/// The version both ends must speak.
pub const VERSION: u32 = 1;

/// A frame from a viewer above this many bytes closes its connection.
pub const CLIENT_FRAME_MAX: usize = 64 * 1024;

/// What the page says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first frame.
    Hello {
        version: u32,
        stream: Option<String>,
        resume: Option<u64>,
        watch: Watch,
    },
    /// In force from the next range on.
    Watch { watch: Watch },
}

/// Which beats a viewer wants one by one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Watch {
    /// Every transition; heartbeats only as summaries.
    Word(WatchWord),
    /// The same, and each heartbeat of these groups.
    Groups(Vec<GroupId>),
}

/// The one word [`Watch`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchWord {
    /// No group in particular.
    Overview,
}

impl Watch {
    /// No group in particular.
    pub const OVERVIEW: Self = Self::Word(WatchWord::Overview);
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to hello.
    Welcome {
        version: u32,
        stream: String,
        seq: u64,
        now: UnixMs,
        resumed: bool,
    },
    /// A range without a hole: `from` is the last `to` + 1; what `watch` leaves out lies inside it.
    Events { from: u64, to: u64, events: Vec<Event> },
    /// Every second.
    Tick { now: UnixMs, seq: u64 },
    /// The viewer fell behind: take /api/board again; ranges go on from `seq` + 1.
    Lagged { seq: u64 },
    /// A version the server does not speak; a close follows.
    Unsupported { version: u32 },
}
