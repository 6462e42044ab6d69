//! Groups of stock clients on real Kafka, as the survey shows them through whole lives (`tests/src/survey/life.rs`).

use tests::kafka::{Broker, is_resolved, shared};
use tests::peers::Assignor::{CooperativeSticky, Eager};
use tests::peers::client::Client;
use tests::survey::life::{
    Cast, members_live_as_log_and_tools_say, static_members_are_replaced_without_a_rebalance,
};
use tokio::sync::OnceCell;

macro_rules! lives {
    ($($story:ident on $broker:ident { $($name:ident: $cast:expr,)+ })+) => {
        $(mod $story {
            use super::*;

            $(#[tokio::test]
            async fn $name() {
                if is_ready($cast) {
                    super::$story($broker().await, $cast).await;
                }
            })+
        })+
    };
}

lives! {
    members_live_as_log_and_tools_say on impatient {
        java_eager: Cast::Classic(Client::Java, Eager),
        java_cooperative: Cast::Classic(Client::Java, CooperativeSticky),
        java_kip_848: Cast::Consumer(Client::Java),
        java_share: Cast::Share,
        java_streams: Cast::Streams,
        librdkafka_eager: Cast::Classic(Client::Librdkafka, Eager),
        librdkafka_cooperative: Cast::Classic(Client::Librdkafka, CooperativeSticky),
        librdkafka_kip_848: Cast::Consumer(Client::Librdkafka),
    }
    static_members_are_replaced_without_a_rebalance on shared {
        java_classic: Cast::Classic(Client::Java, Eager),
        java_kip_848: Cast::Consumer(Client::Java),
        librdkafka_classic: Cast::Classic(Client::Librdkafka, Eager),
        librdkafka_kip_848: Cast::Consumer(Client::Librdkafka),
    }
}

/// Whether the parts are here.
fn is_ready(cast: Cast) -> bool {
    tests::heartline::binary().is_some()
        && is_resolved()
        && cast.client().is_installed()
        && Client::Java.is_installed()
}

/// The broker on which whoever is away is soon out.
async fn impatient() -> &'static Broker {
    static BROKER: OnceCell<Broker> = OnceCell::const_new();
    BROKER.get_or_init(Broker::start_with_short_sessions).await
}
