//! Under which id a member's row stands.
//!
//! A member of ours goes by its client id until the coordinator names it. Then the row takes the new id, and the old
//! name is kept as an alias: events under it still reach the row. A coordinator that does not know the id any more
//! turns it back.

use std::sync::Arc;

use super::{Group, News};
use crate::board::departed::Departed;
use crate::board::limits::ALIASES;
use crate::board::member::{Member, Phase, is_listing};
use crate::board::text::clipped;
use crate::event::{Change, Source};
use crate::ids::MemberId;
use crate::member::State;

impl Group {
    /// The id of the row that events under `id` belong to.
    pub(in crate::board) fn row_id(&self, id: &MemberId) -> Option<MemberId> {
        if self.members.contains_key(id) {
            return Some(id.clone());
        }
        self.aliases
            .get(id)
            .filter(|row| self.members.contains_key(*row))
            .cloned()
    }

    /// The member that one of ours goes on as which an answer took its id from.
    #[must_use]
    pub fn goes_on_as(&self, gone: &Departed) -> Option<&Member> {
        gone.disowned?;
        let row = self.aliases.get(&gone.id)?;
        self.members.get(row).map(|member| &**member)
    }

    /// The member id of one of ours that speaks of itself by its client id; else `id` itself.
    pub(super) fn own_row(&self, id: &MemberId) -> MemberId {
        let row = self.aliases.get(id).filter(|row| {
            let goes_by = self.members.get(*row).and_then(|member| member.goes_by.as_ref());
            goes_by == Some(id)
        });
        row.unwrap_or(id).clone()
    }

    /// The row that an event under `id` belongs to, made where there is none.
    ///
    /// None for a member that has departed: only a join brings it back. None too on a full board.
    pub(super) fn row(&mut self, id: &MemberId, news: &News<'_>) -> Option<&mut Member> {
        let source = news.source;
        let at = news.first_at();
        let named = source != Source::Probe || is_of_named(news.change);
        let mut row = self.row_id(id);
        if source == Source::Probe
            && let Some(found) = &row
        {
            row = Some(self.restart_failed(found.clone(), id, news));
        }
        // One of ours that starts again goes by its client id at first, under which the one before it may have departed.
        if row.is_none()
            && (self.departed.iter().any(|gone| gone.id == *id) || named && self.gone(id).is_some())
        {
            return None;
        }
        let row = match row {
            Some(row) => row,
            None => self.take_over(id, None, named).or_else(|| {
                news.room.member.then(|| {
                    let member = Member::new(id.clone(), named, at, source);
                    self.insert(member);
                    id.clone()
                })
            })?,
        };
        if source == Source::Probe && row == *id {
            self.absorb_unnamed(&row, named);
        }
        let member = Arc::make_mut(self.members.get_mut(&row)?);
        member.sources.insert(source);
        member.named |= named && row == *id;
        // By its summary, where a beat is the first that is seen of it itself: a page that is sent no single beats, and what
        // depends on it, must come out the same.
        let change = news.change;
        let of_itself = source == Source::Probe && is_of_itself(change) && !change.is_single_beat();
        // The last second of one that has ended is told after its end.
        member.ours |= of_itself && member.killed.is_none();
        Some(member)
    }

    /// The coordinator does not know the id any more: its row goes on under the client id, the id departs.
    pub(super) fn lose_id(&mut self, id: &MemberId, error: Option<i16>, news: &News<'_>) {
        let (at, source) = (news.at, news.source);
        let end = self.end_of_unknown(error, news);
        let id = &self.own_row(id);
        let live = self.members.get(id).filter(|row| row.named).cloned();
        let gone = self.gone(id);
        let client_id = match (&live, gone) {
            (Some(row), _) => row
                .goes_by
                .clone()
                .or_else(|| row.client_id.get().map(|name| MemberId::from(name.as_str()))),
            (None, Some(gone)) => gone.client_id.as_deref().map(MemberId::from),
            (None, None) => None,
        };
        if let Some(row) = live {
            let mut departed = Departed::from_row(&row, end);
            departed.disowned = Some(at);
            self.members.remove(id);
            if let Some(client_id) = client_id {
                // They stay with the row: summaries under the old id reach it through the alias.
                departed.tallies.clear();
                departed.beat_refused = None;
                let mut row = Arc::unwrap_or_clone(row);
                row.sources.insert(source);
                row.lose_id(client_id, at);
                self.insert_renamed(id, row);
            }
            self.push_departed(departed, news);
            return;
        }
        self.depart(id, end, news);
        if let Some(client_id) = client_id
            && self.row_id(&client_id).is_none()
            && news.room.member
        {
            self.insert(Member::new(client_id, false, at, source));
        }
    }

    /// A new member of ours under a client id whose last one had failed starts with that one's row.
    fn restart_failed(&mut self, row: MemberId, id: &MemberId, news: &News<'_>) -> MemberId {
        let failed = self.members.get(&row).is_some_and(|member| {
            matches!(member.phase, Phase::Failed { .. }) && member.goes_by.as_ref() == Some(id)
        });
        // The move to its end is the failed one's own last word.
        let starts = match news.change {
            Change::MemberMoved { to, .. } => *to != State::Ended,
            Change::CoordinatorFound { .. } | Change::HeartbeatWithheld { .. } => true,
            _ => false,
        };
        if !failed || !starts {
            return row;
        }
        let Some(old) = self.members.remove(&row) else {
            return row;
        };
        let mut member = Arc::unwrap_or_clone(old);
        member.refused = None;
        member.withheld = None;
        member.killed = None;
        member.lose_id(id.clone(), news.at);
        self.insert_renamed(&row, member);
        id.clone()
    }

