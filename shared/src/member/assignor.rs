//! The range assignor: each topic's partitions in order, in stretches as even as can be, to its subscribers in order.
//!
//! Kafka's `RangeAssignor`, the default of its consumers, without racks: members in order of instance id where they have
//! one, before those that have none, which are in order of member id; the first ones get one partition more.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{InstanceId, MemberId};

/// A member and what it wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// Its id.
    pub member: MemberId,
    /// Its name for life, where it has one.
    pub instance: Option<InstanceId>,
    /// The topics.
    pub topics: Vec<String>,
}

/// Each member and its partitions by topic; members that get none are listed too.
#[must_use]
pub fn range(
    mut subscribers: Vec<Subscriber>,
    partitions: &BTreeMap<String, u32>,
) -> Vec<(MemberId, BTreeMap<String, Vec<i32>>)> {
    subscribers.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut assigned: Vec<_> = subscribers
        .iter()
        .map(|subscriber| (subscriber.member.clone(), BTreeMap::new()))
        .collect();
    for (topic, takers) in takers(&subscribers) {
        let Some(&count) = partitions.get(topic) else {
            continue;
        };
        let shares = u32::try_from(takers.len()).unwrap_or(u32::MAX).max(1);
        let (each, more) = (count / shares, count % shares);
        let mut next = 0;
        for (place, taker) in (0..shares).zip(takers) {
            let end = next + each + u32::from(place < more);
            let stretch: Vec<i32> = (next..end).filter_map(|p| i32::try_from(p).ok()).collect();
            if !stretch.is_empty()
                && let Some((_, topics)) = assigned.get_mut(taker)
            {
                topics.insert(topic.to_owned(), stretch);
            }
            next = end;
        }
    }
    assigned
}

/// Static members first, by instance id; the others by member id.
fn order(subscriber: &Subscriber) -> (bool, Option<&InstanceId>, &MemberId) {
    let instance = subscriber.instance.as_ref();
    (instance.is_none(), instance, &subscriber.member)
}

/// The topics, and which of the subscribers want each, once, in their order.
fn takers(subscribers: &[Subscriber]) -> BTreeMap<&str, BTreeSet<usize>> {
    let mut takers: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, subscriber) in subscribers.iter().enumerate() {
        for topic in &subscriber.topics {
            takers.entry(topic).or_default().insert(at);
        }
    }
    takers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(member: &str, topics: &[&str]) -> Subscriber {
        Subscriber {
            member: MemberId::from(member),
            instance: None,
            topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
        }
    }

    /// `m1: a 0 1, b 0; m2: a 2`
    fn assigned(subscribers: Vec<Subscriber>, partitions: &[(&str, u32)]) -> String {
        let partitions = partitions
            .iter()
            .map(|(topic, count)| ((*topic).to_owned(), *count))
            .collect();
        let members = range(subscribers, &partitions)
            .into_iter()
            .map(|(member, topics)| {
                let topics = topics.into_iter().map(|(topic, partitions)| {
                    partitions
                        .into_iter()
                        .fold(topic, |text, partition| format!("{text} {partition}"))
                });
                format!("{member}: {}", topics.collect::<Vec<_>>().join(", "))
            });
        members.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_first_members_get_one_partition_more() {
        let members = vec![wants("c", &["t"]), wants("a", &["t"]), wants("b", &["t"])];
        assert_eq!(assigned(members, &[("t", 8)]), "a: t 0 1 2; b: t 3 4 5; c: t 6 7");
    }

    #[test]
    fn each_topic_is_shared_by_those_who_want_it() {
        let members = vec![wants("a", &["t", "u"]), wants("b", &["u"]), wants("c", &[])];
        assert_eq!(
            assigned(members, &[("t", 2), ("u", 2)]),
            "a: t 0 1, u 0; b: u 1; c: "
        );
    }

    #[test]
    fn a_topic_that_does_not_exist_gives_nobody_anything() {
        let members = vec![wants("a", &["gone", "t"]), wants("b", &["t", "t"])];
        assert_eq!(assigned(members, &[("t", 1), ("other", 5)]), "a: t 0; b: ");
    }

    #[test]
    fn static_members_come_first_in_the_order_of_their_instance_ids() {
        let mut first = wants("z", &["t"]);
        first.instance = Some(InstanceId::from("i1"));
        let mut second = wants("y", &["t"]);
        second.instance = Some(InstanceId::from("i2"));
        let members = vec![wants("a", &["t"]), second, first];
        assert_eq!(assigned(members, &[("t", 3)]), "z: t 0; y: t 1; a: t 2");
    }

    #[test]
    fn nobody_to_assign_to_is_no_assignment() {
        assert_eq!(assigned(Vec::new(), &[("t", 3)]), "");
    }
}
