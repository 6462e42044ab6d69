//! The list as it stands: worked out anew when the board has changed, in an order that may be held.

use std::cmp::{Ordering, Reverse};

use shared::board::{Board, Group, GroupKey};
use shared::health::{Finding, Round, Verdict};
use shared::sorted::SortedMap;
use shared::time::{Millis, UnixMs};

use super::{GroupList, state_of, type_of};

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
        let mut rows: Vec<(Finding, &Group)> = Vec::new();
        let mut troubled = Vec::new();
        for group in board.groups() {
            let finding = round.verdict(group);
            next.note(group, finding.verdict);
            if finding.verdict.severity() >= ATTENTION.severity() {
                troubled.push((finding.clone(), group.key.clone()));
            }
            if list.lets_through(group, finding.verdict) {
                rows.push((finding, group));
            }
        }
        next.troubled = troubled.len();
        troubled.sort_by_key(|(finding, _)| Reverse(finding.verdict.severity()));
        next.worst = troubled;
        let mut keyed: Vec<_> = rows
            .iter()
            .map(|(finding, group)| (list.key(group, finding), finding.verdict, &group.key))
            .collect();
        keyed.sort_by(|one, other| {
            compare(one.0, other.0, list.reversed)
                .then(other.1.severity().cmp(&one.1.severity()))
                .then(one.2.cmp(other.2))
        });
        next.rows = keyed
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
        let keys = earlier.rows.iter().enumerate();
        let places: SortedMap<&GroupKey, usize> = keys.map(|(place, (_, key))| (key, place)).collect();
        let place = |row: &(Verdict, GroupKey)| places.get(&row.1).copied().unwrap_or(usize::MAX);
        self.is_held = !self.rows.is_sorted_by_key(place);
        self.rows.sort_by_key(place);
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
