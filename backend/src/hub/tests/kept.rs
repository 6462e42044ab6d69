//! What memory no longer has and the disk still has, put together.

use proptest::prelude::*;

use super::*;
use crate::hub::fixtures::numbered;
use crate::journal::Kept;

/// The oldest of `seqs` after a number, as many as a page takes.
fn oldest(seqs: std::ops::RangeInclusive<u64>, after: u64, limit: usize) -> Vec<Arc<Numbered>> {
    let later = seqs.filter(|seq| *seq > after).take(limit);
    later.map(|seq| numbered(seq, left("g", "a"))).collect()
}

proptest! {
    #[test]
    fn pages_of_disk_and_memory_hold_each_event_once_and_say_how_far_they_are_whole(
        last in 1..200_u64,
        disk in (0..200_u64, 0..200_u64),
        memory_above in 0..200_u64,
        limit in 1..40_usize,
    ) {
        let (disk_above, disk_to) = (disk.0.min(last), disk.1.min(last));
        let memory_above = memory_above.min(last);
        let joined = disk_to >= memory_above;
        let (mut after, mut all) = (0, Vec::new());
        loop {
            let page = Page {
                events: oldest(memory_above + 1..=last, after, limit),
                seq: last,
                whole_above: memory_above,
                every_beat_above: memory_above,
            };
            let page = page.with_older(Kept {
                events: oldest(disk_above + 1..=disk_to, after, limit),
                to: disk_to,
                whole_above: disk_above,
                every_beat_above: disk_above,
            }, limit);
            let above = if joined { disk_above.min(memory_above) } else { memory_above };
            prop_assert_eq!((page.whole_above, page.every_beat_above), (above, above));
            prop_assert!(page.events.len() <= limit);
            let Some(newest) = page.events.last() else { break };
            after = newest.event.seq;
            all.extend(page.events.iter().map(|event| event.event.seq));
        }
        let is_kept = |seq: &u64| *seq > memory_above || (*seq > disk_above && *seq <= disk_to);
        prop_assert_eq!(all, (1..=last).filter(is_kept).collect::<Vec<u64>>());
    }
}
