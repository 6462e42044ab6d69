//! The ledger against brokers in memory: simulated time, every record and every report seen.

mod behind;
mod ended;
mod epochs;
mod first;
mod life;
mod one_row;
mod reach;
mod room;

use shared::event::{Change, Evidence, GroupState, Joined, RebalanceCause, Rebalanced};
use shared::ids::{Generation, MemberId, NodeId};
use shared::protocol::ApiKey;
use shared::time::{Millis, UnixMs};

use crate::survey::brokers::{Cluster, Group, Log, Sat, consumer, group, member, newer, sat, tombstone};
use crate::survey::port::{Report, When};

const SECOND: Millis = Millis(1_000);
const ONE: NodeId = NodeId(1);
const TWO: NodeId = NodeId(2);

/// A cluster with an offsets log and the classic group `orders` of these members, Stable.
fn cluster(members: &[&str]) -> Cluster {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, "Stable", members);
    cluster
}

/// What describe calls say of the group from now on.
fn put(cluster: &mut Cluster, state: &str, members: &[&str]) {
    let members: Vec<_> = members.iter().map(|id| member(id, "c")).collect();
    cluster.put(ONE, "orders", Group::classic(state, &members));
}

/// A record of the group, formed this long before.
fn write(cluster: &mut Cluster, generation: i32, synced: u64, members: &[Sat]) {
    let formed = UnixMs(cluster.unix().0 - synced);
    cluster.write(&group("orders", generation, formed, members));
}

fn finished(cluster: &Cluster) -> Vec<Rebalanced> {
    let told = cluster.of_group("orders").into_iter();
    told.filter_map(|change| match change {
        Change::RebalanceFinished(what) => Some(what),
        _ => None,
    })
    .collect()
}

fn last<'a>(cluster: &'a Cluster, kind: &str) -> Option<&'a Report> {
    cluster
        .reports
        .iter()
        .rev()
        .find(|report| report.change.kind() == kind)
}

fn joined(cluster: &Cluster, id: &str) -> Joined {
    let reports = cluster.reports.iter().rev();
    let told = reports.filter(|report| report.member == Some(MemberId::from(id)));
    told.filter_map(|report| match &report.change {
        Change::MemberJoined(joined) => Some(joined.clone()),
        _ => None,
    })
    .next()
    .unwrap()
}

fn ids(names: &[&str]) -> Option<Vec<MemberId>> {
    Some(names.iter().map(|name| MemberId::from(*name)).collect())
}

#[test]
fn the_end_of_a_classic_rebalance_has_the_records_own_time_and_its_sync_phase() {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 4, 1_000, &[sat("a", 0), sat("b", 1)]);
    let written = cluster.unix();
    cluster.run(SECOND);
    let report = last(&cluster, "rebalance_finished").unwrap();
    assert_eq!(report.at, When::There(written));
    assert_eq!(report.evidence, Evidence::Observed);
    let what = Rebalanced {
        generation: Generation(4),
        from_generation: Some(Generation(3)),
        cause: RebalanceCause::MemberJoined,
        member: Some(MemberId::from("b")),
        took_ms: None,
        took_between_ms: None,
        join_ms: None,
        sync_ms: Some(1_000),
        joined: ids(&["b"]),
        left: ids(&[]),
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    };
    assert_eq!(report.change, Change::RebalanceFinished(what));
}

#[test]
fn a_rebalance_of_ten_milliseconds_that_no_look_saw_began_after_the_last_look_at_rest() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 4, 10, &[sat("a", 0)]);
    let formed = UnixMs(cluster.unix().0 - 10);
    cluster.run(SECOND);
    let report = last(&cluster, "rebalance_started").unwrap();
    assert_eq!(report.at, When::There(formed));
    assert_eq!(report.evidence, Evidence::Inferred);
    assert!(matches!(report.at_earliest, Some(When::Here(_))));
    assert_eq!(finished(&cluster)[0].generation, Generation(4));
    let kinds: Vec<_> = cluster.of_group("orders").iter().map(Change::kind).collect();
    let states = kinds.iter().filter(|kind| **kind == "group_state");
    assert_eq!(states.count(), 1, "it was stable, and is");
    let place = |kind: &str| kinds.iter().position(|other| *other == kind);
    assert!(place("rebalance_started") < place("rebalance_finished"));
}

