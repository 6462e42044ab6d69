//! The coordinators that stories are played against.

use crate::coordinator::Lasting;
use crate::kafka::Broker;

/// A coordinator that can be restarted.
#[derive(Debug)]
pub enum Server {
    Kafka(Box<Broker>),
    Heartline(Box<Lasting>),
}

impl Server {
    /// `host:port`; the same after a restart.
    #[must_use]
    pub fn address(&self) -> String {
        match self {
            Self::Kafka(broker) => broker.address(),
            Self::Heartline(coordinator) => coordinator.address().to_string(),
        }
    }

    /// Stops it in an orderly way and starts it again, with what it has kept.
    pub async fn restart(&mut self) {
        match self {
            Self::Kafka(broker) => {
                broker.stop().await;
                broker.start_again().await;
            }
            Self::Heartline(coordinator) => coordinator.restart().await,
        }
    }
}
