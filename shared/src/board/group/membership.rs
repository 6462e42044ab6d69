//! Who is in the group, under which id, and who is not any more.
//!
//! A member of ours goes by its client id until the coordinator names it. Then the row takes the new id, and the old
//! name is kept as an alias: events under it still reach the row. A coordinator that does not know the id any more
//! turns it back.

use std::sync::Arc;

use super::super::bounded::push_newest;
use super::super::departed::{Departed, End};
use super::super::limits::ALIASES;
use super::super::member::{Member, Phase};
use super::super::state::MemberState;
use super::super::text::clipped;
use super::{Group, News};
use crate::error_code;
use crate::event::{Change, Departure, EvictionCause, GroupState, Joined, RejoinCause, Source};
use crate::ids::MemberId;

impl Group {
    /// The id of the row that events under `id` belong to.
    pub(super) fn row_id(&self, id: &MemberId) -> Option<MemberId> {
        if self.members.contains_key(id) {
            return Some(id.clone());
        }
        self.aliases
            .get(id)
            .filter(|row| self.members.contains_key(*row))
            .cloned()
    }

    /// The row that an event under `id` belongs to, made where there is none.
    ///
    /// None for a member that has departed: only a join brings it back. None too on a full board.
    pub(super) fn row(&mut self, id: &MemberId, news: &News<'_>) -> Option<&mut Member> {
        let source = news.what.source;
        let at = news.what.at;
        let mut row = self.row_id(id);
        if source == Source::Probe
            && let Some(found) = &row
        {
            row = Some(self.restart_failed(found.clone(), id, news));
        }
        if row.is_none() && self.departed.iter().any(|gone| gone.id == *id) {
            return None;
        }
        let row = match row {
            Some(row) => row,
            None => self.take_over(id, None).or_else(|| {
                news.room.member.then(|| {
                    let named = source != Source::Probe || is_of_named(&news.what.change);
                    let member = Member::new(id.clone(), named, at, source);
                    self.members.insert(id.clone(), Arc::new(member));
                    id.clone()
                })
            })?,
        };
        if source == Source::Probe && row == *id {
            self.absorb_unnamed(&row);
        }
        let member = Arc::make_mut(self.members.get_mut(&row)?);
        member.sources.insert(source);
        if row == *id && !member.named && is_of_named(&news.what.change) {
            member.named = true;
        }
        Some(member)
    }

    /// That a member is in the group.
    pub(super) fn joined(&mut self, id: &MemberId, joined: &Joined, news: &News<'_>) {
        let (at, source) = (news.what.at, news.what.source);
        if self.row_id(id).is_none() {
            let client_id = joined.client_id.as_ref().map(clipped);
            if self.take_over(id, client_id.as_deref()).is_none() {
                if !news.room.member {
                    return;
                }
                let member = Member::new(id.clone(), true, at, source);
                self.members.insert(id.clone(), Arc::new(member));
            }
        }
        let Some(row) = self.row(id, news) else { return };
        row.named = true;
        row.tell_joined(joined, at, source);
        let (row_id, rejoin) = (row.id.clone(), row.rejoins.front().cloned());
        if source == Source::Survey {
            return;
        }
        if self
            .generation
            .get()
            .is_none_or(|known| Some(*known) < joined.generation)
        {
            self.generation.tell(joined.generation, source);
        }
        if self.state.get() == Some(&GroupState::Empty) && self.open.is_none() {
            self.enter_state(GroupState::Stable, at, source);
        }
        if let Some(rejoin) = rejoin.filter(|rejoin| rejoin.generation.is_some()) {
            let row = self
                .rebalances
                .iter_mut()
                .find(|row| row.generation == rejoin.generation);
            if let Some(row) = row {
                Arc::make_mut(row).tell_rejoin(&row_id, rejoin.took_ms);
            }
        }
    }

    /// 27, 22, 25, 82 and their like to a member of ours.
    pub(super) fn rejoin_needed(
        &mut self,
        id: &MemberId,
        cause: RejoinCause,
        error: Option<i16>,
        cleared: bool,
        news: &News<'_>,
    ) {
        let at = news.what.at;
        if cleared {
            self.lose_id(id, error, news);
            return;
        }
        if let Some(row) = self.row(id, news) {
            let phase = match row.generation.get() {
                Some(_) => Phase::Rebalancing {
                    cause: Some(cause),
                    error,
                },
                None => Phase::Joining,
            };
            row.enter(phase, at);
        }
    }