#[test]
fn a_rebalance_that_a_look_saw_begin_begins_once() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    put(&mut cluster, "PreparingRebalance", &["a", "b"]);
    cluster.run(SECOND);
    put(&mut cluster, "Stable", &["a", "b"]);
    write(&mut cluster, 4, 5, &[sat("a", 0), sat("b", 1)]);
    cluster.run(SECOND);
    let told = cluster.of_group("orders");
    let started: Vec<_> = (told.iter())
        .filter(|change| change.kind() == "rebalance_started")
        .collect();
    let expected = Change::RebalanceStarted {
        cause: RebalanceCause::MemberJoined,
        member: Some(MemberId::from("b")),
        from_generation: Some(Generation(3)),
    };
    assert_eq!(started, [&expected]);
    assert_eq!(finished(&cluster).len(), 1);
}

#[test]
fn an_answer_older_than_the_end_it_does_not_know_of_begins_no_rebalance() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    cluster.trip = Millis(100);
    put(&mut cluster, "PreparingRebalance", &["a"]);
    let looks = cluster.asked(ApiKey::DescribeGroups);
    while cluster.asked(ApiKey::DescribeGroups) == looks {
        cluster.run(Millis(1));
    }
    // It is on its way, and says that the group rebalances.
    put(&mut cluster, "Stable", &["a"]);
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    cluster.run(Millis(5_000));
    let told = cluster.of_group("orders");
    let end = told
        .iter()
        .position(|change| change.kind() == "rebalance_finished");
    let behind = &told[end.unwrap() + 1..];
    let kinds: Vec<_> = behind.iter().map(Change::kind).collect();
    assert!(
        !kinds.contains(&"rebalance_started") && !kinds.contains(&"group_state"),
        "{kinds:?}"
    );
}

#[test]
fn an_end_that_a_look_saw_first_is_told_by_the_log_without_another_start() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    put(&mut cluster, "PreparingRebalance", &["a"]);
    cluster.run(SECOND);
    put(&mut cluster, "Stable", &["a"]);
    cluster.run(SECOND);
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let told = cluster.of_group("orders");
    let count = |kind: &str| told.iter().filter(|change| change.kind() == kind).count();
    assert_eq!((count("rebalance_started"), count("rebalance_finished")), (1, 1));
}

#[test]
fn generation_0_without_a_protocol_is_no_rebalance() {
    let mut cluster = cluster(&[]);
    cluster.run(SECOND);
    write(&mut cluster, 0, 0, &[]);
    cluster.run(SECOND);
    assert_eq!(finished(&cluster), []);
    write(&mut cluster, 1, 3, &[sat("a", 0)]);
    cluster.run(SECOND);
    let first = &finished(&cluster)[0];
    assert_eq!(
        (first.from_generation, first.missed, &first.joined),
        (Some(Generation(0)), 0, &ids(&["a"]))
    );
}

#[test]
fn the_same_generation_again_is_a_static_member_come_back() {
    let mut cluster = cluster(&["a-1"]);
    write(&mut cluster, 3, 0, &[sat("a-1", 0).fixed("i")]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 3, 0, &[sat("a-2", 0).fixed("i")]);
    put(&mut cluster, "Stable", &["a-2"]);
    cluster.run(Millis(3_000));
    assert_eq!(finished(&cluster), []);
    let replaced: Vec<_> = (cluster.reports.iter())
        .filter(|report| report.change.kind() == "member_replaced")
        .collect();
    assert_eq!(replaced.len(), 1);
    assert_eq!(replaced[0].member, Some(MemberId::from("a-1")));
    assert!(matches!(
        &replaced[0].change,
        Change::MemberReplaced { by: Some(by), .. } if by.as_str() == "a-2"
    ));
    assert!(last(&cluster, "member_gone").is_none());
}

#[test]
fn a_jump_by_more_than_one_counts_the_rebalances_that_were_never_stored() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 7, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    assert_eq!(finished(&cluster)[0].missed, 3);
}

#[test]
fn a_group_that_became_empty_has_one_generation_more_and_no_sync_phase() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 4, 0, &[]);
    put(&mut cluster, "Empty", &[]);
    cluster.run(SECOND);
    let what = &finished(&cluster)[0];
    assert_eq!(what.generation, Generation(4));
    assert_eq!((what.sync_ms, &what.left), (None, &ids(&["a"])));
}

