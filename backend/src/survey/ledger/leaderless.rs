//! Partitions of the log that nobody leads: groups that stand in them have no coordinator, and no broker lists them.

use shared::event::Leaderless;
use shared::protocol::MetadataResponseTopic;
use shared::time::Timestamp;

use crate::limits;

/// How many there are, and whether that is told.
#[derive(Debug, Default)]
pub(super) struct Leaders {
    /// As a broker told last.
    now: Leaderless,
    /// Since when there is one at least that has none. One that moves has none for a moment.
    since: Option<Timestamp>,
    told: u32,
}

impl Leaders {
    /// Where the log is, as a broker told at `now`.
    pub(super) fn located(&mut self, now: Timestamp, topic: &MetadataResponseTopic) {
        let all = topic.partitions.iter().take(limits::LEDGER_PARTITIONS);
        let none = all.clone().filter(|partition| partition.leader_id < 0).count();
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        self.now = Leaderless {
            leaderless: number(none),
            partitions: number(all.count()),
        };
        self.since = (none > 0).then(|| self.since.unwrap_or(now));
    }

    /// How many have none, where that is another number than was told last and no move explains it.
    pub(super) fn news(&mut self, now: Timestamp) -> Option<Leaderless> {
        let lasts = |since| since + limits::SURVEY_UNANSWERED_FOR <= now;
        if self.told == self.now.leaderless || !self.since.is_none_or(lasts) {
            return None;
        }
        self.told = self.now.leaderless;
        Some(self.now)
    }
}
