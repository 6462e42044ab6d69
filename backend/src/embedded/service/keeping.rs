//! What outlives a run, and how far groups have read: the store and the logs beside the machine.

use std::sync::Arc;

use shared::time::Millis;

use super::Service;
use crate::coordinator::Input;
use crate::embedded::NODE;
use crate::embedded::store::Done;
use crate::limits;

impl Service {
    /// What the disk has written, or could not.
    pub(in crate::embedded) fn stored(&self, done: Vec<Done>) {
        let now = self.clock.now();
        let mut inner = self.lock();
        for done in done {
            let (append, result) = inner.store.stored(done);
            inner.coordinator.handle(now, Input::Appended { append, result });
        }
        self.settle(&mut inner, now, None);
    }

    /// The groups are as the log has them; at the start, before anybody asks. The records of the topics are gone, so their
    /// logs are empty and go on where they ended: a group that was up to date finds its place at the end.
    pub(in crate::embedded) fn load_all(&self) {
        let now = self.clock.now();
        let mut inner = self.lock();
        self.data.resume(inner.store.ends());
        for partition in inner.store.partitions() {
            let loaded = Input::Loaded {
                node: NODE,
                partition,
                records: inner.store.records(partition),
            };
            inner.coordinator.handle(now, loaded);
        }
        self.settle(&mut inner, now, None);
    }

    /// Nothing more is kept; what is on its way to disk is written.
    pub(in crate::embedded) fn close_store(&self) {
        let mut inner = self.lock();
        inner.store.save_ends(self.data.ends());
        inner.store.close();
    }

    /// Keeps where the topics' logs end.
    fn save_ends(&self) {
        let ends = self.data.ends();
        self.lock().store.save_ends(ends);
    }

    /// Tells how far groups have read.
    fn measure(&self) {
        let now = self.clock.now();
        let mut inner = self.lock();
        let end = |topic: &str, partition| self.data.end(topic, partition);
        inner.coordinator.measure(now, end);
        self.settle(&mut inner, now, None);
    }

    /// The task that looks at the logs from time to time. Runs until it is aborted.
    pub(in crate::embedded) async fn watch_logs(self: Arc<Self>) {
        let mut since = Millis(0);
        loop {
            self.clock.wait(limits::ENDS_EVERY).await;
            self.save_ends();
            since = Millis(since.0 + limits::ENDS_EVERY.0);
            if since >= limits::PROGRESS_EVERY {
                since = Millis(0);
                self.measure();
            }
        }
    }
}
