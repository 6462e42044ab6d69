//! The live latency chart: a canvas, a dot a heartbeat, on a logarithmic scale because a delayed answer takes ten thousand
//! times as long as a prompt one. The figures it shows stand beside it in text.

mod paint;
mod scale;

use shared::time::UnixMs;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::tone::Tone;
use super::words;

/// How far back the chart reaches, in milliseconds.
pub const WINDOW_MS: u64 = 60_000;

/// One heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dot {
    /// When it was answered.
    pub at: UnixMs,
    /// How long the answer took.
    pub latency_us: u64,
    /// By its code.
    pub tone: Tone,
    /// Whether it waited behind another request, so that its latency is not the coordinator's alone.
    pub behind: bool,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Properties)]
pub struct ChartProps {
    /// Heartbeats in any order; those outside the window are left out.
    pub dots: Vec<Dot>,
    /// The moment at the right edge.
    pub now: UnixMs,
    /// The line in the middle, in microseconds.
    pub p50: Option<u64>,
    /// The line above, in microseconds.
    pub p99: Option<u64>,
}

impl ChartProps {
    /// The heartbeats within the window.
    fn within(&self) -> impl Iterator<Item = &Dot> {
        let from = UnixMs(self.now.0.saturating_sub(WINDOW_MS));
        self.dots
            .iter()
            .filter(move |dot| dot.at >= from && dot.at <= self.now)
    }

    /// The chart in words.
    #[must_use]
    pub fn summary(&self) -> String {
        let window = WINDOW_MS / 1000;
        let count = self.within().count() as u64;
        let extremes = self
            .within()
            .map(|dot| dot.latency_us)
            .min()
            .zip(self.within().map(|dot| dot.latency_us).max());
        match extremes {
            None => format!("No heartbeat was answered in the last {window} s."),
            Some((low, high)) => format!(
                "Heartbeat latency of the last {window} s: {}, from {} to {}.",
                words::count(count, "answer", "answers"),
                words::latency(low),
                words::latency(high)
            ),
        }
    }
}

/// The canvas; painted after each change of its figures.
#[derive(Debug)]
pub struct Chart {
    canvas: NodeRef,
}

impl Component for Chart {
    type Message = ();
    type Properties = ChartProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self {
            canvas: NodeRef::default(),
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        html! {
            <div class="chart"><canvas ref={&self.canvas} role="img" aria-label={ctx.props().summary()}></canvas></div>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _first: bool) {
        if let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() {
            paint::paint(&canvas, ctx.props());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(latencies: &[u64]) -> ChartProps {
        ChartProps {
            dots: latencies
                .iter()
                .map(|latency_us| Dot {
                    at: UnixMs(100_000),
                    latency_us: *latency_us,
                    tone: Tone::Ok,
                    behind: false,
                })
                .collect(),
            now: UnixMs(100_000),
            p50: None,
            p99: None,
        }
    }

    #[test]
    fn the_chart_is_told_in_words_too() {
        assert_eq!(
            chart(&[]).summary(),
            "No heartbeat was answered in the last 60 s."
        );
        assert_eq!(
            chart(&[97, 2_000_000]).summary(),
            "Heartbeat latency of the last 60 s: 2 answers, from 97 µs to 2.00 s."
        );
    }

    #[test]
    fn what_lies_outside_the_window_is_left_out() {
        let mut chart = chart(&[97]);
        chart.now = UnixMs(100_000 + WINDOW_MS + 1);
        assert_eq!(chart.within().count(), 0);
    }
}
