//! The list as it stands: worked out anew when the board has changed, in an order that may be held.

use std::cmp::{Ordering, Reverse};

use shared::board::{Board, Group, GroupKey};
use shared::health::{Finding, Round, Verdict, doing};
use shared::sorted::SortedMap;
use shared::time::{Millis, UnixMs};

use super::incidents::incidents;
use super::{GroupList, Told, state_of, type_of};

/// From which severity on a group needs attention: a rebalance is life, a late member is not.
const ATTENTION: Verdict = Verdict::MemberLate;

/// From how many groups on the list is worked out once a second only: ten thousand verdicts take longer than a frame.
const MANY: usize = 1_000;
const SECOND: Millis = Millis(1_000);

/// How long an order stands at least.
const STANDS: Millis = Millis(5_000);

/// The groups of a board, judged, chosen and sorted.
#[derive(Debug, Default)]
pub struct Ranked {
    list: GroupList,
    at: UnixMs,
    seq: u64,
    /// When it was sorted last.
    sorted: UnixMs,
    /// How many groups the board has.
    pub all: usize,
    /// How many of them need attention.
    pub troubled: usize,
    /// Those, the worst first.
    pub worst: Vec<(Finding, GroupKey)>,
    /// What is told of them above the list; none before the first.
    pub told: Option<Told>,
    /// Those that are listed, in their order.
    pub rows: Vec<(Verdict, GroupKey)>,
    /// Whether another order would follow from what is known by now.
    pub is_held: bool,
    /// The verdicts, types and states that there are, to choose from.
    pub verdicts: SortedMap<&'static str, ()>,
    pub types: SortedMap<String, ()>,
    pub states: SortedMap<String, ()>,
}

impl Ranked {
    /// Whether this is what [`Self::after`] would give, as far as anybody can see.
    pub(in crate::model) fn is_of(&self, board: &Board, list: &GroupList, at: UnixMs) -> bool {
        let same = self.seq == board.seq && self.at == at;
        let fresh = self.all >= MANY && self.at <= at && at.since(self.at) < SECOND;
        self.list == *list && self.all == board.groups().len() && (same || fresh)
    }

    /// The list of a board at a moment, after this one: in its order where somebody reads, or that is not old enough.
    pub(in crate::model) fn after(&self, board: &Board, list: &GroupList, at: UnixMs, reading: bool) -> Self {
        let round = Round::new(board, at);
        let mut next = Self {
            list: list.clone(),
            at,
            seq: board.seq,
            sorted: at,
            all: board.groups().len(),
            ..Self::default()
        };
        let mut rows = Vec::new();
        let mut troubled = Vec::new();
        for group in board.groups() {
            // Of a group with which nothing is wrong, as of most, no sentence is made.
            let wrong = round.wrong(group);
            let verdict = wrong.as_ref().map_or_else(|| doing(group), |wrong| wrong.verdict);
            let urgency = wrong.as_ref().map_or(verdict.severity(), Finding::urgency);
            next.note(group, verdict);
            if list.lets_through(group, verdict) {
                rows.push((list.key(group, urgency), verdict, &group.key));
            }
            if let Some(wrong) = wrong.filter(|_| verdict.severity() >= ATTENTION.severity()) {
                troubled.push((wrong, group.key.clone()));
            }
        }
        next.troubled = troubled.len();
        troubled.sort_by_key(|(finding, _)| Reverse(finding.urgency()));
        let before = self.told.as_ref().filter(|_| reading);
        let verdict = |key: &GroupKey| Some(round.verdict(board.group(key)?));
        next.told = Some(Told::of(incidents(board, &troubled), before, verdict));
        next.worst = troubled;
        rows.sort_by(|one, other| {
            compare(one.0, other.0, list.reversed)
                .then(other.1.severity().cmp(&one.1.severity()))
                .then(one.2.cmp(other.2))
        });
        next.rows = rows
            .into_iter()
            .map(|(_, verdict, key)| (verdict, key.clone()))
            .collect();
        let stands = self.list == *list && (reading || at.since(self.sorted) < STANDS);
        if stands {
            next.hold(self);
        }
        next
    }

    /// Keeps the order of an earlier list; what was not in it comes last.
    fn hold(&mut self, earlier: &Self) {
        // Sorted at once and looked up once a row: to compare ten thousand keys takes milliseconds.
        let mut places: Vec<(&GroupKey, usize)> = earlier.rows.iter().map(|(_, key)| key).zip(0..).collect();
        places.sort_unstable();
        let place = |key: &GroupKey| {
            let found = places.binary_search_by(|(other, _)| (*other).cmp(key)).ok()?;
            places.get(found).map(|(_, place)| *place)
        };
        let rows = std::mem::take(&mut self.rows).into_iter();
        let mut rows: Vec<_> = rows
            .map(|row| (place(&row.1).unwrap_or(usize::MAX), row))
            .collect();
        self.is_held = !rows.is_sorted_by_key(|(place, _)| *place);
        rows.sort_by_key(|(place, _)| *place);
        self.rows = rows.into_iter().map(|(_, row)| row).collect();
        self.sorted = earlier.sorted;
    }

    fn note(&mut self, group: &Group, verdict: Verdict) {
        self.verdicts.insert(verdict.as_str(), ());
        for (words, word) in [
            (&mut self.types, type_of(group)),
            (&mut self.states, state_of(group)),
        ] {
            if let Some(word) = word.filter(|word| !words.contains_key(*word)) {
                words.insert(word.to_owned(), ());
            }
        }
    }
}

/// Names from A, figures from the most, or the other way round; what is not visible last in any case.
fn compare(one: Option<(u64, &str)>, other: Option<(u64, &str)>, reversed: bool) -> Ordering {
    let (Some(one), Some(other)) = (one, other) else {
        return other.is_some().cmp(&one.is_some());
    };
    let order = other.0.cmp(&one.0).then(one.1.cmp(other.1));
    if reversed { order.reverse() } else { order }
}
