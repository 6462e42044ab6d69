//! One task owns the board and numbers the events; everybody else reports to it or subscribes.
//!
//! ```text
//! sources --Reporter--> queue --> task: number, summarise, fold --Range--> viewers
//!                                   ^ |
//!                          questions| v answers (Hub): a place in the stream, the board, the past, the counts
//! ```
//!
//! Sources wait while the queue is full, so no transition is lost. When it is nearly full single heartbeats get no
//! number of their own any more: they go into their second's summary only (`heartline_merged_total`), which costs a
//! fraction.

mod beginning;
mod counters;
mod disk;
mod ended;
mod handle;
mod history;
mod keyframes;
mod numbered;
mod pack;
mod requests;
mod task;
mod told_times;

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

pub use counters::{Counter, Counters};
pub use handle::{Hub, Page, Past, Resume, Snapshot, Subscription, TooOld};
pub(crate) use keyframes::Keyframe;
pub(crate) use numbered::Tier;
pub use numbered::{Numbered, Range};
pub(crate) use pack::Pack;
pub use requests::RequestCounts;

use std::sync::Arc;

use shared::event::Observation;
use shared::ids::NodeId;
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::journal::Keeping;
use crate::limits;
use beginning::Beginning;
use disk::Disk;
use task::Task;

/// Where sources report what they see. Cheap to clone; waits when the hub is behind (nothing is lost).
#[derive(Clone, Debug)]
pub struct Reporter {
    queue: mpsc::Sender<Observation>,
    requests: Arc<RequestCounts>,
    wants_beats: bool,
}

impl Reporter {
    /// A reporter and the end the hub reads.
    #[must_use]
    pub fn channel(bound: usize) -> (Self, mpsc::Receiver<Observation>) {
        let (queue, reports) = mpsc::channel(bound);
        let requests = Arc::default();
        (
            Self {
                queue,
                requests,
                wants_beats: true,
            },
            reports,
        )
    }

    /// Reports one observation; waits while the queue is full. After the hub has ended it does nothing.
    pub async fn report(&self, what: Observation) {
        let _ended = self.queue.send(what).await;
    }

    /// The same, for a reader that leaves single heartbeats out: sources that see many need not report them.
    #[must_use]
    pub const fn without_beats(mut self) -> Self {
        self.wants_beats = false;
        self
    }

    /// Whether single heartbeats are of use to the reader.
    #[must_use]
    pub const fn wants_beats(&self) -> bool {
        self.wants_beats
    }

    /// Whether the hub has ended: then nobody hears what is reported.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Counts one request sent to a broker (`heartline_requests_total`); `node` where it is known by now.
    pub fn request_sent(&self, node: Option<NodeId>, api: &'static str) {
        self.requests.count(node, api);
    }

    /// The requests counted so far, by all clones of this reporter.
    #[must_use]
    pub fn requests(&self) -> Arc<RequestCounts> {
        Arc::clone(&self.requests)
    }
}

/// Starts a hub that keeps nothing on disk. It ends when the last clone of the reporter is dropped and all reports are numbered.
#[must_use]
pub fn start(clock: Clock) -> (Reporter, Hub) {
    start_on(clock, Keeping::Nothing)
}

/// Starts a hub that goes on where the runs before ended, as far as the journal has them, and keeps in it what happens.
#[must_use]
pub fn start_on(clock: Clock, keeping: Keeping) -> (Reporter, Hub) {
    let (reporter, reports) = Reporter::channel(limits::REPORTS);
    let (questions, asked) = mpsc::channel(limits::QUESTIONS);
    let hub = Hub {
        questions,
        stream: uuid::Uuid::new_v4().to_string().into(),
        requests: reporter.requests(),
        counters: Arc::default(),
        disk: Disk::of(&keeping),
    };
    let counters = Arc::clone(&hub.counters);
    let beginning = Beginning::of(keeping, clock.now_unix());
    tokio::spawn(Task::new(clock, counters, beginning).run(reports, asked));
    (reporter, hub)
}
