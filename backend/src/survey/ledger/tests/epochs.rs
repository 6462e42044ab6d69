//! Rebalances of groups with epochs (KIP-848, KIP-932, KIP-1071): each step stands in the log, at its time.

mod beside_looks;
mod one_after_another;

use shared::event::{Change, Evidence, GroupState, Joined, RebalanceCause, Rebalanced};
use shared::ids::{Generation, MemberId};
use shared::time::{Millis, UnixMs};

use super::{ONE, SECOND, finished, ids, last, sat, write};
use crate::survey::brokers::{Cluster, Group, InLog, Kind, Log, Record, consumer, tombstone};
use crate::survey::port::When;

const LOG: InLog = InLog(Kind::Consumer, "orders");

/// The cluster with the group `orders` of this type and `a` in it, in epoch 2, looked at for a while.
fn at_rest(log: InLog) -> Cluster {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, log, "Stable", 2, &[("a", 2)]);
    for record in [
        log.member("a", None, &["t"]),
        log.epoch(2, 7),
        log.target(2),
        log.stands("a", 2, true),
    ] {
        cluster.write(&record);
    }
    cluster.run(Millis(5_000));
    cluster
}

/// What describe calls say of it from now on.
fn put(cluster: &mut Cluster, log: InLog, state: &str, epoch: i32, members: &[(&str, i32)]) {
    let members: Vec<_> = members
        .iter()
        .map(|(id, epoch)| consumer(id, "c", *epoch))
        .collect();
    let word = match log.0 {
        Kind::Consumer => "consumer",
        Kind::Share => "share",
        Kind::Streams => "streams",
    };
    cluster.put(ONE, "orders", Group::new(word, state, epoch, &members));
}

fn write_all(cluster: &mut Cluster, records: &[Record]) -> UnixMs {
    for record in records {
        cluster.write(record);
    }
    cluster.unix()
}

/// `b` joins: it wants its topics, and the group has epoch 3 for that.
fn joins(cluster: &mut Cluster, log: InLog) -> UnixMs {
    write_all(cluster, &[log.member("b", None, &["t"]), log.epoch(3, 7)])
}

fn kinds_of(cluster: &Cluster, kind: &str) -> usize {
    let told = cluster.of_group("orders");
    told.iter().filter(|change| change.kind() == kind).count()
}

#[test]
fn a_rebalance_runs_from_the_record_of_the_epoch_to_that_of_the_last_member_in_it() {
    for kind in [Kind::Consumer, Kind::Share, Kind::Streams] {
        let log = InLog(kind, "orders");
        let mut cluster = at_rest(log);
        let began = joins(&mut cluster, log);
        cluster.run(Millis(900));
        write_all(&mut cluster, &[log.target(3), log.stands("b", 3, true)]);
        cluster.run(SECOND);
        assert_eq!(finished(&cluster), [], "a is not in it yet: {kind:?}");
        put(&mut cluster, log, "Stable", 3, &[("a", 3), ("b", 3)]);
        let over = write_all(&mut cluster, &[log.stands("a", 3, true)]);
        cluster.run(Millis(6_000));

        let started = last(&cluster, "rebalance_started").unwrap();
        assert_eq!(started.at, When::There(began));
        let Some(When::Here(earliest)) = started.at_earliest else {
            panic!("its coordinator made up its mind before that: {started:?}");
        };
        let earliest = UnixMs(1_700_000_000_000 + earliest.as_millis());
        assert!(earliest < began && began.since(earliest) <= Millis(4_000));
        assert_eq!(started.evidence, Evidence::Observed);
        let expected = Change::RebalanceStarted {
            cause: RebalanceCause::MemberJoined,
            member: Some(MemberId::from("b")),
            from_generation: Some(Generation(2)),
        };
        assert_eq!(started.change, expected);
        let end = last(&cluster, "rebalance_finished").unwrap();
        assert_eq!((end.at, end.evidence), (When::There(over), Evidence::Observed));
        let expected = Rebalanced {
            generation: Generation(3),
            from_generation: Some(Generation(2)),
            cause: RebalanceCause::MemberJoined,
            member: Some(MemberId::from("b")),
            took_ms: None,
            took_between_ms: Some((1_900, None)),
            join_ms: None,
            sync_ms: None,
            joined: ids(&["b"]),
            left: ids(&[]),
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        };
        assert_eq!(finished(&cluster), [expected], "{kind:?}");
        assert_eq!(kinds_of(&cluster, "rebalance_started"), 1);
    }
}

