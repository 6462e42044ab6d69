//! The group `kafka`: Heartline against Apache Kafka. One test binary, so that one broker serves all who can share it.

mod coordinator;
mod crowd;
mod differential;
mod member_life;
mod members;
mod missing_right;
mod others;
mod secured;
mod shared_group;
mod surveyed;

/// Whether the parts are here: the built program and Kafka's jars.
fn ready() -> bool {
    tests::heartline::binary().is_some() && tests::kafka::is_resolved()
}
