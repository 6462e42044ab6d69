//! The latency that members record, against the packets' own timestamps on loopback.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::time::Millis;

use super::capture::{Capture, WireBeat, heartbeats};
use super::peers::Peer;
use super::report;
use super::swarm::{Shape, Swarm};
use crate::folder::TempFolder;

const LENGTH: Duration = Duration::from_secs(20);
const REACH_US: u64 = 100;
/// The farthest that a beat's moment (whole milliseconds) may be from its packets': well under half an interval.
const MATCH_MS: u64 = 20;

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where the capture or the members do not start.
pub async fn run() -> Result<(), String> {
    report::title(
        "latency",
        "recorded by 50 members that beat every 100 ms, against packet timestamps on loopback",
    );
    let coordinator = Peer::embedded().await?;
    let port = coordinator
        .address
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok())
        .ok_or("no port")?;
    let shape = Shape {
        groups: 5,
        members_per_group: 10,
        interval: Millis(100),
        session: Millis(10_000),
    };
    let swarm = Swarm::join(&coordinator.address, shape).await?;
    let folder = TempFolder::new("capture");
    let capture = Capture::start(&format!("tcp port {port}"), &folder.path().join("loopback.pcap")).await?;
    let life = swarm.look(LENGTH).await;
    let beats = heartbeats(&capture.segments().await?, port);
    let mut errors = errors(&life.latencies, &beats);
    errors.sort_unstable();
    let quantile = |share| report::quantile(&errors, share).ok_or("no heartbeat was captured");
    let (p50, p99) = (quantile(0.5)?, quantile(0.99)?);
    report::figure(
        "heartbeats compared",
        format!(
            "{} of {} recorded, {} captured",
            errors.len(),
            life.beats,
            beats.len()
        ),
    );
    report::reach(
        "recorded - packets",
        format!("p50 {p50} us, p99 {p99} us"),
        "p99 within 100 us",
        p99 <= REACH_US,
    );
    Ok(())
}

/// How far each recorded latency is from the packets', in microseconds. A beat and its packets are matched by member and
/// moment: beats of one member are an interval apart, so the nearest answer is the right one.
fn errors(recorded: &BTreeMap<String, Vec<(u64, u64)>>, beats: &[WireBeat]) -> Vec<u64> {
    let mut answers: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for beat in beats {
        let latency = beat.answer_us.saturating_sub(beat.request_us);
        answers
            .entry(&beat.member)
            .or_default()
            .insert(beat.answer_us, latency);
    }
    let mut errors = Vec::new();
    for (member, beats) in recorded {
        let Some(answers) = answers.get(member.as_str()) else {
            continue;
        };
        for (at_ms, latency) in beats {
            let around = at_ms.saturating_sub(MATCH_MS) * 1000..(at_ms + MATCH_MS) * 1000;
            let nearest = answers
                .range(around)
                .min_by_key(|(at_us, _)| at_us.abs_diff(at_ms * 1000));
            errors.extend(nearest.map(|(_, on_the_wire)| latency.abs_diff(*on_the_wire)));
        }
    }
    errors
}
