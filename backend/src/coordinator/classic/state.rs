//! The states of a classic group and the moves between them (Kafka's `ClassicGroupState`, protocol.md 3.2).

use shared::event::GroupState;

/// Where a group stands.
///
/// ```text
///   ┌───────┐  first member   ┌────────────────────┐  all joined, or   ┌─────────────────────┐  leader   ┌────────┐
///   │ Empty │ ──────────────▶ │ PreparingRebalance │  time is up       │ CompletingRebalance │  synced   │ Stable │
///   │       │ ◀────────────── │   collects joins   │ ────────────────▶ │  waits for SyncGroup│ ────────▶ │        │
///   └───────┘  nobody is left └────────────────────┘                   └─────────────────────┘           └────────┘
///                                ▲              ▲    join, leave, expiry         │                            │
///                                │              └────────────────────────────────┘                            │
///                                └────────────────────────────────────────────────────────────────────────────┘
///   any ──▶ Dead (forgotten)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// No members; may hold offsets and ids handed out but not used.
    Empty,
    /// Collects JoinGroups.
    PreparingRebalance,
    /// JoinGroup is answered; the leader's SyncGroup is awaited.
    CompletingRebalance,
    /// The assignment is handed out.
    Stable,
    /// Forgotten. Whoever still holds it is told to look for the coordinator again.
    Dead,
}

/// Each state and those it may be entered from.
pub(crate) const MOVES: [(State, &[State]); 5] = {
    use State::{CompletingRebalance, Dead, Empty, PreparingRebalance, Stable};
    [
        (Empty, &[PreparingRebalance]),
        (PreparingRebalance, &[Stable, CompletingRebalance, Empty]),
        (CompletingRebalance, &[PreparingRebalance]),
        (Stable, &[CompletingRebalance]),
        (
            Dead,
            &[Stable, PreparingRebalance, CompletingRebalance, Empty, Dead],
        ),
    ]
};

impl State {
    /// Whether this state may be entered from `before`.
    pub(crate) fn may_follow(self, before: Self) -> bool {
        MOVES
            .iter()
            .any(|(to, from)| *to == self && from.contains(&before))
    }

    /// Kafka's name for it, as DescribeGroups and ListGroups write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::PreparingRebalance => "PreparingRebalance",
            Self::CompletingRebalance => "CompletingRebalance",
            Self::Stable => "Stable",
            Self::Dead => "Dead",
        }
    }
}

impl From<State> for GroupState {
    fn from(state: State) -> Self {
        match state {
            State::Empty => Self::Empty,
            State::PreparingRebalance => Self::PreparingRebalance,
            State::CompletingRebalance => Self::CompletingRebalance,
            State::Stable => Self::Stable,
            State::Dead => Self::Dead,
        }
    }
}
