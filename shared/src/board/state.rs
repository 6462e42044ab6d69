//! A member's state at a moment: computed from its row and the time of day, never stored.

use super::member::{Losses, Member, Phase};
use super::reconciliation::Reconciliation;
use crate::error_code;
use crate::event::WithheldReason;
use crate::health::words::{ago, capital, escaped, span};
use crate::time::{Millis, UnixMs};
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What an operator is told of a member (docs/contract.md, closed vocabulary).
    pub enum MemberState: "member state" {
        /// No generation yet.
        Joining = "joining",
        /// The last answer that renewed its session is at most one and a half heartbeat intervals old.
        OnTime = "on-time",
        /// Older than that.
        Late = "late",
        /// Older than its session timeout.
        Overdue = "overdue",
        /// In the group; its heartbeats cannot be seen from here.
        Listed = "listed",
        /// It must join again and has not sent JoinGroup.
        Rebalancing = "rebalancing",
        /// Its JoinGroup or SyncGroup is out.
        Rejoining = "rejoining",
        /// KIP-848: it moves to the assignment it was given.
        Reconciling = "reconciling",
        /// Its session was over at the coordinator.
        Expired = "expired",
        /// Removed by the coordinator at a deadline or limit.
        Evicted = "evicted",
        /// It left.
        Left = "left",
        /// No longer in the group; how it went is not visible.
        Gone = "gone",
        /// Another member has taken its place.
        Fenced = "fenced",
        /// A right is missing.
        NotAuthorized = "not-authorized",
        /// What was seen of it does not tell.
        NotVisible = "not-visible",
    }
}

impl MemberState {
    /// Whether the membership is over.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        matches!(
            self,
            Self::Expired | Self::Evicted | Self::Left | Self::Gone | Self::Fenced
        )
    }
}

/// How long a member may take between two renewals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The interval.
    pub every: Millis,
    /// Whether it is inferred from the beats, not told.
    pub inferred: bool,
}

impl Member {
    /// Its state at `now`, by the rules of docs/contract.md.
    #[must_use]
    pub fn state(&self, now: UnixMs) -> MemberState {
        if self.refusal().is_some() {
            return MemberState::NotAuthorized;
        }
        match &self.phase {
            Phase::Joining => MemberState::Joining,
            Phase::Rebalancing { .. } => MemberState::Rebalancing,
            Phase::Rejoining => MemberState::Rejoining,
            Phase::Failed { error, .. } => failed(*error),
            Phase::InGroup if self.told_to_rejoin() => MemberState::Rebalancing,
            Phase::InGroup if self.on_its_way().is_some() => MemberState::Reconciling,
            Phase::InGroup => self.punctuality(now),
        }
    }

    /// The right it is refused, unless a later answer renewed its session. One that it ended by stands: what the
    /// coordinator still counts for it does not bring it back.
    #[must_use]
    pub fn refusal(&self) -> Option<&super::member::Refusal> {
        self.refused.as_deref().filter(|refused| {
            let ended_by =
                matches!(&self.phase, Phase::Failed { error, .. } if *error == Some(refused.error));
            ended_by || self.last_renewed().is_none_or(|renewed| renewed <= refused.at)
        })
    }

    /// Why it sends no heartbeats, unless a later answer renewed its session.
    #[must_use]
    pub fn withheld(&self) -> Option<WithheldReason> {
        self.withheld
            .as_ref()
            .filter(|held| self.last_renewed().is_none_or(|renewed| renewed <= held.at))
            .map(|held| held.reason)
    }

    /// When it was cut off or ended without leaving, unless a later answer renewed its session.
    #[must_use]
    pub fn killed(&self) -> Option<UnixMs> {
        self.killed
            .filter(|killed| self.last_renewed().is_none_or(|renewed| renewed <= *killed))
    }

