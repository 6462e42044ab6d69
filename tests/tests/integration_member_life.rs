//! The life of group members on the embedded coordinator, over loopback TCP: the stories that also run on Apache Kafka.

use backend::embedded::EmbeddedHandle;
use backend::kafka::address::Address;

tests::member_life_stories!(embedded);

async fn embedded() -> Option<(EmbeddedHandle, Address)> {
    Some(tests::embedded::start())
}
