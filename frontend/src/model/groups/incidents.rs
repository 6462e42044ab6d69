//! What is wrong, told once: groups in trouble for one cause are one incident.

use shared::board::{Board, Group, GroupKey};
use shared::health::{Finding, Verdict};
use shared::ids::{ClusterId, NodeId};

/// How many incidents of several groups are told apart; groups of one more are incidents of their own.
const APART: usize = 64;

/// Something that is wrong, and the groups it hits.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    /// What they have in common.
    pub cause: Cause,
    /// What is said of the first of them.
    pub finding: Finding,
    /// All of them, the worst first.
    pub groups: Vec<GroupKey>,
}

/// What the groups of an incident have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Their coordinator, and what is wrong with it.
    Broker(ClusterId, NodeId, Verdict),
    /// The host of members that are not heard.
    Host(ClusterId, String),
    /// A right on groups that is missing.
    Right(ClusterId),
    /// Nothing: it is one group.
    Group(GroupKey),
}

impl Cause {
    fn of(board: &Board, finding: &Finding, key: &GroupKey) -> Self {
        let shared = board.group(key).and_then(|group| shared_by(group, finding));
        shared.unwrap_or_else(|| Self::Group(key.clone()))
    }
}

/// What others may have in common with it; none where a finding is of one group alone.
fn shared_by(group: &Group, finding: &Finding) -> Option<Cause> {
    let cluster = group.key.cluster.clone();
    match finding.verdict {
        verdict @ (Verdict::CoordinatorGone | Verdict::CoordinatorSlow | Verdict::Loading) => {
            Some(Cause::Broker(cluster, group.coordinator.as_ref()?.node, verdict))
        }
        Verdict::MemberSilent | Verdict::MemberLate => {
            let member = group.members.get(finding.member.as_ref()?)?;
            Some(Cause::Host(cluster, member.host.get()?.clone()))
        }
        Verdict::NotAuthorized => Some(Cause::Right(cluster)),
        _ => None,
    }
}

/// The incidents of groups in trouble, the worst first.
pub(super) fn incidents(board: &Board, worst: &[(Finding, GroupKey)]) -> Vec<Incident> {
    let mut all: Vec<Incident> = Vec::new();
    // Where those are that others may belong to.
    let mut shared: Vec<usize> = Vec::new();
    for (finding, key) in worst {
        let cause = Cause::of(board, finding, key);
        if !matches!(cause, Cause::Group(_)) {
            let known = shared
                .iter()
                .copied()
                .find(|place| all.get(*place).is_some_and(|known| known.cause == cause));
            if let Some(known) = known.and_then(|place| all.get_mut(place)) {
                known.groups.push(key.clone());
                continue;
            }
            if shared.len() < APART {
                shared.push(all.len());
            }
        }
        all.push(Incident {
            cause,
            finding: finding.clone(),
            groups: vec![key.clone()],
        });
    }
    all
}

/// How many incidents are told as sentences.
const TOLD: usize = 3;

/// What is told above the list.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The worst incidents; while somebody reads, those that stood there before.
    pub shown: Vec<Incident>,
    /// How many others would stand there if nobody read.
    pub new: usize,
    /// How many there are in all.
    pub all: usize,
}

impl Told {
    /// What is told now, beside what stood there `before` where that is to keep its place; `verdict` judges a group.
    pub(super) fn of(
        mut all: Vec<Incident>,
        before: Option<&Self>,
        verdict: impl Fn(&GroupKey) -> Option<Finding>,
    ) -> Self {
        let count = all.len();
        let Some(before) = before else {
            all.truncate(TOLD);
            return Self {
                shown: all,
                new: 0,
                all: count,
            };
        };
        let find = |stood: &Incident| {
            let there = all.iter().find(|incident| incident.cause == stood.cause);
            // One that is over says so where it stood.
            let over = || {
                let finding = stood.groups.iter().find_map(&verdict)?;
                Some(Incident {
                    finding,
                    ..stood.clone()
                })
            };
            there.cloned().or_else(over)
        };
        let shown: Vec<Incident> = before.shown.iter().filter_map(find).collect();
        let stands = |incident: &Incident| shown.iter().any(|other| other.cause == incident.cause);
        let new = all.iter().take(TOLD).filter(|incident| !stands(incident)).count();
        Self {
            shown,
            new,
            all: count,
        }
    }
}

#[cfg(test)]
mod tests;
