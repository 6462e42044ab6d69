//! The model as a whole: messages and answers in, requests out, the log without gap or double.
//!
//! - `travel`: an earlier moment, and a server of another version

mod travel;

use std::collections::BTreeSet;

use shared::event::{Change, Evidence, Source};
use shared::time::UnixMs;

use super::fetch::{Answer, EventsAnswer, Request, Want};
use super::follow::BoardAnswer;
use super::*;

/// A server that keeps all its events, and a model that talks with it.
struct World {
    stream: String,
    /// Which page it serves.
    page: &'static str,
    events: Vec<Event>,
    model: Model,
    ms: u64,
}

impl World {
    fn new() -> Self {
        Self {
            stream: "run-1".to_owned(),
            page: "one",
            events: Vec::new(),
            model: Model::new(Address::default(), Theme::System, &Jitter::Fixed(0.5)),
            ms: 1_000,
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.ms)
    }

    fn happen(&mut self, group: &str, count: usize) {
        for _ in 0..count {
            let seq = self.events.len() as u64 + 1;
            self.events.push(Event {
                seq,
                seen: UnixMs(seq),
                what: Observation {
                    at: UnixMs(seq),
                    at_earliest: None,
                    source: Source::Embedded,
                    evidence: Evidence::Observed,
                    cluster: "c".into(),
                    group: Some(group.into()),
                    member: Some("m".into()),
                    change: Change::MemberLeft {
                        cause: "closed".to_owned(),
                    },
                },
            });
        }
    }

    fn seq(&self) -> u64 {
        self.events.len() as u64
    }

    fn welcome(&mut self, resumed: bool) {
        let message = ServerMessage::Welcome {
            version: VERSION,
            stream: self.stream.clone(),
            seq: self.seq(),
            now: UnixMs(self.ms),
            resumed,
            rate: std::num::NonZeroU32::MIN,
            scenario: None,
            page: Some(self.page.to_owned()),
        };
        self.model.receive(self.now(), message);
    }

    /// The server sends its events after a number.
    fn send_after(&mut self, after: u64) {
        let events = self
            .events
            .iter()
            .filter(|event| event.seq > after)
            .cloned()
            .collect();
        let message = ServerMessage::Events {
            from: after + 1,
            to: self.seq(),
            events,
        };
        self.model.receive(self.now(), message);
    }

    fn answer(&self, request: &Request) -> Answer {
        match request.want {
            Want::PastBoard => self.earlier(&request.path),
            Want::Board => {
                let mut board = Board::default();
                self.events.iter().for_each(|event| board.apply(event));
                Answer::Board(Box::new(BoardAnswer {
                    stream: self.stream.clone(),
                    seq: self.seq(),
                    now: UnixMs(self.ms),
                    oldest: None,
                    board,
                }))
            }
            Want::Events | Want::PastEvents => self.page_of_events(&request.path),
            Want::Faults => Answer::NotHere,
        }
    }

    /// The board of an earlier moment; nothing is kept of before the third.
    fn earlier(&self, path: &str) -> Answer {
        let at: u64 = path
            .split_once("at=")
            .and_then(|(_, at)| at.parse().ok())
            .expect("a time");
        if at < 3 {
            return Answer::TooOld("the oldest moment is 3".to_owned());
        }
        let mut board = Board::default();
        let before = self.events.iter().filter(|event| event.seen <= UnixMs(at));
        before.for_each(|event| board.apply(event));
        Answer::Board(Box::new(BoardAnswer {
            stream: self.stream.clone(),
            seq: board.seq,
            now: UnixMs(at),
            oldest: Some(UnixMs(3)),
            board,
        }))
    }

    /// Seven at a time, so that pages matter.
    fn page_of_events(&self, path: &str) -> Answer {
        let number = path
            .split("after=")
            .nth(1)
            .and_then(|rest| rest.split('&').next());
        let after: u64 = number.map_or(0, |number| number.parse().expect("a number"));
        let group = Address::parse(path).group;
        let fits = |event: &&Event| event.seq > after && (group.is_none() || event.what.group == group);
        let events: Vec<Event> = self.events.iter().filter(fits).take(7).cloned().collect();
        let next = (events.len() == 7).then(|| events[6].seq);
        Answer::Events(EventsAnswer {
            stream: self.stream.clone(),
            events,
            next,
            whole_above: 0,
        })
    }

    /// Makes and answers requests until none is due.
    fn settle(&mut self) {
        while let Some(request) = self.model.poll(self.now()) {
            let answer = self.answer(&request);
            self.model.answered(self.now(), &request, answer);
        }
    }

    /// What the log lists is what the server has, each once.
    fn assert_log_whole(&self, group: Option<&str>) {
        let listed: Vec<u64> = self
            .model
            .log()
            .listing(&LogFilter::default(), None)
            .events
            .iter()
            .map(|event| event.seq)
            .collect();
        let distinct: BTreeSet<u64> = listed.iter().copied().collect();
        assert_eq!(listed.len(), distinct.len(), "each once");
        let there: BTreeSet<u64> = self
            .events
            .iter()
            .filter(|event| group.is_none_or(|group| event.what.group == Some(group.into())))
            .map(|event| event.seq)
            .collect();
        assert_eq!(distinct, there);
    }
}

#[test]
fn a_page_that_opens_late_lists_all_that_happened_before() {
    let mut world = World::new();
    world.happen("demo", 30);
    world.welcome(false);
    world.happen("demo", 5);
    world.send_after(30);
    world.settle();
    world.assert_log_whole(None);
    assert!(!world.model.log_is_filling());
}

