//! The timeline of a group: a lane for each process, the rebalances across all of them. It is drawn on a canvas; every mark is told
//! in a sentence when it is pointed at or stepped to with the arrow keys, and all that is more than life going on in a table.
//!
//! - `lanes`: the facts, `marks`: one by one; `rows`: where lanes stand; `span`, `gaze`: the stretch of time; `told`: the sentences; `table`: all of them
//! - `paint`: the drawing

mod gaze;
pub mod lanes;
pub mod marks;
mod paint;
mod rows;
pub mod span;
mod table;
mod told;

use shared::board::Group;
use shared::ids::MemberId;
use shared::time::{Millis, UnixMs};
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

use self::gaze::{Gaze, LENGTHS};
use self::lanes::Timeline;
use self::marks::{Mark, Place};
use self::paint::{Scene, left_edge};
use self::rows::Rows;
use super::ByPointer;
use super::words::LocalTime;
use crate::browser::{Listener, listen_to};

/// Whose timeline, and until when.
#[derive(Clone, Debug, Properties)]
pub struct LanesProps {
    /// The group.
    pub group: ByPointer<Group>,
    /// The moment up to which things are known.
    pub at: UnixMs,
    /// The viewer's time zone.
    pub local: LocalTime,
}

/// It follows time, ten times a second, not each beat of a thousand members.
impl PartialEq for LanesProps {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.local == other.local && self.group.key == other.group.key
    }
}

/// What the viewer does with it.
#[derive(Debug)]
pub enum Message {
    /// Follows the last so many milliseconds.
    Follow(u64),
    /// A finger or the mouse goes down, moves, goes up: its number, and where it is.
    Down(i32, f64),
    Moved(i32, f64, f64),
    Up(i32),
    /// It is pointed at nothing any more.
    Away,
    /// The wheel: across, along, whether to zoom, where.
    Wheel(f64, f64, bool, f64),
    /// A key, and whether with shift.
    Key(String, bool),
    /// The rows were scrolled.
    Scrolled,
    /// The table is wanted, or not any more.
    Table,
}

/// What is explained.
#[derive(Debug)]
struct Focus {
    place: Place,
    said: String,
}

/// The panel.
#[derive(Debug)]
pub struct Lanes {
    timeline: Timeline,
    rows: Rows,
    gaze: Gaze,
    focus: Option<Focus>,
    /// Where fingers are, by their number.
    held: Vec<(i32, f64)>,
    table: bool,
    frame: NodeRef,
    canvas: NodeRef,
    wheel: Option<Listener>,
}

impl Component for Lanes {
    type Message = Message;
    type Properties = LanesProps;

