//! The task that wakes the machine at its deadlines.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};

use super::service::Service;

/// Runs until it is aborted.
pub(super) async fn run(service: Arc<Service>) {
    loop {
        match service.next_deadline() {
            None => service.deadline_moved().await,
            Some(due) => {
                let due = Instant::from_std(service.clock().instant(due));
                tokio::select! {
                    () = sleep_until(due) => service.tick(),
                    () = service.deadline_moved() => {}
                }
            }
        }
    }
}
