//! What a member of ours says itself of why it is not heard, beside what its coordinator sees of it.

use std::collections::VecDeque;

use serde::Serialize;

use super::beats::Tally;
use super::departed::Departed;
use super::member::Member;
use crate::event::{Source, WithheldReason};
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// That a member sends no heartbeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Withheld {
    /// Why.
    pub reason: WithheldReason,
    /// Since when.
    pub at: UnixMs,
    /// For how long, where an answer said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Millis>,
}

/// A request of one of ours that had no answer, as it says itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Unanswered {
    /// Whether it is its SyncGroup; else its JoinGroup.
    pub sync: bool,
    /// Since when it is out.
    pub since: UnixMs,
    /// When it was given up or refused; none while it is out.
    pub until: Option<UnixMs>,
}

/// What one of ours saw since it was last heard.
#[derive(Clone, Copy, Debug)]
pub struct OwnWord<'a> {
    /// Its request that was out then, without an answer.
    pub unanswered: Option<&'a Unanswered>,
    /// Since when and for how long it was told to send nothing.
    pub throttled: Option<(UnixMs, Millis)>,
    /// Its heartbeats are answered, but with this code, the last in the second that begins then.
    pub refused: Option<(UnixMs, i16)>,
}

impl<'a> OwnWord<'a> {
    fn between(
        (renewed, until): (UnixMs, UnixMs),
        unanswered: Option<&'a Unanswered>,
        withheld: Option<&'a Withheld>,
        tallies: &VecDeque<Tally>,
    ) -> Self {
        let throttled = withheld.filter(|held| held.reason == WithheldReason::Throttled);
        let refused = tallies
            .iter()
            .filter(|tally| {
                let meanwhile = tally.from.0.saturating_add(1000) > renewed.0 && tally.from <= until;
                tally.source == Source::Probe && tally.restarted_at().is_none() && meanwhile
            })
            .filter_map(|tally| Some((tally.from, tally.errors.last()?.0)));
        Self {
            unanswered: unanswered.filter(|out| out.until.is_none_or(|until| until > renewed)),
            throttled: throttled.and_then(|held| Some((held.at, held.lasts?))),
            refused: refused.max_by_key(|(at, _)| *at),
        }
    }
}

impl Member {
    /// What one of ours saw since its session was last renewed; none of others, and where that is not visible.
    #[must_use]
    pub fn own_word(&self) -> Option<OwnWord<'_>> {
        let renewed = self.last_renewed().filter(|_| self.is_ours())?;
        let withheld = self.withheld.as_ref().filter(|held| renewed <= held.at);
        Some(OwnWord::between(
            (renewed, UnixMs(u64::MAX)),
            self.unanswered.as_ref(),
            withheld,
            &self.tallies,
        ))
    }
}

impl Departed {
    /// The same of one that has gone.
    #[must_use]
    pub fn own_word(&self) -> Option<OwnWord<'_>> {
        let renewed = *self
            .renewed
            .get()
            .filter(|_| self.sources.contains(Source::Probe))?;
        let withheld = self.withheld.as_ref().filter(|held| renewed <= held.at);
        Some(OwnWord::between(
            (renewed, self.end.at),
            self.unanswered.as_ref(),
            withheld,
            &self.tallies,
        ))
    }
}
