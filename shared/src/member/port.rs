//! What goes into a member and what comes out of it: the whole of its contact with the world.

use std::collections::BTreeMap;

use super::outlook::Outlook;
use crate::event::{Change, LinkFault};
use crate::ids::{MemberId, NodeId};
use crate::protocol::{AnyRequest, AnyResponse, BrokerVersions};
use crate::rules::Answers;
use crate::time::Millis;

/// One connection, from its [`Output::Connect`] on. Never used twice: what carries an old one is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// One request of one member. Never used twice: a second answer to it is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// What happened to the member.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A deadline may have passed.
    Tick,
    /// The connection is ready: made, and ApiVersions answered.
    LinkUp { link: LinkId, versions: BrokerVersions },
    /// The connection could not be made, or has ended. Not told of one that [`Output::Disconnect`] ended.
    LinkDown {
        link: LinkId,
        cause: LinkFault,
        /// What the network said, where it said something.
        detail: Option<String>,
    },
    /// A request was answered, or will not be.
    Answer {
        link: LinkId,
        token: Token,
        result: Result<AnyResponse, AnswerFault>,
    },
    /// How many partitions topics have: all of those in the last [`Output::FindTopics`] that exist. May be told again, and
    /// unasked: a leader whose assignment no longer fits rejoins.
    Topics(BTreeMap<String, u32>),
    /// It subscribes to these topics from now on.
    Subscribe(Vec<String>),
    /// It joins again though nothing has changed: Java's `enforceRebalance` (KIP-568). Only a stable member does; where it
    /// leads, the group rebalances.
    Rejoin,
    /// What codes in answers do from now on: with a table that no client should have it is a defective member, and all that
    /// it tells is true of such a one.
    Obey(Answers),
    /// What is seen of its coordinator from outside, from now on.
    Outlook(Outlook),
    /// It leaves, and then it ends.
    Leave {
        /// For the coordinator's log, cut after 255 characters (KIP-800).
        reason: Option<String>,
    },
}

/// Why a request was not answered though its connection has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFault {
    /// The time given with it is over.
    Timeout {
        /// What the network said, where it said something.
        detail: Option<String>,
    },
    /// What came cannot be the answer.
    Garbled { detail: String },
}

/// What the member wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Make a connection. One that cannot be made in time is told as [`Input::LinkDown`].
    Connect { link: LinkId, to: Peer },
    /// End it and forget it: its requests are told nothing any more.
    Disconnect { link: LinkId },
    /// Send a request, in the order of the outputs; what is sent on one connection is answered in that order.
    Send {
        link: LinkId,
        token: Token,
        version: i16,
        request: AnyRequest,
        /// How long the answer may take from now; then [`AnswerFault::Timeout`].
        timeout: Millis,
    },
    /// The member leads and must know how many partitions these topics have: [`Input::Topics`].
    FindTopics(Vec<String>),
    /// Something happened, to the member itself or, where it leads, to another: the list a leader is given says who came and
    /// who is gone. Whoever drives several members of a group knows better about those than their leader does.
    Event {
        /// Whom it happened to: a member id, or its client id while this member has none.
        member: MemberId,
        change: Change,
    },
    /// Nothing more comes.
    Ended(End),
}

/// Whom to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Any broker of the cluster.
    Bootstrap,
    /// The group's coordinator.
    Coordinator { node: NodeId, host: String, port: u16 },
}

/// How a member ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It left: LeaveGroup was answered.
    Left,
    /// It was not in the group: there was nothing to leave.
    Outside,
    /// It ended without the coordinator's word for it and stays in the group until its session is over there.
    Remains { why: String },
    /// It ended by an error.
    Fatal(Fatal),
}

/// An error no retry can mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fatal {
    /// Kafka's code, where an answer carried one. After 82 no new member may start: it would fence the other for ever.
    pub code: Option<i16>,
    /// What happened and what can be done about it, for the operator.
    pub sentence: String,
}