    /// The coordinator does not know the id any more: its row goes on under the client id, the id departs.
    fn lose_id(&mut self, id: &MemberId, error: Option<i16>, news: &News<'_>) {
        let (at, source) = (news.what.at, news.what.source);
        let end = self.end_of_unknown(error, news);
        let live = self.members.get(id).filter(|row| row.named).cloned();
        let gone = self.departed.iter().find(|gone| gone.id == *id);
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
            // They stay with the row: summaries under the old id reach it through the alias.
            departed.tallies.clear();
            self.members.remove(id);
            self.push_departed(departed, news);
            if let Some(client_id) = client_id {
                let mut row = Arc::unwrap_or_clone(row);
                row.sources.insert(source);
                row.lose_id(client_id.clone(), at);
                self.insert_renamed(id, row);
            }
            return;
        }
        self.depart(id, end, news);
        if let Some(client_id) = client_id
            && self.row_id(&client_id).is_none()
            && news.room.member
        {
            let row = Member::new(client_id.clone(), false, at, source);
            self.members.insert(client_id, Arc::new(row));
        }
    }

    fn end_of_unknown(&self, error: Option<i16>, news: &News<'_>) -> End {
        let fenced = matches!(
            error,
            Some(error_code::FENCED_INSTANCE_ID | error_code::FENCED_MEMBER_EPOCH)
        );
        let answered = error.map_or_else(|| "an answer".to_owned(), error_code::label);
        let sighting = news.sighting();
        End {
            state: if fenced {
                MemberState::Fenced
            } else {
                MemberState::Gone
            },
            at: sighting.at,
            at_earliest: sighting.at_earliest,
            cause: if fenced {
                format!("Fenced: the coordinator answered {answered}.")
            } else {
                format!(
                    "The coordinator does not know this member id any more ({answered}); why is not visible from the member's seat."
                )
            },
            possible: if fenced {
                vec![Departure::Replaced]
            } else {
                vec![Departure::TimedOut, Departure::Evicted]
            },
            evidence: sighting.evidence,
            source: sighting.source,
        }
    }

    /// A new member of ours under a client id whose last one had failed starts with that one's row.
    fn restart_failed(&mut self, row: MemberId, id: &MemberId, news: &News<'_>) -> MemberId {
        let failed = self.members.get(&row).is_some_and(|member| {
            matches!(member.phase, Phase::Failed { .. }) && member.goes_by.as_ref() == Some(id)
        });
        let starts = matches!(
            news.what.change,
            Change::CoordinatorFound { .. } | Change::MemberMoved { .. } | Change::HeartbeatWithheld { .. }
        );
        if !failed || !starts {
            return row;
        }
        let Some(old) = self.members.remove(&row) else {
            return row;
        };
        let mut member = Arc::unwrap_or_clone(old);
        member.refused = None;
        member.withheld = None;
        member.lose_id(id.clone(), news.what.at);
        self.insert_renamed(&row, member);
        id.clone()
    }

    /// Gives the row of an unnamed member of ours the id it has been given; the row's new id, where there was one.
    fn take_over(&mut self, id: &MemberId, client_id: Option<&str>) -> Option<MemberId> {
        let unnamed = self.unnamed_for(id, client_id)?;
        let mut row = Arc::unwrap_or_clone(self.members.remove(&unnamed)?);
        row.id = id.clone();
        row.named = true;
        self.insert_renamed(&unnamed, row);
        Some(id.clone())
    }

    /// Folds the row an unnamed member of ours left behind into the named one another source had shown first.
    fn absorb_unnamed(&mut self, row: &MemberId) {
        let Some(member) = self.members.get(row).filter(|member| !member.is_ours()) else {
            return;
        };
        let client_id = member.client_id.get().cloned();
        let Some(unnamed) = self.unnamed_for(row, client_id.as_deref()) else {
            return;
        };
        let Some(left_behind) = self.members.remove(&unnamed) else {
            return;
        };
        if let Some(member) = self.members.get_mut(row) {
            Arc::make_mut(member).absorb(Arc::unwrap_or_clone(left_behind));
        }
        self.alias(&unnamed, row);
    }

    /// The unnamed row that `id` is the real name of: the one that goes by that client id, or by what stands before a
    /// dash in `id` (coordinators name a member `client.id-UUID`).
    fn unnamed_for(&self, id: &MemberId, client_id: Option<&str>) -> Option<MemberId> {
        let unnamed = |name: &str| {
            let (key, row) = self.members.get_key_value(name)?;
            (!row.named && key != id).then(|| key.clone())
        };
        if let Some(found) = client_id.and_then(unnamed) {
            return Some(found);
        }
        let id = id.as_str();
        id.rmatch_indices('-')
            .find_map(|(dash, _)| unnamed(id.get(..dash)?))
    }

    fn insert_renamed(&mut self, from: &MemberId, row: Member) {
        let to = row.id.clone();
        if let Some(other) = self.members.remove(&to) {
            let mut row = row;
            row.absorb(Arc::unwrap_or_clone(other));
            self.members.insert(to.clone(), Arc::new(row));
        } else {
            self.members.insert(to.clone(), Arc::new(row));
        }
        self.alias(from, &to);
    }

    /// Events under `from` reach the row `to` from now on, and so do those under older names of it.
    fn alias(&mut self, from: &MemberId, to: &MemberId) {
        self.aliases.remove(to);
        for row in self.aliases.values_mut().filter(|row| *row == from) {
            *row = to.clone();
        }
        if self.aliases.len() >= ALIASES {
            self.aliases.pop_first();
        }
        self.aliases.insert(from.clone(), to.clone());
    }

    /// A member left, expired, was fenced, replaced, evicted, or is gone.
    pub(super) fn ended(&mut self, id: &MemberId, news: &News<'_>) {
        let Some(end) = end(news) else { return };
        // One of ours may still speak of itself by its client id.
        let own = self.aliases.get(id).filter(|row| {
            let goes_by = self.members.get(*row).and_then(|member| member.goes_by.as_ref());
            end.source == Source::Probe && goes_by == Some(id)
        });
        let id = own.cloned().unwrap_or_else(|| id.clone());
        self.depart(&id, end, news);
    }

    fn depart(&mut self, id: &MemberId, end: End, news: &News<'_>) {
        if let Some(member) = self.members.get(id) {
            let better = member
                .sources
                .iter()
                .next()
                .is_some_and(|best| best < Source::Survey);
            if end.source == Source::Survey && end.state == MemberState::Gone && better {
                return;
            }
            let departed = Departed::from_row(member, end);
            self.members.remove(id);
            self.aliases.retain(|_, row| row != id);
            self.push_departed(departed, news);
            self.forget_blind_probe();
        } else if let Some(gone) = self.departed.iter_mut().find(|gone| gone.id == *id) {
            let gone = Arc::make_mut(gone);
            gone.sources.insert(end.source);
            if end.is_better_than(&gone.end) {
                gone.end = end;
            }
        } else {
            self.push_departed(Departed::unseen(id.clone(), end), news);
        }
    }

    fn push_departed(&mut self, departed: Departed, news: &News<'_>) {
        let out = push_newest(&mut self.departed, Arc::new(departed), news.room.history.0);
        self.forgotten = self.forgotten.saturating_add(out);
    }

    /// With our last member gone, what only our members saw of the group is not visible any more.
    fn forget_blind_probe(&mut self) {
        if !self.members.values().any(|member| member.is_ours()) {
            if self.state.source() == Some(Source::Probe) {
                self.state_since = None;
            }
            self.state.forget(Source::Probe);
        }
    }
}

