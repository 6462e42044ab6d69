//! Events on their way from the machine to the hub, in the order in which they happened.
//!
//! Connections may not report themselves: two of them could tell what happened in one group in the wrong order. They queue
//! here, under the machine's lock, and one task carries on. No event is dropped; while too many wait, connections do not
//! take up further requests.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shared::event::{Change, Evidence, Observation, Source};
use shared::ids::{ClusterId, GroupId, MemberId};
use shared::time::UnixMs;
use tokio::sync::Notify;

use crate::hub::Reporter;
use crate::limits;

/// The queue.
#[derive(Debug)]
pub(super) struct Reports {
    cluster: ClusterId,
    queue: Mutex<VecDeque<Observation>>,
    /// Queued, or taken and not reported yet.
    waiting: AtomicUsize,
    /// Single heartbeats are of use.
    beats: bool,
    /// Nobody listens (any more).
    ended: AtomicBool,
    came: Notify,
    reported: Notify,
}

impl Reports {
    pub(super) fn new(cluster: ClusterId, reporter: &Reporter) -> Self {
        Self {
            cluster,
            queue: Mutex::default(),
            waiting: AtomicUsize::new(0),
            beats: reporter.wants_beats(),
            ended: AtomicBool::new(reporter.is_closed()),
            came: Notify::new(),
            reported: Notify::new(),
        }
    }

    pub(super) const fn cluster(&self) -> &ClusterId {
        &self.cluster
    }

    /// Queues what happened.
    pub(super) fn tell(&self, at: UnixMs, group: Option<GroupId>, member: Option<MemberId>, change: Change) {
        let unwanted = !self.beats && change.is_single_beat();
        if unwanted || self.ended.load(Ordering::Relaxed) {
            return;
        }
        let observation = Observation {
            at,
            at_earliest: None,
            source: Source::Embedded,
            evidence: Evidence::Observed,
            cluster: self.cluster.clone(),
            group,
            member,
            change,
        };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(observation);
        self.came.notify_one();
    }

    /// Waits until there is room for what a further request may bring.
    pub(super) async fn room(&self) {
        while self.waiting() >= limits::COORDINATOR_EVENTS && !self.ended.load(Ordering::Relaxed) {
            self.progress().await;
        }
    }

    /// From now on nothing more is queued.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.reported.notify_waiters();
    }

    /// Waits until all that is queued has been reported.
    pub(super) async fn drained(&self) {
        while self.waiting() > 0 {
            self.progress().await;
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until one more has been reported, or none waits.
    async fn progress(&self) {
        let reported = self.reported.notified();
        tokio::pin!(reported);
        reported.as_mut().enable();
        if self.waiting() > 0 {
            reported.await;
        }
    }

    fn take(&self) -> VecDeque<Observation> {
        std::mem::take(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The task that carries the events on. Runs until it is aborted.
pub(super) async fn run(reports: Arc<Reports>, reporter: Reporter) {
    loop {
        let batch = reports.take();
        if batch.is_empty() {
            reports.came.notified().await;
        }
        for event in batch {
            reporter.report(event).await;
            reports.waiting.fetch_sub(1, Ordering::Relaxed);
            reports.reported.notify_waiters();
        }
        if reporter.is_closed() {
            reports.end();
        }
    }
}
