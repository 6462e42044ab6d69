//! Partitions nobody reads, members that have none, offsets that stand still.

use super::thresholds::{NOT_PROGRESSING_MS, UNOWNED_MS};
use super::words::{ago, at_least, count, escaped, lasting, listed, many, span};
use super::{Finding, Verdict};
use crate::board::{Group, Member, Progress};
use crate::event::{GroupState, GroupType, PartitionProgress};
use crate::sorted::SortedMap;
use crate::time::{Millis, UnixMs};

/// How many names a sentence holds.
const NAMED: usize = 5;

/// In a Stable group: partitions without an owner or with two, or a member without any while others are full.
pub(super) fn unowned(group: &Group, now: UnixMs) -> Option<Finding> {
    let stable = group.state.get() == Some(&GroupState::Stable);
    let since = group.at_rest_since()?;
    if !stable || now.since(since.at).0 < UNOWNED_MS {
        return None;
    }
    if is_whole(group) {
        return None;
    }
    let owners = Owners::of(group)?;
    let sentence = owners
        .without(group)
        .or_else(|| owners.twice(group))
        .or_else(|| owners.empty_handed(group, now))?;
    Some(Finding {
        verdict: Verdict::UnownedPartitions,
        sentence: format!("Stable for {}, but {}", lasting(since, now), sentence.0),
        evidence: "Observed: the assignment of each member. What is subscribed to is not visible: topics of which nobody owns a \
                   partition are not counted."
            .to_owned(),
        member: sentence.1.map(|member| member.id.clone()),
    })
}

/// Whether it may have partitions whose progress is not told: only so many are named.
pub(super) fn is_cut(group: &Group) -> bool {
    group.progress.len() >= PartitionProgress::NAMED
}

/// Whether each partition that is known has one owner and each member has some: what is so of most groups at most times,
/// found with one short list.
fn is_whole(group: &Group) -> bool {
    let mut owned: Vec<(&str, i32)> = Vec::new();
    for member in group.members.values() {
        let topics = member.owned.as_ref().and_then(|owned| owned.partitions.as_ref());
        let before = owned.len();
        for topic in topics.into_iter().flatten() {
            owned.extend(
                topic
                    .partitions
                    .iter()
                    .map(|partition| (topic.topic.as_str(), *partition)),
            );
        }
        if owned.len() == before {
            return false;
        }
    }
    owned.sort_unstable();
    let once = owned.windows(2).all(|pair| pair.first() != pair.last());
    let read = |row: &Progress| owned.binary_search(&(&*row.topic, row.partition)).is_ok();
    once && group.progress.iter().all(read)
}

/// Who owns what, where that is known of everybody.
struct Owners<'a> {
    of: SortedMap<(&'a str, i32), Vec<&'a Member>>,
    topics: SortedMap<&'a str, ()>,
    empty: Vec<&'a Member>,
    members: usize,
}

impl<'a> Owners<'a> {
    fn of(group: &'a Group) -> Option<Self> {
        let mut all = Self {
            of: SortedMap::new(),
            topics: SortedMap::new(),
            empty: Vec::new(),
            members: 0,
        };
        for member in group.members.values() {
            let owned = member.owned.as_ref()?;
            if owned.unnamed > 0 {
                return None;
            }
            let partitions = owned.partitions.as_ref()?;
            all.members += 1;
            if owned.count() == Some(0) {
                all.empty.push(member);
            }
            for topic in partitions {
                all.topics.insert(&topic.topic, ());
                for partition in &topic.partitions {
                    all.of.get_or_default((&topic.topic, *partition)).push(member);
                }
            }
        }
        (!all.of.is_empty()).then_some(all)
    }

    fn without(&self, group: &'a Group) -> Option<(String, Option<&'a Member>)> {
        let without: Vec<&Progress> = group
            .progress
            .iter()
            .filter(|row| {
                self.topics.contains_key(&*row.topic) && !self.of.contains_key(&(&*row.topic, row.partition))
            })
            .collect();
        if without.is_empty() {
            return None;
        }
        let left: u64 = without.iter().filter_map(|row| row.left()).sum();
        let waits = match left {
            0 => "nothing waits in them yet".to_owned(),
            n => format!(
                "{}{} in them",
                at_least(is_cut(group)),
                many(n, "record waits", "records wait")
            ),
        };
        Some((
            format!(
                "{}{} no owner: {}; {waits}.",
                at_least(is_cut(group)),
                count(without.len(), "partition has", "partitions have"),
                listed(without.iter().map(|row| name(&row.topic, row.partition)), NAMED)
            ),
            None,
        ))
    }

    fn twice(&self, group: &Group) -> Option<(String, Option<&'a Member>)> {
        // To share partitions is what share groups are for (KIP-932).
        if group.group_type.get() == Some(&GroupType::Share) {
            return None;
        }
        let ((topic, partition), owners) = self.of.iter().find(|(_, owners)| owners.len() > 1)?;
        let all = self.of.values().filter(|owners| owners.len() > 1).count();
        Some((
            format!(
                "{} more than one owner: {} is read by {}.",
                count(all, "partition has", "partitions have"),
                name(topic, *partition),
                listed(owners.iter().map(|member| escaped(member.name())), NAMED)
            ),
            owners.first().copied(),
        ))
    }

