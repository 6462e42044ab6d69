//! The errors that beats were answered with, counted by their codes.

use serde::Serialize;

use crate::error_code;
use crate::sorted::SortedMap;
use crate::tree::FromNode;

/// Answers by code. Codes Heartline does not know are counted together, so that nobody can fill the map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct ErrorCounts {
    #[serde(with = "crate::event::int_keys")]
    by_code: SortedMap<i16, u64>,
    unknown: u64,
}

impl ErrorCounts {
    pub(super) const NONE: Self = Self {
        by_code: SortedMap::new(),
        unknown: 0,
    };

    /// Known code and how many, by rising code; 0 is never there.
    pub fn by_code(&self) -> impl Iterator<Item = (i16, u64)> + '_ {
        self.by_code.iter().map(|(code, count)| (*code, *count))
    }

    /// How many carried a code that [`crate::error_code`] does not know.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// How many in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_code
            .values()
            .fold(self.unknown, |sum, n| sum.saturating_add(*n))
    }

    pub(super) fn add(&mut self, code: i16, count: u64) {
        if error_code::find(code).is_none() {
            self.unknown = self.unknown.saturating_add(count);
        } else {
            let of_code = self.by_code.get_or_default(code);
            *of_code = of_code.saturating_add(count);
        }
    }

    pub(super) fn subtract(&mut self, code: i16, count: u64) {
        if error_code::find(code).is_none() {
            self.unknown = self.unknown.saturating_sub(count);
        } else if let Some(of_code) = self.by_code.get_mut(&code) {
            *of_code = of_code.saturating_sub(count);
            if *of_code == 0 {
                self.by_code.remove(&code);
            }
        }
    }

    /// Adds another one's counts.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (code, count) in other.by_code() {
            self.add(code, count);
        }
        self.unknown = self.unknown.saturating_add(other.unknown);
    }
}
