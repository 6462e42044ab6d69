//! What a leader must know before it can assign: how many partitions its topics have.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;

use shared::time::Millis;

use crate::clock::Clock;
use crate::kafka::cluster::{Cluster, ClusterError, Description};

/// A leader's question to the cluster, repeated until it is answered.
pub(super) struct TopicSearch {
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    /// Between two questions.
    pause: Millis,
    clock: Clock,
    asked: Vec<String>,
    search: Option<Search>,
    failed: Option<ClusterError>,
}

type Search = Pin<Box<dyn Future<Output = Result<Description, ClusterError>> + Send>>;

impl TopicSearch {
    pub(super) const fn new(cluster: Arc<Cluster>, client_id: Arc<str>, pause: Millis, clock: Clock) -> Self {
        Self {
            cluster,
            client_id,
            pause,
            clock,
            asked: Vec::new(),
            search: None,
            failed: None,
        }
    }

    pub(super) fn start(&mut self, topics: Vec<String>) {
        self.asked = topics;
        self.failed = None;
        self.search_after(Millis(0));
    }

    /// Asks again after the pause; says whether it failed in another way than before.
    pub(super) fn try_again(&mut self, error: &ClusterError) -> bool {
        self.search_after(self.pause);
        self.failed.replace(error.clone()).as_ref() != Some(error)
    }

    fn search_after(&mut self, pause: Millis) {
        let cluster = Arc::clone(&self.cluster);
        let client_id = Arc::clone(&self.client_id);
        let topics = self.asked.clone();
        let clock = self.clock;
        self.search = Some(Box::pin(async move {
            if pause.0 > 0 {
                clock.wait(pause).await;
            }
            cluster.describe(client_id, &topics).await
        }));
    }

    /// The answer to the question that is out; never where none is.
    pub(super) async fn found(&mut self) -> Result<Description, ClusterError> {
        let Some(search) = &mut self.search else {
            return pending().await;
        };
        let found = search.await;
        self.search = None;
        found
    }
}
