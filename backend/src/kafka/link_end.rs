//! Every way a connection to a broker can end or fail to begin: a typed cause, and its sentence for an operator, which
//! whoever knows the broker's address puts behind it.

use std::io;

use shared::error_code;
use shared::event::LinkFault;
use shared::protocol::{ApiKey, DecodeError, EncodeError, FrameError};
use shared::time::Millis;
use thiserror::Error;

use super::address::AddressError;
use super::pipeline::OWN;

/// Why a connection is no more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkEnd {
    /// A broker advertised what cannot be an address.
    #[error(transparent)]
    Advertised(#[from] AddressError),
    /// The host's name has no address.
    #[error("its name cannot be resolved: {reason}")]
    Unresolved {
        /// The resolver's words.
        reason: String,
    },
    /// Nobody listens there, or the network says no.
    #[error("cannot be reached: {reason}")]
    Unreachable {
        /// The system's words.
        reason: String,
    },
    /// No answer to the connect.
    #[error("did not take the connection within {} ms", .within.0)]
    ConnectTimedOut {
        /// The deadline, from the start of the connect.
        within: Millis,
    },
    /// The peer said goodbye between two answers.
    #[error("the peer closed the connection{}", waiting(*.unanswered))]
    Closed {
        /// Requests that wait for their answer.
        unanswered: usize,
    },
    /// The peer said goodbye to the first thing that it was asked, as Kafka's SASL listeners do to who does not authenticate.
    #[error(
        "the peer closed the connection while a request waited for its answer, the first on it: so does a listener that \
         wants SASL (security.protocol and sasl.* in the file of --command-config)"
    )]
    ClosedAtOnce,
    /// The peer said goodbye inside an answer.
    #[error("the peer closed the connection inside an answer, after {bytes} of its bytes")]
    ClosedInside {
        /// Bytes of it that came, its length among them.
        bytes: usize,
    },
    /// The system ended it: a reset, an unreachable network.
    #[error("the connection broke: {reason}")]
    Broken {
        /// The system's words.
        reason: String,
    },
    /// No answer by the request's deadline.
    #[error("{} was not answered within {} ms{}", .api.name(), .within.0, half(*.bytes))]
    Unanswered {
        /// Which request, by what it was sent with.
        token: u64,
        /// What was asked.
        api: ApiKey,
        /// The request's timeout.
        within: Millis,
        /// Bytes of an unfinished answer that came.
        bytes: usize,
    },
    /// The peer reads no more: the request did not even leave.
    #[error("{} could not be sent within {} ms: the peer does not read", .api.name(), .within.0)]
    Unsent {
        /// Which request, by what it was sent with.
        token: u64,
        /// What was to be asked.
        api: ApiKey,
        /// The request's timeout.
        within: Millis,
    },
    /// A length no answer can have.
    #[error("the peer announces {error}{}", stranger(*.error))]
    BadLength {
        /// As announced.
        error: FrameError,
    },
    /// Answers come in the order of the requests; this one does not.
    #[error("an answer carries correlation id {came}, the next one due is {due} ({})", .api.name())]
    WrongCorrelation {
        /// As read.
        came: i32,
        /// The oldest request's.
        due: i32,
        /// The oldest request's.
        api: ApiKey,
    },
    /// Nothing was asked.
    #[error("an answer{} came while nothing was asked", numbered(*.came))]
    Unasked {
        /// Its correlation id, where it is long enough to hold one.
        came: Option<i32>,
    },
    /// The bytes are not the answer they should be.
    #[error("the answer to {} cannot be read: {reason}", .api.name())]
    Undecodable {
        /// Which request, by what it was sent with.
        token: u64,
        /// What was asked.
        api: ApiKey,
        /// What is wrong with it.
        reason: DecodeError,
    },
    /// More was unanswered than the one question.
    #[error("the answer to {} came where the one to {} was awaited", .came.name(), .due.name())]
    OtherAnswer {
        /// What was answered.
        came: ApiKey,
        /// What was asked last.
        due: ApiKey,
    },
    /// ApiVersions was answered with an error that leaves nothing to talk about.
    #[error("the peer refuses to tell its versions: {}", error_code::label(*.code))]
    Handshake {
        /// Kafka's error code.
        code: i16,
    },
    /// It answers, and does not know what every broker knows.
    #[error(
        "is no broker: it does not know {} (a KRaft controller, say; what is needed is where brokers listen for clients)",
        .api.name()
    )]
    NoBroker {
        /// What it does not know.
        api: ApiKey,
    },
    /// A request that its version cannot carry.
    #[error("{} cannot be sent: {reason}", .api.name())]
    Unsendable {
        /// What was to be asked.
        api: ApiKey,
        /// Why not.
        reason: EncodeError,
    },
    /// TLS was not agreed on, or broke.
    #[error("TLS: {reason}")]
    Tls {
        /// What happened and what to do.
        reason: String,
    },
    /// The broker does not believe who we are, or cannot prove who it is.
    #[error("authentication by {mechanism}: {reason}")]
    Authentication {
        /// Kafka's name of it.
        mechanism: &'static str,
        /// What happened and what to do; never a secret.
        reason: String,
    },
    /// It waited for an authentication that did not come to its end.
    #[error("{} could not be sent within {} ms: the connection was authenticating again", .api.name(), .within.0)]
    Held {
        /// Which request, by what it was sent with.
        token: u64,
        /// What was to be asked.
        api: ApiKey,
        /// The request's timeout.
        within: Millis,
    },
    /// More requests than a connection may hold wait for their answers.
    #[error("{limit} requests wait for their answers already, which is all a connection may hold")]
    Overrun {
        /// The bound.
        limit: usize,
    },
}

