//! The present held still.

use shared::time::Millis;

use super::*;

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
fn a_paused_page_is_that_of_one_moment_in_every_view_and_goes_on_with_the_present() {
    let mut world = World::new();
    world.happen("a", 3);
    world.welcome(false);
    world.settle();
    world.model.rest(world.now());
    world.model.act(Action::Pause(true));
    world.ms += 5_000;
    world.model.rest(world.now());
    world.welcome(true);
    world.happen("b", 4);
    world.send_after(3);
    let groups = |model: &Model| model.board().map(|board| board.groups().len());
    assert_eq!(groups(&world.model), Some(1));
    assert_eq!(world.model.missed(), Some((Millis(5_000), 4)));
    world.model.act(Action::Go(Address::of_view(View::Events)));
    world.settle();
    assert_eq!(groups(&world.model), Some(1));
    let listing = world.model.log().listing(&world.model.log_filter(), None);
    assert_eq!((listing.events.len(), listing.waiting), (3, 4));
    world.model.act(Action::Pause(false));
    assert_eq!(groups(&world.model), Some(2));
    assert_eq!(world.model.missed(), None);
    world.assert_log_whole(None);
}

#[test]
fn another_run_of_the_server_ends_a_pause() {
    let mut world = World::new();
    world.happen("a", 3);
    world.welcome(false);
    world.settle();
    world.model.act(Action::Pause(true));
    world.stream = "run-2".to_owned();
    world.welcome(false);
    world.settle();
    assert_eq!(world.model.missed(), None);
}
