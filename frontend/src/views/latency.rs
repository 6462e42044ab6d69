//! How long the coordinator takes to answer heartbeats: the chart, and its figures in text.

use std::cmp::Reverse;
use std::sync::Arc;

use shared::board::{ApiLatency, Cell, Group, Member};
use shared::event::Source;
use shared::histogram::{Histogram, bucket_of};
use shared::time::UnixMs;
use yew::prelude::*;

use super::ByPointer;
use super::chart::{Chart, Dot, Scale, WINDOW_MS};
use super::coordinators::UNTIMED;
use super::parts::{fact, none_yet, unseen};
use super::still::Part;
use super::story::code_tone;
use super::words::{self, LocalTime, spelled};
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
    /// The viewer's time zone.
    pub local: LocalTime,
}

/// A group that beats a thousand times a second changes with every frame; the panel follows time, ten times a second.
impl PartialEq for Latency {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
            && self.local == other.local
            && self.group.key == other.group.key
            && self.ping == other.ping
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
        let all = (latency.percentile(50.0), latency.percentile(99.0));
        let now = lately(group, at);
        let (p50, p99) = match strange {
            true => all,
            false => (now.percentile(50.0), now.percentile(99.0)),
        };
        let dots = dots(group);
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
            <section class="panel" aria-labelledby="latency-title" data-testid="heartbeat-latency" data-p50-us={attribute(all.0)}
                data-p99-us={attribute(all.1)} data-count={count.to_string()}>
                <header>
                    <h2 id="latency-title">{ if strange { "Coordinator latency" } else { "Heartbeat latency" } }</h2>
                    <span class="faint">{ if strange { "all so far".to_owned() } else { format!("last {} s", WINDOW_MS / 1000) } }</span>
                </header>
                <div class="body">
                    if strange {
                        <p class="evidence">{ STRANGE }</p>
                    } else {
                        <Chart {dots} now={at} {p50} {p99} />
                    }
                    <dl class="figures">
                        if !strange { { fact("now", or_why(recent(group, at))) } }
                        { fact("p50", figure(p50)) }
                        { fact("p99", figure(p99)) }
                        { fact("beats so far", or_why(beats.map(words::thousands))) }
                    </dl>
                    { hour(group, at, self.local) }
                    if !self.trips.is_empty() { { beside(&self.trips) } }
                    { self.measured.clone() }
                </div>
                if !strange { { legend(group.totals.behind) } }
            </section>
        }
    }
}

/// The timed heartbeats of the stretch that the chart shows.
fn lately(group: &Group, at: UnixMs) -> Histogram {
    let mut lately = Histogram::default();
    for cell in group.members.values().flat_map(|member| member.cells.iter()) {
        if let Cell::Beat(beat) = cell
            && !beat.behind
            && at.since(beat.at).0 <= WINDOW_MS
        {
            beat.latency_us
                .into_iter()
                .for_each(|us| lately.record(us.into()));
        }
    }
    lately
}

/// The percentiles of each minute of the last hour: a bar from the 50th to the 99th.
fn hour(group: &Group, at: UnixMs, local: LocalTime) -> Html {
    const MINUTE: u64 = 60_000;
    const WIDE: u64 = 240;
    const HIGH: f64 = 44.0;
    let minutes: Vec<(UnixMs, u64, u64)> = group
        .latency
        .iter()
        .flat_map(|node| node.pulse.hour(at))
        .collect();
    let Some((when, half, most)) = minutes.iter().max_by_key(|(_, _, most)| *most) else {
        return Html::default();
    };
    let least = minutes.iter().map(|(_, half, _)| *half).min();
    let scale = Scale::around(&[least.unwrap_or(*half), *most]);
    let y = |us: u64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of the height"
        )]
        let y = (HIGH - scale.share(us) * HIGH) as u64;
        y
    };
    let bar = |(from, half, most): &(UnixMs, u64, u64)| {
        let x = WIDE - (at.0 / MINUTE).saturating_sub(from.0 / MINUTE) * 4 - 2;
        format!("M{x} {}V{}", y(*half) + 1, y(*most))
    };
    let path: String = minutes.iter().map(bar).collect();
    let said = format!(
        "p50 to p99 of each minute of the last hour. The slowest: {}, {} to {}.",
        local.clock(*when),
        words::latency(*half),
        words::latency(*most)
    );
    html! {
        <div data-testid="latency-hour">
            <svg class="hour" viewBox="0 0 240 46" preserveAspectRatio="none" aria-hidden="true"><path d={path} /></svg>
            <p class="evidence">{ said }</p>
        </div>
    }
}

/// Whose heartbeats stand beside a group of others.
const STRANGE: &str = "Only a member can time its heartbeats, and none here is Heartline's: these are of Heartline's own members at \
the same coordinator.";

/// Members of others, seen by a survey only: nobody here times their heartbeats, so that a chart of them would stay empty.
pub fn is_strange(group: &Group) -> bool {
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

/// How long the last heartbeat of the group's members took; where the next one should have been answered by now, for how long none was.
#[must_use]
pub fn recent(group: &Group, at: UnixMs) -> Option<String> {
    /// Those of a second come together, once it is over.
    const SECOND_MS: u64 = 1_000;
    let newest = |member: &Arc<Member>| {
        let told = member
            .last_answer
            .as_ref()
            .map(|answer| (answer.at, answer.latency_us));
        let drawn = member.cells.iter().rev().find_map(dot);
        let newest = told.max(drawn.map(|dot| (dot.at, dot.latency_us)))?;
        Some((newest, member.interval()))
    };
    let all = group.members.values().filter_map(newest);
    let ((answered, micros), interval) = all.max_by_key(|(newest, _)| *newest)?;
    let silent = at.since(answered);
    let late = interval.is_some_and(|it| silent.0 > it.every.0.saturating_mul(3) / 2 + SECOND_MS);
    Some(if late {
        format!("none for {}", words::span(silent))
    } else {
        words::latency(micros)
    })
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
