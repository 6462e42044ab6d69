//! The verdicts on all groups of a board at a moment, however they are listed.

use std::cmp::Reverse;

use shared::board::{Board, Group, GroupKey};
use shared::health::{Finding, Round, Verdict, verdicts};
use shared::sorted::SortedMap;
use shared::time::{Millis, UnixMs};
use shared::vocabulary::Vocabulary;

use super::{state_of, type_of};

/// From which severity on a group needs attention: a rebalance is life, a late member is not.
const ATTENTION: Verdict = Verdict::MemberLate;

/// From how many groups on they are judged once a second only: ten thousand verdicts take longer than a frame.
const MANY: usize = 1_000;
const SECOND: Millis = Millis(1_000);

/// How many groups in trouble are told as sentences.
const TOLD: usize = 3;

/// The groups of a board, judged.
#[derive(Debug, Default)]
pub struct Judged {
    at: UnixMs,
    seq: u64,
    /// All groups, in the order of their keys.
    pub(super) each: Vec<(GroupKey, Verdict)>,
    /// How many groups the board has.
    pub all: usize,
    /// Those that need attention, the worst first.
    pub worst: Vec<(Verdict, GroupKey)>,
    /// What is to be said of the first of them.
    pub told: Vec<(Finding, GroupKey)>,
    /// The verdicts, types and states that there are, to choose from.
    pub verdicts: Vec<&'static str>,
    pub types: SortedMap<String, ()>,
    pub states: SortedMap<String, ()>,
}

impl Judged {
    /// All groups of a board at a moment.
    pub(super) fn of(board: &Board, at: UnixMs) -> Self {
        let round = Round::new(board, at);
        let mut judged = Self {
            at,
            seq: board.seq,
            all: board.groups().len(),
            ..Self::default()
        };
        let mut troubled = Vec::new();
        for group in board.groups() {
            let verdict = round.word(group);
            if verdict.severity() >= ATTENTION.severity() {
                troubled.push((verdict, group));
            }
            judged.each.push((group.key.clone(), verdict));
            judged.note(group);
        }
        troubled.sort_by_key(|(verdict, _)| Reverse(verdict.severity()));
        let told = troubled.iter().take(TOLD);
        judged.told = told
            .map(|(_, group)| (round.verdict(group), group.key.clone()))
            .collect();
        let worst = troubled.iter();
        judged.worst = worst
            .map(|(verdict, group)| (*verdict, group.key.clone()))
            .collect();
        let is_there = |word: &&Verdict| judged.each.iter().any(|(_, verdict)| verdict == *word);
        judged.verdicts = Verdict::ALL
            .iter()
            .filter(is_there)
            .map(|word| word.as_str())
            .collect();
        judged.verdicts.sort_unstable();
        judged
    }

    /// Whether this is what [`Self::of`] would give, as far as anybody can see.
    pub(super) fn is_of(&self, board: &Board, at: UnixMs) -> bool {
        let same = self.seq == board.seq && self.at == at;
        let fresh = self.all >= MANY && self.at <= at && at.since(self.at) < SECOND;
        self.all == board.groups().len() && (same || fresh)
    }

    fn note(&mut self, group: &Group) {
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

/// From how many members on a group is a crowd: what is to be said of it takes a part of a frame to work out.
const CROWD: usize = 100;

/// What is to be said of a group at a moment.
#[derive(Clone, Debug)]
pub struct Said {
    key: GroupKey,
    touched: u64,
    at: UnixMs,
    findings: Vec<Finding>,
}

impl Said {
    pub(in crate::model) fn of(board: &Board, group: &Group, at: UnixMs) -> Self {
        Self {
            key: group.key.clone(),
            touched: group.touched,
            at,
            findings: verdicts(board, group, at),
        }
    }

    /// Whether it goes for a group at a moment: of a crowd that beats a thousand times a second as long as nothing else came.
    pub(in crate::model) fn is_of(&self, group: &Group, at: UnixMs) -> bool {
        let same = (&self.key, self.touched, self.at) == (&group.key, group.touched, at);
        same && group.members.len() >= CROWD
    }

    /// The worst first.
    pub(in crate::model) fn findings(&self) -> Vec<Finding> {
        self.findings.clone()
    }
}
