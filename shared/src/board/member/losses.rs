//! A coordinator that one of ours finds and loses again and again.

use serde::Serialize;

use super::Member;
use crate::board::text::clipped;
use crate::event::DeathCause;
use crate::health::words::{escaped, many, span};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// How often one of ours has lost its coordinator since it was last answered there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Losses {
    /// How often.
    pub times: u32,
    /// When first.
    pub since: UnixMs,
    /// When last.
    pub last: UnixMs,
    /// What it concluded the last loss from.
    pub cause: DeathCause,
    /// The link's own words of it.
    pub detail: Option<String>,
}

impl Losses {
    /// "found its coordinator and lost it again, 5 times in 14 s"; none where it was lost once.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let again = self.times >= 2;
        again.then(|| {
            let detail = self.detail.as_ref();
            format!(
                "found its coordinator and lost it again, {} in {}{}",
                many(self.times.into(), "time", "times"),
                span(self.last.since(self.since)),
                detail.map_or_else(String::new, |detail| format!(" ({})", escaped(detail)))
            )
        })
    }
}

impl Member {
    /// It takes its coordinator for dead.
    pub(in crate::board) fn lost_coordinator(
        &mut self,
        cause: DeathCause,
        detail: Option<&String>,
        again: u32,
        at: UnixMs,
    ) {
        let lost_already = self.coordinator_lost.is_some();
        self.coordinator_lost.get_or_insert(at);
        let before = self.losses.take();
        let (times, since) = before
            .as_ref()
            .map_or((0, at), |before| (before.times, before.since));
        self.losses = Some(Box::new(Losses {
            times: times.saturating_add(again.max(u32::from(!lost_already || times == 0))),
            since,
            last: at,
            cause,
            detail: detail.map(clipped),
        }));
    }

    /// An answer renewed its session at `at`: what it lost before is over. Told by joins and by the summaries of a second, never
    /// by single beats, as [`crate::board::Seat::lost`] is.
    pub(in crate::board) fn losses_over(&mut self, at: UnixMs) {
        self.losses = self.losses.take().filter(|losses| losses.last >= at);
        if let Some(losses) = self.losses.as_mut().filter(|losses| losses.since < at) {
            (losses.times, losses.since) = (1, losses.last);
        }
    }
}
