//! Time as the core knows it: a monotonic [`Timestamp`] for machines, [`UnixMs`] for what people read, [`Millis`] between.

use std::ops::{Add, Sub};

use serde::Serialize;

use crate::tree::FromNode;

/// A length of time in milliseconds, the unit of every Kafka timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// The same length in microseconds; saturates.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0.saturating_mul(1000)
    }
}

/// A moment on one process's monotonic clock, in microseconds since that clock's start.
///
/// It says nothing about the time of day and must not cross a process boundary; see [`UnixMs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// A moment so far away that no timer waits for it to pass.
    pub const FAR: Self = Self(u64::MAX);

    /// The moment `millis` milliseconds after the clock's start.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// Whole milliseconds since the clock's start.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1000
    }

    /// Microseconds from `earlier` to `self`; 0 where the clock stepped back.
    #[must_use]
    pub const fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Microseconds from `earlier` to `self`, negative where the clock stepped back.
    ///
    /// Kafka 0.10.0 counted so and never clamped (protocol.md 1.1).
    #[must_use]
    pub const fn signed_micros_since(self, earlier: Self) -> i128 {
        self.0 as i128 - earlier.0 as i128
    }
}

impl Add<Millis> for Timestamp {
    type Output = Self;

    /// Saturates: a timeout of `i32::MAX` or more must not wrap into the past (KAFKA's `Timer`, protocol.md C09).
    fn add(self, wait: Millis) -> Self {
        Self(self.0.saturating_add(wait.as_micros()))
    }
}

impl Sub<Millis> for Timestamp {
    type Output = Self;

    fn sub(self, wait: Millis) -> Self {
        Self(self.0.saturating_sub(wait.as_micros()))
    }
}

/// Milliseconds since the Unix epoch: the only time that events, the page and people see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(transparent)]
pub struct UnixMs(pub u64);

impl UnixMs {
    /// Milliseconds from `earlier` to `self`; 0 where `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}
