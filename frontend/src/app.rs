//! The one component that owns the model and changes it in place. Messages are folded as they come; the page is drawn at most once
//! per animation frame, and in no more than half of the time.

mod pace;

use std::cell::RefCell;

use gloo_timers::callback::Interval;
use shared::board::GroupKey;
use shared::fault::Fault;
use shared::wire::{ClientMessage, Watch};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use self::pace::Pace;
use crate::browser::{self, Listener, RequestError};
use crate::feed::{Feed, Heard, Signal};
use crate::model::address::Address;
use crate::model::fetch::{Answer, Request, Want};
use crate::model::ping::Pong;
use crate::model::{Action, Effect, Model};
use crate::views::words::LocalTime;
use crate::views::{self, Act, Now, overview};

/// How often what depends on time alone is drawn again, in milliseconds.
const TICK_MS: u32 = 250;

/// What reaches the component.
#[derive(Debug)]
pub enum Message {
    /// From the socket or its timer.
    Feed(Signal),
    /// From a view.
    Act(Action),
    /// From the server's API.
    Answered(Request, Answer),
    /// What came of a fault: nothing, or why it is not played.
    Played(Fault, Option<String>),
    /// What came of a heartbeat to a group's coordinator, or why nothing did.
    Pinged(GroupKey, Result<Pong, String>),
    /// The browser went back or forth in its history.
    Popped,
    /// The page was scrolled, or its window has another size.
    Scrolled,
    /// Somebody points or types.
    Reads,
    /// Time passed.
    Tick,
    /// An animation frame is due.
    Draw,
}

/// The component.
pub struct App {
    model: Model,
    feed: Feed,
    watched: Watch,
    title: String,
    /// What the tab is to be called, until that is done: the view, which may change nothing, works it out with the rest.
    drawn_title: RefCell<String>,
    act: Act,
    pace: Pace,
    _tick: Interval,
    _listeners: [Option<Listener>; 6],
}

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        let address = opened();
        let mut model = Model::new(address, browser::stored_theme(), &browser::jitter());
        // As it is remembered already.
        let _effect = model.act(Action::SetUtc(browser::stored_utc()));
        let tick = link.callback(|()| Message::Tick);
        let popped = link.callback(|()| Message::Popped);
        let scrolled = link.callback(|()| Message::Scrolled);
        let reads = link.callback(|()| Message::Reads);
        let online = link.callback(|()| Message::Feed(Signal::Online));
        Self {
            watched: model.watch(),
            model,
            feed: Feed::open(link.callback(Message::Feed)),
            title: String::new(),
            drawn_title: RefCell::default(),
            act: link.callback(Message::Act),
            pace: Pace::new(link.callback(|()| Message::Draw)),
            _tick: Interval::new(TICK_MS, move || tick.emit(())),
            _listeners: [
                browser::listen("popstate", &popped),
                browser::listen("scroll", &scrolled),
                browser::listen("resize", &scrolled),
                browser::listen("pointermove", &reads),
                browser::listen("keydown", &reads),
                browser::listen("online", &online),
            ],
        }
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        let now = browser::now();
        match message {
            Message::Draw => {
                self.pace.starts(now);
                // Before anything is changed, when it costs no layout.
                if let Some(seen) = browser::rows_seen(overview::ROWS) {
                    self.model.see(seen);
                }
                return true;
            }
            Message::Feed(signal) => self.hear(signal),
            Message::Act(action) => self.act(ctx, action),
            Message::Answered(request, answer) => self.model.answered(now, &request, answer),
            Message::Played(fault, refusal) => self.model.fault_answered(fault, refusal),
            Message::Pinged(group, what) => self.model.pinged(now, &group, what),
            Message::Popped => self.model.go(Address::parse(&browser::address())),
            Message::Scrolled => self.model.reads(now),
            Message::Reads => {
                self.model.reads(now);
                return false;
            }
            Message::Tick => {}
        }
        self.model.rest(now);
        self.model.set_link(self.feed.state());
        self.follow_watch();
        while let Some(request) = self.model.poll(now) {
            ask(ctx, request);
        }
        self.pace.ask(now);
        false
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let drawn = views::page(&self.model, self.now(), &self.act);
        self.drawn_title.replace(drawn.title);
        drawn.html
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        let title = self.drawn_title.take();
        if title != self.title {
            browser::set_title(&title);
            self.title = title;
        }
        self.pace.ended(browser::now());
    }
}

