//! The life of group members on Apache Kafka: the stories that also run on the embedded coordinator.

use std::net::{Ipv4Addr, SocketAddr};

use backend::kafka::address::Address;
use tests::cast::{PARTITIONS, TOPIC};
use tests::kafka::Broker;
use tokio::sync::OnceCell;

tests::member_life_stories!(kafka);

/// The shared broker with the topic that members of ours share.
pub(crate) async fn kafka() -> Option<(&'static Broker, Address)> {
    static TOPIC_MADE: OnceCell<()> = OnceCell::const_new();
    if !tests::kafka::is_resolved() {
        return None;
    }
    let broker = tests::kafka::shared().await;
    TOPIC_MADE
        .get_or_init(|| broker.create_topic(TOPIC, PARTITIONS))
        .await;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, broker.port()));
    Some((broker, address.into()))
}
