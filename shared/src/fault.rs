//! The faults the embedded coordinator can be told to play: what `POST /api/faults` takes, the page's buttons send and
//! scenario files hold.
//!
//! # Layout
//!
//! - here: each fault as a value
//! - [`SHAPES`]: each fault for people: what it does, what to watch for, what its fields take
//! - [`limits`]: what it may be told at most; [`AnswerWith`], [`Code`]: what answers can be made to say

mod answer;
pub mod limits;
mod shapes;

use serde::Serialize;

use crate::ids::{GroupId, MemberId};
use crate::tree::FromNode;
pub use answer::{AnswerWith, AnswerWord, Code};
pub use shapes::{Field, Kind, SHAPES, Shape};

/// One fault, by the names of docs/contract.md. `member` takes a member id or the client id of a member of ours; `ms` is
/// how long it lasts, after which all is as before.
///
/// Fields it does not know are refused with the list of those it does; [`SHAPES`] tells them beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
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
    Stop,
    /// It serves again; every member gets a full session, as Kafka after a load.
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
    /// A member of ours heartbeats on and does not obey 27 (a handler that does not return).
    IgnoreRebalance {
        /// Which.
        member: MemberId,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// A member of ours joins and then does not send its SyncGroup: a leader that computes without end, a follower that
    /// hangs. Its request counts as sent and is given up as any other.
    JoinWithoutSync {
        /// Which.
        member: MemberId,
        /// How many SyncGroups.
        #[serde(default = "one")]
        times: u32,
    },
    /// A member of ours rejoins, and the answer to its SyncGroup is so long in coming that its heartbeats queue behind it.
    QueueBehind {
        /// Which.
        member: MemberId,
        /// How long.
        ms: u64,
    },
    /// Every request about groups is answered 14, 15 or 16, while FindCoordinator goes on to name this broker.
    Refuse {
        /// Which of the three.
        error: Code,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
        /// Only for this group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<GroupId>,
    },
    /// The group's partition of `__consumer_offsets` goes to the cluster's other node, which reads the group from its log.
    Move {
        /// Which; the groups of the same partition go along.
        group: GroupId,
        /// What the other node finds in the log.
        #[serde(default)]
        reload: Reload,
        /// How long it reads.
        #[serde(default = "loading")]
        ms: u64,
    },
    /// What the coordinator would store of the group, an assignment say, cannot be stored.
    FailStorage {
        /// Which.
        group: GroupId,
        /// What the log says.
        #[serde(default = "too_few_replicas")]
        error: Code,
        /// How many records.
        #[serde(default = "one")]
        times: u32,
    },
    /// A client asks to join, is given a member id (79) and never uses it.
    UnusedId {
        /// Where.
        group: GroupId,
        /// How many ids.
        #[serde(default = "one")]
        count: u32,
    },
    /// A member of ours joins again whenever it is in: a leader that does so rebalances the group without end.
    Rejoin {
        /// Which.
        member: MemberId,
        /// How often.
        #[serde(default = "some_rejoins")]
        times: u32,
        /// How long it stays in between.
        #[serde(default)]
        every_ms: u64,
    },
    /// The coordinator forgets all others whenever somebody new joins: members displace each other.
    EvictEachOther {
        /// Where.
        group: GroupId,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// A second member of ours starts under the group.instance.id of another: one of them is fenced (82).
    DuplicateInstance {
        /// Whose; where none is named, a new static member is started and then its double.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<MemberId>,
    },
    /// The coordinator's `group.max.size` is lowered: whoever is too many is refused with 81.
    Full {
        /// To how many members.
        max: u32,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// Every request about the group is answered 30, its lookup too.
    Forbid {
        /// Which.
        group: GroupId,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// Metadata and FindCoordinator name an address at which nobody reaches the broker.
    Advertise {
        /// The host they name; left out, the true one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The port they name; left out, the true one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port: Option<u16>,
        /// How long.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// Answers carry `throttle_time_ms` and the connection is not read for as long (KIP-219).
    Throttle {
        /// How long, in milliseconds.
        ms: u64,
        /// Only answers of this API.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        api: Option<String>,
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
    /// The member's connection stays open and nothing passes on it any more, in either direction.
    HalfOpen {
        /// Which.
        member: MemberId,
        /// How long; what was sent meanwhile is lost, and the connection is closed then.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// The coordinator's time of day is set; the hub notices and corrects what it tells from then on.
    ClockStep {
        /// By how much; negative is back.
        ms: i64,
    },
    /// More groups, each with members of ours.
    Groups {
        /// How many.
        count: u32,
        /// Members in each.
        #[serde(default = "one")]
        members: u32,
        /// How long; then they leave.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// Groups whose ids are trouble elsewhere: '#', a space, an emoji, none at all, 249 characters and more.
    OddIds {
        /// How long; then their members leave.
        #[serde(default = "while_watched")]
        ms: u64,
    },
    /// Whatever fault lasts ends now.
    Calm,
}

/// What the node that a group moves to finds of it in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum Reload {
    /// Nothing: the log is lost, nobody is known.
    None,
    /// The group as it was.
    #[default]
    Newest,
    /// The group as it was one generation earlier: a member id given since is not known.
    Older,
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
            Self::IgnoreRebalance { .. } => "ignore_rebalance",
            Self::JoinWithoutSync { .. } => "join_without_sync",
            Self::QueueBehind { .. } => "queue_behind",
            Self::Refuse { .. } => "refuse",
            Self::Move { .. } => "move",
            Self::FailStorage { .. } => "fail_storage",
            Self::UnusedId { .. } => "unused_id",
            Self::Rejoin { .. } => "rejoin",
            Self::EvictEachOther { .. } => "evict_each_other",
            Self::DuplicateInstance { .. } => "duplicate_instance",
            Self::Full { .. } => "full",
            Self::Forbid { .. } => "forbid",
            Self::Advertise { .. } => "advertise",
            Self::Throttle { .. } => "throttle",
            Self::HalfOpen { .. } => "half_open",
            Self::ClockStep { .. } => "clock_step",
            Self::Groups { .. } => "groups",
            Self::OddIds { .. } => "odd_ids",
            Self::Calm => "calm",
        }
    }

    /// The member it hits, where it names one.
    #[must_use]
    pub const fn member(&self) -> Option<&MemberId> {
        match self {
            Self::Silence { member }
            | Self::Kill { member }
            | Self::Leave { member }
            | Self::IgnoreRebalance { member, .. }
            | Self::JoinWithoutSync { member, .. }
            | Self::QueueBehind { member, .. }
            | Self::Rejoin { member, .. }
            | Self::HalfOpen { member, .. } => Some(member),
            Self::Delay { member, .. }
            | Self::Drop { member, .. }
            | Self::Answer { member, .. }
            | Self::Throttle { member, .. }
            | Self::DuplicateInstance { member } => member.as_ref(),
            _ => None,
        }
    }

    /// The group it is about, where it names one.
    #[must_use]
    pub const fn group(&self) -> Option<&GroupId> {
        match self {
            Self::Move { group, .. }
            | Self::FailStorage { group, .. }
            | Self::UnusedId { group, .. }
            | Self::EvictEachOther { group, .. }
            | Self::Forbid { group, .. } => Some(group),
            Self::Delay { group, .. }
            | Self::Drop { group, .. }
            | Self::Answer { group, .. }
            | Self::Refuse { group, .. }
            | Self::Throttle { group, .. } => group.as_ref(),
            _ => None,
        }
    }
}

const fn one() -> u32 {
    1
}

const fn some_rejoins() -> u32 {
    limits::REJOINS
}

const fn while_watched() -> u64 {
    limits::MS_DEFAULT
}

const fn loading() -> u64 {
    limits::LOADING_MS
}

/// What a log whose followers are away says.
const fn too_few_replicas() -> Code {
    Code(crate::error_code::NOT_ENOUGH_REPLICAS)
}

#[cfg(test)]
mod tests;
