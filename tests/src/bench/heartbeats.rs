//! Heartbeat requests per second on one core: the embedded coordinator beside Apache Kafka's and librdkafka's mock.
//!
//! Each server is pinned to one core and the load to the other; the three take turns, so that a slow moment of the
//! machine hits all of them.

use std::time::Duration;

use super::peers::Peer;
use super::process::usage;
use super::{load, report};

/// Members, one connection each, in the closed loop.
const CONNECTIONS: usize = 64;
/// Turns per server; the median counts.
const TURNS: usize = 5;
const TURN: Duration = Duration::from_secs(4);
/// A JVM needs its time to compile what is hot.
const WARM_UP: Duration = Duration::from_secs(15);

/// Requests per second of one server in one turn, by the wall and by the server's own CPU time.
#[derive(Clone, Copy, Debug)]
struct Rate {
    by_wall: f64,
    by_cpu: f64,
}

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where a server does not start or answers wrongly.
pub async fn run() -> Result<(), String> {
    report::title(
        "heartbeats",
        "Heartbeat requests per second on one core, 64 connections in a closed loop",
    );
    let peers = [
        Peer::embedded().await?,
        Peer::kafka().await?,
        Peer::librdkafka_mock().await?,
    ];
    for peer in &peers {
        load::closed_loop(&peer.address, "warm", CONNECTIONS, WARM_UP).await?;
    }
    let mut rates: [Vec<Rate>; 3] = Default::default();
    for turn in 0..TURNS {
        for (peer, rates) in peers.iter().zip(&mut rates) {
            let before = usage(peer.pid)?;
            let answers = load::closed_loop(&peer.address, &format!("turn{turn}"), CONNECTIONS, TURN).await?;
            let spent = usage(peer.pid)?.cpu.saturating_sub(before.cpu);
            #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
            let answers = answers as f64;
            rates.push(Rate {
                by_wall: answers / TURN.as_secs_f64(),
                by_cpu: answers / spent.as_secs_f64(),
            });
        }
    }
    let median = |rates: &[Rate], of: fn(&Rate) -> f64| report::median(rates.iter().map(of).collect());
    for (peer, rates) in peers.iter().zip(&rates) {
        report::figure(
            peer.name,
            format!(
                "{:>9.0}/s, {:>9.0} per second of its CPU time",
                median(rates, |r| r.by_wall),
                median(rates, |r| r.by_cpu)
            ),
        );
    }
    for (peer, rates_of_peer) in peers.iter().zip(&rates).skip(1) {
        let ratio = median(&rates[0], |r| r.by_cpu) / median(rates_of_peer, |r| r.by_cpu);
        let by_wall = median(&rates[0], |r| r.by_wall) / median(rates_of_peer, |r| r.by_wall);
        report::reach(
            &format!("ours / {}", peer.name),
            format!("{by_wall:.2} by the wall, {ratio:.2} by CPU time"),
            "more than 1",
            ratio > 1.0 && by_wall > 1.0,
        );
    }
    Ok(())
}
