//! A canvas to draw on: in the colours of the theme at hand and at the screen's own resolution.
//!
//! How large it is and which colours the theme has the browser tells at once before anything of a frame is changed, and by a
//! new layout of the page after that: so both are looked at then ([`look`]), and remembered.

use std::cell::{Cell, RefCell};

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlCanvasElement};

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// What the browser told last.
#[derive(Default)]
struct Known {
    /// Width and height of what was asked for, in CSS pixels.
    sizes: Vec<(Element, (i32, i32))>,
    /// Colours by their tokens: thousands of marks share few.
    colours: Vec<(&'static str, String)>,
}

/// Looks again at what was asked for before and is still on the page.
pub fn look() {
    KNOWN.with_borrow_mut(|known| {
        known.sizes.retain(|(element, _)| element.is_connected());
        for (element, size) in &mut known.sizes {
            *size = measured(element);
        }
        let any = known.sizes.first();
        match any.and_then(|(element, _)| style_of(element)) {
            Some(style) => {
                for (token, colour) in &mut known.colours {
                    *colour = style.get_property_value(token).unwrap_or_default();
                }
            }
            None => known.colours.clear(),
        }
    });
}

/// The width and height of an element within its borders, in CSS pixels, as remembered; `changed` where what it is to hold is
/// another thing than before.
#[must_use]
pub fn size_of(element: &Element, changed: bool) -> (i32, i32) {
    KNOWN.with_borrow_mut(|known| {
        let place = known.sizes.iter().position(|(other, _)| other == element);
        match place.and_then(|place| known.sizes.get_mut(place)) {
            Some((_, size)) if changed => {
                *size = measured(element);
                *size
            }
            Some((_, size)) => *size,
            None => {
                let size = measured(element);
                known.sizes.push((element.clone(), size));
                size
            }
        }
    })
}

fn measured(element: &Element) -> (i32, i32) {
    (element.client_width(), element.client_height())
}

fn style_of(element: &Element) -> Option<CssStyleDeclaration> {
    web_sys::window()?.get_computed_style(element).ok()?
}

/// A canvas that is laid out and blank.
#[derive(Debug)]
pub struct Sheet {
    /// What draws, in CSS pixels.
    pub pen: CanvasRenderingContext2d,
    canvas: HtmlCanvasElement,
    /// The token whose colour the pen has.
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
        let (width, height) = size_of(canvas, false);
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
            canvas: canvas.clone(),
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
        KNOWN.with_borrow_mut(|known| {
            if known.colours.iter().all(|(known, _)| *known != token) {
                let told = style_of(&self.canvas).and_then(|style| style.get_property_value(token).ok());
                known.colours.push((token, told.unwrap_or_default()));
            }
            for (_, colour) in known.colours.iter().filter(|(known, _)| *known == token) {
                self.pen.set_fill_style_str(colour);
                self.pen.set_stroke_style_str(colour);
            }
        });
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
