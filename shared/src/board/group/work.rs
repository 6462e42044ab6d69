//! What members own, ask for and are on their way to, and how far the group has read.

use std::sync::Arc;

use super::{Group, News};
use crate::board::owned::{Owned, bounded};
use crate::board::reconciliation::Reconciliation;
use crate::board::{Member, Progress, described, progress};
use crate::event::{Change, TopicPartitions};
use crate::ids::{Generation, MemberId};
use crate::time::UnixMs;

impl Group {
    /// Folds what is of work; everything else goes on.
    pub(super) fn apply_work(&mut self, member: Option<&MemberId>, news: &News<'_>) {
        let at = news.at;
        match (news.change, member) {
            (
                Change::MemberAssigned {
                    generation,
                    partitions,
                    unnamed,
                },
                Some(id),
            ) => self.assigned(id, *generation, partitions.as_deref(), *unnamed, news),
            (Change::MemberDescribed(what), Some(id)) => {
                let described = described::kept(what, &self.members);
                if let Some(row) = self.row(id, news) {
                    row.described = described;
                }
            }
            (Change::MemberReconciling(what), Some(id)) => {
                if let Some(row) = self.row(id, news) {
                    let before = row.reconciling.take().map(|before| *before);
                    row.reconciling = Reconciliation::after(before, what, at).map(Box::new);
                }
            }
            (
                Change::GroupProgress {
                    partitions,
                    unnamed,
                    lag,
                },
                _,
            ) => {
                let after = progress::after(&self.progress, partitions, *unnamed, at);
                self.progress = Arc::new(after);
                self.lag = Some(*lag);
            }
            _ => self.apply_storage(member, news),
        }
    }

    fn assigned(
        &mut self,
        id: &MemberId,
        generation: Option<Generation>,
        partitions: Option<&[TopicPartitions]>,
        unnamed: u32,
        news: &News<'_>,
    ) {
        let at = news.at;
        let mut room = TopicPartitions::NAMED;
        let partitions = partitions.map(|topics| bounded(topics, &mut room));
        if let Some(row) = self.row(id, news) {
            row.owned = Some(Owned {
                // Histories written before have -1 where it was not visible.
                generation: generation.filter(|generation| *generation != Generation::NONE),
                at,
                partitions,
                unnamed,
            });
        }
    }

    /// When a member last committed, as far as that is visible: its own commits at our coordinator, else the newest of the
    /// partitions it owns, as the offsets log tells.
    #[must_use]
    pub fn last_commit(&self, member: &Member) -> Option<UnixMs> {
        member.committed.or_else(|| self.last_commit_of_owned(member))
    }

    /// The newest commit of the partitions it owns, as the offsets log tells.
    pub(super) fn last_commit_of_owned(&self, member: &Member) -> Option<UnixMs> {
        let owned = member.owned.as_ref()?;
        let mine = |row: &&Progress| owned.has(&row.topic, row.partition);
        let rows = self.progress.iter().filter(mine);
        rows.filter_map(|row| row.committed_at)
            // What was committed before it was seen to have them may be another's.
            .filter(|committed| *committed >= owned.at)
            .max()
    }
}
