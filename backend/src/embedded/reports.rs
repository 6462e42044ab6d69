//! The task that carries events from the machine to the hub, in the order in which they happened.
//!
//! Connections may not do that themselves: two of them could report what happened in one group in the wrong order.

use std::sync::Arc;

use super::service::Service;
use crate::hub::Reporter;

/// Runs until the hub has ended or it is aborted.
pub(super) async fn run(service: Arc<Service>, reporter: Reporter) {
    loop {
        let batch = service.take_events();
        if batch.is_empty() {
            service.events_came().await;
        }
        for event in batch {
            reporter.report(event).await;
            service.event_reported();
        }
        if reporter.is_closed() {
            service.end_reports();
        }
    }
}
