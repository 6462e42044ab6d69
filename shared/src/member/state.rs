//! Where a member stands in its group's protocol: the states, the legal moves, the one writer.

use serde::Serialize;

use crate::event::Change;
use crate::tree::FromNode;

/// Where a member of ours stands.
///
/// ```text
///               JoinGroup sent         answered 0            SyncGroup answered 0
///  +----------+ ---------> +-----------+ ---------> +------------+ ---------> +--------+
///  | Unjoined |            | Preparing |            | Completing |            | Stable |
///  |          | <--------- | Rebalance | <-+        | Rebalance  |            |        |
///  +----------+   failed   +-----------+   |        +------------+            +--------+
///   ^  ^                                   |              |                    |  |
///   |  +-------- failed, membership lost --|--------------+                    |  |
///   |                                      +------ JoinGroup sent again -------+  |
///   +------------------------ membership lost ------------------------------------+
///
///  each of the four -- leave asked --> Leaving -- answered, or given up --> Ended
///  each of the five -- a fatal error ---------------------------------------^
/// ```
///
/// The first four are Kafka's `AbstractCoordinator.MemberState` (since 0.10.1); Kafka 0.10.0 kept a generation and a flag
/// instead, which [`crate::rules::Rules::V0_10`] reads for its guard. A member that must rejoin stays `Stable` until its
/// JoinGroup is sent: until then its heartbeats keep it alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not in the group, or no longer in its generation: must join.
    Unjoined,
    /// JoinGroup is under way.
    PreparingRebalance,
    /// JoinGroup was answered with a generation; the assignment is awaited.
    CompletingRebalance,
    /// SyncGroup was answered.
    Stable,
    /// LeaveGroup is under way.
    Leaving,
    /// Nothing more comes.
    Ended,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 6] = [
        Self::Unjoined,
        Self::PreparingRebalance,
        Self::CompletingRebalance,
        Self::Stable,
        Self::Leaving,
        Self::Ended,
    ];

    /// The states that may come after this one.
    #[must_use]
    pub const fn next(self) -> &'static [Self] {
        use State::{CompletingRebalance, Ended, Leaving, PreparingRebalance, Stable, Unjoined};
        match self {
            Unjoined => &[PreparingRebalance, Leaving, Ended],
            PreparingRebalance => &[CompletingRebalance, Unjoined, Leaving, Ended],
            CompletingRebalance => &[Stable, Unjoined, Leaving, Ended],
            Stable => &[PreparingRebalance, Unjoined, Leaving, Ended],
            Leaving => &[Ended],
            Ended => &[],
        }
    }

    /// Whether the coordinator has taken the member into a generation: heartbeats make sense (protocol.md 1.8).
    #[must_use]
    pub const fn joined(self) -> bool {
        matches!(self, Self::CompletingRebalance | Self::Stable)
    }

    /// Whether the member is on its way out or gone.
    #[must_use]
    pub const fn over(self) -> bool {
        matches!(self, Self::Leaving | Self::Ended)
    }
}

/// Why a member moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum MoveCause {
    /// JoinGroup was handed to the connection, or waits for it.
    JoinSent,
    /// JoinGroup was answered with a generation.
    JoinAnswered,
    /// SyncGroup was answered with an assignment.
    SyncAnswered,
    /// JoinGroup was refused or lost.
    JoinFailed,
    /// JoinGroup was answered 79, with the id to ask again with (KIP-394).
    MemberIdGiven,
    /// SyncGroup was refused or lost.
    SyncFailed,
    /// A heartbeat was answered 22 or 25.
    MembershipLost,
    /// The member was told to leave.
    LeaveAsked,
    /// LeaveGroup was answered, or there was nobody to send it to.
    LeaveEnded,
    /// An error no retry can mend.
    Fatal,
}

/// The state, which only [`Standing::transition`] can write.
#[derive(Debug)]
pub(super) struct Standing {
    state: State,
}

impl Standing {
    pub(super) const fn new() -> Self {
        Self {
            state: State::Unjoined,
        }
    }

    pub(super) const fn state(&self) -> State {
        self.state
    }

    /// Moves to `to` and says so in one event. An illegal move is a defect of the machine: the property tests look for it.
    #[must_use]
    pub(super) fn transition(&mut self, to: State, cause: MoveCause) -> Change {
        let from = self.state;
        debug_assert!(from.next().contains(&to), "{from:?} -> {to:?} because {cause:?}");
        self.state = to;
        Change::MemberMoved { from, to, cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_can_be_reached_and_every_state_but_the_last_can_be_left() {
        for state in State::ALL {
            let reached = State::ALL.iter().any(|from| from.next().contains(&state));
            assert!(reached || state == State::Unjoined, "{state:?}");
            assert_eq!(state.next().is_empty(), state == State::Ended, "{state:?}");
        }
    }

    #[test]
    fn a_failed_rebalance_starts_over_at_the_join_and_never_at_the_sync() {
        let to_completing: Vec<State> = State::ALL
            .into_iter()
            .filter(|from| from.next().contains(&State::CompletingRebalance))
            .collect();
        assert_eq!(to_completing, [State::PreparingRebalance]);
    }

    #[test]
    fn a_member_on_its_way_out_never_comes_back() {
        for state in State::ALL.into_iter().filter(|state| state.over()) {
            assert!(state.next().iter().all(|to| to.over()), "{state:?}");
        }
    }

    #[test]
    fn a_transition_yields_one_event_that_names_both_ends_and_the_cause() {
        let mut standing = Standing::new();
        let change = standing.transition(State::PreparingRebalance, MoveCause::JoinSent);
        assert_eq!(
            change,
            Change::MemberMoved {
                from: State::Unjoined,
                to: State::PreparingRebalance,
                cause: MoveCause::JoinSent,
            }
        );
        assert_eq!(standing.state(), State::PreparingRebalance);
    }
}
