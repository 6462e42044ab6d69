//! A rebalance right behind another, as cooperative assignors have it: looks may show nothing of the rest between the two.

use super::*;

#[test]
fn a_rebalance_right_behind_another_begins_at_the_generation_of_that() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    put(&mut cluster, "PreparingRebalance", &["a", "b"]);
    cluster.run(SECOND);
    write(&mut cluster, 4, 5, &[sat("a", 0), sat("b", 1)]);
    put(&mut cluster, "PreparingRebalance", &["a", "b", "d"]);
    cluster.run(SECOND);
    let told = cluster.of_group("orders");
    let end = told
        .iter()
        .position(|change| change.kind() == "rebalance_finished");
    let behind: Vec<_> = told[end.unwrap() + 1..]
        .iter()
        .filter(|change| ["rebalance_started", "group_state"].contains(&change.kind()))
        .collect();
    let started = Change::RebalanceStarted {
        cause: RebalanceCause::MemberJoined,
        member: Some(MemberId::from("d")),
        from_generation: Some(Generation(4)),
    };
    let state = Change::GroupState {
        from: None,
        to: GroupState::PreparingRebalance,
    };
    assert_eq!(behind, [&started, &state]);
}

#[test]
fn who_came_in_the_generation_before_is_not_why_the_next_rebalance_began() {
    assert_eq!(started_behind(&["a"], &["a", "b"]), NOT_VISIBLE);
}

#[test]
fn who_went_before_the_generation_before_is_not_why_the_next_rebalance_began() {
    assert_eq!(started_behind(&["a", "b"], &["a"]), NOT_VISIBLE);
}

/// Why a rebalance began is not visible, nor through whom.
const NOT_VISIBLE: (RebalanceCause, Option<MemberId>) = (RebalanceCause::NotVisible, None);

/// How the start is told of a rebalance behind the one that ended with the members `after`, and that a look saw first of the two.
fn started_behind(before: &[&str], after: &[&str]) -> (RebalanceCause, Option<MemberId>) {
    let sat = |members: &[&str]| -> Vec<Sat> {
        let seats = members.iter().zip(0..);
        seats
            .map(|(member, partition)| super::sat(member, partition))
            .collect()
    };
    let mut cluster = cluster(before);
    write(&mut cluster, 3, 0, &sat(before));
    cluster.run(Millis(3_000));
    write(&mut cluster, 4, 5, &sat(after));
    put(&mut cluster, "PreparingRebalance", after);
    cluster.run(SECOND);
    let told = cluster.of_group("orders");
    let behind = told.iter().find_map(|change| match change {
        Change::RebalanceStarted {
            cause,
            member,
            from_generation: Some(Generation(4)),
        } => Some((*cause, member.clone())),
        _ => None,
    });
    behind.expect("the second start is told")
}
