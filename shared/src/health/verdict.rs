//! The vocabulary of verdicts and how each is found.

use serde::{Deserialize, Serialize};

use super::words::{ago, count, span};
use crate::board::{Group, Member, MemberState};
use crate::error_code;
use crate::event::{DeathCause, GroupState, Source};
use crate::ids::MemberId;
use crate::time::{Millis, UnixMs};
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
            Self::NotAuthorized => 14,
            Self::CoordinatorGone => 13,
            Self::Storm => 12,
            Self::MemberSilent => 11,
            Self::Flapping => 10,
            Self::Waiting => 9,
            Self::Loading => 8,
            Self::CoordinatorSlow => 7,
            Self::MemberLate => 6,
            Self::UnownedPartitions => 5,
            Self::NotProgressing => 4,
            Self::Rebalancing => 3,
            Self::NotVisible => 2,
            Self::Empty => 1,
            Self::Stable => 0,
        }
    }
}

/// A verdict with what an operator reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// All that is to be said of a group at `now`, the worst first; never empty.
#[must_use]
pub fn verdicts(group: &Group, now: UnixMs) -> Vec<Finding> {
    let mut found: Vec<Finding> = [
        not_authorized(group, now),
        coordinator_gone(group, now),
        member_silent(group, now),
        member_late(group, now),
        rebalancing(group, now),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !found
        .iter()
        .any(|finding| finding.verdict == Verdict::Rebalancing)
    {
        found.push(at_rest(group, now));
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.verdict.severity()));
    found
}

/// The worst of [`verdicts`].
#[must_use]
pub fn verdict(group: &Group, now: UnixMs) -> Finding {
    let mut found = verdicts(group, now);
    found.swap_remove(0)
}

fn not_authorized(group: &Group, now: UnixMs) -> Option<Finding> {
    let refused = group.refusal()?;
    let member = group.members.values().find(|member| member.refusal().is_some());
    Some(Finding {
        verdict: Verdict::NotAuthorized,
        sentence: format!(
            "{} is missing: refused with {} {}.",
            refused.right,
            error_code::label(refused.error),
            ago(now.since(refused.at))
        ),
        evidence: format!(
            "Observed: the coordinator's answer. {}",
            error_code::sentence(refused.error)
        ),
        member: member.map(|member| member.id.clone()),
    })
}

fn coordinator_gone(group: &Group, now: UnixMs) -> Option<Finding> {
    let death = group.death()?;
    let seat = group.coordinator.as_ref()?;
    let place = match (&seat.host, seat.port) {
        (Some(host), Some(port)) => format!("broker {} ({}:{port})", seat.node, host.escape_debug()),
        _ => format!("broker {}", seat.node),
    };
    let why = match death.cause {
        DeathCause::SessionOver => "a whole session passed without an answer",
        DeathCause::Disconnect => "the connection to it ended",
        DeathCause::Timeout => "a request was not answered in time",
        DeathCause::CoordinatorNotAvailable => "it answered 15 COORDINATOR_NOT_AVAILABLE",
        DeathCause::NotCoordinator => "it answered 16 NOT_COORDINATOR",
    };
    let tightest = group
        .members
        .values()
        .filter_map(|member| Some((member.session_left(now)?, member)))
        .min_by_key(|(left, _)| *left);
    let left = match tightest {
        Some((Millis(0), member)) => format!(" The session of {} is over.", shown(member)),
        Some((left, member)) => format!(
            " The tightest session, of {}, has {} left.",
            shown(member),
            span(left)
        ),
        None => String::new(),
    };
    let unsent = match death.unsent {
        0 => String::new(),
        n => format!(
            " {} waiting for it failed.",
            count(usize::try_from(n).unwrap_or(usize::MAX), "request", "requests")
        ),
    };
    let detail = death
        .detail
        .as_ref()
        .map_or_else(String::new, |detail| format!(" ({})", detail.escape_debug()));
    Some(Finding {
        verdict: Verdict::CoordinatorGone,
        sentence: format!(
            "The coordinator, {place}, is taken for dead for {}: {why}{detail}.{left}{unsent}",
            span(now.since(death.since))
        ),
        evidence: "Observed by our own members; none of them was answered since.".to_owned(),
        member: None,
    })
}

fn member_silent(group: &Group, now: UnixMs) -> Option<Finding> {
    about_members(
        group,
        now,
        MemberState::Overdue,
        Verdict::MemberSilent,
        "silent past its session",
        "silent past their sessions",
    )
}

fn member_late(group: &Group, now: UnixMs) -> Option<Finding> {
    about_members(group, now, MemberState::Late, Verdict::MemberLate, "late", "late")
}

