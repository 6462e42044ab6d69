//! What commits say of a member that is gone.

use shared::event::{Change, Departure, Evidence};
use shared::time::Millis;

use super::{ONE, cluster, last, put, sat, write};
use crate::survey::brokers::{Cluster, Group, commit, consumer, fixed, sat_with};

const LEFT: Departure = Departure::Left;
const TIMED_OUT: Departure = Departure::TimedOut;
const EVICTED: Departure = Departure::Evicted;

/// The group `orders` of `a` and `b`, each with a partition, generation 3, looked at for a while.
fn pair() -> Cluster {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 1)]);
    cluster.run(Millis(5_000));
    cluster
}

/// Takes `b` out; how it went, and why that is said.
fn gone(cluster: &mut Cluster) -> (Vec<Departure>, String) {
    put(cluster, "PreparingRebalance", &["a"]);
    cluster.run(Millis(3_000));
    said(cluster)
}

fn said(cluster: &Cluster) -> (Vec<Departure>, String) {
    match &last(cluster, "member_gone").unwrap().change {
        Change::MemberGone { possible, why } => (possible.clone(), why.clone()),
        _ => unreachable!(),
    }
}

#[test]
fn a_member_gone_sooner_after_its_last_commit_than_its_session_is_long_did_not_time_out() {
    let mut cluster = pair();
    cluster.write(&commit("orders", 1));
    cluster.run(Millis(2_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, EVICTED]);
    assert!(why.contains("its last commit was at most "), "{why}");
    assert!(
        why.ends_with("its session timeout is 45 s: it did not time out."),
        "{why}"
    );
}