    /// Its heartbeat interval: as told, else the median of the last ten gaps between renewals, else none.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        if let Some(every) = self.heartbeat_interval.get() {
            return Some(Interval {
                every: *every,
                inferred: false,
            });
        }
        if self.gaps.len() < super::limits::BEAT_GAPS {
            return None;
        }
        let mut gaps: Vec<Millis> = self.gaps.iter().copied().collect();
        gaps.sort_unstable();
        let upper = gaps.get(gaps.len() / 2)?.0;
        let lower = gaps.get((gaps.len() - 1) / 2)?.0;
        Some(Interval {
            every: Millis(lower + (upper - lower) / 2),
            inferred: true,
        })
    }

    /// How old the last renewal of its session is at `now`.
    #[must_use]
    pub fn age(&self, now: UnixMs) -> Option<Millis> {
        self.last_renewed().map(|renewed| now.since(renewed))
    }

    /// How much of its session is left at `now`; none where the session or its last renewal is not visible, and while
    /// it joins or rejoins: a coordinator removes no member that waits in JoinGroup or SyncGroup for its session. One whose
    /// JoinGroup was answered and whose SyncGroup has not come waits in neither: its session runs from that answer on.
    #[must_use]
    pub fn session_left(&self, now: UnixMs) -> Option<Millis> {
        let session = self.session_timeout.get()?;
        if let Some(answered) = self.sync_due {
            let from = self
                .last_renewed()
                .map_or(answered, |renewed| renewed.max(answered));
            return Some(Millis(session.0.saturating_sub(now.since(from).0)));
        }
        match self.phase {
            Phase::InGroup | Phase::Rebalancing { .. } => {}
            Phase::Joining | Phase::Rejoining | Phase::Failed { .. } => return None,
        }
        Some(Millis(session.0.saturating_sub(self.age(now)?.0)))
    }

    /// Whether the embedded coordinator answered its heartbeats 27 in the generation it is in.
    ///
    /// Only for members of others: one of ours says itself when it must join again.
    pub(super) fn told_to_rejoin(&self) -> bool {
        !self.is_ours()
            && self
                .rejoin_told
                .is_some_and(|told| self.generation.get().is_none_or(|generation| told >= *generation))
    }

    /// How far it is on its way to the assignment it was given. Where its heartbeats are seen, they tell more.
    fn on_its_way(&self) -> Option<&Reconciliation> {
        self.reconciling.as_deref().filter(|_| !self.is_seen_beating())
    }

    /// Whether it has been silent for longer than one and a half of its intervals; where its interval is not visible, for
    /// longer than half its session.
    #[must_use]
    pub fn is_late(&self, now: UnixMs) -> bool {
        let Some(age) = self.age(now) else { return false };
        match (self.interval(), self.session_timeout.get()) {
            (Some(interval), _) => age.0.saturating_mul(2) > interval.every.0.saturating_mul(3),
            (None, Some(session)) => age.0.saturating_mul(2) > session.0,
            (None, None) => false,
        }
    }

    fn punctuality(&self, now: UnixMs) -> MemberState {
        let Some(age) = self.age(now) else {
            return if self.is_seen_beating() {
                MemberState::NotVisible
            } else {
                MemberState::Listed
            };
        };
        let session = self.session_timeout.get();
        if session.is_some_and(|session| age > *session) {
            return MemberState::Overdue;
        }
        match (self.interval(), session) {
            (Some(interval), _) if age.0.saturating_mul(2) > interval.every.0.saturating_mul(3) => {
                MemberState::Late
            }
            (Some(_), _) | (None, Some(_)) => MemberState::OnTime,
            (None, None) => MemberState::NotVisible,
        }
    }

    /// Why it is in its state at `now`: one sentence with its numbers.
    #[must_use]
    pub fn state_reason(&self, now: UnixMs) -> String {
        if let Some(refused) = self.refusal() {
            return format!(
                "{} is missing (answered {}).",
                escaped(&refused.right),
                error_code::label(refused.error)
            );
        }
        let length = span(now.since(self.phase_since));
        match &self.phase {
            Phase::Joining => format!("Joining for {length}: it has no generation yet.{}", self.loses()),
            Phase::Rebalancing { error, detail, .. } => {
                let detail = detail.as_ref().map(|detail| format!(" ({})", escaped(detail)));
                let told = match error {
                    Some(code) => format!(
                        "Told to join again {length} ago, answered {}",
                        error_code::label(*code)
                    ),
                    None => format!("It must join again, for {length}"),
                };
                format!(
                    "{told}{}; its JoinGroup is not sent yet.{}",
                    detail.unwrap_or_default(),
                    self.loses()
                )
            }
            Phase::Rejoining => format!(
                "Rejoining for {length}: its JoinGroup or SyncGroup is out.{}",
                self.loses()
            ),
            Phase::Failed { sentence, .. } => format!("Ended {length} ago: {sentence}"),
            Phase::InGroup if self.told_to_rejoin() => {
                let beats = capital(&self.beats_so_far(now));
                format!("The coordinator answers it 27: it must join again. {beats}")
            }
            Phase::InGroup => match self.on_its_way() {
                Some(way) => format!(
                    "Reconciling for {}: {}.",
                    span(now.since(way.since)),
                    way.what.words()
                ),
                None => capital(&self.beats_so_far(now)),
            },
        }
    }

    /// That it loses its coordinator again and again, with a space before it.
    fn loses(&self) -> String {
        let said = self.losses.as_deref().and_then(Losses::words);
        said.map_or_else(String::new, |said| format!(" It {said}."))
    }

    /// "last answered 2.6 s ago; it beats every 1 s and its session is 6 s: 3.4 s left."
    pub(crate) fn beats_so_far(&self, now: UnixMs) -> String {
        let Some(age) = self.age(now) else {
            return if self.is_seen_beating() {
                "no answer that renewed its session has been seen yet.".to_owned()
            } else {
                "in the group; its heartbeats cannot be seen from here.".to_owned()
            };
        };
        let every = match self.interval() {
            Some(Interval {
                every,
                inferred: false,
            }) => format!("it beats every {}", span(every)),
            Some(Interval {
                every,
                inferred: true,
            }) => {
                format!(
                    "it beats about every {} (median of its last ten gaps)",
                    span(every)
                )
            }
            None => "its heartbeat interval is not visible".to_owned(),
        };
        let session = match self.session_timeout.get() {
            Some(session) if age > *session => format!(
                "and its session is {}: over by {}",
                span(*session),
                span(Millis(age.0 - session.0))
            ),
            Some(session) => format!(
                "and its session is {}: {} left",
                span(*session),
                span(Millis(session.0 - age.0))
            ),
            None => "and its session timeout is not visible".to_owned(),
        };
        let silent = match (self.killed(), self.withheld()) {
            (Some(killed), _) => format!(" It ended {} without leaving.", ago(now.since(killed))),
            (None, Some(WithheldReason::CoordinatorUnknown)) => " It looks for its coordinator.".to_owned(),
            (
                None,
                Some(WithheldReason::NoGeneration | WithheldReason::RejoinNeeded | WithheldReason::Throttled)
                | None,
            ) => String::new(),
        };
        format!("last answered {}; {every} {session}.{silent}", ago(age))
    }
}

/// The state of a member of ours that a fatal error ended.
const fn failed(error: Option<i16>) -> MemberState {
    match error {
        Some(code) if error_code::is_for_want_of_a_right(code) => MemberState::NotAuthorized,
        Some(error_code::FENCED_INSTANCE_ID | error_code::FENCED_MEMBER_EPOCH) => MemberState::Fenced,
        Some(error_code::GROUP_MAX_SIZE_REACHED) => MemberState::Evicted,
        _ => MemberState::Gone,
    }
}