/// The member longest unheard among those in `state`, and how many others there are.
fn about_members(
    group: &Group,
    now: UnixMs,
    state: MemberState,
    verdict: Verdict,
    is: &str,
    are: &str,
) -> Option<Finding> {
    let in_state: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| member.state(now) == state)
        .collect();
    let worst = in_state.iter().max_by_key(|member| member.age(now))?;
    let others = match in_state.len() - 1 {
        0 => String::new(),
        1 => format!(" 1 other member is {is}."),
        n => format!(" {n} other members are {are}."),
    };
    let beats = worst.beat_sentence(now);
    let sentence = beats
        .strip_prefix("Last")
        .map_or_else(|| beats.clone(), |rest| format!("{} last{rest}", shown(worst)));
    Some(Finding {
        verdict,
        sentence: format!("{sentence}{others}"),
        evidence: evidence_of(worst).to_owned(),
        member: Some(worst.id.clone()),
    })
}

fn evidence_of(member: &Member) -> &'static str {
    let inferred = member.interval().is_some_and(|interval| interval.inferred);
    match (member.renewed.source(), inferred) {
        (Some(Source::Embedded), false) => "Observed at our own coordinator.",
        (Some(Source::Embedded), true) => {
            "Observed at our own coordinator; its interval is inferred from its beats."
        }
        (Some(Source::Probe), _) => "Observed by our own member.",
        (Some(Source::Survey) | None, _) => "Inferred from what the cluster tells.",
    }
}

fn rebalancing(group: &Group, now: UnixMs) -> Option<Finding> {
    let state = group.state.get().filter(|state| state.is_rebalancing());
    if state.is_none() && group.open.is_none() {
        return None;
    }
    let word = state.map_or("Rebalancing", GroupState::as_str);
    let length = group
        .open
        .as_ref()
        .and_then(|open| open.running(now))
        .or_else(|| group.state_since.map(|since| now.since(since)))
        .map_or_else(|| "a time that is not visible".to_owned(), span);
    let cause = group.open.as_ref().map_or_else(
        || "why is not visible".to_owned(),
        |open| match open.member.get() {
            Some(member) => format!("{} ({member})", open.cause().as_str().replace('_', " ")),
            None => open.cause().as_str().replace('_', " "),
        },
    );
    let waiting = group
        .members
        .values()
        .filter(|member| {
            matches!(
                member.state(now),
                MemberState::Rebalancing | MemberState::Overdue | MemberState::Late
            )
        })
        .count();
    let waits = match waiting {
        0 => String::new(),
        n => format!(
            " {} not joined again yet.",
            count(n, "member has", "members have")
        ),
    };
    Some(Finding {
        verdict: Verdict::Rebalancing,
        sentence: format!("{word} for {length}: {cause}.{waits}"),
        evidence: sources_of(group),
        member: group.open.as_ref().and_then(|open| open.member.get().cloned()),
    })
}

/// Stable, empty, or not visible.
fn at_rest(group: &Group, now: UnixMs) -> Finding {
    let length = group
        .state_since
        .map(|since| format!(" for {}", span(now.since(since))))
        .unwrap_or_default();
    let generation = group
        .generation
        .get()
        .map(|generation| format!(" in generation {generation}"))
        .unwrap_or_default();
    let members = group.member_count().map_or_else(
        || "members not visible".to_owned(),
        |n| count(n, "member", "members"),
    );
    let (verdict, sentence) = match group.state.get() {
        Some(GroupState::Stable) => (Verdict::Stable, format!("Stable{length}{generation}: {members}.")),
        Some(GroupState::Empty) => (Verdict::Empty, format!("Empty{length}{generation}: no members.")),
        Some(other) => (
            Verdict::NotVisible,
            format!("{}{length}: {members}.", other.as_str().escape_debug()),
        ),
        None => (
            Verdict::NotVisible,
            "The group's state is not visible from here.".to_owned(),
        ),
    };
    Finding {
        verdict,
        sentence,
        evidence: sources_of(group),
        member: None,
    }
}

fn sources_of(group: &Group) -> String {
    let by = match group.state.source().or_else(|| group.sources.iter().next()) {
        Some(Source::Embedded) => "Observed at our own coordinator.",
        Some(Source::Probe) => {
            "Observed from the seats of our own members: what others do shows only in what it does to them."
        }
        Some(Source::Survey) => "From what the cluster tells about the group.",
        None => "Nothing was seen of it yet.",
    };
    by.to_owned()
}

/// A member's name as it may stand in a sentence: escaped, it comes from a stranger.
fn shown(member: &Member) -> String {
    member.name().escape_debug().to_string()
}

#[cfg(test)]
mod tests;
