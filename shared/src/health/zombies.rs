//! What restarts leave behind: members of one client of which at most the newest is heard.

use super::flapping::{Said, named_with_host};
use super::thresholds::{TOGETHER_MS, ZOMBIE_SILENT_MS, ZOMBIES};
use super::words::{count, span};
use crate::board::{Group, Identity, Member, Phase};
use crate::sorted::SortedMap;
use crate::time::{Millis, UnixMs};

/// Members that look alike: how many, how many of them silent, whose session ends first, and when they were last heard.
#[derive(Default)]
struct Look {
    all: u64,
    silent: u64,
    next: Option<Millis>,
    between: Option<(UnixMs, UnixMs)>,
}

/// Members of one client of which at most the newest is heard.
pub(super) fn zombies(group: &Group, now: UnixMs) -> Said {
    let is_silent = |member: &Member| {
        let quiet = member.age(now).is_none_or(|age| age.0 >= ZOMBIE_SILENT_MS);
        // One whose request is parked at the coordinator has nothing to say meanwhile.
        let waits =
            member.join_since.is_some() || member.phase == Phase::Rejoining && member.sync_due.is_none();
        member.abandoned.is_some() || quiet && !waits && member.is_seen_beating()
    };
    let silent = group.members.values().filter(|member| is_silent(member)).count() as u64;
    if silent + 1 < ZOMBIES {
        return None;
    }
    let mut clients: SortedMap<Identity, Look> = SortedMap::new();
    for member in group.members.values() {
        let identity = Identity::of(member);
        if !identity.is_known() {
            continue;
        }
        let look = clients.get_or_default(identity);
        look.all += 1;
        if is_silent(member) {
            look.silent += 1;
            look.next = [look.next, member.session_left(now)].into_iter().flatten().min();
            let left = member.abandoned.or_else(|| member.last_renewed());
            let last = left.unwrap_or(member.since);
            let (first, newest) = look.between.unwrap_or((last, last));
            look.between = Some((first.min(last), newest.max(last)));
        }
    }
    // Those that fell silent at one moment were not left by one restart after the other.
    let one_by_one = |look: &Look| {
        look.between
            .is_some_and(|(first, newest)| newest.since(first).0 > TOGETHER_MS)
    };
    let (
        identity,
        Look {
            all, silent, next, ..
        },
    ) = clients
        .into_iter()
        .filter(|(_, look)| look.all >= ZOMBIES && look.silent + 1 >= look.all && one_by_one(look))
        .max_by_key(|(_, look)| look.all)?;
    let next = next.map_or_else(
        || "when they expire is not visible".to_owned(),
        |left| format!("the next expires in {}", span(left)),
    );
    Some((
        format!(
            "{all} of {} come from the same host and client id, {}, and {silent} of them are silent: left by restarts without \
             LeaveGroup; {next}.",
            count(group.members.len(), "member", "members"),
            named_with_host(&identity)
        ),
        None,
    ))
}
