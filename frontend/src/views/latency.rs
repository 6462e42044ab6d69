//! How long the coordinator takes to answer heartbeats: the chart, and its figures in text.

use std::collections::BTreeSet;

use shared::board::{ApiLatency, Cell, Group};
use shared::histogram::bucket_of;
use shared::time::UnixMs;
use yew::prelude::*;

use super::ByPointer;
use super::chart::{Chart, Dot, WINDOW_MS};
use super::parts::{fact, none_yet, unseen};
use super::story::code_tone;
use super::words::{self, spelled};

/// What the panel shows.
#[derive(Clone, Debug, Properties)]
pub struct LatencyProps {
    /// Whose heartbeats.
    pub group: ByPointer<Group>,
    /// What other requests to its coordinator take: with them network, broker and coordinator can be told apart.
    pub trips: Vec<ApiLatency>,
    /// The moment.
    pub at: UnixMs,
}

/// A group that beats a thousand times a second changes with every frame; the panel follows time, ten times a second.
impl PartialEq for LatencyProps {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.group.key == other.group.key
    }
}

/// The panel.
#[component]
pub fn Latency(props: &LatencyProps) -> Html {
    let (group, at) = (&*props.group, props.at);
    let latency = group.latency();
    let (p50, p99) = (latency.percentile(50.0), latency.percentile(99.0));
    let dots = dots(group);
    let recent = dots.iter().max_by_key(|dot| dot.at).map(|dot| dot.latency_us);
    let figure = |micros: Option<u64>| {
        micros.map_or_else(|| untimed(group), |micros| html! { words::latency(micros) })
    };
    let attribute = |micros: Option<u64>| micros.map(|micros| micros.to_string());
    let behind = group.totals.behind;
    html! {
        <section class="panel" aria-labelledby="latency-title" data-testid="heartbeat-latency" data-p50-us={attribute(p50)}
            data-p99-us={attribute(p99)} data-count={latency.count().to_string()}>
            <header>
                <h2 id="latency-title">{ "Heartbeat latency" }</h2>
                <span class="faint">{ format!("last {} s", WINDOW_MS / 1000) }</span>
            </header>
            <div class="body">
                <Chart {dots} now={at} {p50} {p99} />
                <dl class="figures">
                    { fact("now", figure(recent)) }
                    { fact("p50", figure(p50)) }
                    { fact("p99", figure(p99)) }
                    { fact("beats", html! { words::thousands(latency.count()) }) }
                </dl>
                if !props.trips.is_empty() {
                    <dl class="figures" title="p50 of Heartline's requests to the same broker; ApiVersions touches no coordinator">
                        { for props.trips.iter().map(trip) }
                    </dl>
                }
            </div>
            <div class="foot legend">
                <span><i class="swatch round" data-tone="ok"></i>{ "answered" }</span>
                <span><i class="swatch round" data-tone="move"></i>{ "with a normal code" }</span>
                <span><i class="swatch" data-tone="bad"></i>{ "with a serious code" }</span>
                <span><i class="stroke"></i>{ "p50" }</span>
                <span><i class="stroke dashed"></i>{ "p99" }</span>
                if behind > 0 {
                    <span>{ format!("{} waited behind another request: hollow, in no percentile", words::thousands(behind)) }</span>
                }
            </div>
        </section>
    }
}

fn trip(trip: &ApiLatency) -> Html {
    let median = trip.latency.percentile(50.0).map(words::latency);
    html! { <div><dt>{ spelled(&trip.api) }</dt><dd>{ median.unwrap_or_default() }</dd></div> }
}

/// What stands in place of a latency: only our own members can time the answers to their heartbeats.
pub fn untimed(group: &Group) -> Html {
    if group.members.values().any(|member| member.is_ours()) {
        none_yet("no answer to a heartbeat")
    } else {
        unseen("only a member itself can time the answers to its heartbeats, and none here is Heartline's")
    }
}

/// The timed heartbeats of the group's members; those of one second together where they come as a summary. Of those that
/// would be drawn onto one spot only the first is kept: a thousand members have forty thousand of them.
fn dots(group: &Group) -> Vec<Dot> {
    /// A spot is half a second wide and four buckets high, about a tenth of its latency.
    const SPOT_MS: u64 = 500;
    const SPOT_BUCKETS: u16 = 4;
    let mut taken = BTreeSet::new();
    let spot = |dot: &Dot| {
        let height = bucket_of(dot.latency_us) / SPOT_BUCKETS;
        (dot.at.0 / SPOT_MS, height, dot.tone, dot.behind)
    };
    let cells = group.members.values().flat_map(|member| member.cells.iter());
    cells
        .filter_map(dot)
        .filter(|dot| taken.insert(spot(dot)))
        .collect()
}

fn dot(cell: &Cell) -> Option<Dot> {
    match cell {
        Cell::Beat(beat) => Some(Dot {
            at: beat.at,
            latency_us: u64::from(beat.latency_us?),
            tone: code_tone(beat.error),
            behind: beat.behind,
        }),
        Cell::Second(second) => Some(Dot {
            at: cell.at(),
            latency_us: second.slowest_us?,
            tone: code_tone(second.error.unwrap_or(0)),
            behind: false,
        }),
        Cell::Failed { .. } => None,
    }
}
