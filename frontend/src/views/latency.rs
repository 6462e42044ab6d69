//! How long the coordinator takes to answer heartbeats: the chart, and its figures in text.

use std::cmp::Reverse;

use shared::board::{ApiLatency, Cell, Group};
use shared::event::Source;
use shared::histogram::{Histogram, bucket_of};
use shared::time::UnixMs;
use yew::prelude::*;

use super::ByPointer;
use super::chart::{Chart, Dot, WINDOW_MS};
use super::coordinators::UNTIMED;
use super::parts::{fact, none_yet, unseen};
use super::still::Part;
use super::story::code_tone;
use super::words::{self, spelled};
use crate::model::ping::Ping;

/// The chart's signs: their class and tone in the style sheet, and what they mean.
const KEYS: [(&str, Option<&str>, &str); 5] = [
    ("swatch round", Some("ok"), "answered"),
    ("swatch round", Some("move"), "with a normal code"),
    ("swatch", Some("bad"), "with a serious code"),
    ("stroke", None, "p50"),
    ("stroke dashed", None, "p99"),
];

/// What the panel shows.
#[derive(Clone, Debug)]
pub struct Latency {
    /// Whose heartbeats.
    pub group: ByPointer<Group>,
    /// What other requests to its coordinator take: with them network, broker and coordinator can be told apart.
    pub trips: Vec<ApiLatency>,
    /// What our own members' heartbeats take at its coordinator, in whichever group.
    pub probe: Histogram,
    /// The measuring on demand.
    pub ping: Ping,
    /// As it is drawn.
    pub measured: Html,
    /// The moment.
    pub at: UnixMs,
}

/// A group that beats a thousand times a second changes with every frame; the panel follows time, ten times a second.
impl PartialEq for Latency {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.group.key == other.group.key && self.ping == other.ping
    }
}

impl Part for Latency {
    fn draw(&self) -> Html {
        let (group, at) = (&*self.group, self.at);
        let strange = is_strange(group);
        let latency = if strange {
            self.probe.clone()
        } else {
            group.latency()
        };
        let (p50, p99) = (latency.percentile(50.0), latency.percentile(99.0));
        let dots = dots(group);
        let recent = dots.iter().max_by_key(|dot| dot.at).map(|dot| dot.latency_us);
        let or_why = |told: Option<String>| {
            told.map_or_else(
                || if strange { unseen(UNTIMED) } else { untimed(group) },
                |told| html! { told },
            )
        };
        let figure = |micros: Option<u64>| or_why(micros.map(words::latency));
        // Beats that nobody times may be many: none timed is not none.
        let beats = Some(latency.count()).filter(|count| *count > 0);
        // What scripts read is of the group itself.
        let attribute = |micros: Option<u64>| micros.filter(|_| !strange).map(|micros| micros.to_string());
        let count = if strange { 0 } else { latency.count() };
        html! {
            <section class="panel" aria-labelledby="latency-title" data-testid="heartbeat-latency" data-p50-us={attribute(p50)}
                data-p99-us={attribute(p99)} data-count={count.to_string()}>
                <header>
                    <h2 id="latency-title">{ if strange { "Coordinator latency" } else { "Heartbeat latency" } }</h2>
                    if !strange { <span class="faint">{ format!("dots: last {} s · figures and lines: all so far", WINDOW_MS / 1000) }</span> }
                </header>
                <div class="body">
                    if strange {
                        <p class="evidence">{ STRANGE }</p>
                    } else {
                        <Chart {dots} now={at} {p50} {p99} />
                    }
                    <dl class="figures">
                        if !strange { { fact("now", figure(recent)) } }
                        { fact("p50", figure(p50)) }
                        { fact("p99", figure(p99)) }
                        { fact("beats", or_why(beats.map(words::thousands))) }
                    </dl>
                    if !self.trips.is_empty() { { beside(&self.trips) } }
                    { self.measured.clone() }
                </div>
                if !strange { { legend(group.totals.behind) } }
            </section>
        }
    }
}

/// Whose heartbeats stand beside a group of others.
const STRANGE: &str = "Only a member can time its heartbeats, and none here is Heartline's: these are of Heartline's own members at \
the same coordinator.";

/// Members of others, seen by a survey only: nobody here times their heartbeats, so that a chart of them would stay empty.
fn is_strange(group: &Group) -> bool {
    let ours = group.members.values().any(|member| member.is_ours());
    !ours && group.totals.answered == 0 && !group.sources.contains(Source::Embedded)
}

fn beside(all: &[ApiLatency]) -> Html {
    let medians: Vec<_> = all
        .iter()
        .map(|row| (row.api.as_str(), row.latency.percentile(50.0)))
        .collect();
    html! {
        <div>
            <p class="evidence">{ "Half of Heartline's requests to the same broker take at most; ApiVersions touches no coordinator:" }</p>
            { trips(&medians) }
        </div>
    }
}

/// Round trips by request, a line each; those that were not made have none.
pub fn trips(all: &[(&str, Option<u64>)]) -> Html {
    let rows = all.iter().filter_map(|(api, micros)| {
        let micros = words::latency((*micros)?);
        Some(html! { <div><dt>{ spelled(api) }</dt><dd>{ micros }</dd></div> })
    });
    html! { <dl class="trips">{ for rows }</dl> }
}

fn legend(behind: u64) -> Html {
    html! {
            <div class="foot legend">
                { for KEYS.iter().map(|(class, tone, words)| html! { <span><i class={*class} data-tone={*tone}></i>{ *words }</span> }) }
                if behind > 0 {
                    <span>{ format!("{} waited behind another request: hollow, in no percentile", words::thousands(behind)) }</span>
                }
            </div>
    }
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
/// would be drawn onto one spot only the last is kept: a thousand members have forty thousand of them.
fn dots(group: &Group) -> Vec<Dot> {
    /// A spot is half a second wide and four buckets high, about a tenth of its latency.
    const SPOT_MS: u64 = 500;
    const SPOT_BUCKETS: u16 = 4;
    let spot = |dot: &Dot| {
        let height = bucket_of(dot.latency_us) / SPOT_BUCKETS;
        (dot.at.0 / SPOT_MS, height, dot.tone, dot.behind)
    };
    let mut dots = Vec::new();
    for member in group.members.values() {
        dots.extend(member.cells.iter().filter_map(dot));
    }
    dots.sort_unstable_by_key(|dot| (spot(dot), Reverse(dot.at)));
    dots.dedup_by_key(|dot| spot(dot));
    dots
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
