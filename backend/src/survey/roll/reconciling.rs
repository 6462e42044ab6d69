//! How far members are on their way to the assignments they were given.

use shared::event::{Change, Reconciling, TopicPartitions};
use shared::ids::Generation;

use crate::survey::look::Seen;

/// The event of a member of which `told` was told last; none where that is still so, and where it has arrived and was never on
/// its way.
pub(super) fn news(member: &mut Seen, told: Option<Box<Reconciling>>) -> Option<Change> {
    let now = of(member).map(Box::new);
    // Compared, and not kept.
    member.target = None;
    let news = match (&told, &now) {
        (_, None) => false,
        (Some(told), Some(now)) => told != now,
        (None, Some(now)) => !now.is_over(),
    };
    member.reconciling = if news { now } else { told };
    let told = member.reconciling.as_deref().filter(|_| news);
    told.cloned().map(Change::MemberReconciling)
}

/// Where a member is; none where its group's assignments have no targets.
fn of(member: &Seen) -> Option<Reconciling> {
    let (epoch, target) = (member.epoch?, member.target.as_ref()?);
    // -1 and -2 are members that leave (KIP-848).
    if epoch < Generation(0) {
        return None;
    }
    let owned = target.has.as_deref().or(member.owned.as_deref());
    let owned = owned.unwrap_or_default();
    let wanted = target.wants.as_slice();
    let mut room = TopicPartitions::NAMED;
    let mut unnamed = 0;
    let gives_up = without(owned, wanted, &mut room, &mut unnamed);
    let awaits = without(wanted, owned, &mut room, &mut unnamed);
    Some(Reconciling {
        epoch,
        target_epoch: target.epoch,
        gives_up,
        awaits,
        unnamed,
    })
}

/// Those of `all` that are not among `others`, at most `room` of them; `unnamed` counts the rest.
fn without(
    all: &[TopicPartitions],
    others: &[TopicPartitions],
    room: &mut usize,
    unnamed: &mut u32,
) -> Vec<TopicPartitions> {
    let mut left = Vec::new();
    for topic in all {
        let same = others.iter().find(|other| other.topic == topic.topic);
        let among = |number: &i32| same.is_some_and(|same| same.partitions.binary_search(number).is_ok());
        let mut partitions: Vec<i32> = topic
            .partitions
            .iter()
            .copied()
            .filter(|number| !among(number))
            .collect();
        let over = partitions.len().saturating_sub(*room);
        *unnamed = unnamed.saturating_add(u32::try_from(over).unwrap_or(u32::MAX));
        partitions.truncate(*room);
        *room -= partitions.len();
        if !partitions.is_empty() {
            left.push(TopicPartitions {
                topic: topic.topic.clone(),
                partitions,
            });
        }
    }
    left
}
