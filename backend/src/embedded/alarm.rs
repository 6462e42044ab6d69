//! The task that wakes a machine at its deadlines.

use std::sync::Arc;

use shared::time::Timestamp;
use tokio::time::{Instant, sleep_until};

use crate::clock::Clock;

/// A machine that wants to be woken.
pub(super) trait Sleeper: Send + Sync + 'static {
    fn clock(&self) -> &Clock;

    /// Its deadline; from now on the alarm task sleeps until then.
    fn next_deadline(&self) -> Option<Timestamp>;

    /// Until its deadline may be earlier than it last said.
    fn deadline_moved(&self) -> impl Future<Output = ()> + Send;

    /// Time passed.
    fn tick(&self);
}

/// Runs until it is aborted.
pub(super) async fn run(sleeper: Arc<impl Sleeper>) {
    loop {
        match sleeper.next_deadline() {
            None => sleeper.deadline_moved().await,
            Some(due) => {
                let due = Instant::from_std(sleeper.clock().instant(due));
                tokio::select! {
                    () = sleep_until(due) => sleeper.tick(),
                    () = sleeper.deadline_moved() => {}
                }
            }
        }
    }
}