    /// Gives the row of an unnamed member of ours the id it has been given; the row's new id, where there was one.
    pub(super) fn take_over(
        &mut self,
        id: &MemberId,
        client_id: Option<&str>,
        named: bool,
    ) -> Option<MemberId> {
        let unnamed = self.unnamed_for(id, client_id, named)?;
        let mut row = Arc::unwrap_or_clone(self.members.remove(&unnamed)?);
        row.id = id.clone();
        row.named = true;
        self.insert_renamed(&unnamed, row);
        Some(id.clone())
    }

    /// Folds the row an unnamed member of ours left behind into the named one that was there first.
    fn absorb_unnamed(&mut self, row: &MemberId, named: bool) {
        let linked = |member: &&Arc<Member>| member.is_ours() && member.named;
        let Some(member) = self.members.get(row).filter(|member| !linked(member)) else {
            return;
        };
        let client_id = member.client_id.get().cloned();
        if let Some(unnamed) = self.unnamed_for(row, client_id.as_deref(), named) {
            self.absorb(&unnamed, row);
        }
    }

    /// The same, where one of ours says itself by which client id it went.
    pub(super) fn absorb_named(&mut self, row: &MemberId, client_id: Option<&String>) {
        let unnamed = client_id.map(|name| MemberId::from(clipped(name)));
        let is_unnamed = |name: &MemberId| self.members.get(name).is_some_and(|member| !member.named);
        if let Some(unnamed) = unnamed.filter(|name| name != row && is_unnamed(name)) {
            self.absorb(&unnamed, row);
        }
    }

    fn absorb(&mut self, unnamed: &MemberId, row: &MemberId) {
        if !self.members.contains_key(row) {
            return;
        }
        let Some(left_behind) = self.members.remove(unnamed) else {
            return;
        };
        if let Some(member) = self.members.get_mut(row) {
            Arc::make_mut(member).absorb(Arc::unwrap_or_clone(left_behind));
        }
        self.alias(unnamed, row);
    }

    /// The unnamed row that `id` is the real name of: the one that goes by that client id, or by what stands in `id`
    /// before a dash.
    ///
    /// Coordinators name a member `client.id-UUID`. Where nothing else tells that `id` was given by one (`named`), what
    /// stands behind the dash must be a UUID: `demo-1` is no name for `demo`.
    fn unnamed_for(&self, id: &MemberId, client_id: Option<&str>, named: bool) -> Option<MemberId> {
        let unnamed = |name: &str| {
            let (key, row) = self.members.get_key_value(name)?;
            (!row.named && key != id).then(|| key.clone())
        };
        if let Some(found) = client_id.and_then(unnamed) {
            return Some(found);
        }
        id.as_str()
            .rmatch_indices('-')
            .filter_map(|(dash, _)| id.as_str().split_at_checked(dash))
            .filter(|(_, rest)| named || is_dashed_uuid(rest))
            .find_map(|(name, _)| unnamed(name))
    }

    /// A row stands under its own id, which then is no other row's alias.
    pub(super) fn insert(&mut self, row: Member) {
        self.aliases.remove(&row.id);
        self.members.insert(row.id.clone(), Arc::new(row));
    }

    fn insert_renamed(&mut self, from: &MemberId, mut row: Member) {
        let to = row.id.clone();
        if let Some(other) = self.members.remove(&to) {
            row.absorb(Arc::unwrap_or_clone(other));
        }
        self.insert(row);
        self.alias(from, &to);
    }

    /// Events under `from` reach the row `to` from now on, and so do those under older names of it.
    pub(super) fn alias(&mut self, from: &MemberId, to: &MemberId) {
        if from == to {
            return;
        }
        for row in self.aliases.values_mut().filter(|row| *row == from) {
            *row = to.clone();
        }
        if self.aliases.len() >= ALIASES {
            self.aliases.pop_first();
        }
        self.aliases.insert(from.clone(), to.clone());
    }
}

/// Whether an event of this kind comes only from a member that has its id.
const fn is_of_named(change: &Change) -> bool {
    matches!(
        change,
        Change::HeartbeatAnswered { .. }
            | Change::HeartbeatReceived { .. }
            | Change::CommitReceived { .. }
            | Change::HeartbeatsSummarised(_)
            | Change::HeartbeatFailed { .. }
            | Change::MemberJoined(_)
            | Change::MemberRejoined(_)
    )
}

/// Whether an event of this kind, told by a member of ours, is about itself: of others a leader tells that they joined,
/// and that they are gone or replaced.
const fn is_of_itself(change: &Change) -> bool {
    match change {
        Change::MemberJoined(joined) | Change::MemberRejoined(joined) => !is_listing(joined, Source::Probe),
        Change::MemberGone { .. } | Change::MemberReplaced { .. } => false,
        _ => true,
    }
}

/// A dash and a UUID as text: 8-4-4-4-12 hexadecimal digits.
fn is_dashed_uuid(text: &str) -> bool {
    text.len() == 37
        && text.bytes().enumerate().all(|(place, byte)| match place {
            0 | 9 | 14 | 19 | 24 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
