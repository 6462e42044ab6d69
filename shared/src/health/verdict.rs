//! The vocabulary of verdicts, and a verdict with what an operator reads.

use serde::Serialize;

use crate::ids::MemberId;
use crate::tree::FromNode;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What is wrong with a group, in one word (docs/contract.md, closed vocabulary).
    pub enum Verdict: "verdict" {
        /// Nothing is wrong.
        Stable = "stable",
        /// It has no members.
        Empty = "empty",
        /// It rebalances.
        Rebalancing = "rebalancing",
        /// It rebalances again and again.
        Storm = "storm",
        /// A member comes and goes.
        Flapping = "flapping",
        /// Clients are kept out by the coordinator's answers.
        Refused = "refused",
        /// It waits for somebody.
        Waiting = "waiting",
        /// A member has not been heard in time.
        MemberLate = "member-late",
        /// A member has not been heard within its session.
        MemberSilent = "member-silent",
        /// The coordinator answers slowly.
        CoordinatorSlow = "coordinator-slow",
        /// The coordinator does not answer.
        CoordinatorGone = "coordinator-gone",
        /// The coordinator reads the group from the offsets log.
        Loading = "loading",
        /// A right is missing.
        NotAuthorized = "not-authorized",
        /// Partitions have no owner.
        UnownedPartitions = "unowned-partitions",
        /// Offsets do not move though there is something to read.
        NotProgressing = "not-progressing",
        /// What was seen does not tell.
        NotVisible = "not-visible",
    }
}

impl Verdict {
    /// How bad it is: higher is worse. An operator looks at the worst first.
    #[must_use]
    pub const fn severity(self) -> u8 {
        match self {
            Self::NotAuthorized => 15,
            Self::CoordinatorGone => 14,
            Self::Storm => 13,
            Self::MemberSilent => 12,
            Self::Flapping => 11,
            Self::Refused => 10,
            Self::Waiting => 9,
            Self::Loading => 8,
            Self::NotProgressing => 7,
            Self::UnownedPartitions => 6,
            Self::CoordinatorSlow => 5,
            Self::MemberLate => 4,
            Self::Rebalancing => 3,
            Self::NotVisible => 2,
            Self::Empty => 1,
            Self::Stable => 0,
        }
    }
}

/// A verdict with what an operator reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Finding {
    /// The word.
    pub verdict: Verdict,
    /// What is wrong, with its numbers: can be pasted into a chat.
    pub sentence: String,
    /// How it is known.
    pub evidence: String,
    /// Who it is about, where it is one member.
    pub member: Option<MemberId>,
}
