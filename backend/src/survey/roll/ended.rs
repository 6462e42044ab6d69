//! A group that is there no more, and another of its name: whatever was told of the one is not of the other.

use std::collections::VecDeque;

use shared::error_code;
use shared::event::Change;
use shared::ids::{Generation, GroupId, NodeId};
use shared::time::{Timestamp, UnixMs};

use super::Roll;
use super::absence::denies;
use super::group::Known;
use super::heard::InLog;
use crate::limits;
use crate::survey::before::BEFORE;
use crate::survey::ledger::{Ended, Ledger};
use crate::survey::look::Look;
use crate::survey::port::{Output, Report, When};

/// When a group was over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    /// Who has its name since then came after this.
    since: Timestamp,
    /// When that was known, by the log or by lists.
    heard: Timestamp,
    /// When it was, by the broker's clock, where the log told it.
    at: Option<UnixMs>,
}

impl Over {
    /// When there was none of its name, of times at which lists told of all groups; those of before had the one that is over.
    pub(super) fn absent_at(&self, lists: [Option<Timestamp>; 2]) -> [Option<Timestamp>; 2] {
        lists.map(|at| at.filter(|at| *at > self.heard).or(Some(self.since)))
    }

    /// When it was written, and a time before that by our clock.
    pub(super) fn written(&self) -> Option<(Timestamp, UnixMs)> {
        Some((self.since, self.at?))
    }
}

impl Roll {
    /// The log told that there is no such group any more.
    pub(super) fn ends(&mut self, now: Timestamp, ended: Ended, out: &mut VecDeque<Output>) {
        let Ended { group, at, since, .. } = ended;
        match self.ended.get_mut(&group).filter(|over| over.at.is_none()) {
            // Lists or looks have told it before the log was read, and who is there now is another.
            Some(over) => {
                over.at = Some(at);
                return;
            }
            None => self.goes(&group, When::There(at), None, out),
        }
        let over = Over {
            since,
            heard: now,
            at: Some(at),
        };
        self.notes(now, group, over);
        // The next list is read, be it the same as the last: another group may be on it.
        for seat in self.seats.values_mut() {
            seat.remembered.list_is_settled = false;
        }
    }

    /// The same by lists or looks: the log may tell it later.
    pub(super) fn was_over(&mut self, now: Timestamp, group: GroupId, since: Timestamp) {
        let over = Over {
            since,
            heard: now,
            at: None,
        };
        self.notes(now, group, over);
    }

    fn notes(&mut self, now: Timestamp, group: GroupId, over: Over) {
        self.ended
            .retain(|_, over| over.heard + limits::SURVEY_UNSAID > now);
        if self.ended.len() < limits::SURVEY_GROUPS {
            self.ended.insert(group, over);
        }
    }

    /// A group is listed that was missing, and that its coordinator denied: it was gone, and this is another one.
    pub(super) fn makes_way(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        node: NodeId,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let known = self.groups.get(id).filter(|known| known.node == node);
        let denied = known.and_then(|known| Some((known.was_denied()?, known.listed_at)));
        // A coordinator that has not read its partition yet says the same.
        let denied = denied.filter(|(since, _)| ledger.was_listed(id, *since));
        let Some((since, listed)) = denied else { return };
        self.goes(id, When::Here(since), Some(listed), out);
        self.was_over(now, id.clone(), since);
    }

    /// A look shows a group that its coordinator denied, or one in an earlier generation or epoch than it was in before at the same
    /// coordinator, which never goes back: it is another one, that came between the two.
    pub(super) fn is_another(
        &mut self,
        now: Timestamp,
        look: &Look,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let id = &look.group;
        let Some(known) = self.groups.get(id).filter(|known| known.asked) else {
            return;
        };
        let denied = known.was_denied().filter(|_| !denies(look));
        let denied = denied.filter(|since| ledger.was_listed(id, *since));
        let (mut at, mut log) = (When::Here(now), InLog::default());
        let before = match denied {
            Some(since) => Some(since),
            None if known.is_earlier(look) && !ledger.follows(id) => known.looked_at,
            None => {
                let Some(made) = known.made_anew_unseen(look, ledger) else {
                    return;
                };
                at = made;
                log.before = Some(Generation(0));
                Some(BEFORE)
            }
        };
        let fresh = Known {
            log,
            protocol_type: known.protocol_type.clone(),
            asked: known.asked,
            asked_at: known.asked_at,
            // Who is there now came after that.
            rested_at: [before, None],
            ..Known::new(known.node, known.group_type.clone(), now)
        };
        match denied {
            Some(since) => {
                let listed = Some(known.listed_at);
                self.goes(id, When::Here(since), listed, out);
            }
            None => self.goes(id, at, before, out),
        }
        self.was_over(now, id.clone(), before.unwrap_or_default());
        self.comes(now, id.clone(), fresh, None, out);
    }

    /// Whether a list names a group that the log has told to be over, and may be older than that.
    pub(super) fn is_old_news(&self, now: Timestamp, id: &GroupId, ledger: &Ledger) -> bool {
        let over = self.ended.get(id).filter(|over| over.at.is_some());
        let over = over.filter(|_| !self.groups.contains_key(id));
        over.is_some_and(|over| over.heard + limits::SURVEY_MISSING > now) && !ledger.names(id)
    }

    /// That a group is there no more, since `earliest` at the earliest where it is not known exactly.
    pub(super) fn goes(
        &mut self,
        id: &GroupId,
        at: When,
        earliest: Option<Timestamp>,
        out: &mut VecDeque<Output>,
    ) {
        let Some(known) = self.groups.remove(id) else {
            return;
        };
        if let Some(seat) = self.seats.get_mut(&known.node) {
            seat.unplan(id, &known);
        }
        let change = Change::GroupGone {
            group_type: known.group_type,
        };
        let report = Report {
            at,
            ..Report::seen(Timestamp::default(), id, change)
        };
        out.push_back(Output::Report(report.since(earliest)));
    }
}

impl Known {
    /// Since when its coordinator denies that there is one that its lists lack; none where it only may not say.
    fn was_denied(&self) -> Option<Timestamp> {
        let denied = self
            .refused
            .is_none_or(|code| code == error_code::GROUP_ID_NOT_FOUND);
        self.call()?;
        self.gone_since().filter(|_| denied)
    }

    fn is_earlier(&self, look: &Look) -> bool {
        let Ok(told) = &look.told else { return false };
        let stays = self.looked_at.is_some_and(|at| self.moved_at <= at);
        stays && told.epoch.is_some() && told.epoch < self.epoch
    }
}
