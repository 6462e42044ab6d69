//! The life of group members on the embedded coordinator, over loopback TCP.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use backend::clock::Clock;
use backend::coordinator::config::Config;
use backend::coordinator::topics::Topics;
use backend::embedded::{Embedded, EmbeddedConfig, EmbeddedHandle};
use backend::hub::Reporter;
use backend::kafka::address::Address;
use tests::member_life::{PARTITIONS, TOPIC};

tests::member_life_stories!(embedded);

async fn embedded() -> Option<(EmbeddedHandle, Address)> {
    let settings = [
        "group.initial.rebalance.delay.ms=0",
        "group.min.session.timeout.ms=1000",
    ];
    let config = EmbeddedConfig {
        listen: "127.0.0.1:0".parse().expect("an address"),
        topics: Topics::parse(&format!("{TOPIC}:{PARTITIONS}")).expect("a topic"),
        coordinator: Config::from_settings(settings).expect("good settings"),
    };
    // What the coordinator itself sees is not looked at here: the stories must hold without it.
    let (reporter, mut reports) = Reporter::channel(1_024);
    tokio::spawn(async move { while reports.recv().await.is_some() {} });
    let handle = Embedded::start(config, Clock::start(), reporter).expect("a free port");
    let address = handle.local_addr().into();
    Some((handle, address))
}