#[test]
fn that_it_did_not_time_out_is_inferred_and_told_with_the_numbers() {
    let mut cluster = pair();
    cluster.write(&commit("orders", 1));
    cluster.run(Millis(2_000));
    let (_, why) = gone(&mut cluster);
    assert_eq!(
        last(&cluster, "member_gone").unwrap().evidence,
        Evidence::Inferred
    );
    // Between the commit and the answer that lacks it lie 2 s and what a look takes, 2 s more at most.
    let ago = why
        .split("at most ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let seconds: f64 = ago.and_then(|number| number.parse().ok()).expect(&why);
    assert!((2.0..=5.0).contains(&seconds), "{why}");
    assert!(why.contains("session timeout is 45 s"), "{why}");
}

#[test]
fn the_last_commit_of_each_owned_partition_is_a_sign_of_life_of_its_owner() {
    for first in [1, 2] {
        let mut cluster = cluster(&["a", "b"]);
        write(&mut cluster, 3, 0, &[sat("a", 0), sat_with("b", &[1, 2])]);
        cluster.run(Millis(5_000));
        cluster.write(&commit("orders", first));
        cluster.run(Millis(40_000));
        cluster.write(&commit("orders", 3 - first));
        cluster.run(Millis(20_000));
        let (possible, why) = gone(&mut cluster);
        assert_eq!(possible, [LEFT, EVICTED], "20 s after the later one: {why}");
    }
}

#[test]
fn a_static_member_whose_id_another_has_was_replaced_whenever_it_committed() {
    let mut cluster = cluster(&[]);
    let stable = |id| Group::classic("Stable", &[fixed(id, "i")]);
    cluster.put(ONE, "orders", stable("a-1"));
    write(&mut cluster, 3, 0, &[sat("a-1", 0).fixed("i")]);
    cluster.run(Millis(3_000));
    cluster.write(&commit("orders", 0));
    cluster.put(ONE, "orders", stable("a-2"));
    cluster.run(Millis(3_000));
    let told: Vec<&str> = cluster.of_group("orders").iter().map(Change::kind).collect();
    assert!(told.contains(&"member_replaced"), "{told:?}");
    assert!(!told.contains(&"member_gone"), "{told:?}");
}

#[test]
fn a_member_gone_a_session_after_its_last_commit_may_have_timed_out() {
    let mut cluster = pair();
    cluster.write(&commit("orders", 1));
    cluster.run(Millis(45_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(why.contains("its session may have been over"), "{why}");
}

#[test]
fn a_commit_in_a_transaction_renews_no_session() {
    let mut cluster = pair();
    cluster.write(&commit("orders", 1).in_transaction());
    cluster.run(Millis(2_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(why.contains("in transactions only"), "{why}");
}

#[test]
fn a_commit_of_what_another_owns_is_no_sign_of_life() {
    let mut cluster = pair();
    cluster.write(&commit("orders", 0));
    cluster.run(Millis(2_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(why.contains("it was not seen to commit"), "{why}");
}

#[test]
fn a_commit_is_of_who_owned_the_partition_in_the_generation_of_that_time() {
    // `b` has been silent; `a` gets its partition and commits that at once, before the next look.
    let mut cluster = pair();
    cluster.write(&commit("orders", 1));
    cluster.run(Millis(50_000));
    write(&mut cluster, 4, 0, &[sat("a", 1)]);
    cluster.write(&commit("orders", 1));
    put(&mut cluster, "Stable", &["a"]);
    cluster.run(Millis(3_000));
    assert_eq!(said(&cluster).0, [LEFT, TIMED_OUT, EVICTED]);

    // And `b`, which committed before the rebalance, is remembered after it.
    let mut cluster = pair();
    cluster.write(&commit("orders", 1));
    write(&mut cluster, 4, 0, &[sat("a", 1)]);
    put(&mut cluster, "Stable", &["a"]);
    cluster.run(Millis(3_000));
    assert_eq!(said(&cluster).0, [LEFT, EVICTED]);
}

#[test]
fn a_commit_of_before_our_start_is_told_and_proves_nothing() {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 1)]);
    cluster.write(&commit("orders", 1));
    cluster.run(Millis(3_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(
        why.contains("was made before Heartline read on that log") && why.contains("session timeout is 45 s"),
        "{why}"
    );
}

#[test]
fn how_long_ago_a_commit_of_before_our_start_was_is_told_by_its_coordinators_clock() {
    for (silent, how) in [
        (Millis(20_000), "its last commit was at most 2"),
        (Millis(50_000), "the last commit of it that was seen was up to 5"),
    ] {
        let mut cluster = cluster(&["a", "b"]);
        write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 1)]);
        cluster.write(&commit("orders", 1));
        cluster.run(Millis(3_000));
        // Another member's commit shows what time it is there.
        cluster.write(&commit("orders", 0));
        cluster.run(silent);
        let (possible, why) = gone(&mut cluster);
        assert_eq!(possible.contains(&TIMED_OUT), silent == Millis(50_000), "{why}");
        assert!(why.contains(how), "{why}");
    }
}

#[test]
fn a_log_of_which_compaction_left_nothing_is_read_and_names_nobody() {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 1)]);
    cluster.log.compact();
    cluster.run(Millis(3_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(why.contains("no record of the offsets log names it"), "{why}");
}

#[test]
fn without_the_log_it_is_said_what_is_not_visible_and_why() {
    let mut cluster = cluster(&["a", "b"]);
    cluster.log.denied = true;
    cluster.run(Millis(3_000));
    let (possible, why) = gone(&mut cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(
        why.contains("not visible without READ on topic __consumer_offsets"),
        "{why}"
    );
}

#[test]
fn in_groups_of_the_newer_protocols_commits_renew_nothing() {
    let mut cluster = cluster(&[]);
    let of = |members: &[_]| Group::new("consumer", "Stable", 3, members);
    cluster.put(ONE, "orders", of(&[consumer("a", "c", 3), consumer("b", "c", 3)]));
    cluster.run(Millis(3_000));
    cluster.write(&commit("orders", 1));
    cluster.put(ONE, "orders", of(&[consumer("a", "c", 4)]));
    cluster.run(Millis(3_000));
    let (possible, why) = said(&cluster);
    assert_eq!(possible, [LEFT, TIMED_OUT, EVICTED]);
    assert!(
        why.contains("the same consequences in every answer and record"),
        "{why}"
    );
    assert!(
        why.contains("renew no session in groups of this type: they prove only that the process ran"),
        "{why}"
    );
}

#[test]
fn what_the_log_adds_to_a_group_is_told_all_at_once_and_what_comes_later_is_not() {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 4)]);
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    let last = told.iter().rposition(|change| change.kind() == "group_described");
    let added: Vec<&str> = told[last.unwrap()..].iter().map(Change::kind).collect();
    assert_eq!(
        added,
        [
            "group_described",
            "generation_formed",
            "member_joined",
            "member_joined"
        ]
    );
    write(&mut cluster, 4, 0, &[sat("a", 0), sat("b", 4)]);
    cluster.run(Millis(3_000));
    let later = &cluster.of_group("orders")[told.len()..];
    let kinds: Vec<&str> = later.iter().map(Change::kind).collect();
    assert!(kinds.contains(&"rebalance_finished"), "{kinds:?}");
    assert!(!kinds.contains(&"group_described"), "{kinds:?}");
}
