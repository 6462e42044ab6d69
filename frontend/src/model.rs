//! What the page knows and what its viewer selected: pure, the same on every host.
//!
//! Messages, answers and actions go in ([`Model::receive`], [`Model::answered`], [`Model::act`]); what is to be fetched comes
//! out ([`Model::poll`]). The views read it.
//!
//! # Layout
//!
//! - [`follow`]: the board, followed through the stream
//! - [`log`]: events, each once
//! - [`clock`]: the server's time
//! - `action`: what the viewer does
//! - [`errand`], [`fetch`]: what is asked of the server's API
//! - [`groups`]: the list of groups
//! - [`past`]: an earlier moment
//! - [`address`], [`faults`], [`look`], [`ping`]: what the viewer chose and asked for

mod action;
pub mod address;
pub mod clock;
pub mod errand;
pub mod faults;
pub mod fetch;
pub mod follow;
pub mod groups;
pub mod log;
pub mod look;
pub mod past;
pub mod ping;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shared::backoff::Jitter;
use shared::board::{Board, Group, GroupKey, clipped};
use shared::event::{Event, Observation};
use shared::fault::Fault;
use shared::ids::{ClusterId, GroupId};
use shared::time::Timestamp;
use shared::wire::{ClientMessage, ServerMessage, VERSION, Watch};

pub use self::action::{Action, Effect};
use self::address::{Address, View};
use self::clock::ServerClock;
use self::faults::Faults;
use self::fetch::{Fetch, Want};
use self::follow::{Follow, Next};
use self::groups::{Ranked, Window};
use self::log::{Log, LogFilter};
pub use self::look::{LinkState, Theme};
use self::past::Past;
use self::ping::{Ping, Pong, Told};

/// Which events concern what is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    All,
    /// Those of one group, in that cluster where one is named.
    Group(GroupId, Option<ClusterId>),
}