    fn create(ctx: &Context<Self>) -> Self {
        let timeline = Timeline::of(&ctx.props().group);
        Self {
            rows: Rows::of(&timeline),
            timeline,
            gaze: Gaze::default(),
            focus: None,
            held: Vec::new(),
            table: false,
            frame: NodeRef::default(),
            canvas: NodeRef::default(),
            wheel: None,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LanesProps) -> bool {
        let group = &ctx.props().group;
        // Another group, or an earlier moment: a stretch that was chosen may not have been yet.
        if group.key != old.group.key || old.at.since(ctx.props().at) > Millis(5_000) {
            (self.gaze, self.focus) = (Gaze::default(), None);
        }
        self.timeline = Timeline::of(group);
        self.rows = Rows::of(&self.timeline);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        let props = ctx.props();
        let span = self.gaze.span(props.at);
        match message {
            Message::Follow(length) => self.gaze.follow(length),
            Message::Down(finger, x) => self.held.push((finger, x)),
            Message::Moved(finger, x, y) => return self.moved(props, finger, x, y),
            Message::Up(finger) => self.held.retain(|(held, _)| *held != finger),
            Message::Away => self.focus = None,
            Message::Wheel(across, along, true, x) => {
                let percent = if across + along > 0.0 { 120 } else { 83 };
                self.gaze.look(span.zoomed(percent, self.share(x)), props.at);
            }
            Message::Wheel(across, along, false, _) => {
                self.gaze.look(span.moved((across + along) / 1_000.0), props.at);
            }
            Message::Key(key, shift) => return self.key(props, &key, shift),
            Message::Scrolled => {}
            Message::Table => self.table = !self.table,
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let link = ctx.link();
        let span = self.gaze.span(props.at);
        let choices = LENGTHS.map(|(length, name)| {
            let chosen = self.gaze.follows() && self.gaze.length == length;
            let onclick = link.callback(move |_: MouseEvent| Message::Follow(length));
            html! { <button class="button" type="button" aria-pressed={chosen.to_string()} {onclick}>{ name }</button> }
        });
        let seen = (span.from, span.until);
        let label = told::summary(
            self.timeline.lanes.len(),
            self.timeline.bands.len(),
            seen,
            props.local,
        );
        let onkeydown = link.batch_callback(|event: KeyboardEvent| {
            let key = event.key();
            let ours = matches!(
                key.as_str(),
                "ArrowLeft" | "ArrowRight" | "+" | "=" | "-" | "End" | "Escape"
            );
            if !ours || event.ctrl_key() || event.alt_key() || event.meta_key() {
                return None;
            }
            event.prevent_default();
            Some(Message::Key(key, event.shift_key()))
        });
        html! {
            <section class="panel" aria-labelledby="timeline-title" data-testid="timeline" data-from={span.from.0.to_string()} data-until={span.until.0.to_string()}>
                <header>
                    <h2 id="timeline-title">{ "Timeline" }</h2>
                    <div class="right inline">
                        { for choices }
                        <button class="button" type="button" aria-pressed={self.table.to_string()} data-testid="timeline-table-button" onclick={link.callback(|_: MouseEvent| Message::Table)}>{ "table" }</button>
                    </div>
                </header>
                <div class="timeline" ref={&self.frame} tabindex="0" role="group" aria-label={label} {onkeydown} onscroll={link.callback(|_: Event| Message::Scrolled)}>
                    <canvas ref={&self.canvas}
                        onpointerdown={link.callback(|event: PointerEvent| Message::Down(event.pointer_id(), f64::from(event.offset_x())))}
                        onpointermove={link.callback(|event: PointerEvent| Message::Moved(event.pointer_id(), f64::from(event.offset_x()), f64::from(event.offset_y())))}
                        onpointerup={link.callback(|event: PointerEvent| Message::Up(event.pointer_id()))}
                        onpointercancel={link.callback(|event: PointerEvent| Message::Up(event.pointer_id()))}
                        onpointerleave={link.callback(|_: PointerEvent| Message::Away)}></canvas>
                    <svg width="1" height={self.rows.pixels().to_string()} aria-hidden="true"></svg>
                </div>
                <p class="foot said" role="status" data-testid="timeline-said">{ self.focus.as_ref().map_or(HELP, |focus| &focus.said) }</p>
                if self.table { { table::rows(&self.timeline, span, props) } }
                { table::legend() }
            </section>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _first: bool) {
        let (Some(frame), Some(canvas)) = (
            self.frame.cast::<Element>(),
            self.canvas.cast::<HtmlCanvasElement>(),
        ) else {
            return;
        };
        if self.wheel.is_none() {
            self.wheel = listen_to(&canvas, "wheel", wheel(ctx));
        }
        // As high as the part of the rows that is in the window: a canvas for thousands of them would be too large.
        let height = self.rows.pixels().min(frame.client_height().unsigned_abs());
        let height = format!("{height}px");
        let _refused_nowhere = canvas.style().set_property("height", &height);
        let props = ctx.props();
        let focus = self.focus.as_ref().map(|focus| {
            let of = |member: &MemberId| self.timeline.lane_of(member);
            (focus.place.at, focus.place.member.as_ref().and_then(of))
        });
        let scene = Scene {
            group: &props.group,
            timeline: &self.timeline,
            rows: &self.rows,
            span: self.gaze.span(props.at),
            at: props.at,
            local: props.local,
            focus,
            scrolled: f64::from(frame.scroll_top()),
        };
        paint::paint(&canvas, &scene);
    }
}

/// What the line below says while nothing is explained.
const HELP: &str = "Point at a mark, or step from one to the next with ← →. Drag or ⇧ ← → moves, + − and ctrl + wheel zoom, End goes back to now.";

/// A wheel that zooms or moves is ours; any other scrolls the page.
fn wheel(ctx: &Context<Lanes>) -> Callback<Event> {
    let report = ctx.link().callback(|message: Message| message);
    Callback::from(move |event: Event| {
        use wasm_bindgen::JsCast;
        let Some(event) = event.dyn_ref::<WheelEvent>() else {
            return;
        };
        let zooms = event.ctrl_key() || event.meta_key();
        let (across, along) = (event.delta_x(), event.delta_y());
        let moves = event.shift_key() || across.abs() > along.abs();
        if zooms || moves {
            event.prevent_default();
            report.emit(Message::Wheel(across, along, zooms, f64::from(event.offset_x())));
        }
    })
}

impl Lanes {
    fn width(&self) -> f64 {
        let canvas = self.canvas.cast::<HtmlCanvasElement>();
        canvas.map_or(1.0, |canvas| f64::from(canvas.client_width().max(1)))
    }

    /// Which part of the span is at a place of the canvas.
    fn share(&self, x: f64) -> f64 {
        let left = left_edge(self.width());
        (x - left) / (self.width() - left).max(1.0)
    }

    /// One finger held drags, two zoom, none points.
    fn moved(&mut self, props: &LanesProps, finger: i32, x: f64, y: f64) -> bool {
        let span = self.gaze.span(props.at);
        let other = self
            .held
            .iter()
            .find(|(held, _)| *held != finger)
            .map(|(_, x)| *x);
        let Some(before) = self.held.iter_mut().find(|(held, _)| *held == finger) else {
            return self.point(props, x, y);
        };
        let from = std::mem::replace(&mut before.1, x);
        match other {
            None => self
                .gaze
                .look(span.moved(self.share(from) - self.share(x)), props.at),
            Some(other) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a ratio of distances within a window, clamped"
                )]
                let percent =
                    (100.0 * (from - other).abs() / (x - other).abs().max(1.0)).clamp(20.0, 500.0) as u64;
                self.gaze.look(span.zoomed(percent, self.share(other)), props.at);
            }
        }
        true
    }

