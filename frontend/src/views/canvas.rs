//! A canvas to draw on: in the colours of the theme at hand and at the screen's own resolution.

use std::cell::Cell;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement};

/// A canvas that is laid out and blank.
#[derive(Debug)]
pub struct Sheet {
    /// What draws, in CSS pixels.
    pub pen: CanvasRenderingContext2d,
    style: CssStyleDeclaration,
    /// The token whose colour the pen has: thousands of marks share few, and to ask the stylesheet for each is slow.
    dipped: Cell<&'static str>,
    /// In CSS pixels.
    pub width: f64,
    /// In CSS pixels.
    pub height: f64,
}

impl Sheet {
    /// Wipes a canvas clean; none where it is not laid out, too small to draw on, or the browser gives no pen.
    #[must_use]
    pub fn clear(canvas: &HtmlCanvasElement) -> Option<Self> {
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
        pen.set_line_width(1.0);
        Some(Self {
            pen,
            style,
            dipped: Cell::new(""),
            width,
            height,
        })
    }

    /// What follows is drawn in the colour of a typed token of the stylesheet.
    pub fn dip(&self, token: &'static str) {
        if self.dipped.replace(token) == token {
            return;
        }
        let colour = self.style.get_property_value(token).unwrap_or_default();
        self.pen.set_fill_style_str(&colour);
        self.pen.set_stroke_style_str(&colour);
    }

    /// A line from one point to another.
    pub fn line(&self, from: (f64, f64), to: (f64, f64)) {
        self.pen.begin_path();
        self.pen.move_to(from.0, from.1);
        self.pen.line_to(to.0, to.1);
        self.pen.stroke();
    }

    /// Words, `align`ed ("left", "center", "right") at a point, their middle at its height.
    pub fn text(&self, text: &str, align: &str, x: f64, y: f64) {
        self.pen.set_text_align(align);
        // Fails only for a canvas without a size.
        let _painted = self.pen.fill_text(text, x, y);
    }

    /// Lines that follow are dashed; with no length they are whole again.
    pub fn dash(&self, lengths: &[f64]) {
        let lengths: js_sys::Array = lengths.iter().map(|length| JsValue::from_f64(*length)).collect();
        let _dashed = self.pen.set_line_dash(&lengths);
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