#[test]
fn a_consumer_group_is_assigning_until_its_target_is_there_and_reconciling_until_all_have_it() {
    let mut cluster = at_rest(LOG);
    put(&mut cluster, LOG, "Assigning", 3, &[("a", 2), ("b", 0)]);
    joins(&mut cluster, LOG);
    cluster.run(SECOND);
    put(&mut cluster, LOG, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    let assigned = write_all(&mut cluster, &[LOG.target(3), LOG.stands("b", 3, true)]);
    cluster.run(SECOND);
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    write_all(&mut cluster, &[LOG.stands("a", 3, true)]);
    cluster.run(Millis(3_000));
    let states: Vec<_> = (cluster.reports.iter())
        .filter_map(|report| match &report.change {
            Change::GroupState { to, .. } => Some((to.clone(), report.at)),
            _ => None,
        })
        .collect();
    let words: Vec<_> = states.iter().map(|(to, _)| to.clone()).collect();
    // Stable again is said by the end of the rebalance.
    let expected = [GroupState::Stable, GroupState::Assigning, GroupState::Reconciling];
    assert_eq!(words, expected);
    assert_eq!(states[2].1, When::There(assigned));
}

#[test]
fn how_long_each_member_took_to_take_the_epoch_over_is_told() {
    let mut cluster = at_rest(LOG);
    joins(&mut cluster, LOG);
    put(&mut cluster, LOG, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    write_all(&mut cluster, &[LOG.target(3), LOG.stands("b", 3, true)]);
    cluster.run(Millis(3_000));
    write_all(&mut cluster, &[LOG.stands("a", 3, false)]);
    cluster.run(SECOND);
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    write_all(&mut cluster, &[LOG.stands("a", 3, true)]);
    cluster.run(Millis(3_000));
    let took = |id: &str| -> Vec<u64> {
        let told = cluster.reports.iter();
        told.filter(|report| report.member == Some(MemberId::from(id)))
            .filter_map(|report| match &report.change {
                Change::MemberJoined(Joined { took_ms, .. })
                | Change::MemberRejoined(Joined { took_ms, .. }) => *took_ms,
                _ => None,
            })
            .collect()
    };
    assert_eq!(took("a"), [4_000], "not before it has what it is to have");
    assert_eq!(took("b"), [0], "with its first sight");
}

#[test]
fn what_stands_beside_a_new_epoch_tells_why_it_is_there_as_far_as_that_can_be_told() {
    let cause = |records: &[Record]| {
        let mut cluster = at_rest(LOG);
        joins(&mut cluster, LOG);
        write_all(
            &mut cluster,
            &[LOG.target(3), LOG.stands("b", 3, true), LOG.stands("a", 3, true)],
        );
        cluster.run(SECOND);
        write_all(&mut cluster, records);
        cluster.run(SECOND);
        let started = last(&cluster, "rebalance_started").unwrap();
        match &started.change {
            Change::RebalanceStarted {
                cause,
                member,
                from_generation,
            } => {
                assert_eq!(*from_generation, Some(Generation(3)));
                (*cause, member.as_ref().map(|member| member.as_str().to_owned()))
            }
            _ => unreachable!(),
        }
    };
    let named = |cause, member: &str| (cause, Some(member.to_owned()));
    let subscribes = [LOG.member("a", None, &["t", "u"]), LOG.epoch(4, 8)];
    assert_eq!(
        cause(&subscribes),
        named(RebalanceCause::SubscriptionChanged, "a")
    );
    let asks = [LOG.assigned_by("a", "range"), LOG.epoch(4, 7)];
    assert_eq!(cause(&asks), named(RebalanceCause::ProtocolChanged, "a"));
    assert_eq!(cause(&[LOG.epoch(4, 8)]), (RebalanceCause::MetadataChanged, None));
    assert_eq!(cause(&[LOG.epoch(4, 7)]), (RebalanceCause::NotVisible, None));
    let [stood, gone] = LOG.gone("b");
    // Left, fenced or expired: its records are the same.
    let leaves = [stood, gone, LOG.epoch(4, 7)];
    assert_eq!(cause(&leaves), named(RebalanceCause::NotVisible, "b"));
}

#[test]
fn topics_that_were_not_there_yet_are_a_rebalance_because_of_them() {
    let mut cluster = at_rest(LOG);
    joins(&mut cluster, LOG);
    let all_in = |epoch| {
        [
            LOG.target(epoch),
            LOG.stands("b", epoch, true),
            LOG.stands("a", epoch, true),
        ]
    };
    write_all(&mut cluster, &all_in(3));
    // Of no topics there is no hash.
    write_all(&mut cluster, &[LOG.epoch(4, 0)]);
    write_all(&mut cluster, &all_in(4));
    write_all(&mut cluster, &[LOG.epoch(5, 8)]);
    cluster.run(SECOND);
    let started = last(&cluster, "rebalance_started").unwrap();
    let from = Some(Generation(4));
    assert!(
        matches!(
            &started.change,
            Change::RebalanceStarted { cause: RebalanceCause::MetadataChanged, member: None, from_generation }
                if *from_generation == from
        ),
        "{started:?}"
    );
}

#[test]
fn a_group_whose_last_member_goes_is_over_with_its_next_epoch() {
    let mut cluster = at_rest(LOG);
    put(&mut cluster, LOG, "Empty", 3, &[]);
    let [stood, gone] = LOG.gone("a");
    let at = write_all(&mut cluster, &[stood, gone, LOG.epoch(3, 7)]);
    cluster.run(Millis(3_000));
    let what = &finished(&cluster)[0];
    assert_eq!((what.generation, what.took_ms), (Generation(3), None));
    let (least, most) = cluster.shown("orders").rebalances[0].took_between().unwrap();
    assert_eq!(least, Millis(0), "its records are of one moment");
    assert!(most > Some(Millis(0)), "and what went before them took its time");
    assert_eq!(what.left, ids(&["a"]));
    assert_eq!(last(&cluster, "rebalance_finished").unwrap().at, When::There(at));
    assert_eq!(kinds_of(&cluster, "rebalance_finished"), 1);
}

#[test]
fn a_static_member_that_is_away_and_comes_back_under_another_id_is_no_rebalance() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, LOG, "Stable", 2, &[("a", 2)]);
    write_all(
        &mut cluster,
        &[
            LOG.member("a", Some("i"), &["t"]),
            LOG.epoch(2, 7),
            LOG.target(2),
            LOG.stands("a", 2, true),
        ],
    );
    cluster.run(Millis(5_000));
    put(&mut cluster, LOG, "Reconciling", 2, &[("a", -2)]);
    write_all(&mut cluster, &[LOG.stands("a", -2, true)]);
    cluster.run(Millis(5_000));
    put(&mut cluster, LOG, "Stable", 2, &[("a-2", 2)]);
    let [stood, gone] = LOG.gone("a");
    let back = [
        stood,
        gone,
        LOG.member("a-2", Some("i"), &["t"]),
        LOG.stands("a-2", 2, true),
    ];
    write_all(&mut cluster, &back);
    cluster.run(Millis(5_000));
    assert_eq!(finished(&cluster), []);
    assert_eq!(kinds_of(&cluster, "rebalance_started"), 0);
    let replaced = last(&cluster, "member_replaced").unwrap();
    assert_eq!(replaced.member, Some(MemberId::from("a")));
    assert!(matches!(
        &replaced.change,
        Change::MemberReplaced { by: Some(by), .. } if by.as_str() == "a-2"
    ));
    assert!(last(&cluster, "member_gone").is_none());
}

