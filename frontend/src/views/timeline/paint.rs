//! Paints a timeline onto its canvas: the rows that are in the window, the stretch of time that is looked at.

use std::f64::consts::TAU;

use shared::board::{Group, MemberState};
use shared::time::UnixMs;
use web_sys::HtmlCanvasElement;

use super::lanes::{Band, Lane, Life, Seen, Timeline};
use super::marks::What;
use super::rows::{AXIS, Row, Rows};
use super::span::Span;
use crate::views::canvas::Sheet;
use crate::views::story::code_tone;
use crate::views::tone::Tone;
use crate::views::words::{self, LocalTime, spelled};

/// What is drawn.
pub(super) struct Scene<'a> {
    pub(super) group: &'a Group,
    pub(super) timeline: &'a Timeline,
    pub(super) rows: &'a Rows,
    pub(super) span: Span,
    /// The moment up to which things are known.
    pub(super) at: UnixMs,
    pub(super) local: LocalTime,
    /// What is explained: when, and in which lane where it is one's.
    pub(super) focus: Option<(UnixMs, Option<usize>)>,
    /// How far the rows are scrolled, in CSS pixels.
    pub(super) scrolled: f64,
}

struct Plot<'a> {
    sheet: Sheet,
    scene: &'a Scene<'a>,
    left: f64,
    /// The moments that are named at the axis.
    times: Vec<UnixMs>,
}

/// Paints; a canvas that cannot be drawn on stays blank.
pub(super) fn paint(canvas: &HtmlCanvasElement, scene: &Scene<'_>) {
    let Some(sheet) = Sheet::clear(canvas) else {
        return;
    };
    let left = left_edge(sheet.width);
    let most = fitting(sheet.width - left, 72.0);
    let times = scene.span.ticks(most as u64, scene.local.minutes_ahead);
    let plot = Plot {
        sheet,
        scene,
        left,
        times,
    };
    plot.axis();
    for band in &scene.timeline.bands {
        plot.band(band);
    }
    for (place, row) in scene.rows.all.iter().enumerate() {
        let y = scene.rows.middle(place) - scene.scrolled;
        if y > AXIS && y < plot.sheet.height + 20.0 {
            plot.row(*row, y);
        }
    }
    plot.head();
    plot.cursor();
}

/// About how wide a letter of a name is, in CSS pixels.
const LETTER: f64 = 6.4;

/// How many of a width have room.
fn fitting(room: f64, each: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of a window's width; one that is negative counts as none"
    )]
    let whole = (room / each) as usize;
    whole
}

/// Where time begins, right of the names.
pub(super) fn left_edge(width: f64) -> f64 {
    (width / 4.0).clamp(84.0, 190.0)
}

/// A tick's look by how long the answer took: slower ones are taller too, so that colour does not tell it alone.
fn by_latency(latency_us: Option<u64>) -> (&'static str, f64) {
    match latency_us {
        None | Some(0..100_000) => ("--ok", 8.0),
        Some(100_000..1_000_000) => ("--late", 12.0),
        Some(_) => ("--bad", 16.0),
    }
}

