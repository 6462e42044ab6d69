//! The page as functions of the model. Nothing here knows where the model comes from.
//!
//! # Layout
//!
//! - [`page()`]: the whole; [`top`]: the bar above it, and [`past`] below that
//! - [`cluster`]: what concerns all groups of one; [`overview`]: all groups, with their [`coordinators`]; [`group`]: one, with its [`timeline`], its [`members`], [`latency`], [`rebalances`], [`partitions`], what its coordinator takes when asked ([`ping`]) and what can be tried ([`try_it`])
//! - [`log`]: events, told by [`story`]
//! - [`beats`], [`canvas`], [`chart`], [`parts`], [`still`], [`tone`], [`words`]: what the views are made of

pub mod beats;
pub mod canvas;
pub mod chart;
pub mod cluster;
pub mod coordinators;
pub mod group;
pub mod latency;
pub mod log;
pub mod members;
pub mod overview;
pub mod partitions;
pub mod parts;
pub mod past;
pub mod ping;
pub mod rebalances;
pub mod still;
pub mod story;
pub mod timeline;
pub mod tone;
pub mod top;
pub mod try_it;
pub mod words;

use std::ops::Deref;
use std::sync::Arc;

use shared::board::{Cell, Group, Member};
use shared::time::{Millis, Timestamp, UnixMs};
use yew::prelude::*;

use self::words::LocalTime;
use crate::model::{Action, LinkState, Model, Page};

/// What the page is called.
const NAME: &str = "Heartline";

/// Where a view sends what the viewer does.
pub type Act = Callback<Action>;

/// The moment a page is drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// The server's time that the board is shown for; none before the first word from the server.
    pub shown: Option<UnixMs>,
    /// Up to when beats that come as summaries are known.
    summarised: Option<UnixMs>,
    /// How old the last word from the server is.
    pub age: Option<Millis>,
    /// The viewer's time zone.
    pub local: LocalTime,
}

impl Now {
    /// How fine the shown moment is: what is drawn changes at most so often by time alone, in milliseconds.
    const STEP: u64 = 100;

    /// The moment of a model, by the browser's clock.
    #[must_use]
    pub fn of(model: &Model, now: Timestamp, local: LocalTime) -> Self {
        let shown = match model.past() {
            Some(past) => past.at().or(model.address().at),
            None => model.clock().shown(now, model.link() == LinkState::Live),
        };
        Self {
            shown: shown.map(|UnixMs(ms)| UnixMs(ms - ms % Self::STEP)),
            summarised: shown.map(|shown| model.clock().summarised(shown)),
            age: model.clock().age(now),
            local,
        }
    }

    /// The moment at which groups are judged whose beats come as summaries, as they do in the overview.
    #[must_use]
    pub fn for_summaries(self) -> UnixMs {
        self.summarised.unwrap_or_default()
    }

    /// The moment at which a member is judged: what is shown, or as far as its beats are known where the last of them came as
    /// a summary. So it is for a watched group until its next beat, and while the server has too many to tell each.
    #[must_use]
    pub fn for_member(self, member: &Member) -> UnixMs {
        let mut beats = member.cells.iter().rev();
        match beats.find(|cell| !matches!(cell, Cell::Failed { .. })) {
            Some(Cell::Second(_)) => self.for_summaries(),
            _ => self.shown.unwrap_or_default(),
        }
    }

    /// The same for a watched group: as far as the beats of all its members are known.
    #[must_use]
    pub fn for_group(self, group: &Group) -> UnixMs {
        let members = group.members.values().map(|member| self.for_member(member));
        members.min().unwrap_or(self.shown.unwrap_or_default())
    }

    /// The same zone without a moment, for what does not change with time.
    #[must_use]
    pub const fn without_time(self) -> Self {
        Self {
            shown: None,
            summarised: None,
            age: None,
            local: self.local,
        }
    }
}

/// A value of the board that compares by pointer: an unchanged one is not drawn again.
#[derive(Debug)]
pub struct ByPointer<T>(pub Arc<T>);

impl<T> Clone for ByPointer<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for ByPointer<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for ByPointer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The page as drawn at a moment.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// What is in the window.
    pub html: Html,
    /// What the browser's tab is called: what is wrong, first.
    pub title: String,
}

/// The page. One round of verdicts serves what is in the window and what the tab is called.
pub fn page(model: &Model, now: Now, act: &Act) -> Drawn {
    let mut title = NAME.to_owned();
    let mut call = |what: String| {
        // Without a word from the server nothing can be said of now.
        if now.shown.is_some() && !what.is_empty() {
            let past = if model.past().is_some() { "◷ " } else { "" };
            title = format!("{past}{what} · {NAME}");
        }
    };
    let content = match model.page() {
        Page::NothingYet => {
            // The banner of the past says what is awaited.
            match model.past() {
                Some(_) => Html::default(),
                None => {
                    html! { <p class="nothing" role="status">{ "Waiting for the first word from the server." }</p> }
                }
            }
        }
        Page::NoGroups => no_groups(model, now, act),
        Page::Overview(board) => {
            let ranked = model.ranked(board, now.for_summaries());
            call(overview::title(&ranked));
            overview::view(model, board, &ranked, now, act)
        }
        Page::Group(group) => {
            let findings = group::findings(model, group, now);
            call(group::title(group, &findings));
            group::view(model, group, &findings, now, act)
        }
        Page::Coordinators(board) => {
            let ranked = model.ranked(board, now.for_summaries());
            call(overview::title(&ranked));
            coordinators::panel(model, board, &ranked, now, act)
        }
        Page::Events => log::panel(model, now, act),
        Page::NoSuchGroup(id) => group::missing(model, id, act),
    };
    let heading = match model.page() {
        Page::Overview(_) | Page::NoGroups | Page::NothingYet | Page::NoSuchGroup(_) => {
            Some("Consumer groups")
        }
        Page::Coordinators(_) => Some("Coordinators of consumer groups"),
        Page::Events => Some("Events of consumer groups"),
        Page::Group(_) => None,
    };
    let html = html! {
        <>
            { top::bar(model, now, act) }
            { past::banner(model, now, act) }
            { model.board().map(cluster::notices) }
            <main>
                // Other views name themselves by it where all can see it.
                if let Some(name) = heading { <h1 class="sr">{ name }</h1> }
                { content }
            </main>
        </>
    };
    Drawn { html, title }
}

fn no_groups(model: &Model, now: Now, act: &Act) -> Html {
    let why = match model.board().and_then(cluster::why_no_group) {
        Some(why) => html! { { why } },
        None => html! {
            <>
                { "No group has been seen yet. Heartline's own members join theirs within a few seconds of the server's start; with " }
                <code>{ "--members 0" }</code>{ " there is none." }
            </>
        },
    };
    html! {
        <>
            <section class="panel"><p class="nothing" data-testid="no-groups">{ why }</p></section>
            { log::panel(model, now, act) }
        </>
    }
}
