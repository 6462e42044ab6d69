//! Paints the chart onto its canvas, in the colours of the theme at hand and at the screen's own resolution.

use std::f64::consts::TAU;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement};

use super::scale::Scale;
use super::{ChartProps, Dot, WINDOW_MS};
use crate::views::tone::Tone;
use crate::views::words;

/// Room at the left for the figures, below for the seconds, above and at the right for dots at the edge.
const LEFT: f64 = 52.0;
const BELOW: f64 = 18.0;
const ABOVE: f64 = 6.0;
const RIGHT: f64 = 6.0;

/// Where things go and in which colours.
struct Sheet<'a> {
    pen: CanvasRenderingContext2d,
    style: CssStyleDeclaration,
    width: f64,
    height: f64,
    scale: Scale,
    chart: &'a ChartProps,
}

/// Paints; a canvas that is not laid out, or a browser that gives no pen, leaves it blank.
pub(super) fn paint(canvas: &HtmlCanvasElement, chart: &ChartProps) {
    let Some(sheet) = Sheet::lay_out(canvas, chart) else {
        return;
    };
    sheet.figures();
    sheet.seconds();
    sheet.percentile(chart.p50, &[]);
    sheet.percentile(chart.p99, &[4.0, 4.0]);
    for dot in chart.within() {
        sheet.dot(dot);
    }
}

impl<'a> Sheet<'a> {
    fn lay_out(canvas: &HtmlCanvasElement, chart: &'a ChartProps) -> Option<Self> {
        let window = web_sys::window()?;
        let style = window.get_computed_style(canvas).ok()??;
        let (width, height) = (canvas.client_width(), canvas.client_height());
        if width < 100 || height < 40 {
            return None;
        }
        let (width, height) = (f64::from(width), f64::from(height));
        let ratio = window.device_pixel_ratio().clamp(1.0, 4.0);
        set_size(canvas, width * ratio, height * ratio);
        let pen: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        pen.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
        pen.clear_rect(0.0, 0.0, width, height);
        pen.set_font("11px system-ui, sans-serif");
        pen.set_text_baseline("middle");
        let mut figures: Vec<u64> = chart.within().map(|dot| dot.latency_us).collect();
        figures.extend(chart.p50.into_iter().chain(chart.p99));
        Some(Self {
            pen,
            style,
            width,
            height,
            scale: Scale::around(&figures),
            chart,
        })
    }

    fn colour(&self, token: &str) -> String {
        self.style.get_property_value(token).unwrap_or_default()
    }

    fn y(&self, latency_us: u64) -> f64 {
        let bottom = self.height - BELOW;
        bottom - self.scale.share(latency_us) * (bottom - ABOVE)
    }

    fn x(&self, ago_ms: u64) -> f64 {
        let right = self.width - RIGHT;
        right - ago_ms as f64 / WINDOW_MS as f64 * (right - LEFT)
    }

    fn line(&self, from: (f64, f64), to: (f64, f64)) {
        self.pen.begin_path();
        self.pen.move_to(from.0, from.1);
        self.pen.line_to(to.0, to.1);
        self.pen.stroke();
    }

    fn text(&self, text: &str, x: f64, y: f64) {
        // Fails only for a canvas without a size.
        let _painted = self.pen.fill_text(text, x, y);
    }

    fn figures(&self) {
        self.pen.set_stroke_style_str(&self.colour("--line"));
        self.pen.set_fill_style_str(&self.colour("--ink-3"));
        self.pen.set_line_width(1.0);
        self.pen.set_text_align("right");
        for tick in self.scale.ticks() {
            let y = self.y(tick).round() + 0.5;
            self.line((LEFT, y), (self.width - RIGHT, y));
            self.text(&words::round_latency(tick), LEFT - 8.0, y);
        }
    }

    fn seconds(&self) {
        let y = self.height - BELOW / 2.0;
        for (ago_ms, align) in [(0, "right"), (WINDOW_MS / 2, "center"), (WINDOW_MS, "left")] {
            self.pen.set_text_align(align);
            let text = match ago_ms / 1000 {
                0 => "now".to_owned(),
                seconds => format!("{seconds} s ago"),
            };
            self.text(&text, self.x(ago_ms), y);
        }
    }

    fn percentile(&self, latency_us: Option<u64>, dashes: &[f64]) {
        let Some(latency_us) = latency_us else { return };
        let dashes: js_sys::Array = dashes.iter().map(|length| JsValue::from_f64(*length)).collect();
        let _dashed = self.pen.set_line_dash(&dashes);
        self.pen.set_stroke_style_str(&self.colour("--accent"));
        let y = self.y(latency_us).round() + 0.5;
        self.line((LEFT, y), (self.width - RIGHT, y));
        let _solid = self.pen.set_line_dash(&js_sys::Array::new());
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
        self.pen.begin_path();
        if dot.tone == Tone::Bad {
            self.pen.rect(x - RADIUS, y - RADIUS, RADIUS * 2.0, RADIUS * 2.0);
        } else {
            let _drawn = self.pen.arc(x, y, RADIUS, 0.0, TAU);
        }
        let colour = self.colour(token);
        if dot.behind {
            self.pen.set_stroke_style_str(&colour);
            self.pen.stroke();
        } else {
            self.pen.set_fill_style_str(&colour);
            self.pen.fill();
        }
    }
}

/// Sets the canvas's own resolution where it is another: setting it clears the canvas and costs a layout.
fn set_size(canvas: &HtmlCanvasElement, width: f64, height: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and at most four times a screen's width"
    )]
    let (width, height) = (width.round() as u32, height.round() as u32);
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
}
