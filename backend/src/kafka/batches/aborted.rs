//! Records of transactions that were aborted: a broker sends them also to those who read committed data only, with a
//! list of which they are (KIP-98; Kafka's `CompletedFetch`).

use std::collections::{BTreeSet, VecDeque};

use shared::protocol::AbortedTransaction;
use shared::protocol::batches::Batch;

use super::{Entry, Mark};

/// Tells records that count from those that do not, in the order of one answer to Fetch for one partition.
#[derive(Debug)]
pub struct Aborted {
    /// Where each begins, lowest first.
    to_come: VecDeque<(i64, i64)>,
    /// The producers in the midst of one.
    producers: BTreeSet<i64>,
}

impl Aborted {
    /// From the list in the answer, which is missing or null where there is none.
    #[must_use]
    pub fn new(transactions: Option<&[AbortedTransaction]>) -> Self {
        let transactions = transactions.unwrap_or_default().iter();
        let mut to_come: Vec<_> = transactions
            .map(|transaction| (transaction.first_offset, transaction.producer_id))
            .collect();
        to_come.sort_unstable();
        Self {
            to_come: to_come.into(),
            producers: BTreeSet::new(),
        }
    }

    /// Whether `entry`, which stands in `batch`, is data that counts. To be asked of every entry, in order.
    pub fn counts(&mut self, batch: &Batch<'_>, entry: &Entry<'_>) -> bool {
        while let Some((first, producer)) = self.to_come.front().copied()
            && first <= batch.last_offset()
        {
            self.producers.insert(producer);
            self.to_come.pop_front();
        }
        match entry {
            Entry::Mark(Mark::Abort) => {
                self.producers.remove(&batch.producer_id);
                false
            }
            Entry::Mark(Mark::Commit | Mark::Other(_)) => false,
            Entry::Data(_) => !(batch.is_transactional() && self.producers.contains(&batch.producer_id)),
        }
    }
}
