//! What a member is told when it is made, and what of it makes no sense.

use thiserror::Error;

use crate::heartbeat::IntervalNotBelowSession;
use crate::ids::{GroupId, InstanceId};
use crate::rules::{RequestTimeout, Rules};
use crate::time::Millis;

/// What a member is told when it is made. [`Config::new`] fills in the defaults of its rules.
#[derive(Clone, Debug)]
pub struct Config {
    /// The group it joins.
    pub group: GroupId,
    /// What it calls itself: the client id of its requests, and its name in events until the coordinator has given it one.
    pub client_id: String,
    /// Its name for life, where it is a static member (KIP-345).
    pub instance: Option<InstanceId>,
    /// The topics it subscribes to; none is allowed.
    pub topics: Vec<String>,
    /// Without a heartbeat for this long the coordinator takes it for dead, and it the coordinator.
    pub session_timeout: Millis,
    /// How long the coordinator waits for it to rejoin; JoinGroup version 0 cannot say it.
    pub rebalance_timeout: Millis,
    /// From one heartbeat sent to the next.
    pub heartbeat_interval: Millis,
    /// How long an answer may take.
    pub request_timeout: Millis,
    /// The delay before the first retry.
    pub retry_backoff: Millis,
    /// The longest delay before a retry.
    pub retry_backoff_max: Millis,
    /// Whether leaving tells the coordinator.
    pub on_leave: LeaveOperation,
    /// What it does, when, and on which code.
    pub rules: Rules,
}

/// Whether leaving tells the coordinator: `CloseOptions.GroupMembershipOperation` (KIP-1092).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaveOperation {
    /// A dynamic member leaves, a static one stays until its session is over: it may come back.
    #[default]
    Default,
    /// It leaves.
    LeaveGroup,
    /// It stays until its session is over.
    RemainInGroup,
}

impl LeaveOperation {
    /// Whether a LeaveGroup is sent.
    #[must_use]
    pub const fn leaves(self, is_static: bool) -> bool {
        match self {
            Self::Default => !is_static,
            Self::LeaveGroup => true,
            Self::RemainInGroup => false,
        }
    }
}

impl Config {
    /// A dynamic member without topics, with the timeouts of its rules.
    #[must_use]
    pub fn new(group: GroupId, client_id: impl Into<String>, rules: Rules) -> Self {
        let defaults = rules.defaults;
        Self {
            group,
            client_id: client_id.into(),
            instance: None,
            topics: Vec::new(),
            session_timeout: defaults.session_timeout,
            rebalance_timeout: defaults.rebalance_timeout,
            heartbeat_interval: defaults.heartbeat_interval,
            request_timeout: defaults.request_timeout,
            retry_backoff: defaults.retry_backoff,
            retry_backoff_max: defaults.retry_backoff_max,
            on_leave: LeaveOperation::Default,
            rules,
        }
    }

    /// Checks everything but the interval, which [`crate::heartbeat::Heartbeat::new`] does.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, value) in [
            ("session timeout", self.session_timeout),
            ("rebalance timeout", self.rebalance_timeout),
            ("heartbeat interval", self.heartbeat_interval),
            ("request timeout", self.request_timeout),
            ("retry backoff", self.retry_backoff),
        ] {
            // The wire has them as INT32.
            if value.0 == 0 || value.0 > ConfigError::MILLIS_MAX {
                return Err(ConfigError::Millis { name, value });
            }
        }
        let instance = self.instance.as_ref().map_or("", InstanceId::as_str);
        let names = [
            ("group id", self.group.as_str()),
            ("client id", &self.client_id),
            ("group.instance.id", instance),
        ];
        let topics = self.topics.iter().map(|topic| ("topic name", topic.as_str()));
        for (name, text) in names.into_iter().chain(topics) {
            if text.len() > ConfigError::TEXT_MAX {
                return Err(ConfigError::TooLong {
                    name,
                    length: text.len(),
                });
            }
        }
        if self.instance.is_some() && !self.rules.static_members {
            return Err(ConfigError::StaticMember {
                rules: self.rules.name,
                instance: instance.to_owned(),
            });
        }
        if self.rules.request_timeout == RequestTimeout::AboveSession
            && self.request_timeout <= self.session_timeout
        {
            return Err(ConfigError::RequestNotAboveSession {
                rules: self.rules.name,
                request_timeout: self.request_timeout,
                session_timeout: self.session_timeout,
            });
        }
        Ok(())
    }
}

/// What of a [`Config`] makes no sense, with the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// Every session would end before its first heartbeat.
    #[error(transparent)]
    Interval(#[from] IntervalNotBelowSession),
    /// A time the wire cannot carry, or none at all.
    #[error("{name} {} ms: must be from 1 to {}", value.0, Self::MILLIS_MAX)]
    Millis { name: &'static str, value: Millis },
    /// A name the wire cannot carry.
    #[error("{name} of {length} bytes: at most {} are allowed", Self::TEXT_MAX)]
    TooLong { name: &'static str, length: usize },
    /// The rules are older than static members.
    #[error(
        "group.instance.id {instance:?}: static members came with Kafka 2.3 (KIP-345), the rules {rules} cannot be one"
    )]
    StaticMember { rules: &'static str, instance: String },
    /// A lost answer would be noticed only after the session it should have kept.
    #[error(
        "request timeout {} ms: under the rules {rules} must be above the session timeout, {} ms",
        request_timeout.0,
        session_timeout.0
    )]
    RequestNotAboveSession {
        rules: &'static str,
        request_timeout: Millis,
        session_timeout: Millis,
    },
}

impl ConfigError {
    /// The longest time, in milliseconds: INT32.
    pub const MILLIS_MAX: u64 = i32::MAX as u64;
    /// The longest name, in bytes: a string's length is INT16.
    pub const TEXT_MAX: usize = i16::MAX as usize;
}