/// Whether an event of this kind comes only from a member that has its id.
const fn is_of_named(change: &Change) -> bool {
    matches!(
        change,
        Change::HeartbeatAnswered { .. }
            | Change::HeartbeatReceived { .. }
            | Change::HeartbeatsSummarised(_)
            | Change::HeartbeatFailed { .. }
            | Change::MemberJoined(_)
            | Change::MemberRejoined(_)
    )
}

fn end(news: &News<'_>) -> Option<End> {
    let sighting = news.sighting();
    let (state, cause, possible) = match &news.what.change {
        Change::MemberLeft { cause } => (MemberState::Left, clipped(cause), vec![Departure::Left]),
        Change::MemberExpired { cause } => (MemberState::Expired, clipped(cause), vec![Departure::TimedOut]),
        Change::MemberFenced { cause } => (MemberState::Fenced, clipped(cause), vec![Departure::Replaced]),
        Change::MemberReplaced { cause, by } => {
            let by = by
                .as_ref()
                .map_or_else(String::new, |by| format!(" Replaced by {}.", clipped(by)));
            (
                MemberState::Fenced,
                format!("{}{by}", clipped(cause)),
                vec![Departure::Replaced],
            )
        }
        Change::MemberEvicted { cause } => (
            MemberState::Evicted,
            eviction(*cause).to_owned(),
            vec![Departure::Evicted],
        ),
        Change::MemberGone { possible, why } => {
            let mut distinct = possible.clone();
            distinct.dedup();
            distinct.truncate(4);
            (MemberState::Gone, clipped(why), distinct)
        }
        _ => return None,
    };
    Some(End {
        state,
        at: sighting.at,
        at_earliest: sighting.at_earliest,
        cause,
        possible,
        evidence: sighting.evidence,
        source: sighting.source,
    })
}

const fn eviction(cause: EvictionCause) -> &'static str {
    match cause {
        EvictionCause::RebalanceTimeout => {
            "Removed by the coordinator: it did not join again within its rebalance timeout."
        }
        EvictionCause::SyncTimeout => {
            "Removed by the coordinator: it did not send SyncGroup within the rebalance timeout."
        }
        EvictionCause::GroupFull => {
            "Refused by the coordinator: the group is full (81 GROUP_MAX_SIZE_REACHED)."
        }
    }
}
