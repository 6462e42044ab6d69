//! More of a group's past than its board keeps: rebalances, and who came and went, folded from their events as the board folds them.
//! The server is asked for those of before when the timeline looks so far back.

use std::cell::RefCell;
use std::sync::Arc;

use shared::board::{Group, GroupKey};
use shared::event::Event;
use shared::time::UnixMs;

use super::address::Query;
use super::fetch::{EVENTS_AT_ONCE, EventsAnswer, Want};
use super::log::{Log, Shelf};
use super::{Model, Page};

/// How many such events are kept: of a group that a client leaves and joins again, a thousand rebalances.
pub const TURNS_MAX: usize = 3_000;

const KINDS: [&str; 10] = [
    "rebalance_started",
    "rebalance_finished",
    "group_described",
    "member_joined",
    "member_left",
    "member_expired",
    "member_fenced",
    "member_replaced",
    "member_evicted",
    "member_gone",
];

/// The events, and what they make.
#[derive(Clone, Debug)]
pub struct Turns {
    events: Shelf,
    /// Since when none is missing; none while that is not known.
    since: Option<UnixMs>,
    /// Since when they were asked for.
    asked: Option<UnixMs>,
    folded: RefCell<Option<Arc<Group>>>,
}

impl Turns {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            events: Shelf::new(TURNS_MAX),
            since: None,
            asked: None,
            folded: RefCell::new(None),
        }
    }

    /// Takes an event, in any order, as often as it comes; one of another kind it leaves.
    pub(super) fn add(&mut self, event: &Arc<Event>) {
        if !KINDS.contains(&event.what.change.kind()) || !self.events.add(event) {
            return;
        }
        let forgotten = self.events.forgotten.1;
        self.since = self.since.map(|since| since.max(forgotten));
        match self.folded.get_mut() {
            Some(group) if self.events.last() == event.seq => Arc::make_mut(group).recall(event, TURNS_MAX),
            // It comes before others that are folded already.
            folded => *folded = None,
        }
    }

    /// Since when none is missing; none while that is not known.
    #[must_use]
    pub const fn since(&self) -> Option<UnixMs> {
        self.since
    }

    /// A group as they make it.
    #[must_use]
    pub fn recalled(&self, key: &GroupKey) -> Arc<Group> {
        let mut folded = self.folded.borrow_mut();
        let known = folded.take().filter(|group| group.key == *key);
        let group = known.unwrap_or_else(|| {
            let mut group = Group::unknown(key.clone());
            for event in self.events.all() {
                group.recall(event, TURNS_MAX);
            }
            Arc::new(group)
        });
        Arc::clone(folded.insert(group))
    }
}

impl Default for Turns {
    fn default() -> Self {
        Self::new()
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    from: UnixMs,
    /// The event after which the answer goes on; none at its beginning.
    after: Option<u64>,
    /// Since when all is there, as far as is told.
    whole: UnixMs,
}

impl Model {
    /// The viewer looks at what was before: what the board does not keep of the group at hand is asked for.
    pub(super) fn look_back(&mut self, from: UnixMs) {
        let turns = self.turns();
        if turns.asked.is_none_or(|asked| from < asked) {
            turns.asked = Some(from);
            self.fetch.reach = Reach {
                from,
                ..Reach::default()
            };
            self.fetch.want(Want::Turns);
        }
    }

    /// What is on its way is of no use any more.
    pub(super) fn stop_looking_back(&mut self) {
        if self.fetch.is_wanted(Want::Turns) {
            self.fetch.drop_turns();
            self.turns().asked = None;
        }
    }

    /// Those of the log on show.
    fn turns(&mut self) -> &mut Turns {
        match &mut self.past {
            Some(past) => past.turns(),
            None => self.log.turns_mut(),
        }
    }

    pub(super) fn turns_path(&self) -> String {
        let mut query = Query::default();
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let Reach { from, after, .. } = self.fetch.reach;
        query.add_some("since", number(Some(from.0)).as_deref());
        query.add_some("after", number(after).as_deref());
        query.add_some("until", number(self.past_seq()).as_deref());
        query.add_some("limit", number(Some(EVENTS_AT_ONCE as u64)).as_deref());
        if let Page::Group(group) = self.page() {
            query.add("group", group.key.group.as_str());
        }
        for kind in KINDS {
            query.add("kind", kind);
        }
        ["/api/events", &query.finish()].concat()
    }

    /// Takes what was before, and goes on asking until all is there.
    pub(super) fn take_turns(&mut self, answer: EventsAnswer) -> bool {
        if self.past.is_none() && self.follow.stream() != Some(answer.stream.as_str()) {
            return false;
        }
        let reach = &mut self.fetch.reach;
        reach.whole = reach.whole.max(answer.whole_since.unwrap_or_default());
        reach.after = answer.next;
        let (whole, is_all) = (reach.whole, answer.next.is_none());
        let turns = self.turns();
        for event in answer.events {
            turns.add(&Arc::new(event));
        }
        if is_all {
            turns.since = Some(whole.max(turns.events.forgotten.1));
        } else {
            self.fetch.want(Want::Turns);
        }
        true
    }
}

impl Log {
    /// More of the past of its groups than boards keep.
    #[must_use]
    pub const fn turns(&self) -> &Turns {
        &self.turns
    }

    pub(super) const fn turns_mut(&mut self) -> &mut Turns {
        &mut self.turns
    }
}