impl LinkEnd {
    /// What a read or a write that failed says.
    pub(super) fn of_io(error: &io::Error) -> Self {
        Self::Broken {
            reason: error.to_string(),
        }
    }

    /// The one request that brought the end about, by what it was sent with: overdue, or answered with garbage. None where
    /// it was one of the connection's own.
    #[must_use]
    pub const fn request(&self) -> Option<u64> {
        match self {
            Self::Unanswered { token: OWN, .. }
            | Self::Unsent { token: OWN, .. }
            | Self::Undecodable { token: OWN, .. } => None,
            Self::Unanswered { token, .. }
            | Self::Unsent { token, .. }
            | Self::Held { token, .. }
            | Self::Undecodable { token, .. } => Some(*token),
            _ => None,
        }
    }

    /// The short word for events: silence, an end, or bytes that make no sense.
    #[must_use]
    pub const fn fault(&self) -> LinkFault {
        match self {
            Self::Advertised(_)
            | Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::Closed { .. }
            | Self::ClosedAtOnce
            | Self::ClosedInside { .. }
            | Self::Broken { .. }
            | Self::Tls { .. }
            | Self::NoBroker { .. }
            | Self::Unsendable { .. }
            | Self::Overrun { .. } => LinkFault::Disconnect,
            Self::Authentication { .. } => LinkFault::Authentication,
            Self::ConnectTimedOut { .. }
            | Self::Unanswered { .. }
            | Self::Unsent { .. }
            | Self::Held { .. } => LinkFault::Timeout,
            Self::BadLength { .. }
            | Self::WrongCorrelation { .. }
            | Self::Unasked { .. }
            | Self::Undecodable { .. }
            | Self::OtherAnswer { .. }
            | Self::Handshake { .. } => LinkFault::Garbled,
        }
    }
}

fn waiting(unanswered: usize) -> String {
    match unanswered {
        0 => String::new(),
        1 => " while a request waited for its answer".to_owned(),
        n => format!(" while {n} requests waited for their answers"),
    }
}

fn numbered(came: Option<i32>) -> String {
    came.map_or_else(String::new, |id| format!(" with correlation id {id}"))
}

fn half(bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        n => format!(" (only {n} bytes of an answer came)"),
    }
}

/// What talks there instead, where the four bytes that should be a length tell.
const fn stranger(error: FrameError) -> &'static str {
    const HTTP: usize = 0x4854_5450; // "HTTP"
    const TLS_ALERT: usize = 0x1503; // record type 21, major version 3
    match error {
        FrameError::TooLarge { len: HTTP, .. } => ": the peer is a web server, not a Kafka broker",
        FrameError::TooLarge { len, .. } if len >> 16 == TLS_ALERT => {
            ": the peer wants TLS (security.protocol is SSL or SASL_SSL there)"
        }
        FrameError::TooLarge { .. } | FrameError::Negative { .. } => "",
    }
}
