//! What the views ask of the model beside its parts: small words, and what follows from the board as a whole.

use std::rc::Rc;

use shared::board::{Board, Group, Interval};
use shared::event::{Change, Source};
use shared::ids::{ClusterId, MemberId};
use shared::time::{Millis, Timestamp, UnixMs};

use super::address::{Address, Query};
use super::clock::ServerClock;
use super::faults::{Faults, Offer};
use super::fetch::{EVENTS_AT_ONCE, Want};
use super::groups::{Ranked, Seen, Window};
use super::log::{Log, is_beat};
use super::ping::Ping;
use super::{Model, Page, Scope};

/// What the viewer is told of the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// The first attempt is under way, or the board of the stream that is received.
    #[default]
    Connecting,
    /// Frames arrive, and what is on show is theirs.
    Live,
    /// None for three seconds.
    Stale,
    /// The socket is lost; another one follows.
    Reconnecting,
}

impl LinkState {
    /// As `data-state` says it (docs/contract.md).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Live => "live",
            Self::Stale => "stale",
            Self::Reconnecting => "reconnecting",
        }
    }
}

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark ink on a light ground.
    Light,
    /// Light ink on a dark ground.
    Dark,
}

impl Theme {
    /// Reads what was stored; anything else is the system's.
    #[must_use]
    pub fn parse(stored: Option<&str>) -> Self {
        match stored {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// The value of `data-theme` on the root element, where it has one.
    #[must_use]
    pub const fn attribute(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The one the toggle comes to next.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// The times that decide when a member of a group is late and when it expires, where they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// One and a half heartbeat intervals.
    pub late_after: Option<Millis>,
    /// The session timeout.
    pub session: Option<Millis>,
}

/// An interval as it is told: where it is inferred from beats, to two figures, since the others change with each beat.
#[must_use]
pub fn steady(interval: Interval) -> Millis {
    let Millis(ms) = interval.every;
    let unit = if interval.inferred {
        10_u64.pow(ms.max(1).ilog10().saturating_sub(1))
    } else {
        1
    };
    Millis(ms.saturating_add(unit / 2) / unit * unit)
}

impl Timing {
    /// Of a group's members: those of the first that tells, because one configuration is the rule.
    #[must_use]
    pub fn of(group: &Group) -> Self {
        let mut members = group.members.values();
        Self {
            late_after: members
                .clone()
                .find_map(|member| member.interval())
                .map(|interval| Millis(steady(interval).0.saturating_mul(3) / 2)),
            session: members.find_map(|member| member.session_timeout.get().copied()),
        }
    }
}

impl Model {
    /// The link to the server; live once the board on show is of the stream that is received.
    #[must_use]
    pub const fn link(&self) -> LinkState {
        match self.link {
            // After a hole or on another server: frames arrive, but what is on show is from before.
            LinkState::Live if self.follow.is_waiting() => LinkState::Connecting,
            told => told,
        }
    }

    /// The server's time.
    #[must_use]
    pub const fn clock(&self) -> &ServerClock {
        &self.clock
    }

    /// The board on show: that of the earlier moment, where one is looked at.
    #[must_use]
    pub const fn board(&self) -> Option<&Board> {
        match &self.past {
            Some(past) => past.board(),
            None => self.follow.board(),
        }
    }

    /// The event log.
    #[must_use]
    pub const fn log(&self) -> &Log {
        match &self.past {
            Some(past) => past.log(),
            None => &self.log,
        }
    }

    /// Whether events from before are still on their way.
    #[must_use]
    pub fn log_is_filling(&self) -> bool {
        self.fetch.is_wanted(match self.past {
            Some(_) => Want::PastEvents,
            None => Want::Events,
        })
    }

    /// How many rows of the log are drawn.
    #[must_use]
    pub const fn log_rows(&self) -> usize {
        self.log_rows
    }

    /// How many rows of members are drawn.
    #[must_use]
    pub const fn member_rows(&self) -> usize {
        self.member_rows
    }

    /// What can be played.
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Whether a fault can be played: not in the past, where nothing of it would be seen.
    #[must_use]
    pub fn can_play(&self, name: &str) -> bool {
        self.past.is_none() && self.faults.offer.has(name)
    }

    /// The heartbeat by nobody that was asked for last.
    #[must_use]
    pub const fn ping(&self) -> &Ping {
        &self.ping
    }

    /// The theme.
    #[must_use]
    pub const fn theme(&self) -> Theme {
        self.theme
    }

    /// Whether times are wanted in UTC.
    #[must_use]
    pub const fn utc(&self) -> bool {
        self.utc
    }

    /// Takes which page the server serves now: after an update it may be another one than this.
    pub(super) fn hear_page(&mut self, page: Option<String>) {
        const NEWER: &str = "The server has a new version, with a page of its own: reload to see it.";
        let is_new = self.page.is_some() && page.is_some() && self.page != page;
        self.trouble = is_new.then(|| NEWER.to_owned());
        self.page = self.page.take().or(page);
    }

    /// Where the viewer is.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// What is wrong between page and server, in a sentence.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The scenario that is played.
    #[must_use]
    pub fn scenario(&self) -> Option<&str> {
        self.scenario.as_deref()
    }

    /// The groups as they are listed at a moment. The same list is handed out until it would be another one.
    #[must_use]
    pub fn ranked(&self, board: &Board, at: UnixMs) -> Rc<Ranked> {
        let mut kept = self.ranked.borrow_mut();
        let list = &self.address.list;
        if !kept.is_of(board, list, at) {
            *kept = Rc::new(kept.after(board, list, at, self.reading));
        }
        Rc::clone(&kept)
    }

    /// Which rows of the list of groups are in the browser's window.
    #[must_use]
    pub const fn window(&self) -> &Window {
        &self.window
    }

    /// Takes where the list of groups is in the browser's window.
    pub fn see(&mut self, seen: Seen) {
        self.window.see(seen);
    }

    /// Somebody scrolls, points or types: for a while rows keep their places.
    pub const fn reads(&mut self, now: Timestamp) {
        self.read = Some(now);
    }

    /// Time passed: whoever read may have gone.
    pub fn rest(&mut self, now: Timestamp) {
        const REST: Millis = Millis(5_000);
        self.reading = self.read.is_some_and(|at| now.micros_since(at) < REST.0 * 1_000);
    }

    /// Whether there is more than one group.
    #[must_use]
    pub fn has_several_groups(&self) -> bool {
        self.board().is_some_and(|board| board.groups().len() > 1)
    }

    /// The query that `/api/events` answers with the same transitions as the log lists.
    #[must_use]
    pub fn log_query(&self) -> String {
        self.log_filters().finish()
    }

    /// Where what the log lists is had as a file: the events from this number on.
    #[must_use]
    pub fn export(&self, format: &str, from: u64) -> String {
        let mut query = self.log_filters();
        if self.address.kind.is_none() {
            for kind in Change::KINDS.iter().filter(|kind| !is_beat(kind)) {
                query.add("kind", kind);
            }
        }
        query.add("after", &from.saturating_sub(1).to_string());
        query.add("limit", &EVENTS_AT_ONCE.to_string());
        query.add("format", format);
        ["/api/events", &query.finish()].concat()
    }

    fn log_filters(&self) -> Query {
        let mut query = Query::default();
        if let Scope::Group(group, _) = self.log.scope() {
            query.add("group", group.as_str());
        }
        query.add_some("kind", self.address.kind.as_deref());
        query.add_some("member", self.address.member.as_ref().map(MemberId::as_str));
        query.add_some("host", self.address.host.as_deref());
        query.add_some("evidence", self.address.evidence.as_deref());
        query
    }

    /// The address of a group: with its cluster where there are several.
    #[must_use]
    pub fn address_of(&self, group: &Group) -> Address {
        let several = self
            .board()
            .is_some_and(|board| board.groups().any(|other| other.key.cluster != group.key.cluster));
        let to = Address::of_group(&group.key.group, several.then_some(&group.key.cluster));
        self.address.to(to)
    }

    /// What is looked at, for the top bar: the embedded coordinator, or which cluster.
    #[must_use]
    pub fn whereabouts(&self) -> Option<Whereabouts<'_>> {
        let board = self.board()?;
        let mut groups = board.groups();
        let group = match self.page() {
            Page::Group(group) => group,
            _ => groups.next()?,
        };
        let embedded =
            matches!(self.faults.offer, Offer::Faults(_)) || group.sources.contains(Source::Embedded);
        let seat = group.coordinator.as_ref();
        Some(Whereabouts {
            embedded,
            cluster: &group.key.cluster,
            coordinator: seat.and_then(|seat| Some((seat.host.as_deref()?, seat.port?))),
        })
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whereabouts<'a> {
    /// Whether it is Heartline's own coordinator.
    pub embedded: bool,
    /// The cluster.
    pub cluster: &'a ClusterId,
    /// Where the coordinator of the group at hand listens.
    pub coordinator: Option<(&'a str, u16)>,
}
