//! One task owns the board and numbers the events; everybody else reports to it or subscribes.

use shared::event::Observation;
use tokio::sync::mpsc;

/// Where sources report what they see. Cheap to clone; waits when the hub is behind (nothing is lost).
#[derive(Clone, Debug)]
pub struct Reporter {
    queue: mpsc::Sender<Observation>,
}

impl Reporter {
    /// A reporter and the end the hub reads.
    #[must_use]
    pub fn channel(bound: usize) -> (Self, mpsc::Receiver<Observation>) {
        let (queue, reports) = mpsc::channel(bound);
        (Self { queue }, reports)
    }

    /// Reports one observation; waits while the queue is full. After the hub has ended it does nothing.
    pub async fn report(&self, what: Observation) {
        let _ended = self.queue.send(what).await;
    }
}
