//! What a group member does, as data: Kafka 0.10.0's consumer and today's contradict each other, so the machine is one
//! and its rules are two.
//!
//! Every difference between the two is a field of [`Rules`]; the machine asks the field and never the name. What a code in
//! an answer does is the table [`Answers`]. Sources: the classes `Heartbeat`, `AbstractCoordinator` and
//! `ConsumerCoordinator` of the release that a constant names; KIPs and Jiras stand at the fields they changed.

mod answers;
#[cfg(test)]
mod tests;

pub use answers::{Answers, Codes, Effect, Forget, GroupRequest};

use crate::time::Millis;

/// The rules a member follows. Two sets exist: [`Rules::V0_10`] and [`Rules::MODERN`]; the machine takes any mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What the set is called on the command line.
    pub name: &'static str,
    /// What keeps a heartbeat from being sent, and when that is looked at.
    pub guard: Guard,
    /// Which moment ends a session.
    pub expiry: Expiry,
    /// Whether the end of a session is noticed while a heartbeat is out.
    pub expiry_in_flight: ExpiryInFlight,
    /// What a clock that steps back does.
    pub clock: ClockRule,
    /// What restarting the session does to the next heartbeat.
    pub session_reset: SessionReset,
    /// From which answer on a joining member sends heartbeats.
    pub first_heartbeat: FirstHeartbeat,
    /// How delays grow.
    pub retry: Retry,
    /// What the backoff after a failed heartbeat decides.
    pub failed_heartbeat: FailedHeartbeat,
    /// What 27 to a Heartbeat is.
    pub rebalance_in_progress: RebalanceInProgress,
    /// What 22, 25 and 82 do when they answer an older generation.
    pub stale_answers: StaleAnswers,
    /// Which answer makes "must rejoin" false.
    pub rejoin_cleared: RejoinCleared,
    /// Whether a JoinGroup waits for what is under way to the coordinator.
    pub join_waits: JoinWaits,
    /// How long a JoinGroup may take.
    pub join_timeout: JoinTimeout,
    /// Which version of an API is spoken.
    pub version: VersionRule,
    /// A broker whose JoinGroup starts above this version is refused.
    pub join_floor_max: i16,
    /// Whether a `group.instance.id` can be used (KIP-345, Kafka 2.3).
    pub static_members: bool,
    /// Whether the request timeout must be above the session timeout.
    pub request_timeout: RequestTimeout,
    /// What each code in an answer does.
    pub answers: Answers,
    /// The timeouts where nothing else is said.
    pub defaults: Defaults,
}

impl Rules {
    /// The consumer of Kafka 0.10.0 (protocol.md 1.1-1.5).
    pub const V0_10: Self = Self {
        name: "v0.10",
        guard: Guard::RejoinSilences,
        expiry: Expiry::After,
        expiry_in_flight: ExpiryInFlight::Unnoticed,
        clock: ClockRule::AsGiven,
        session_reset: SessionReset::PostponesHeartbeat,
        first_heartbeat: FirstHeartbeat::AfterSync,
        retry: Retry::Constant,
        failed_heartbeat: FailedHeartbeat::LookedAtAgain,
        rebalance_in_progress: RebalanceInProgress::FailsTheHeartbeat,
        stale_answers: StaleAnswers::Obeyed,
        rejoin_cleared: RejoinCleared::AtJoin,
        join_waits: JoinWaits::UntilNothingIsPending,
        join_timeout: JoinTimeout::Request,
        version: VersionRule::LowestCommon,
        join_floor_max: 3,
        static_members: false,
        request_timeout: RequestTimeout::AboveSession,
        answers: Answers::V0_10,
        defaults: Defaults {
            session_timeout: Millis(30_000),
            rebalance_timeout: Millis(60_000),
            heartbeat_interval: Millis(3000),
            request_timeout: Millis(40_000),
            retry_backoff: Millis(100),
            retry_backoff_max: Millis(100),
        },
    };

    /// Today's consumer, classic protocol (protocol.md 1.8): the default.
    pub const MODERN: Self = Self {
        name: "modern",
        guard: Guard::JoinedOnly,
        expiry: Expiry::At,
        expiry_in_flight: ExpiryInFlight::Noticed,
        clock: ClockRule::NeverBack,
        session_reset: SessionReset::LeavesHeartbeat,
        first_heartbeat: FirstHeartbeat::AfterJoin,
        retry: Retry::Exponential,
        failed_heartbeat: FailedHeartbeat::SentAgain,
        rebalance_in_progress: RebalanceInProgress::RenewsTheSession,
        stale_answers: StaleAnswers::Ignored,
        rejoin_cleared: RejoinCleared::AtSync,
        join_waits: JoinWaits::Never,
        join_timeout: JoinTimeout::Rebalance,
        version: VersionRule::HighestCommon,
        join_floor_max: i16::MAX,
        static_members: true,
        request_timeout: RequestTimeout::Free,
        answers: Answers::MODERN,
        defaults: Defaults {
            session_timeout: Millis(45_000),
            rebalance_timeout: Millis(60_000),
            heartbeat_interval: Millis(3000),
            request_timeout: Millis(30_000),
            retry_backoff: Millis(100),
            retry_backoff_max: Millis(1000),
        },
    };