#[test]
fn mute_cut_and_resumed_nothing_is_missing_and_nothing_doubled() {
    let mut world = World::new();
    world.happen("demo", 3);
    world.welcome(false);
    world.settle();
    world.happen("demo", 20); // while the link is mute
    let hello = world.model.hello();
    assert!(
        matches!(hello, ClientMessage::Hello { resume: Some(3), .. }),
        "{hello:?}"
    );
    world.welcome(true);
    world.send_after(3);
    world.settle();
    world.assert_log_whole(None);
}

#[test]
fn cut_and_too_old_to_resume_the_log_is_filled_from_the_api() {
    let mut world = World::new();
    world.happen("demo", 3);
    world.welcome(false);
    world.settle();
    world.happen("demo", 40);
    world.welcome(false);
    world.happen("demo", 2);
    world.send_after(43);
    world.settle();
    world.assert_log_whole(None);
}

#[test]
fn a_link_that_breaks_while_the_log_is_filled_loses_nothing() {
    let mut world = World::new();
    world.happen("demo", 40);
    world.welcome(false);
    let lost: Vec<Request> = std::iter::from_fn(|| world.model.poll(world.now())).collect();
    assert_eq!(lost.len(), 3, "board, events, faults");
    world.happen("demo", 10);
    world.welcome(false);
    for request in &lost {
        world.model.answered(world.now(), request, Answer::Failed);
    }
    world.settle();
    world.assert_log_whole(None);
}

#[test]
fn a_failed_request_is_made_again_after_a_delay() {
    let mut world = World::new();
    world.happen("demo", 4);
    world.welcome(false);
    while let Some(request) = world.model.poll(world.now()) {
        world.model.answered(world.now(), &request, Answer::Failed);
    }
    assert!(matches!(world.model.page(), Page::NothingYet));
    world.ms += 60_000;
    world.settle();
    world.assert_log_whole(None);
    assert!(matches!(world.model.page(), Page::Group(_)));
}

#[test]
fn another_run_of_the_server_leaves_nothing_of_the_old_one() {
    let mut world = World::new();
    world.happen("demo", 9);
    world.welcome(false);
    world.settle();
    world.stream = "run-2".to_owned();
    world.events.clear();
    world.happen("other", 2);
    world.welcome(false);
    world.settle();
    world.assert_log_whole(None);
    assert!(matches!(world.model.page(), Page::Group(group) if group.key.group == "other".into()));
}

#[test]
fn going_to_a_group_lists_its_events_only_and_all_of_them() {
    let mut world = World::new();
    world.happen("a", 20);
    world.happen("b", 20);
    world.welcome(false);
    world.settle();
    assert!(matches!(world.model.page(), Page::Overview(_)));
    assert_eq!(world.model.watch(), Watch::OVERVIEW);
    let to = Address::of_group(&"b".into(), None);
    let effect = world.model.act(Action::Go(to));
    assert_eq!(
        effect,
        Some(Effect::ShowAddress {
            href: "/group?group=b".to_owned(),
            new_entry: true
        })
    );
    assert_eq!(world.model.watch(), Watch::Groups(vec!["b".into()]));
    world.settle();
    world.assert_log_whole(Some("b"));
    assert_eq!(world.model.log_query(), "?group=b");
}

#[test]
fn the_only_group_is_watched_without_being_asked_for() {
    let mut world = World::new();
    world.happen("demo", 1);
    world.welcome(false);
    assert_eq!(world.model.watch(), Watch::OVERVIEW);
    world.settle();
    assert_eq!(world.model.watch(), Watch::Groups(vec!["demo".into()]));
}

#[test]
fn a_paused_log_stands_still_and_counts_what_waits() {
    let mut world = World::new();
    world.happen("demo", 3);
    world.welcome(false);
    world.settle();
    world.model.act(Action::Pause(true));
    world.happen("demo", 4);
    world.send_after(3);
    let filter = world.model.log_filter();
    let listing = world.model.log().listing(&filter, None);
    assert_eq!((listing.events.len(), listing.waiting), (3, 4));
    world.model.act(Action::Pause(false));
    world.assert_log_whole(None);
}

#[test]
fn filters_stand_in_the_address_but_make_no_history() {
    let mut world = World::new();
    let effect = world.model.act(Action::Narrow(Address {
        kind: Some("member_left".to_owned()),
        ..Address::default()
    }));
    assert_eq!(
        effect,
        Some(Effect::ShowAddress {
            href: "/?kind=member_left".to_owned(),
            new_entry: false
        })
    );
    assert_eq!(world.model.log_query(), "?kind=member_left");
}

#[test]
fn a_server_of_another_version_is_told_to_the_viewer_until_one_understands() {
    let mut world = World::new();
    world
        .model
        .receive(world.now(), ServerMessage::Unsupported { version: 1 });
    assert!(world.model.trouble().is_some());
    world.welcome(false);
    assert_eq!(world.model.trouble(), None);
}

#[test]
fn the_page_is_live_only_once_the_board_on_show_is_the_new_servers() {
    let mut world = World::new();
    world.happen("demo", 3);
    world.welcome(false);
    world.settle();
    world.model.set_link(LinkState::Live);
    assert_eq!(world.model.link(), LinkState::Live);
    world.stream = "run-2".to_owned();
    world.welcome(false);
    assert_eq!(
        world.model.link(),
        LinkState::Connecting,
        "the old board is on show"
    );
    world.settle();
    assert_eq!(world.model.link(), LinkState::Live);
}