    /// A member without partitions though there are enough for all.
    fn empty_handed(&self, group: &Group, now: UnixMs) -> Option<(String, Option<&'a Member>)> {
        let first = *self.empty.first()?;
        // A member of a streams group may follow others only, to take over from them.
        let follows = group.group_type.get() == Some(&GroupType::Streams);
        if self.of.len() < self.members || follows {
            return None;
        }
        let owned = first.owned.as_ref()?;
        let full = self.members - self.empty.len();
        let others = match self.empty.len() - 1 {
            0 => String::new(),
            n => format!(" {} none either.", count(n, "other has", "others have")),
        };
        let instance = first
            .instance_id
            .get()
            .map_or_else(String::new, |id| format!(" (instance {})", escaped(id.as_str())));
        let since = owned.generation.map_or_else(String::new, |generation| {
            let latest = group.generation.get() == Some(&generation);
            let since = if latest { "since" } else { "since, at the latest," };
            format!(", {since} generation {generation}")
        });
        Some((
            format!(
                "{}{instance} has 0 partitions while {} {}{since} ({}).{others}",
                escaped(first.name()),
                count(full, "other shares", "others share"),
                count(self.of.len(), "partition", "partitions"),
                ago(now.since(owned.at))
            ),
            Some(first),
        ))
    }
}

/// What the offsets of a group that does not get on leave open.
fn unseen(group: &Group) -> &'static str {
    if group.members.is_empty() {
        "Nobody is in it who could commit."
    } else {
        "Whether the application hangs, fails without saying so or is busy with one record is not visible from here."
    }
}

/// Commits stand still while records arrive.
pub(super) fn not_progressing(group: &Group, now: UnixMs) -> Option<Finding> {
    // One record that is held keeps a share group's start offset where it is, while others behind it are acknowledged.
    if group.group_type.get() == Some(&GroupType::Share) {
        return None;
    }
    let stuck: Vec<(&Progress, Millis)> = group
        .progress
        .iter()
        .filter_map(|row| Some((row, now.since(row.behind.behind_since?))))
        .filter(|(row, still)| still.0 >= NOT_PROGRESSING_MS && row.came_since().is_some_and(|came| came > 0))
        .collect();
    let (_, longest) = stuck.iter().max_by_key(|(_, still)| *still)?;
    let left: u64 = stuck.iter().filter_map(|(row, _)| row.left()).sum();
    let came: u64 = stuck.iter().filter_map(|(row, _)| row.came_since()).sum();
    let owner = |row: &Progress| {
        group.members.values().map(|member| &**member).find(|member| {
            let topics = member.owned.as_ref().and_then(|owned| owned.partitions.as_ref());
            topics
                .into_iter()
                .flatten()
                .any(|topic| *topic.topic == *row.topic && topic.partitions.contains(&row.partition))
        })
    };
    let mut owners: Vec<&Member> = stuck.iter().filter_map(|(row, _)| owner(row)).collect();
    owners.dedup_by(|one, other| one.id == other.id);
    let names = listed(
        stuck.iter().map(|(row, _)| name(&row.topic, row.partition)),
        NAMED,
    );
    let who = match owners.as_slice() {
        [] if group.members.is_empty() => "The group has no member and".to_owned(),
        [] => "The group".to_owned(),
        [only] => escaped(only.name()),
        many => listed(many.iter().map(|member| escaped(member.name())), NAMED),
    };
    let several = owners.len() > 1;
    let beats = owners.first().and_then(|owner| {
        let age = owner.age(now)?;
        let it = if several {
            escaped(owner.name())
        } else {
            "It".to_owned()
        };
        Some(if owner.is_late(now) {
            format!(" {it} has been silent for {}.", span(age))
        } else {
            format!(
                " {it} heartbeats all the while (last {}): alive, and not working.",
                ago(age)
            )
        })
    });
    let more = at_least(is_cut(group));
    let commits = if several { "commit" } else { "commits" };
    Some(Finding {
        verdict: Verdict::NotProgressing,
        sentence: format!(
            "{who} {commits} nothing for {} on {more}{}: {names}; {more}{} meanwhile and {more}{} left to read.{}",
            span(*longest),
            count(stuck.len(), "partition", "partitions"),
            many(came, "record came", "records came"),
            many(left, "is", "are"),
            beats.unwrap_or_default()
        ),
        evidence: [
            "Observed: committed offsets and the ends of the partitions. ",
            unseen(group),
        ]
        .concat(),
        member: owners.first().map(|owner| owner.id.clone()),
    })
}

fn name(topic: &str, partition: i32) -> String {
    format!("{}-{partition}", escaped(topic))
}
