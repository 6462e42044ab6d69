//! One task owns the board and numbers the events; everybody else reports to it or subscribes.

pub mod requests;

use std::sync::Arc;

use shared::event::Observation;
use shared::ids::NodeId;
use tokio::sync::mpsc;

use requests::RequestCounts;

/// Where sources report what they see. Cheap to clone; waits when the hub is behind (nothing is lost).
#[derive(Clone, Debug)]
pub struct Reporter {
    queue: mpsc::Sender<Observation>,
    requests: Arc<RequestCounts>,
}

impl Reporter {
    /// A reporter and the end the hub reads.
    #[must_use]
    pub fn channel(bound: usize) -> (Self, mpsc::Receiver<Observation>) {
        let (queue, reports) = mpsc::channel(bound);
        let requests = Arc::default();
        (Self { queue, requests }, reports)
    }

    /// Reports one observation; waits while the queue is full. After the hub has ended it does nothing.
    pub async fn report(&self, what: Observation) {
        let _ended = self.queue.send(what).await;
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