impl App {
    fn now(&self) -> Now {
        let minutes_ahead = match self.model.utc() {
            true => 0,
            false => browser::minutes_ahead_of_utc(),
        };
        let local = LocalTime { minutes_ahead };
        Now::of(&self.model, browser::now(), local)
    }

    fn hear(&mut self, signal: Signal) {
        match self.feed.handle(signal) {
            Some(Heard::Opened) => {
                self.watched = self.model.watch();
                self.feed.say(&self.model.hello());
            }
            Some(Heard::Said(message)) => self.model.receive(browser::now(), message),
            Some(Heard::Garbled(why)) => self.model.misunderstood(&why),
            None => {}
        }
    }

    fn act(&mut self, ctx: &Context<Self>, action: Action) {
        match self.model.act(action) {
            Some(Effect::ShowAddress { href, new_entry }) => {
                browser::show_address(&href, new_entry);
                if new_entry {
                    browser::scroll_to_top();
                }
            }
            Some(Effect::SetTheme(theme)) => browser::set_theme(theme),
            Some(Effect::SetUtc(utc)) => browser::remember_utc(utc),
            Some(Effect::Play(fault)) => play(ctx, fault),
            Some(Effect::Ping(group, path)) => ping(ctx, group, path),
            None => {}
        }
    }

    /// Tells the server when other heartbeats are wanted one by one.
    fn follow_watch(&mut self) {
        let watch = self.model.watch();
        if watch != self.watched {
            self.watched = watch.clone();
            self.feed.say(&ClientMessage::Watch { watch });
        }
    }
}

/// What the page was opened at. A moment that is none is not looked at: the address bar does not go on saying so.
fn opened() -> Address {
    let text = browser::address();
    let address = Address::parse(&text);
    if address.at.is_none() && ["?at=", "&at="].iter().any(|name| text.contains(name)) {
        browser::show_address(&address.href(), false);
    }
    address
}

fn ask(ctx: &Context<App>, request: Request) {
    let answered = ctx
        .link()
        .callback(|(request, answer)| Message::Answered(request, answer));
    spawn_local(async move {
        let path = &request.path;
        let answer = match request.want {
            Want::Board | Want::PastBoard => browser::get(path)
                .await
                .map(|answer| Answer::Board(Box::new(answer))),
            Want::Events | Want::PastEvents => browser::get(path).await.map(Answer::Events),
            Want::Faults => browser::get(path).await.map(Answer::Faults),
        };
        let answer = answer.unwrap_or_else(|error| match error {
            RequestError::Refused(404, _) => Answer::NotHere,
            RequestError::Refused(410, why) => Answer::TooOld(why),
            RequestError::Refused(..) | RequestError::Failed(_) => Answer::Failed,
        });
        answered.emit((request, answer));
    });
}

fn play(ctx: &Context<App>, fault: Fault) {
    let played = ctx
        .link()
        .callback(|(fault, refusal)| Message::Played(fault, refusal));
    spawn_local(async move {
        let refusal = match serde_json::to_string(&fault) {
            Ok(body) => browser::post("/api/faults", &body)
                .await
                .err()
                .map(RequestError::said),
            Err(error) => Some(error.to_string()),
        };
        played.emit((fault, refusal));
    });
}

fn ping(ctx: &Context<App>, group: GroupKey, path: String) {
    let pinged = ctx.link().callback(|(group, what)| Message::Pinged(group, what));
    spawn_local(async move {
        let what = browser::post(&path, "").await.map_err(RequestError::said);
        let what = what.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        pinged.emit((group, what));
    });
}
