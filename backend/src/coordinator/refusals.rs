//! Requests that were answered with an error, as they are told: at most once a second for each member, API and code, with
//! how many there were. A client in a loop asks thousands of times a second; told each time, it would drown all else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::event::Change;
use shared::ids::{GroupId, MemberId};
use shared::protocol::{AnyRequest, ApiKey, HeartbeatRequest};
use shared::time::{Millis, Timestamp};

use super::{Observed, Origin};
use crate::limits;

/// How often one is told.
const EVERY: Millis = Millis(1_000);

/// Who waits for an answer.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) api: ApiKey,
    group: GroupId,
    pub(crate) member: Option<MemberId>,
    client_id: Arc<str>,
    host: Arc<str>,
    pub(crate) since: Timestamp,
    /// Its client has closed the connection: nobody hears the answer.
    pub(crate) gone: bool,
}

impl Asker {
    /// Of a request that a member makes for itself, or a look at one group: its refusal is told. Names longer than any that
    /// is kept are left out.
    pub(crate) fn of(request: &AnyRequest, from: Origin<'_>, since: Timestamp) -> Option<Self> {
        let (group, member) = match request {
            AnyRequest::JoinGroup(r) => (&r.group_id, r.member_id.as_str()),
            AnyRequest::SyncGroup(r) => (&r.group_id, r.member_id.as_str()),
            AnyRequest::LeaveGroup(r) => {
                let first = r.members.first();
                (
                    &r.group_id,
                    first.map_or(r.member_id.as_str(), |member| &member.member_id),
                )
            }
            // A tool looks at it: of many groups each is answered for itself, and one refusal does not tell which.
            AnyRequest::DescribeGroups(r) => match r.groups.as_slice() {
                [group] => (group, ""),
                _ => return None,
            },
            _ => return None,
        };
        Self::about(request.key(), group, member, from, since)
    }

    /// Of a heartbeat under an id that is no member's: of members' heartbeats all is told as it is.
    pub(crate) fn of_stranger(
        request: &HeartbeatRequest,
        from: Origin<'_>,
        since: Timestamp,
    ) -> Option<Self> {
        Self::about(
            ApiKey::Heartbeat,
            &request.group_id,
            &request.member_id,
            from,
            since,
        )
    }

    fn about(api: ApiKey, group: &str, member: &str, from: Origin<'_>, since: Timestamp) -> Option<Self> {
        let client_id = if is_kept(from.client_id) {
            from.client_id
        } else {
            ""
        };
        (group.len() <= limits::GROUP_ID_BYTES).then(|| Self {
            api,
            group: group.into(),
            member: (!member.is_empty() && is_kept(member)).then(|| member.into()),
            client_id: client_id.into(),
            host: from.host.into(),
            since,
            gone: false,
        })
    }

    pub(crate) const fn group(&self) -> &GroupId {
        &self.group
    }
}

/// Whether a name is short enough to be kept.
const fn is_kept(name: &str) -> bool {
    name.len() <= limits::COORDINATOR_NAME_BYTES + limits::MEMBER_ID_SUFFIX
}

/// What is alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    group: GroupId,
    member: Option<MemberId>,
    client_id: Arc<str>,
    api: ApiKey,
    error: i16,
}

/// Those told less than [`EVERY`] ago, with what is to be told next.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    recent: BTreeMap<Kind, Recent>,
    due: BTreeSet<(Timestamp, Kind)>,
}

#[derive(Debug)]
struct Recent {
    host: Arc<str>,
    untold: u32,
}

impl Refusals {
    /// One more; it is told now where none like it was told of late.
    pub(crate) fn add(&mut self, now: Timestamp, asker: Asker, error: i16) -> Option<Observed> {
        let Asker {
            api,
            group,
            member,
            client_id,
            host,
            ..
        } = asker;
        let kind = Kind {
            group,
            member,
            client_id,
            api,
            error,
        };
        if let Some(recent) = self.recent.get_mut(&kind) {
            recent.untold = recent.untold.saturating_add(1);
            return None;
        }
        let told = observed(&kind, &host, 1);
        // Above the bound each is told for itself: it is the first of its kind anyway.
        if self.recent.len() < limits::COORDINATOR_REFUSALS {
            self.due.insert((now + EVERY, kind.clone()));
            self.recent.insert(kind, Recent { host, untold: 0 });
        }
        Some(told)
    }

    /// The next that is to be told by now.
    pub(crate) fn due(&mut self, now: Timestamp) -> Option<Observed> {
        while self.next().is_some_and(|due| due <= now) {
            let (_, kind) = self.due.pop_first()?;
            let Some(recent) = self.recent.get_mut(&kind) else {
                continue;
            };
            match std::mem::take(&mut recent.untold) {
                0 => {
                    self.recent.remove(&kind);
                }
                times => {
                    let told = observed(&kind, &recent.host, times);
                    self.due.insert((now + EVERY, kind));
                    return Some(told);
                }
            }
        }
        None
    }

    /// When something may have to be told.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| *due)
    }
}

fn observed(kind: &Kind, host: &str, times: u32) -> Observed {
    let change = Change::RequestRefused {
        api: kind.api.name().to_owned(),
        error: kind.error,
        client_id: kind.client_id.as_ref().to_owned(),
        host: host.to_owned(),
        times,
    };
    Observed {
        group: kind.group.clone(),
        member: kind.member.clone(),
        change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn asker(member: &str) -> Asker {
        let request = shared::protocol::SyncGroupRequest {
            group_id: "g".into(),
            member_id: member.into(),
            ..Default::default()
        };
        let from = Origin {
            client_id: "c",
            host: "/h",
        };
        Asker::of(&request.into(), from, at(0)).unwrap()
    }

    fn times(told: Option<Observed>) -> Option<u32> {
        told.map(|told| match told.change {
            Change::RequestRefused { times, .. } => times,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_first_is_told_at_once_and_those_of_the_next_second_together() {
        let mut refusals = Refusals::default();
        assert_eq!(times(refusals.add(at(0), asker("m"), 25)), Some(1));
        for ms in [1, 500, 999] {
            assert_eq!(refusals.add(at(ms), asker("m"), 25), None);
        }
        assert_eq!(
            times(refusals.add(at(5), asker("n"), 25)),
            Some(1),
            "of another member"
        );
        assert_eq!(
            times(refusals.add(at(5), asker("m"), 27)),
            Some(1),
            "with another code"
        );
        assert_eq!(refusals.due(at(999)), None);
        assert_eq!(times(refusals.due(at(1_000))), Some(3));
        assert_eq!(refusals.due(at(1_999)), None);
        assert_eq!(refusals.due(at(2_000)), None, "nothing came since");
        assert_eq!(refusals.next(), None);
        assert_eq!(times(refusals.add(at(2_001), asker("m"), 25)), Some(1));
    }

    #[test]
    fn above_the_bound_nothing_more_is_remembered_and_all_is_told() {
        let mut refusals = Refusals::default();
        for n in 0..limits::COORDINATOR_REFUSALS {
            refusals.add(at(0), asker(&format!("m{n}")), 25);
        }
        for _ in 0..2 {
            assert_eq!(times(refusals.add(at(1), asker("one more"), 25)), Some(1));
        }
        assert_eq!(refusals.recent.len(), limits::COORDINATOR_REFUSALS);
    }

    #[test]
    fn a_name_longer_than_any_member_s_is_left_out() {
        assert_eq!(asker(&"m".repeat(5_000)).member, None);
        assert!(asker(&"m".repeat(4_096)).member.is_some());
    }
}
