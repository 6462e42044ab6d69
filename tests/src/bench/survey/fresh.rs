//! The first complete picture on brokers just started, beside bare frames on brokers just started: each once, since it is but
//! the first look that finds them so.

use super::bare::Bare;
use super::crowd::Crowd;
use super::{FRESH, pass, picture};
use crate::bench::report;
use crate::kafka::Broker;

/// After the brokers say that they have started: until they have read their logs.
const LOADS: std::time::Duration = std::time::Duration::from_secs(5);

/// Measures and prints.
///
/// # Errors
///
/// A sentence where a process does not do what it should.
pub(super) async fn run(brokers: &mut [Broker], crowd: &Crowd) -> Result<(), String> {
    restart(brokers).await;
    let Some(first) = brokers.first() else {
        return Err("no brokers".to_owned());
    };
    // Those that were stopped first lead nothing for a while.
    let coordinators = crowd.found(&first.address()).await?;
    let (bare, _bytes) = Bare::connect(&coordinators).await?.look().await?;
    restart(brokers).await;
    let Some(first) = brokers.first() else {
        return Err("no brokers".to_owned());
    };
    let ours = picture::take(first, crowd.groups).await?.connected;
    let bare = bare.as_secs_f64();
    report::reach(
        "first complete picture, brokers just started",
        format!("{ours:.3} s, bare frames {bare:.3} s: {:.1} times", ours / bare),
        "under 0.5 s",
        ours < FRESH.as_secs_f64(),
    );
    Ok(())
}

/// Stops all brokers and starts them again. The members of the crowd have full sessions then.
async fn restart(brokers: &mut [Broker]) {
    for broker in brokers.iter_mut().rev() {
        broker.stop().await;
    }
    for broker in brokers {
        broker.start_again().await;
    }
    pass(LOADS).await;
}
