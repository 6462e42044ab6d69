//! What a group speaks, and the table of its moves.

use super::context::{Spec, World};
use crate::coordinator::classic::protocols::{Protocols, Support, elect};
use crate::coordinator::classic::state::MOVES;
use crate::coordinator::classic::story::Cause;
use crate::coordinator::classic::{Protocol, State};

fn speaking(names: &[&str]) -> Protocols {
    Protocols::new(names.iter().map(|name| Protocol {
        name: (*name).into(),
        metadata: Vec::new(),
    }))
}

fn elected(members: &[&[&str]]) -> Option<String> {
    let members: Vec<Protocols> = members.iter().map(|names| speaking(names)).collect();
    let mut support = Support::default();
    for protocols in &members {
        support.add(protocols);
    }
    elect(members.iter(), &support).map(str::to_owned)
}

#[test]
pub(super) fn the_protocol_with_most_votes_is_chosen_among_those_all_speak() {
    let tie = elected(&[&["range", "roundrobin"], &["roundrobin", "range"]]).unwrap();
    assert!(tie == "range" || tie == "roundrobin");
    let three: [&[&str]; 3] = [
        &["range", "roundrobin"],
        &["roundrobin", "range"],
        &["roundrobin", "range"],
    ];
    assert_eq!(elected(&three).as_deref(), Some("roundrobin"));
    assert_eq!(
        elected(&[&["range", "roundrobin"], &["roundrobin", "foo"]]).as_deref(),
        Some("roundrobin")
    );
    assert_eq!(elected(&[&["range"], &["foo"]]), None);
    assert_eq!(elected(&[]), None);
}

#[test]
pub(super) fn a_joining_member_must_speak_what_all_others_do() {
    let mut world = World::new();
    world.join(&Spec::timeouts(5_000, 5_000).speaking(&["range", "roundrobin"]));
    let group = world.group();
    assert_eq!(group.state, State::PreparingRebalance);
    assert!(group.speaks("consumer", &speaking(&["roundrobin", "foo"])));
    assert!(group.speaks("consumer", &speaking(&["range", "bar"])));
    assert!(!group.speaks("consumer", &speaking(&["foo", "bar"])));
    assert!(!group.speaks("connect", &speaking(&["range"])));
    world.join(&Spec::timeouts(5_000, 5_000).speaking(&["roundrobin", "foo"]));
    let group = world.group();
    assert!(group.speaks("consumer", &speaking(&["roundrobin", "foo"])));
    assert!(!group.speaks("consumer", &speaking(&["range", "bar"])));

    let empty = crate::coordinator::classic::Group::new("empty".into());
    assert!(empty.speaks("anything", &speaking(&["whatever"])));
    assert!(!empty.speaks("", &speaking(&["whatever"])));
    assert!(!empty.speaks("anything", &speaking(&[])));
}

#[test]
pub(super) fn a_newcomer_that_speaks_something_else_is_refused_before_it_is_given_an_id() {
    let (mut world, _) = World::stable(&[Spec::default()]);
    for version in 0..=9 {
        let newcomer = Spec::default().version(version).speaking(&["roundrobin"]);
        let answer = world.join_now(&newcomer);
        assert_eq!((answer.error_code, answer.member_id.as_str()), (23, ""));
    }
    assert!(world.group().pending.is_empty());
    assert_eq!(world.standing(), (State::Stable, 1, 1, 0));
}

#[test]
pub(super) fn only_the_moves_of_the_table_are_made() {
    use State::{CompletingRebalance, Dead, Empty, PreparingRebalance, Stable};
    for (to, from) in [
        (Stable, Empty),
        (CompletingRebalance, Empty),
        (Stable, PreparingRebalance),
        (Stable, Stable),
        (PreparingRebalance, Dead),
        (Empty, Dead),
        (PreparingRebalance, PreparingRebalance),
        (Empty, Stable),
    ] {
        assert!(!to.may_follow(from), "{from:?} -> {to:?}");
    }
    assert!(Dead.may_follow(Dead));
    for (to, allowed) in MOVES {
        let states = [Empty, PreparingRebalance, CompletingRebalance, Stable, Dead];
        assert!(
            states
                .into_iter()
                .all(|from| to.may_follow(from) == allowed.contains(&from))
        );
    }
}

#[test]
pub(super) fn every_move_of_the_table_is_reached_by_requests() {
    let spec = Spec::timeouts(5_000, 5_000);
    // Empty -> Preparing -> Completing -> Stable -> Preparing -> Completing -> Preparing -> Empty -> Dead.
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    let again = world.join_now(&spec.known(&members[0].member_id));
    assert_eq!(
        (world.state(), again.generation_id),
        (State::CompletingRebalance, 2)
    );
    world.join(&spec);
    assert_eq!(world.state(), State::PreparingRebalance);
    world.jump(5_000);
    world.jump(5_000);
    world.jump(5_000);
    assert_eq!(world.state(), State::Empty);
    world.advance(600_000);
    assert!(!world.coordinator.groups.contains_key("g"));
    let states: Vec<String> = world
        .events
        .iter()
        .filter_map(|event| match &event.change {
            shared::event::Change::RebalanceStarted { .. } => Some("started".to_owned()),
            shared::event::Change::RebalanceFinished(_) => Some("finished".to_owned()),
            shared::event::Change::GroupGone { .. } => Some("gone".to_owned()),
            shared::event::Change::GroupState { to, .. } => Some(format!("{to:?}")),
            _ => None,
        })
        .collect();
    let all = [
        "started",
        "CompletingRebalance",
        "finished",
        "started",
        "CompletingRebalance",
        "PreparingRebalance",
        "CompletingRebalance",
        "PreparingRebalance",
        "finished",
        "gone",
    ];
    assert_eq!(states, all);
}

#[test]
#[should_panic(expected = "Stable -> Stable")]
fn a_move_outside_the_table_is_a_fault_of_ours() {
    let (mut world, _) = World::stable(&[Spec::default()]);
    world.force(|group, desk| group.transition(desk, State::Stable, Cause::Assigned));
}