    /// What is at a place: the nearest mark of its lane, else a rebalance.
    fn point(&mut self, props: &LanesProps, x: f64, y: f64) -> bool {
        const NEAR: f64 = 6.0;
        let span = self.gaze.span(props.at);
        let scrolled = self.frame.cast::<Element>().map_or(0, |frame| frame.scroll_top());
        let share = self.share(x);
        let near = NEAR / (self.width() - left_edge(self.width())).max(1.0);
        let off = |mark: &Mark<'_>| (span.share(mark.at) - share).abs();
        let lane = self.rows.lane_at(y + f64::from(scrolled));
        let lane = lane.and_then(|lane| self.timeline.lanes.get(lane));
        let marks = lane.map(|lane| lane.marks(&props.group)).unwrap_or_default();
        let mut close: Vec<Mark<'_>> = marks.into_iter().filter(|mark| off(mark) <= near).collect();
        // Drawn later is on top.
        close.reverse();
        close.sort_by(|one, two| off(one).total_cmp(&off(two)));
        let at = span.at(share);
        let found = close
            .into_iter()
            .next()
            .or_else(|| self.timeline.band_at(at, props.at))
            .or_else(|| lane?.forgotten_at(&props.group, at));
        let focus = found.map(|mark| focus_on(&mark, Place::of(&mark), props));
        let changes = self.focus.as_ref().map(|focus| &focus.said) != focus.as_ref().map(|focus| &focus.said);
        self.focus = focus;
        changes
    }

    fn key(&mut self, props: &LanesProps, key: &str, shift: bool) -> bool {
        let span = self.gaze.span(props.at);
        match (key, shift) {
            ("ArrowLeft", true) => self.gaze.look(span.moved(-0.25), props.at),
            ("ArrowRight", true) => self.gaze.look(span.moved(0.25), props.at),
            ("ArrowLeft", false) => self.step(props, true),
            ("ArrowRight", false) => self.step(props, false),
            ("+" | "=", _) => self.gaze.look(span.zoomed(67, 1.0), props.at),
            ("-", _) => self.gaze.look(span.zoomed(150, 1.0), props.at),
            _ => {
                self.gaze.follow(self.gaze.length);
                self.focus = None;
            }
        }
        true
    }

    /// To the mark before or after the one that is explained; the newest where none is.
    fn step(&mut self, props: &LanesProps, back: bool) {
        let span = self.gaze.span(props.at);
        let marks = self.timeline.turns(&props.group, span);
        let here = self.focus.as_ref().map(|focus| &focus.place);
        if let Some((mark, place)) = Place::step(here, &marks, back) {
            self.focus = Some(focus_on(mark, place, props));
            self.gaze.hold(props.at);
        }
    }
}

fn focus_on(mark: &Mark<'_>, place: Place, props: &LanesProps) -> Focus {
    Focus {
        place,
        said: told::mark(mark, &props.group, props.local),
    }
}
