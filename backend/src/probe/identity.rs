//! Which cluster it is that our members are in: every event names it, so it is asked before anything else.

use std::sync::Arc;

use shared::backoff::{Backoff, Jitter};
use shared::event::{Change, Evidence, Observation, Source};
use shared::ids::ClusterId;
use shared::member::Config;

use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::cluster::{Cluster, ClusterError};

/// Asks the cluster who it is, again and again until it says so.
pub(super) struct Identity {
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    pauses: Backoff,
    clock: Clock,
    reporter: Reporter,
}

impl Identity {
    pub(super) fn new(cluster: Arc<Cluster>, config: &Config, clock: Clock, reporter: Reporter) -> Self {
        Self {
            cluster,
            client_id: Arc::from(super::client_id_prefix(&config.client_id)),
            pauses: Backoff::exponential(config.retry_backoff, config.retry_backoff_max, Jitter::Fixed(0.5)),
            clock,
            reporter,
        }
    }

    /// The cluster's id, however long that takes.
    pub(super) async fn learn(mut self) -> ClusterId {
        let mut failed = None;
        loop {
            match self.cluster.describe(Arc::clone(&self.client_id), &[]).await {
                Ok(described) => return described.id.unwrap_or_else(|| self.cluster.nickname()),
                Err(error) => {
                    // By cause: the words differ from one attempt to the next where a peer sends garbage.
                    let failure = (error.code(), error.fault());
                    if failed.replace(failure) != Some(failure) {
                        self.report(&error).await;
                    }
                    self.clock.wait(self.pauses.delay()).await;
                }
            }
        }
    }

    /// On change only. No cluster is named: which one it is, is what could not be learnt.
    async fn report(&self, error: &ClusterError) {
        let observation = Observation {
            at: self.clock.now_unix(),
            at_earliest: None,
            source: Source::Probe,
            evidence: Evidence::Observed,
            cluster: ClusterId::default(),
            group: None,
            member: None,
            change: Change::CoordinatorNotFound {
                error: error.code(),
                cause: error.fault(),
                detail: Some(error.to_string()),
            },
        };
        self.reporter.report(observation).await;
    }
}
