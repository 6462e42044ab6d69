//! Who is in the group, and who is not any more.

use std::sync::Arc;

use super::{Group, News};
use crate::board::departed::{Departed, End};
use crate::board::limits::LATE_FOR;
use crate::board::member::{Member, Phase, is_listing};
use crate::board::state::MemberState;
use crate::board::text::{clipped, shortened};
use crate::error_code;
use crate::event::{Change, Departure, EvictionCause, GroupState, Joined, Source};
use crate::ids::MemberId;
use crate::seldom::Seldom;
use crate::time::UnixMs;

impl Group {
    /// That a member is in the group.
    pub(super) fn joined(&mut self, id: &MemberId, joined: &Joined, news: &News<'_>) {
        let (at, source) = (news.at, news.source);
        if self.row_id(id).is_none() {
            let client_id = joined.client_id.as_ref().map(clipped);
            if self.take_over(id, client_id.as_deref(), true).is_none() {
                if !news.room.member {
                    return;
                }
                let row = Member::new(id.clone(), true, at, source);
                self.insert_new(row);
            }
        }
        if source == Source::Probe && !is_listing(joined, source) {
            // By its own word: a coordinator may tell another client id of it, as Kafka does of who takes a static seat over.
            self.absorb_named(id, joined.client_id.as_ref());
        }
        self.take_pending(id);
        let Some(row) = self.row(id, news) else { return };
        row.named = true;
        row.tell_joined(joined, at, source);
        let first = matches!(news.change, Change::MemberJoined(_));
        let listing = is_listing(joined, source);
        // Who is listed came, where a list before did not name it.
        let new = row.is_counted_first(at) && first && (!listing || news.at_earliest.is_some());
        // A list does not say how it came in, but where the offsets log did.
        let told = !listing || joined.took_ms.is_some();
        let rejoin = row.rejoins.first().filter(|_| told).cloned();
        let row_id = row.id.clone();
        if first {
            self.party_came(&row_id, at);
            self.add_rejoined();
        }
        if new {
            self.newcomer(at);
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
        if is_listing(joined, source) {
            return;
        }
        self.answered(at);
        if source == Source::Probe {
            self.link(&row_id, joined);
        }
        if let Some(generation) = joined.generation
            && self.generation.get().is_none_or(|known| *known < generation)
        {
            self.tell_generation(generation, source);
        }
        if self.state.get() == Some(&GroupState::Empty) && self.open.is_none() {
            self.enter_state(GroupState::Stable, at, source);
        }
    }

    /// Notes by which client id one of ours goes, where it was named before anything else was seen of it.
    fn link(&mut self, row: &MemberId, joined: &Joined) {
        let Some(client_id) = joined
            .client_id
            .as_ref()
            .map(|name| MemberId::from(clipped(name)))
        else {
            return;
        };
        if self.row_id(&client_id).is_some() {
            return;
        }
        if let Some(member) = self
            .members
            .get_mut(row)
            .filter(|member| member.goes_by.is_none())
        {
            Arc::make_mut(member).goes_by = Some(client_id.clone());
            self.alias(&client_id, row);
        }
    }

    pub(super) fn end_of_unknown(&self, error: Option<i16>, news: &News<'_>) -> End {
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

    /// That a member's connection was cut for good.
    pub(in crate::board) fn killed(&mut self, id: &MemberId, at: UnixMs) {
        let row = self.row_id(id).and_then(|row| self.members.get_mut(&row));
        if let Some(row) = row {
            Arc::make_mut(row).killed = Some(at);
        }
    }

    /// A member left, expired, was fenced, replaced, evicted, or is gone.
    pub(super) fn ended(&mut self, id: &MemberId, news: &News<'_>) {
        let Some(end) = end(news) else { return };
        let id = match end.source {
            Source::Probe => self.own_row(id),
            Source::Embedded | Source::Survey => id.clone(),
        };
        self.depart(&id, end, news);
        self.leaving_was_the_cause(&id, news.source);
    }

    pub(super) fn depart(&mut self, id: &MemberId, end: End, news: &News<'_>) {
        let missed = end.source == Source::Survey && end.state == MemberState::Gone;
        let lives = |member: &&mut Arc<Member>| {
            member.is_seen_beating() && member.killed.is_none() && member.leaving.is_none()
        };
        if let Some(member) = self.members.get_mut(id).filter(|_| missed).filter(lives) {
            Arc::make_mut(member).sources.remove(Source::Survey);
            return;
        }
        if let Some(member) = self.members.get(id) {
            let mut departed = Departed::from_row(member, end);
            if missed && member.killed.is_some() {
                departed.end.possible.clear();
                departed.end.cause =
                    "Ended by us without leaving: its coordinator has removed it.".to_owned();
            }
            if missed && member.leaving.is_some() {
                departed.end.has_left();
            }
            // Of a partition that it owned another may have committed once it was gone.
            let listed = departed.end.at_earliest.unwrap_or(departed.end.at);
            departed.committed = self.last_commit_of_owned(member).filter(|at| *at <= listed);
            departed.led = self.coordination.leader.as_ref() == Some(id) && departed.sync_due.is_some();
            self.members.remove(id);
            self.take_rejoined(id, &departed.end);
            self.push_departed(departed, news);
            self.add_rejoined();
            self.forget_blind_probe();
        } else if let Some(gone) = self.gone_mut(id) {
            gone.sources.insert(end.source);
            if matches!(news.change, Change::MemberFenced { .. }) {
                gone.fenced_at = gone.fenced_at.max(Some(end.at));
            }
            if end.is_better_than(&gone.end) {
                let told = (gone.end.at, gone.end.state);
                gone.end = end;
                let gone = gone.clone();
                self.went_otherwise(&gone, told);
            }
        } else if end.source == Source::Embedded || !self.sources.contains(Source::Embedded) {
            // Where its coordinator tells of the group, it has told how this one went, and that was long enough ago to be forgotten.
            self.push_departed(Departed::unseen(id.clone(), end), news);
        }
    }

    pub(super) fn push_departed(&mut self, departed: Departed, news: &News<'_>) {
        self.party_went(&departed, news);
        self.departed.insert(0, Arc::new(departed));
        while self.departed.len() > news.room.history.0
            && let Some(out) = self.departed.pop()
        {
            self.forgotten = self.forgotten.saturating_add(1);
            self.late.insert(0, out);
        }
        let over = |gone: &Arc<Departed>| news.seen.since(gone.end.at) > LATE_FOR;
        while self.late.len() > news.room.late || self.late.last().is_some_and(over) {
            self.late.pop();
        }
    }

    /// The member of that id that has departed, as long as it is kept.
    pub(super) fn gone(&self, id: &MemberId) -> Option<&Departed> {
        let gone = self.departed.iter().chain(&self.late);
        gone.map(|gone| &**gone).find(|gone| gone.id == *id)
    }

    /// The same, to tell it more.
    pub(super) fn gone_mut(&mut self, id: &MemberId) -> Option<&mut Departed> {
        let mut gone = self.departed.iter_mut().chain(&mut self.late);
        gone.find(|gone| gone.id == *id).map(Arc::make_mut)
    }

    /// The row of a member that was none before. One that had departed had not gone: coordinators give no id twice. Summaries of
    /// its last beats reach its new row.
    pub(super) fn insert_new(&mut self, mut row: Member) {
        if let Some(gone) = self.take_gone(&row.id) {
            row.tallies = Seldom::from(gone.tallies.clone());
        }
        self.insert(row);
    }

    /// The same, taken out.
    fn take_gone(&mut self, id: &MemberId) -> Option<Arc<Departed>> {
        for kept in [&mut self.departed, &mut self.late] {
            if let Some(place) = kept.iter().position(|gone| gone.id == *id) {
                return Some(kept.remove(place));
            }
        }
        None
    }

    /// With our last member gone, what only our members saw of the group is not visible any more.
    pub(in crate::board) fn forget_blind_probe(&mut self) {
        if !self.members.values().any(|member| member.is_ours()) {
            self.forget_state(Source::Probe);
            self.generation.forget(Source::Probe);
        }
    }

    /// A survey does not see the group any more, and members of ours are in it: what is known of it is what they were told.
    pub(in crate::board) fn is_out_of_sight(&mut self) {
        let seat = self
            .members
            .values()
            .find(|member| member.is_ours() && member.phase == Phase::InGroup);
        let generation = seat.and_then(|member| member.generation.get().copied());
        for member in self.members.values_mut() {
            Arc::make_mut(member).sources.remove(Source::Survey);
        }
        let since = self.state_since;
        self.forget_state(Source::Survey);
        self.generation.forget(Source::Survey);
        if let Some(generation) = generation {
            self.generation.tell_of_group(Some(generation), Source::Probe);
            self.state.tell_of_group(Some(GroupState::Stable), Source::Probe);
            self.state_since = self.state_since.or(since);
        }
    }

    /// What `source` told of the state is not so any more, and what is so is not visible.
    pub(super) fn forget_state(&mut self, source: Source) {
        if self.state.source() == Some(source) {
            self.state_since = None;
        }
        self.state.forget(source);
    }
}

fn end(news: &News<'_>) -> Option<End> {
    let sighting = news.sighting();
    let (state, cause, possible) = match news.change {
        Change::MemberLeft { cause } => (MemberState::Left, shortened(cause), vec![Departure::Left]),
        Change::MemberExpired { cause } => {
            (MemberState::Expired, shortened(cause), vec![Departure::TimedOut])
        }
        Change::MemberFenced { cause } => (MemberState::Fenced, shortened(cause), vec![Departure::Replaced]),
        Change::MemberReplaced { cause, by } => {
            let by = by
                .as_ref()
                .map_or_else(String::new, |by| format!(" Replaced by {by}."));
            (
                MemberState::Fenced,
                shortened(&format!("{cause}{by}")),
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
            (MemberState::Gone, shortened(why), distinct)
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
        EvictionCause::Displaced => "Removed by the coordinator when another member joined.",
    }
}