#[test]
fn an_upgrade_goes_on_from_the_classic_groups_generation_and_a_downgrade_from_the_epoch() {
    let mut cluster = super::cluster(&["a"]);
    write(&mut cluster, 5, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    put(&mut cluster, LOG, "Reconciling", 6, &[("a", 5), ("b", 6)]);
    let upgrade = [
        tombstone("orders"),
        LOG.member("a", None, &["t"]),
        LOG.epoch(5, 7),
        LOG.target(5),
        LOG.stands("a", 5, true),
        LOG.member("b", None, &["t"]),
        LOG.epoch(6, 7),
        LOG.target(6),
        LOG.stands("b", 6, true),
    ];
    write_all(&mut cluster, &upgrade);
    cluster.run(Millis(6_000));
    assert_eq!(
        kinds_of(&cluster, "rebalance_finished"),
        0,
        "a has not come along yet"
    );
    put(&mut cluster, LOG, "Stable", 6, &[("a", 6), ("b", 6)]);
    write_all(&mut cluster, &[LOG.stands("a", 6, true)]);
    cluster.run(Millis(3_000));
    let told: Vec<_> = (finished(&cluster).iter())
        .map(|what| (what.generation.0, what.from_generation))
        .collect();
    assert_eq!(told, [(6, Some(Generation(5)))]);

    let [stood, gone] = LOG.gone("b");
    let [stood_too, gone_too] = LOG.gone("a");
    write_all(&mut cluster, &[stood, gone, stood_too, gone_too, LOG.no_more()]);
    write(&mut cluster, 6, 0, &[sat("a", 0)]);
    super::put(&mut cluster, "PreparingRebalance", &["a"]);
    cluster.run(Millis(100));
    assert_eq!(finished(&cluster).len(), 1, "what it was is no rebalance");
    write(&mut cluster, 7, 0, &[sat("a", 0)]);
    super::put(&mut cluster, "Stable", &["a"]);
    cluster.run(Millis(6_000));
    let end = &finished(&cluster)[1];
    assert_eq!(
        (end.generation, end.from_generation),
        (Generation(7), Some(Generation(6)))
    );
}

#[test]
fn a_new_group_has_its_first_epoch_from_nothing_and_one_made_anew_too() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.run(Millis(3_000));
    for _ in 0..2 {
        put(&mut cluster, LOG, "Stable", 2, &[("a", 2)]);
        let first = [
            LOG.member("a", None, &["t"]),
            LOG.epoch(2, 7),
            LOG.target(2),
            LOG.stands("a", 2, true),
        ];
        write_all(&mut cluster, &first);
        cluster.run(Millis(6_000));
        let [stood, gone] = LOG.gone("a");
        write_all(&mut cluster, &[stood, gone, LOG.no_more()]);
        cluster.take(ONE, "orders");
        cluster.run(Millis(60_000));
    }
    let told: Vec<_> = (finished(&cluster).iter())
        .map(|what| (what.generation.0, what.from_generation, what.missed))
        .collect();
    assert_eq!(told, [(2, None, 0); 2]);
}
