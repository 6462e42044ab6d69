//! JoinGroups that their clients gave up, and the members that these left behind.

use super::group::name_of;
use super::thresholds::{ABANDONED_MS, ABANDONED_WAITED_MS, DANGLING};
use super::waiting::Said;
use super::words::{ago, at_least, count, escaped, span};
use crate::board::limits::ABANDONED;
use crate::board::{Group, Identity, Member};
use crate::sorted::SortedMap;
use crate::time::UnixMs;

/// Clients that close the connection while the coordinator may still hold their JoinGroup.
pub(super) fn given_up(group: &Group, now: UnixMs) -> Said {
    let last = group.coordination.abandoned.first().filter(|last| {
        let in_vain = last.waited.0 >= ABANDONED_WAITED_MS && last.waited < last.allowed;
        in_vain && now.since(last.at).0 <= ABANDONED_MS
    })?;
    let name = last.name.clone().unwrap_or_else(|| name_of(group, &last.member));
    let host = last
        .host
        .as_ref()
        .map_or_else(String::new, |host| format!(" of {}", escaped(host)));
    let times = group
        .coordination
        .abandoned
        .iter()
        .filter(|join| now.since(join.at).0 <= ABANDONED_MS)
        .count();
    Some((
        format!(
            "{}{host} gave its JoinGroup up after {} though it promised a rebalance timeout of {}, as long as the coordinator may \
             hold it: the timeouts contradict each other ({}{} lately, the last {}).{}",
            escaped(&name),
            span(last.waited),
            span(last.allowed),
            at_least(times >= ABANDONED),
            count(times, "time", "times"),
            ago(now.since(last.at)),
            dangling(group).unwrap_or_default()
        ),
        Some(last.member.clone()),
    ))
}

/// Members that nobody is behind any more: their clients gave the JoinGroup up and came again as somebody else.
pub(super) fn dangling(group: &Group) -> Option<String> {
    let left: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| member.abandoned.is_some())
        .collect();
    if (left.len() as u64) < DANGLING {
        return None;
    }
    let hosts: SortedMap<_, ()> = group
        .members
        .values()
        .filter_map(|member| Some((member.host.get()?, ())))
        .collect();
    let mut by_client: SortedMap<Identity, usize> = SortedMap::new();
    for identity in left.iter().map(|member| Identity::of(member)) {
        // Those of which nobody tells who they are are not one client for that.
        if identity.is_known() {
            *by_client.get_or_default(identity) += 1;
        }
    }
    let hosts = match hosts.len() {
        0 => String::new(),
        n => format!(" for {}", count(n, "client host", "client hosts")),
    };
    let most = by_client.iter().max_by_key(|(_, most)| **most);
    let most = most.map_or_else(String::new, |(client, most)| {
        format!(
            ", {most} of them by {} of {}",
            escaped(client.client_id.as_deref().unwrap_or("a client without an id")),
            escaped(client.host.as_deref().unwrap_or("a host that is not visible"))
        )
    });
    Some(format!(
        " The group has {}{hosts}: {} were left behind by joins given up{most}.",
        count(group.members.len(), "member", "members"),
        left.len(),
    ))
}
