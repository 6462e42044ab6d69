//! The one broker that most tests of a run share.

use tokio::sync::OnceCell;

use super::Broker;

/// Started by the first test that asks, ended with the test's process. Tests keep apart by their group's name, and none
/// stops it: who needs that starts a [`Broker`] of its own.
pub async fn shared() -> &'static Broker {
    static BROKER: OnceCell<Broker> = OnceCell::const_new();
    BROKER
        .get_or_init(async || Broker::start_secured(&[]).await)
        .await
}