#[test]
fn the_members_of_two_records_tell_what_a_rebalance_was_about_as_far_as_they_can() {
    let cause = |after: &[Sat]| {
        let mut cluster = cluster(&["a", "b"]);
        write(&mut cluster, 3, 0, &[sat("a", 0), sat("b", 1).fixed("i")]);
        cluster.run(Millis(3_000));
        write(&mut cluster, 4, 0, after);
        cluster.run(SECOND);
        let what = finished(&cluster).remove(0);
        (what.cause, what.member.map(|member| member.as_str().to_owned()))
    };
    let b = || sat("b", 1).fixed("i");
    let named = |cause, member: &str| (cause, Some(member.to_owned()));
    assert_eq!(
        cause(&[sat("a", 0).wanting(&["t", "u"]), b()]),
        named(RebalanceCause::SubscriptionChanged, "a")
    );
    assert_eq!(
        cause(&[sat("a", 0), sat("b-2", 1).fixed("i")]),
        named(RebalanceCause::MemberReplaced, "b-2")
    );
    assert_eq!(cause(&[b()]), named(RebalanceCause::NotVisible, "a"));
    assert_eq!(cause(&[sat("a", 0), b()]), (RebalanceCause::NotVisible, None));
}

#[test]
fn what_was_written_before_our_start_tells_facts_and_no_rebalances() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 2, 0, &[sat("b", 0)]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    let formed = cluster.unix();
    cluster.run(Millis(3_000));
    assert_eq!(finished(&cluster), []);
    let row = joined(&cluster, "a");
    assert_eq!(row.generation, Some(Generation(3)));
    assert_eq!(row.session_timeout_ms, Some(45_000));
    assert_eq!(row.rebalance_timeout_ms, Some(300_000));
    let report = last(&cluster, "generation_formed").unwrap();
    assert_eq!(report.at, When::There(formed));
    let expected = Change::GenerationFormed {
        generation: Generation(3),
        leader: Some(MemberId::from("a")),
        protocol: Some("range".to_owned()),
        members: 1,
    };
    assert_eq!(report.change, expected);
}

#[test]
fn a_fact_is_told_when_it_changes_and_not_with_every_look() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(20_000));
    let told = cluster.of_group("orders");
    let count = |kind: &str| told.iter().filter(|change| change.kind() == kind).count();
    // Listed, and again once the log is read.
    assert!(count("member_joined") <= 2);
    assert_eq!(count("generation_formed"), 1);
}

#[test]
fn a_member_without_a_rebalance_timeout_has_its_session_timeout_for_one() {
    let mut cluster = cluster(&["a"]);
    let mut old = sat("a", 0);
    old.0.rebalance_timeout = -1;
    write(&mut cluster, 3, 0, &[old]);
    cluster.run(Millis(3_000));
    assert_eq!(joined(&cluster, "a").rebalance_timeout_ms, Some(45_000));
}

#[test]
fn members_of_the_newer_protocols_have_the_timeouts_that_their_records_tell() {
    let mut cluster = cluster(&[]);
    let members = [consumer("a", "c", 3), consumer("b", "c", 3)];
    cluster.put(ONE, "orders", Group::new("consumer", "Stable", 3, &members));
    // Nor do its settings tell what the records do not.
    cluster.offsets.sealed.insert("orders".to_owned());
    cluster.write(&newer("orders", "a", None));
    cluster.write(&newer("orders", "b", Some(45_000)));
    cluster.run(Millis(3_000));
    let told = |id| {
        let row = joined(&cluster, id);
        (row.session_timeout_ms, row.rebalance_timeout_ms)
    };
    assert_eq!(told("a"), (None, Some(60_000)));
    assert_eq!(told("b"), (Some(45_000), Some(60_000)));
}

#[test]
fn a_group_taken_back_is_forgotten_whichever_is_read_first() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.write(&tombstone("orders"));
    cluster.run(Millis(3_000));
    assert_eq!(joined(&cluster, "a").session_timeout_ms, None);
    assert!(last(&cluster, "generation_formed").is_none());

    // The tail is read before what was written before.
    let mut cluster = self::cluster(&["a"]);
    for _ in 0..300 {
        let large: Vec<Sat> = (0..200).map(|n| sat(&format!("m-{n}"), n)).collect();
        write(&mut cluster, 3, 0, &large);
    }
    cluster.run(Millis(20));
    cluster.write(&tombstone("orders"));
    cluster.run(Millis(5_000));
    assert!(last(&cluster, "generation_formed").is_none());
}

#[test]
fn a_group_made_anew_begins_its_count_anew() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 9, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    cluster.write(&tombstone("orders"));
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let what = &finished(&cluster)[0];
    assert_eq!((what.generation, what.missed), (Generation(1), 0));
    assert_eq!(what.joined, ids(&["a"]));
}