    /// Both sets.
    pub const ALL: [&'static Self; 2] = [&Self::V0_10, &Self::MODERN];
}

impl Default for Rules {
    fn default() -> Self {
        Self::MODERN
    }
}

/// What keeps a heartbeat from being sent. In both sets at most one is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `HeartbeatTask.run`: no generation, rejoin needed or coordinator unknown; then session over; then not due. Looked at
    /// only when the task runs, and after the first two nothing runs it again until a join or a discovery does.
    RejoinSilences,
    /// `HeartbeatThread` (KIP-62): not joined; coordinator unknown; session over; not due. Looked at after every input. A
    /// member that must rejoin goes on until its JoinGroup is sent.
    JoinedOnly,
}

/// Which moment ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// The first moment after the timeout: strict.
    After,
    /// The timeout itself: inclusive (Kafka 2.1's `Timer`).
    At,
}

/// Whether the end of a session is noticed while a heartbeat is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryInFlight {
    /// A mute coordinator costs the request timeout: nothing looks while the answer is awaited (protocol.md A19).
    Unnoticed,
    /// It costs the session timeout.
    Noticed,
}

/// What a clock that steps back does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockRule {
    /// It postpones the next heartbeat and the end of the session (protocol.md A17).
    AsGiven,
    /// Nothing: the latest moment seen counts (Kafka 2.1's `Timer.update`).
    NeverBack,
}

/// What restarting the session does to the next heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionReset {
    /// It is due an interval after the reset, so that a rediscovery late in the broker's session can cost the membership
    /// (protocol.md trap 8).
    PostponesHeartbeat,
    /// It stays due when it was.
    LeavesHeartbeat,
}

/// From which answer on a joining member sends heartbeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstHeartbeat {
    /// SyncGroup's.
    AfterSync,
    /// JoinGroup's (KAFKA-10134, Kafka 2.7).
    AfterJoin,
}

/// How delays grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// `retry.backoff.ms` each time.
    Constant,
    /// Doubling up to `retry.backoff.max.ms`, with jitter (KIP-580, Kafka 3.7).
    Exponential,
}

/// What the backoff after a failed heartbeat decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedHeartbeat {
    /// When the guard is looked at again; the next one is still due an interval after the last was sent, so that a backoff
    /// below the interval changes nothing (protocol.md trap 9).
    LookedAtAgain,
    /// When the next one is due (KIP-62).
    SentAgain,
}

/// What 27 to a Heartbeat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebalanceInProgress {
    /// A failure: the session is not renewed. Always obeyed.
    FailsTheHeartbeat,
    /// A success: the coordinator has just renewed the session (KIP-62). Obeyed in `Stable` only (KAFKA-10134).
    RenewsTheSession,
}

/// What 22, 25 and 82 do when the member has another generation, member id or protocol than the Heartbeat they answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleAnswers {
    /// The same as ever: a late 25 wipes the new member id (protocol.md trap 20).
    Obeyed,
    /// Nothing, and the heartbeat counts as a success (KAFKA-9823, Kafka 2.6).
    Ignored,
}

/// Which answer makes "must rejoin" false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejoinCleared {
    /// JoinGroup's; an error to SyncGroup sets it again.
    AtJoin,
    /// SyncGroup's (KAFKA-5154, Kafka 1.0).
    AtSync,
}

/// Whether a JoinGroup waits for what is under way to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinWaits {
    /// Until every request to the coordinator has ended: a heartbeat in flight delays the join.
    UntilNothingIsPending,
    /// It is sent behind them.
    Never,
}

/// How long a JoinGroup may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinTimeout {
    /// As long as any request.
    Request,
    /// 5 s more than the rebalance timeout where that is longer than the request timeout (KAFKA-7050, Kafka 2.0).
    Rebalance,
}

/// Which version of an API is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRule {
    /// The lowest that both sides know.
    LowestCommon,
    /// The highest that both sides know.
    HighestCommon,
}

/// Whether the request timeout must be above the session timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestTimeout {
    /// It must (KAFKA-2428): `KafkaConsumer` refused to start otherwise.
    AboveSession,
    /// It need not (KAFKA-7050, Kafka 2.0).
    Free,
}

/// The timeouts where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// `session.timeout.ms`.
    pub session_timeout: Millis,
    /// `max.poll.interval.ms` in a consumer; Heartline's members have no poll of an application to wait for.
    pub rebalance_timeout: Millis,
    /// `heartbeat.interval.ms`.
    pub heartbeat_interval: Millis,
    /// `request.timeout.ms`.
    pub request_timeout: Millis,
    /// `retry.backoff.ms`.
    pub retry_backoff: Millis,
    /// `retry.backoff.max.ms`; without a meaning where delays are constant.
    pub retry_backoff_max: Millis,
}
