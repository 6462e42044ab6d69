#![allow(warnings)]
use std::time::Duration;
use tests::bench::survey::crowd::Crowd;
use tests::kafka::Broker;
#[tokio::main]
async fn main() {
    let settings = [
        "group.max.session.timeout.ms=21600000",
        "offsets.topic.replication.factor=3",
        "offsets.topic.num.partitions=50",
        "num.network.threads=3",
        "num.io.threads=8",
        "leader.imbalance.check.interval.seconds=30",
    ];
    let first = Broker::start_with(&settings).await;
    let (second, third) = tokio::join!(first.start_further(2), first.start_further(3));
    let brokers = [first, second, third];
    let mut crowd = Crowd::of(10_000);
    crowd.session_ms = 21_600_000;
    brokers[0].create_topic(&crowd.topic, 12).await;
    let c = crowd.join(&brokers[0].address()).await.unwrap();
    for (n, c) in &c {
        println!("{n} {} {}", c.address, c.groups.len());
    }
    std::fs::write("/tmp/lean/bootstrap", brokers[0].address()).unwrap();
    println!("ready {}", brokers[0].address());
    let mut t = tokio::time::interval(Duration::from_secs(5));
    loop {
        t.tick().await;
        if std::path::Path::new("/tmp/lean/stop").exists() {
            break;
        }
    }
}