impl Plot<'_> {
    fn x(&self, at: UnixMs) -> f64 {
        self.left + self.scene.span.share(at) * (self.sheet.width - self.left)
    }

    /// From one moment to another, cut at the window's edges; none where it lies outside.
    fn stretch(&self, from: UnixMs, until: UnixMs) -> Option<(f64, f64)> {
        if !self.scene.span.shows(from, until) {
            return None;
        }
        let from = self.x(from).max(self.left);
        Some((from, (self.x(until).min(self.sheet.width) - from).max(1.5)))
    }

    fn axis(&self) {
        self.sheet.dip("--line");
        for at in &self.times {
            let x = self.x(*at).round() + 0.5;
            self.sheet.line((x, AXIS), (x, self.sheet.height));
        }
    }

    /// The violet of a rebalance through all lanes, paler where it may not have begun yet, its join phase on top.
    fn band(&self, band: &Band) {
        let until = band.until.unwrap_or(self.scene.at);
        let pen = &self.sheet.pen;
        let fill = |stretch: Option<(f64, f64)>, alpha: f64, (top, height): (f64, f64)| {
            if let Some((x, width)) = stretch {
                pen.set_global_alpha(alpha);
                pen.fill_rect(x, top, width, height);
                pen.set_global_alpha(1.0);
            }
        };
        let whole = (AXIS, self.sheet.height - AXIS);
        self.sheet.dip("--move");
        if let Some(earliest) = band.earliest {
            fill(self.stretch(earliest, band.from), 0.1, whole);
        }
        fill(self.stretch(band.from, until), 0.3, whole);
        if let Some(joined) = band.joined {
            fill(self.stretch(band.from, joined.min(until)), 0.9, (AXIS - 5.0, 5.0));
        }
    }

    /// What stands above the lanes and is not scrolled: times, and the generation that each rebalance led to.
    fn head(&self) {
        let mut free = self.left;
        self.sheet.dip("--ink-3");
        for at in &self.times {
            self.sheet
                .text(&self.scene.local.clock(*at), "center", self.x(*at), 10.0);
        }
        self.sheet.dip("--move");
        for band in &self.scene.timeline.bands {
            let Some((at, generation)) = band.until.zip(band.row.generation) else {
                continue;
            };
            let (x, word) = (self.x(at) + 3.0, words::thousands_of(generation.0));
            let room = word.len() as f64 * 7.0;
            if x >= free && x + room < self.sheet.width {
                self.sheet.text(&word, "left", x, 26.0);
                free = x + room;
            }
        }
    }

    fn row(&self, row: Row, y: f64) {
        let Some(lane) = self.scene.timeline.lanes.get(row.lane()) else {
            return;
        };
        if let Row::Host(_) = row {
            let host = lane
                .host
                .as_deref()
                .map_or_else(|| "host not visible".to_owned(), spelled);
            self.sheet.dip("--ink-3");
            self.sheet.text(
                &words::shortened(&host, fitting(self.left, LETTER)),
                "left",
                8.0,
                y,
            );
            return;
        }
        self.sheet.dip("--ink");
        let name = words::without_middle(&spelled(&lane.name), fitting(self.left - 30.0, LETTER));
        self.sheet.text(&name, "left", 18.0, y);
        for life in &lane.lives {
            self.life(life, y);
        }
        self.marks(lane, y);
    }

    /// The line of a membership, if there was one, dotted where its heartbeats are no longer kept, and the dashed silence
    /// before it was over.
    fn life(&self, life: &Life, y: f64) {
        let until = life.end.as_ref().map_or(self.scene.at, |end| end.at);
        let forgotten = life.forgotten(self.scene.group);
        let from = forgotten.map_or(life.begins(), |(_, kept)| kept);
        let line = |from, until| self.stretch(from, until).filter(|_| life.joined);
        if let Some((x, width)) = line(from, until) {
            self.sheet.dip("--line-strong");
            self.sheet.line((x, y + 0.5), (x + width, y + 0.5));
        }
        if let Some((x, width)) = forgotten.and_then(|(from, until)| line(from, until)) {
            self.sheet.dip("--ink-3");
            self.sheet.dash(&[2.0, 4.0]);
            self.sheet.line((x, y + 0.5), (x + width, y + 0.5));
            self.sheet.dash(&[]);
        }
        let silence = life
            .end
            .as_ref()
            .and_then(|end| Some((end.silent_since?, end.at)));
        if let Some((x, width)) = silence.and_then(|(since, until)| self.stretch(since, until)) {
            self.sheet.dash(&[3.0, 3.0]);
            self.sheet.dip("--bad");
            self.sheet.pen.stroke_rect(x, y - 6.5, width, 13.0);
            self.sheet.dash(&[]);
        }
    }

    fn marks(&self, lane: &Lane, y: f64) {
        let pen = &self.sheet.pen;
        for mark in lane.marks(self.scene.group) {
            if !self.scene.span.shows(mark.at, mark.at) {
                continue;
            }
            let x = self.x(mark.at);
            let tick = |token: &'static str, height: f64| {
                self.sheet.dip(token);
                pen.fill_rect(x - 0.75, y - height / 2.0, 1.5, height);
            };
            match mark.what {
                What::Sign(
                    _,
                    Seen::Beats {
                        latency_us, error, ..
                    },
                ) => match code_tone(error) {
                    Tone::Ok | Tone::Dim => {
                        let (token, height) = by_latency(latency_us);
                        tick(token, height);
                    }
                    Tone::Move | Tone::Late => {
                        self.sheet.dip("--move");
                        pen.fill_rect(x - 1.5, y - 8.0, 3.0, 6.0);
                        pen.fill_rect(x - 1.5, y + 2.0, 3.0, 6.0);
                    }
                    Tone::Bad => self.cross(x, y),
                },
                What::Sign(_, Seen::Renewed) => tick("--ok", 8.0),
                What::Sign(_, Seen::Unanswered(_)) => self.cross(x, y),
                What::Sign(_, Seen::Commit) => {
                    self.sheet.dip("--ok");
                    self.shape(&[(x, y - 5.0), (x + 4.0, y), (x, y + 5.0), (x - 4.0, y)]);
                }
                What::Sign(_, Seen::Rejoined { .. }) => {
                    self.sheet.dip("--move");
                    pen.begin_path();
                    let _drawn = pen.arc(x, y, 3.0, 0.0, TAU);
                    pen.fill();
                }
                What::Came(life) if !life.joined => {
                    self.sheet.dip("--move");
                    self.sheet.pen.stroke_rect(x - 3.5, y - 3.5, 7.0, 7.0);
                }
                What::Came(_) => {
                    self.sheet.dip("--ok");
                    self.shape(&[(x, y - 7.0), (x + 5.0, y + 5.0), (x - 5.0, y + 5.0)]);
                }
                What::Went(_, end) => {
                    if matches!(end.state, MemberState::Left) {
                        self.sheet.dip("--ink-3");
                        self.shape(&[(x - 5.0, y), (x + 5.0, y - 6.0), (x + 5.0, y + 6.0)]);
                    } else {
                        self.cross(x, y);
                    }
                }
                What::Rebalance(_) | What::Forgotten(_) => {}
            }
        }
    }

    fn cross(&self, x: f64, y: f64) {
        self.sheet.dip("--bad");
        self.sheet.pen.set_line_width(2.0);
        self.sheet.line((x - 4.0, y - 4.0), (x + 4.0, y + 4.0));
        self.sheet.line((x - 4.0, y + 4.0), (x + 4.0, y - 4.0));
        self.sheet.pen.set_line_width(1.0);
    }

    fn shape(&self, corners: &[(f64, f64)]) {
        self.sheet.pen.begin_path();
        for (x, y) in corners {
            self.sheet.pen.line_to(*x, *y);
        }
        self.sheet.pen.fill();
    }

    /// Where now is, and what is explained.
    fn cursor(&self) {
        self.sheet.dip("--accent");
        let edge = |at: UnixMs| self.x(at).round() + 0.5;
        if self.scene.span.shows(self.scene.at, self.scene.at) {
            let x = edge(self.scene.at).min(self.sheet.width - 0.5);
            self.sheet.line((x, AXIS), (x, self.sheet.height));
        }
        let Some((at, lane)) = self.scene.focus.filter(|(at, _)| self.scene.span.shows(*at, *at)) else {
            return;
        };
        let x = edge(at);
        self.sheet.dash(&[2.0, 2.0]);
        self.sheet.line((x, AXIS), (x, self.sheet.height));
        self.sheet.dash(&[]);
        if let Some(y) = lane.and_then(|lane| self.scene.rows.of_lane(lane)) {
            self.sheet
                .pen
                .stroke_rect(x - 8.0, y - self.scene.scrolled - 9.0, 16.0, 18.0);
        }
    }
}
