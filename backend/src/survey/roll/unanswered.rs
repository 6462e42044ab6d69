//! Groups that no look has told of for longer than the last one may be shown as if it were now.
//!
//! Why does not matter: a broker that answers everything else may say 14, 15 or 16 of a group, leave it out of its answers, or never
//! get round to it. That a whole broker does not answer is told of the broker, see `brokers`.

use std::collections::VecDeque;

use shared::event::Change;
use shared::ids::{GroupId, NodeId};
use shared::time::{Millis, Timestamp};

use super::Roll;
use super::broker::{Seat, Standing};
use super::group::Known;
use crate::limits;
use crate::survey::look::Describe;
use crate::survey::port::{Output, Report};

impl Known {
    /// How long after the last look that told of it it may be shown as it was.
    fn patience(&self) -> Millis {
        if self.absent.is_some() {
            // Its coordinator has no such group: it is gone by then, unless somebody else may have it.
            limits::SURVEY_ABSENT
        } else if self.refused.is_some() {
            limits::SURVEY_UNANSWERED_FOR
        } else {
            limits::SURVEY_OVERDUE
        }
    }

    /// Whether a look at it tells nothing: what can be known of it is what the lists say.
    fn is_told_by_lists(&self, seat: &Seat) -> bool {
        let unknown = |call: Describe| seat.is_up() && seat.version(call.api()).is_none();
        self.missing.is_none() && (self.is_hidden() || self.call().is_none_or(unknown))
    }

    /// Whether who is taken for its coordinator lists it and has told of it just now.
    pub(super) fn is_told_of(&self, now: Timestamp) -> bool {
        let told = self.refused.is_none() && self.absent.is_none() && self.missing.is_none();
        told && !self.before && self.call().is_some() && self.answered_at + limits::SURVEY_OVERDUE > now
    }

    /// Whether that is over.
    fn is_overdue(&self, now: Timestamp) -> bool {
        self.before || self.answered_at + self.patience() <= now
    }

    /// That it is not answered for, where that is so and is not told yet.
    pub(super) fn doubted(&mut self, now: Timestamp, id: &GroupId) -> Option<Output> {
        let error = self.refused.filter(|_| !self.is_hidden());
        // Its coordinator answers: that it may not tell us is told as that.
        if self.is_hidden() || self.doubt == Some(error) || !self.is_overdue(now) {
            return None;
        }
        self.doubt = Some(error);
        let change = Change::CoordinatorNotFound {
            error,
            cause: None,
            detail: None,
        };
        let report = Report::seen(now, id, change).since(Some(self.answered_at));
        Some(Output::Report(report))
    }
}

impl Roll {
    /// Tells which groups are not answered for, and which are again, as far as no answer has told.
    pub(super) fn doubt(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        if self.doubt_due > now {
            return;
        }
        self.doubt_due = now + limits::SURVEY_DOUBT_PACE;
        let mut again = Vec::new();
        for (id, known) in &mut self.groups {
            let seat = self.seats.get(&known.node);
            if let Some(seat) = seat.filter(|seat| known.is_told_by_lists(seat)) {
                known.answered_at = known.answered_at.max(seat.listed_at.unwrap_or_default());
                known.before &= seat.listed_at.is_none();
            }
            if known.doubt.is_some() && !known.is_overdue(now) {
                again.push(id.clone());
            } else if known.moved_at + limits::SURVEY_OVERDUE <= now
                && seat.is_none_or(|seat| seat.had_time(now))
            {
                out.extend(known.doubted(now, id));
            }
        }
        for id in again {
            self.is_answered_for(now, &id, out);
        }
    }

    /// What the answers of a broker about these groups mean for that.
    pub(super) fn answers_for(
        &mut self,
        now: Timestamp,
        node: NodeId,
        asked: &[GroupId],
        out: &mut VecDeque<Output>,
    ) {
        for id in asked {
            let Some(known) = self.groups.get_mut(id).filter(|known| known.node == node) else {
                continue;
            };
            if known.answered_at == now {
                if let Some(seat) = self.seats.get_mut(&node) {
                    seat.described_at = now;
                }
                self.is_answered_for(now, id, out);
            } else if known.refused.is_some() {
                out.extend(known.doubted(now, id));
            }
        }
    }

    fn is_answered_for(&mut self, now: Timestamp, id: &GroupId, out: &mut VecDeque<Output>) {
        if let Some(known) = self.groups.get_mut(id)
            && known.doubt.take().is_some()
        {
            let node = known.node;
            out.extend(self.sits(now, node, id));
        }
    }

    /// Where its coordinator is now, as the lists or the log tell, before that has answered about it.
    pub(super) fn sits_anew(&mut self, now: Timestamp, id: &GroupId, out: &mut VecDeque<Output>) {
        let Some(known) = self.groups.get_mut(id) else {
            return;
        };
        // As with brokers, one that has told nothing since the last move gets no more time.
        if known.answered_at >= known.moved_at {
            known.moved_at = now;
        }
        // Whoever hears where it is takes it for answered.
        let doubted = known.doubt.take().is_some();
        let node = known.node;
        out.extend(self.sits(now, node, id));
        if let Some(known) = self.groups.get_mut(id).filter(|_| doubted) {
            out.extend(known.doubted(now, id));
        }
    }
}

impl Seat {
    /// It answers again. One that has told nothing since it did so last gets no more time.
    pub(super) fn is_back(&mut self, now: Timestamp) {
        if self.described_at >= self.back_at {
            self.back_at = now;
        }
    }

    /// Whether it has answered for long enough to have told of its groups, and still does. One that does not is told to be silent, with
    /// all its groups.
    fn had_time(&self, now: Timestamp) -> bool {
        let heard = |at| at + limits::SURVEY_HEARD > now;
        self.standing != Standing::Silent
            && self.back_at + limits::SURVEY_OVERDUE <= now
            && self.answered_at.is_none_or(heard)
    }
}
