//! Paints the chart onto its canvas.

use std::f64::consts::TAU;

use web_sys::HtmlCanvasElement;

use super::scale::Scale;
use super::{ChartProps, Dot, WINDOW_MS};
use crate::views::canvas::Sheet;
use crate::views::tone::Tone;
use crate::views::words;

/// Room at the left for the figures, below for the seconds, above and at the right for dots at the edge.
const LEFT: f64 = 52.0;
const BELOW: f64 = 18.0;
const ABOVE: f64 = 6.0;
const RIGHT: f64 = 6.0;

/// Where things go.
struct Plot<'a> {
    sheet: Sheet,
    scale: Scale,
    chart: &'a ChartProps,
}

/// Paints; a canvas that cannot be drawn on stays blank.
pub(super) fn paint(canvas: &HtmlCanvasElement, chart: &ChartProps) {
    let Some(sheet) = Sheet::clear(canvas) else {
        return;
    };
    let mut figures: Vec<u64> = chart.within().map(|dot| dot.latency_us).collect();
    figures.extend(chart.p50.into_iter().chain(chart.p99));
    let scale = Scale::around(&figures);
    let plot = Plot { sheet, scale, chart };
    plot.figures();
    plot.seconds();
    plot.percentile(chart.p50, &[]);
    plot.percentile(chart.p99, &[4.0, 4.0]);
    for dot in chart.within() {
        plot.dot(dot);
    }
}

impl Plot<'_> {
    fn y(&self, latency_us: u64) -> f64 {
        let bottom = self.sheet.height - BELOW;
        bottom - self.scale.share(latency_us) * (bottom - ABOVE)
    }

    fn x(&self, ago_ms: u64) -> f64 {
        let right = self.sheet.width - RIGHT;
        right - ago_ms as f64 / WINDOW_MS as f64 * (right - LEFT)
    }

    fn across(&self, y: f64) {
        let y = y.round() + 0.5;
        self.sheet.line((LEFT, y), (self.sheet.width - RIGHT, y));
    }

    fn figures(&self) {
        for tick in self.scale.ticks() {
            let y = self.y(tick);
            self.sheet.dip("--line");
            self.across(y);
            self.sheet.dip("--ink-3");
            self.sheet
                .text(&words::round_latency(tick), "right", LEFT - 8.0, y.round() + 0.5);
        }
    }

    fn seconds(&self) {
        let y = self.sheet.height - BELOW / 2.0;
        for (ago_ms, align) in [(0, "right"), (WINDOW_MS / 2, "center"), (WINDOW_MS, "left")] {
            let text = match ago_ms / 1000 {
                0 => "now".to_owned(),
                seconds => format!("{seconds} s ago"),
            };
            self.sheet.text(&text, align, self.x(ago_ms), y);
        }
    }

    fn percentile(&self, latency_us: Option<u64>, dashes: &[f64]) {
        let Some(latency_us) = latency_us else { return };
        self.sheet.dash(dashes);
        self.sheet.dip("--accent");
        self.across(self.y(latency_us));
        self.sheet.dash(&[]);
    }

    /// Filled by its tone; a serious code is a square, a beat that waited behind another request is hollow.
    fn dot(&self, dot: &Dot) {
        const RADIUS: f64 = 2.5;
        let token = match dot.tone {
            Tone::Ok | Tone::Dim => "--ok",
            Tone::Move | Tone::Late => "--move",
            Tone::Bad => "--bad",
        };
        let (x, y) = (self.x(self.chart.now.since(dot.at).0), self.y(dot.latency_us));
        let pen = &self.sheet.pen;
        pen.begin_path();
        if dot.tone == Tone::Bad {
            pen.rect(x - RADIUS, y - RADIUS, RADIUS * 2.0, RADIUS * 2.0);
        } else {
            let _drawn = pen.arc(x, y, RADIUS, 0.0, TAU);
        }
        self.sheet.dip(token);
        if dot.behind {
            pen.stroke();
        } else {
            pen.fill();
        }
    }
}
