//! More of a group's past than its board keeps.

use shared::event::{RebalanceCause, Rebalanced};
use shared::ids::Generation;

use super::*;

/// A rebalance after each departure, `times` of them: two events each.
fn storm(world: &mut World, times: i32) {
    for _ in 0..times {
        world.happen("demo", 2);
        let seq = world.events.len();
        let generation = i32::try_from(seq / 2).expect("a few");
        let ended = Rebalanced {
            generation: Generation(generation),
            from_generation: Some(Generation(generation - 1)),
            cause: RebalanceCause::MemberLeft,
            member: None,
            took_ms: Some(1),
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        };
        world.events[seq - 1].what.change = Change::RebalanceFinished(ended);
        world.events[seq - 2].what.member = Some(format!("m-{seq}").as_str().into());
    }
}

/// How many rebalances and departures are known of the group, and since when none is missing.
fn known(world: &World) -> (usize, usize, Option<u64>) {
    let Page::Group(group) = world.model.page() else {
        panic!("{:?}", world.model.page())
    };
    let turns = world.model.log().turns();
    let recalled = turns.recalled(&group.key);
    let since = turns.since().map(|UnixMs(ms)| ms);
    (recalled.rebalances.len(), recalled.departed.len(), since)
}

#[test]
fn what_is_looked_back_at_is_asked_for_once_and_goes_on_with_the_stream() {
    let mut world = World::new();
    storm(&mut world, 50);
    world.welcome(false);
    while let Some(request) = world.model.poll(world.now()) {
        // Of events the page begins with there are none: memory is short.
        let answer = match world.answer(&request) {
            Answer::Events(EventsAnswer { stream, .. }) => Answer::Events(EventsAnswer {
                stream,
                events: Vec::new(),
                next: None,
                whole_above: 100,
                whole_since: None,
            }),
            other => other,
        };
        world.model.answered(world.now(), &request, answer);
    }
    assert_eq!(known(&world), (0, 0, None));
    world.model.act(Action::LookBack(UnixMs(21)));
    world.settle();
    assert_eq!(known(&world), (40, 40, Some(21)));
    assert_eq!(
        world
            .model
            .log()
            .listing(&LogFilter::default(), None)
            .events
            .len(),
        0
    );
    world.model.act(Action::LookBack(UnixMs(30)));
    assert_eq!(world.model.poll(world.now()), None, "that is known");
    storm(&mut world, 1);
    world.send_after(100);
    assert_eq!(known(&world), (41, 41, Some(21)));
    world.model.act(Action::LookBack(UnixMs(1)));
    world.settle();
    assert_eq!(known(&world), (51, 51, Some(3)), "as far as the server keeps it");
}

#[test]
fn of_an_earlier_moment_only_what_was_before_it_is_asked_for() {
    let mut world = World::new();
    storm(&mut world, 50);
    world.welcome(false);
    world.settle();
    world.model.act(Action::LookBack(UnixMs(3)));
    let moment = Address {
        at: Some(UnixMs(60)),
        ..Address::default()
    };
    world.model.act(Action::Go(moment));
    world.settle();
    assert_eq!(known(&world).2, None, "that was of the present");
    world.model.act(Action::LookBack(UnixMs(3)));
    let asked = world.model.poll(world.now()).expect("it is asked for");
    assert!(asked.path.contains("&until=60&"), "{}", asked.path);
    let answer = world.answer(&asked);
    world.model.answered(world.now(), &asked, answer);
    world.settle();
    assert_eq!(known(&world).0, 30);
    world.model.act(Action::Go(Address::default()));
    world.model.act(Action::LookBack(UnixMs(3)));
    world.settle();
    assert_eq!(known(&world), (50, 50, Some(3)));
}

#[test]
fn of_too_many_the_newest_are_kept_and_it_is_said_since_when_they_are_all_there() {
    let mut world = World::new();
    let most = i32::try_from(super::super::turns::TURNS_MAX).expect("a few");
    storm(&mut world, most / 2 + 5);
    world.welcome(false);
    world.settle();
    world.model.act(Action::LookBack(UnixMs(1)));
    world.settle();
    let (rebalances, _, since) = known(&world);
    assert_eq!(since, Some(10));
    assert!(rebalances >= super::super::turns::TURNS_MAX / 2);
}
