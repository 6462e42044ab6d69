//! When to draw: at the next animation frame, but never so often that drawing takes more than half of the time. What is left
//! is for reading the stream, which must not wait.

use gloo_timers::callback::Timeout;
use js_sys::Function;
use shared::time::Timestamp;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::Callback;

use crate::browser;

/// Asks for frames and measures what they cost.
#[derive(Debug)]
pub(super) struct Pace {
    frame: Closure<dyn FnMut(f64)>,
    asked: bool,
    /// Holds a frame back until the last one has been paid for.
    rest: Option<Timeout>,
    started: Timestamp,
    /// Not before this moment.
    free_at: Timestamp,
}

impl Pace {
    pub(super) fn new(draw: Callback<()>) -> Self {
        Self {
            frame: Closure::new(move |_at: f64| draw.emit(())),
            asked: false,
            rest: None,
            started: Timestamp(0),
            free_at: Timestamp(0),
        }
    }

    /// Something is to be drawn.
    pub(super) fn ask(&mut self, now: Timestamp) {
        if self.asked {
            return;
        }
        let wait = self.free_at.micros_since(now).div_ceil(1000);
        let frame: &Function = self.frame.as_ref().unchecked_ref();
        if wait == 0 {
            self.asked = browser::on_next_frame(frame);
            return;
        }
        let frame = frame.clone();
        let wait = u32::try_from(wait).unwrap_or(u32::MAX);
        self.rest = Some(Timeout::new(wait, move || {
            // Refused only where there is no window, and then there is nothing to draw on.
            let _granted = browser::on_next_frame(&frame);
        }));
        self.asked = true;
    }

    /// The component is about to be drawn.
    pub(super) fn starts(&mut self, now: Timestamp) {
        self.asked = false;
        self.rest = None;
        self.started = now;
    }

    /// It was drawn. The browser has its layout and paint still before it, which cost about as much again.
    pub(super) fn ended(&mut self, now: Timestamp) {
        let took = now.micros_since(self.started);
        self.free_at = Timestamp(now.0.saturating_add(took));
    }
}
