//! Waiting for a named condition, with a deadline: the only way in which tests wait.

use std::fmt::Debug;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

/// How long a condition may take: far longer than it ever should, since a machine may be slow by as much as it is busy with
/// other things, and whoever waits in vain has failed anyway.
pub const PATIENCE: Duration = Duration::from_secs(150);

/// How often a condition is looked at.
const PACE: Duration = Duration::from_millis(25);

/// Looks at `condition` until it gives a value. `what` completes "waited for ...".
///
/// # Panics
///
/// After [`PATIENCE`], with the last that was seen instead.
pub async fn wait_until<T, E: Debug>(what: &str, mut condition: impl AsyncFnMut() -> Result<T, E>) -> T {
    let deadline = Instant::now() + PATIENCE;
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match condition().await {
            Ok(value) => return value,
            Err(seen) => assert!(
                Instant::now() < deadline,
                "waited {PATIENCE:?} for {what}; last seen: {seen:?}"
            ),
        }
    }
}
