//! The page in time: an earlier moment, and a server that was replaced by a newer one.

use super::super::past::Past;
use super::*;

#[test]
fn a_server_that_serves_another_page_asks_for_a_reload_and_one_that_restarts_does_not() {
    let mut world = World::new();
    world.welcome(false);
    world.stream = "run-2".to_owned();
    world.welcome(false);
    assert_eq!(world.model.trouble(), None, "the same page");
    world.page = "two";
    world.welcome(false);
    let trouble = world.model.trouble().unwrap_or_default();
    assert!(trouble.contains("reload"), "{trouble}");
}

fn at(ms: u64) -> Address {
    Address {
        at: Some(UnixMs(ms)),
        ..Address::default()
    }
}

#[test]
fn an_earlier_moment_shows_its_board_and_the_events_up_to_it_and_live_returns() {
    let mut world = World::new();
    world.happen("g", 40);
    world.welcome(false);
    world.settle();
    let seen = |world: &World| {
        let listing = world.model.log().listing(&world.model.log_filter(), None);
        let newest = listing.events.first().map(|event| event.seq);
        (
            world.model.board().map(|board| board.seq),
            newest,
            listing.events.len(),
        )
    };
    assert_eq!(seen(&world), (Some(40), Some(40), 40));
    world.model.act(Action::Go(at(12)));
    assert_eq!(
        seen(&world),
        (None, None, 0),
        "nothing of the present under the name of the past"
    );
    world.settle();
    assert_eq!(seen(&world), (Some(12), Some(12), 12));
    let kept = world.model.past().map(Past::kept);
    assert_eq!(kept, Some((UnixMs(3), UnixMs(1_000))));

    // Another moment: until it is here, the one before stays, and says which it is.
    world.model.act(Action::Narrow(at(20)));
    assert_eq!(world.model.past().and_then(Past::at), Some(UnixMs(12)));
    world.settle();
    assert_eq!(seen(&world), (Some(20), Some(20), 20));
    let other = Address {
        group: Some("other".into()),
        ..at(20)
    };
    world.model.act(Action::Go(other));
    world.settle();
    assert_eq!(seen(&world), (Some(20), None, 0), "the events of that group");

    world.model.act(Action::Go(Address::default()));
    world.settle();
    assert_eq!(seen(&world), (Some(40), Some(40), 40));
}

#[test]
fn a_moment_before_all_that_is_kept_is_said_to_be_so() {
    let mut world = World::new();
    world.model = Model::new(at(2), Theme::System, &Jitter::Fixed(0.5));
    world.happen("g", 5);
    world.welcome(false);
    world.settle();
    assert!(matches!(world.model.page(), Page::NothingYet));
    let why = world.model.past().and_then(Past::refusal);
    assert_eq!(why, Some("the oldest moment is 3"));
    let kept = world.model.past().map(Past::kept);
    assert_eq!(kept, Some((UnixMs(3), UnixMs(1_000))), "and where to look");
    world.model.act(Action::Narrow(at(4)));
    world.settle();
    assert_eq!(world.model.board().map(|board| board.seq), Some(4));
    assert_eq!(world.model.past().and_then(Past::refusal), None);
}

#[test]
fn a_moment_to_come_is_not_asked_for_before_it_has_come() {
    let mut world = World::new();
    world.model = Model::new(at(9_000), Theme::System, &Jitter::Fixed(0.5));
    world.happen("g", 5);
    world.welcome(false);
    world.settle();
    assert!(world.model.is_to_come());
    assert_eq!(world.model.board().map(|board| board.seq), None);
    world.ms = 9_000;
    world.welcome(true);
    world.settle();
    assert!(!world.model.is_to_come());
    assert_eq!(world.model.past().and_then(Past::at), Some(UnixMs(9_000)));
}