impl Scope {
    /// Whether an event belongs to it.
    #[must_use]
    pub fn covers(&self, what: &Observation) -> bool {
        match self {
            Self::All => true,
            Self::Group(group, cluster) => {
                // The board, and with it the links, cut ids that are too long; events carry them whole.
                what.group.as_ref().map(clipped) == Some(clipped(group))
                    && cluster
                        .as_ref()
                        .is_none_or(|cluster| clipped(&what.cluster) == clipped(cluster))
            }
        }
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub enum Page<'a> {
    /// No board yet.
    NothingYet,
    /// The board has no group.
    NoGroups,
    /// All groups.
    Overview(&'a Board),
    /// The brokers.
    Coordinators(&'a Board),
    /// The event log.
    Events,
    /// One group: asked for, or the only one.
    Group(&'a Arc<Group>),
    /// A group was asked for that is not on the board.
    NoSuchGroup(&'a GroupId),
}

/// All of it.
#[derive(Debug)]
pub struct Model {
    link: LinkState,
    clock: ServerClock,
    follow: Follow,
    log: Log,
    /// The earlier moment that is looked at.
    past: Option<Past>,
    fetch: Fetch,
    faults: Faults,
    ping: Ping,
    address: Address,
    theme: Theme,
    trouble: Option<String>,
    scenario: Option<String>,
    /// Which page the server served when this one was loaded.
    page: Option<String>,
    utc: bool,
    paused_at: Option<u64>,
    log_rows: usize,
    member_rows: usize,
    /// The list of groups as it was worked out last.
    ranked: RefCell<Rc<Ranked>>,
    window: Window,
    /// When somebody last did what readers do.
    read: Option<Timestamp>,
    /// Whether that was just now.
    reading: bool,
}

/// How many rows of the event log are drawn at first, and with each wish for more.
const LOG_ROWS: usize = 1_000;
/// The same for members.
const MEMBER_ROWS: usize = 50;

impl Model {
    /// A page just opened. `jitter` is for its requests.
    #[must_use]
    pub fn new(address: Address, theme: Theme, jitter: &Jitter) -> Self {
        let mut model = Self {
            link: LinkState::default(),
            clock: ServerClock::default(),
            follow: Follow::default(),
            log: Log::new(Scope::All),
            past: None,
            fetch: Fetch::new(jitter),
            faults: Faults::default(),
            ping: Ping::default(),
            address,
            theme,
            trouble: None,
            scenario: None,
            page: None,
            utc: false,
            paused_at: None,
            log_rows: LOG_ROWS,
            member_rows: MEMBER_ROWS,
            ranked: RefCell::default(),
            window: Window::default(),
            read: None,
            reading: false,
        };
        model.log = Log::new(model.scope());
        model.go_in_time(None);
        model
    }

    /// What to say on a new socket.
    #[must_use]
    pub fn hello(&self) -> ClientMessage {
        let (stream, resume) = self.follow.resume().unzip();
        ClientMessage::Hello {
            version: VERSION,
            stream,
            resume,
            watch: self.watch(),
        }
    }

    /// Whose heartbeats are wanted one by one.
    #[must_use]
    pub fn watch(&self) -> Watch {
        match self.page() {
            Page::Group(group) => Watch::Groups(vec![group.key.group.clone()]),
            Page::NothingYet | Page::NoSuchGroup(_) => match &self.address.group {
                Some(group) => Watch::Groups(vec![group.clone()]),
                None => Watch::OVERVIEW,
            },
            Page::NoGroups | Page::Overview(_) | Page::Coordinators(_) | Page::Events => Watch::OVERVIEW,
        }
    }

    /// Takes what the link came to.
    pub const fn set_link(&mut self, state: LinkState) {
        self.link = state;
    }

    /// Takes a message of the server, read at `now`.
    pub fn receive(&mut self, now: Timestamp, message: ServerMessage) {
        match message {
            ServerMessage::Welcome { version, .. } | ServerMessage::Unsupported { version }
                if version != VERSION =>
            {
                self.misunderstood(&format!(
                    "it speaks version {version}, this page version {VERSION}"
                ));
            }
            ServerMessage::Unsupported { version } => {
                self.misunderstood(&format!("it refuses version {version}"));
            }
            ServerMessage::Welcome {
                stream,
                seq,
                now: told,
                resumed,
                rate,
                scenario,
                page,
                ..
            } => {
                self.scenario = scenario;
                self.hear_page(page);
                let next = self.follow.welcome(&stream, seq, resumed);
                if next == Next::StartOver {
                    self.clock.forget();
                }
                self.clock.run_at(rate);
                self.clock.hear(now, told);
                // A request on its way may have died with the old connection.
                self.fetch.renew();
                self.proceed(next);
            }
            ServerMessage::Events { from, to, events } => {
                let events: Vec<Arc<Event>> = events.into_iter().map(Arc::new).collect();
                for event in &events {
                    self.log.add(event);
                }
                let next = self.follow.events(from, to, &events);
                self.proceed(next);
            }
            ServerMessage::Tick { now: told, .. } => self.clock.hear(now, told),
            ServerMessage::Lagged { seq } => {
                let next = self.follow.lagged(seq);
                self.proceed(next);
            }
        }
    }

    /// Page and server do not understand each other.
    pub fn misunderstood(&mut self, why: &str) {
        self.trouble = Some(format!(
            "This page and its server do not understand each other ({why}): reload the page."
        ));
    }

    fn proceed(&mut self, next: Next) {
        match next {
            Next::GoOn => {}
            Next::TakeBoard { unseen_after } => {
                self.fetch.want(Want::Board);
                self.fetch.want_events(unseen_after);
            }
            Next::StartOver => {
                self.log = Log::new(self.scope());
                self.paused_at = None;
                self.ranked.take();
                self.fetch.want(Want::Board);
                self.fetch.want_all_events();
                self.fetch.want(Want::Faults);
            }
        }
    }

    /// Takes what the viewer did; what the browser must do about it, if anything.
    pub fn act(&mut self, action: Action) -> Option<Effect> {
        match action {
            Action::Go(address) => {
                self.go(address);
                return Some(self.shown_address(true));
            }
            Action::List(list) => {
                self.address.list = list;
                return Some(self.shown_address(false));
            }
            Action::Reorder => {
                self.ranked.take();
            }
            Action::Narrow(address) => {
                self.go(address);
                return Some(self.shown_address(false));
            }
            Action::Pause(true) => self.paused_at = Some(self.log().last_seq()),
            Action::Pause(false) => self.paused_at = None,
            Action::MoreRows => self.log_rows = self.log_rows.saturating_add(LOG_ROWS),
            Action::MoreMembers => self.member_rows = self.member_rows.saturating_add(MEMBER_ROWS),
            Action::SetUtc(utc) => {
                self.utc = utc;
                return Some(Effect::SetUtc(utc));
            }
            Action::SetTheme(theme) => {
                self.theme = theme;
                return Some(Effect::SetTheme(theme));
            }
            Action::Choose(field, value) => self.faults.choose(field, &value),
            Action::Play(fault) => return Some(Effect::Play(fault)),
            Action::Ping(group) => {
                let path = self.ping.ask(group.clone());
                return Some(Effect::Ping(group, path));
            }
        }
        None
    }

    /// Goes to an address, because a link was followed or the browser went back.
    pub fn go(&mut self, address: Address) {
        let from = std::mem::replace(&mut self.address, address).at;
        let scope = self.scope();
        self.go_in_time(from);
        if *self.log.scope() != scope {
            self.list_past(scope.clone());
            self.log = Log::new(scope);
            self.paused_at = None;
            self.log_rows = LOG_ROWS;
            self.member_rows = MEMBER_ROWS;
            self.fetch.want_all_events();
        }
    }

    fn shown_address(&self, new_entry: bool) -> Effect {
        Effect::ShowAddress {
            href: self.address.href(),
            new_entry,
        }
    }

    /// Takes the answer to a fault that was to be played: nothing, or why it is not.
    pub fn fault_answered(&mut self, fault: Fault, refusal: Option<String>) {
        self.faults.answered(fault, refusal);
    }

    /// Takes what came of a heartbeat to a group's coordinator: the answer, or why there is none.
    pub fn pinged(&mut self, now: Timestamp, group: &GroupKey, what: Result<Pong, String>) {
        let at = self.clock.shown(now, true).unwrap_or_default();
        self.ping.take(group, Told { at, what });
    }

    fn scope(&self) -> Scope {
        match &self.address.group {
            Some(group) => Scope::Group(group.clone(), self.address.cluster.clone()),
            None => Scope::All,
        }
    }

    /// What is looked at.
    #[must_use]
    pub fn page(&self) -> Page<'_> {
        let Some(board) = self.board() else {
            return Page::NothingYet;
        };
        match self.address.view {
            View::Coordinators => return Page::Coordinators(board),
            View::Events => return Page::Events,
            View::Groups => {}
        }
        if let Some(id) = &self.address.group {
            let found = board.groups().find(|group| self.is_asked_for(&group.key, id));
            return found.map_or(Page::NoSuchGroup(id), Page::Group);
        }
        let mut groups = board.groups();
        match (groups.next(), groups.next()) {
            (None, _) => Page::NoGroups,
            (Some(only), None) => Page::Group(only),
            (Some(_), Some(_)) => Page::Overview(board),
        }
    }

    fn is_asked_for(&self, key: &GroupKey, id: &GroupId) -> bool {
        let cluster = self.address.cluster.as_ref().unwrap_or(&key.cluster);
        // A board cuts ids that are too long.
        GroupKey::new(cluster, id) == *key
    }

    /// Which events are listed.
    #[must_use]
    pub fn log_filter(&self) -> LogFilter {
        LogFilter {
            kind: self.address.kind.clone(),
            member: self.address.member.clone(),
            host: self.address.host.clone(),
            evidence: self.address.evidence.clone(),
            paused_at: self.paused_at,
        }
    }
}

#[cfg(test)]
mod tests;
