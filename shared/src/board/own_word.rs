//! What a member of ours says itself of why it is not heard, beside what its coordinator sees of it.

use serde::Serialize;

use super::beats::Tally;
use super::departed::Departed;
use super::member::Member;
use crate::error_code::UNKNOWN_MEMBER_ID;
use crate::event::{LinkFault, Source, WithheldReason};
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

/// A heartbeat of one of ours that had no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct LostBeat {
    /// When it was given up.
    pub at: UnixMs,
    /// How it failed.
    pub cause: LinkFault,
}

/// An error that a heartbeat of one of ours was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct BeatRefused {
    /// The second of the answer begins then.
    pub at: UnixMs,
    /// The answer's code.
    pub error: i16,
}

/// What one of ours saw since it was last heard.
#[derive(Clone, Copy, Debug)]
pub struct OwnWord<'a> {
    /// Its request that was out then, without an answer.
    pub unanswered: Option<&'a Unanswered>,
    /// Since when and for how long it was told to send nothing.
    pub throttled: Option<(UnixMs, Millis)>,
    /// Its heartbeats are answered, but with an error: the last one.
    pub refused: Option<BeatRefused>,
    /// Its last heartbeat that came to our coordinator, where by its own word no answer to that has come.
    pub held: Option<Held>,
    /// Its heartbeat that was given up last.
    pub lost: Option<&'a LostBeat>,
}

/// A heartbeat of one of ours that its coordinator has and that is not answered, as far as the member sees.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// When it came to the coordinator.
    pub since: UnixMs,
    /// How long the slowest answer took of the last second in which one came, in microseconds.
    pub last_took_us: Option<u64>,
}

impl<'a> OwnWord<'a> {
    fn between(
        (renewed, until): (UnixMs, UnixMs),
        unanswered: Option<&'a Unanswered>,
        withheld: Option<&'a Withheld>,
        lost: Option<&'a LostBeat>,
        tallies: &[Tally],
    ) -> Self {
        let throttled = withheld.filter(|held| held.reason == WithheldReason::Throttled);
        Self {
            unanswered: unanswered.filter(|out| out.until.is_none_or(|until| until > renewed)),
            throttled: throttled.and_then(|held| Some((held.at, held.lasts?))),
            refused: last_refused(tallies, renewed, until),
            held: held(tallies, renewed, until),
            lost: lost.filter(|lost| lost.at >= renewed && lost.at <= until),
        }
    }
}

/// The last error that a heartbeat was answered with between these two.
pub(super) fn last_refused(tallies: &[Tally], renewed: UnixMs, until: UnixMs) -> Option<BeatRefused> {
    tallies
        .iter()
        .filter(|tally| {
            let meanwhile = tally.from.0.saturating_add(1000) > renewed.0 && !is_consequence(tally, until);
            tally.source == Source::Probe && tally.restarted_at().is_none() && meanwhile
        })
        .filter_map(|tally| {
            Some(BeatRefused {
                at: tally.from,
                error: tally.errors.last()?.0,
            })
        })
        .max_by_key(|refused| refused.at)
}

/// Whether a second's answers came when the membership was over, or because it was: a 25 (UNKNOWN_MEMBER_ID) of the second in
/// which it ended follows from the end. One of a second before was told to a member.
fn is_consequence(tally: &Tally, until: UnixMs) -> bool {
    let end = if tally.has_error(UNKNOWN_MEMBER_ID) {
        tally.from.0.saturating_add(1000)
    } else {
        tally.from.0
    };
    end > until.0
}

/// The heartbeat that was the last to renew the session, where no answer of that time or later came to the member.
fn held(tallies: &[Tally], renewed: UnixMs, until: UnixMs) -> Option<Held> {
    let since = tallies
        .iter()
        .filter(|tally| tally.source == Source::Embedded)
        .filter_map(|tally| tally.renewed_at)
        .max()
        .filter(|came| *came >= renewed)?;
    let answers = || {
        tallies
            .iter()
            .filter(|tally| tally.source == Source::Probe && tally.count > 0 && !is_consequence(tally, until))
    };
    // When an error came is known to the second.
    let may_answer = |tally: &Tally| {
        tally.renewed_at.is_some_and(|at| at >= since)
            || !tally.errors.is_empty() && tally.from.0.saturating_add(1000) > since.0
    };
    if answers().any(may_answer) {
        return None;
    }
    // One whose answers are never seen here is not ours: a leader of ours told of it.
    let last = answers().next_back()?;
    Some(Held {
        since,
        last_took_us: last.cell().slowest_us,
    })
}

impl Member {
    /// What one of ours saw since its session was last renewed; none of others, and where that is not visible.
    #[must_use]
    pub fn own_word(&self) -> Option<OwnWord<'_>> {
        let renewed = self.last_renewed().filter(|_| self.is_ours())?;
        let withheld = self.withheld.as_deref().filter(|held| renewed <= held.at);
        Some(OwnWord::between(
            (renewed, UnixMs(u64::MAX)),
            self.unanswered.as_deref(),
            withheld,
            self.lost_beat.as_deref(),
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
        let word = OwnWord::between(
            (renewed, self.end.at),
            self.unanswered.as_ref(),
            withheld,
            self.lost_beat.as_ref(),
            &self.tallies,
        );
        let kept = self
            .beat_refused
            .filter(|kept| kept.at.0.saturating_add(1000) > renewed.0);
        Some(OwnWord {
            refused: word.refused.or(kept),
            ..word
        })
    }

    /// Keeps the last error before its end: the seconds of later ones, where it goes on beating, push that second out.
    pub(super) fn keep_refused(&mut self) {
        let Some(&renewed) = self.renewed.get() else {
            return;
        };
        let seen = last_refused(&self.tallies, renewed, self.end.at);
        // A second that is still held is told by what is seen of it now.
        let pushed_out = |kept: &BeatRefused| {
            let held = |tally: &Tally| tally.source == Source::Probe && tally.from == kept.at;
            kept.at.0.saturating_add(1000) > renewed.0 && !self.tallies.iter().any(held)
        };
        self.beat_refused = seen.or(self.beat_refused.filter(pushed_out));
    }
}
