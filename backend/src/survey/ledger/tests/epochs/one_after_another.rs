//! Epochs that come before all members have the last one: each is a rebalance of its own, as the broker's log has it.

use shared::board::Rebalance;
use shared::event::RebalanceCause;
use shared::time::{Millis, UnixMs};

use super::super::{SECOND, finished, ids};
use super::{LOG, at_rest, joins, kinds_of, put, write_all};

/// What it left and ended with, why, through whom, and whether it gave way.
fn told(row: &Rebalance) -> (Option<i32>, Option<i32>, RebalanceCause, Option<&str>, bool) {
    (
        row.from_generation.get().map(|from| from.0),
        row.generation.map(|to| to.0),
        row.cause(),
        row.member.get().map(|member| member.as_str()),
        row.gave_way(),
    )
}

#[test]
fn each_has_its_start_its_cause_and_its_end_and_the_last_one_alone_is_taken_over() {
    let mut cluster = at_rest(LOG);
    let mut began = vec![joins(&mut cluster, LOG)];
    cluster.run(SECOND);
    write_all(&mut cluster, &[LOG.target(3), LOG.stands("b", 3, true)]);
    put(&mut cluster, LOG, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    cluster.run(SECOND);
    began.push(write_all(
        &mut cluster,
        &[LOG.member("d", None, &["t"]), LOG.epoch(4, 7)],
    ));
    cluster.run(SECOND);
    let [stood, gone] = LOG.gone("b");
    began.push(write_all(
        &mut cluster,
        &[stood, gone, LOG.epoch(5, 7), LOG.target(5)],
    ));
    cluster.run(SECOND);
    let arrive = [LOG.stands("d", 5, true), LOG.stands("a", 5, true)];
    let over = write_all(&mut cluster, &arrive);
    put(&mut cluster, LOG, "Stable", 5, &[("a", 5), ("d", 5)]);
    cluster.run(Millis(3_000));

    let group = cluster.shown("orders");
    assert!(group.open.is_none(), "{:?}", group.open);
    let rows: Vec<_> = group.rebalances.iter().map(|row| told(row)).collect();
    let joined = RebalanceCause::MemberJoined;
    let expected = [
        (Some(4), Some(5), RebalanceCause::NotVisible, Some("b"), false),
        (Some(3), Some(4), joined, Some("d"), true),
        (Some(2), Some(3), joined, Some("b"), true),
    ];
    assert_eq!(rows, expected);
    let ends: Vec<UnixMs> = began.iter().copied().skip(1).chain([over]).collect();
    let rows = group.rebalances.iter().rev();
    for (row, (began, over)) in rows.zip(began.iter().zip(&ends)) {
        assert_eq!((row.started.get(), row.finished.get()), (Some(began), Some(over)));
        let (least, most) = row.took_between().unwrap();
        let took = over.since(*began);
        assert!(
            least <= took && Some(took) < most,
            "{least:?} to {most:?}: {row:?}"
        );
        assert!(most.is_some_and(|most| most.0 < took.0 + 4_500), "{row:?}");
    }
    assert_eq!(group.rebalances_total.values().sum::<u64>(), 3);
    assert_eq!(kinds_of(&cluster, "rebalance_started"), 3);
    let ended = finished(&cluster);
    assert_eq!(ended.len(), 1, "two were never taken over by all: {ended:?}");
    assert_eq!((&ended[0].joined, &ended[0].left), (&ids(&[]), &ids(&["b"])));
}

#[test]
fn two_of_one_moment_are_two() {
    let mut cluster = at_rest(LOG);
    joins(&mut cluster, LOG);
    write_all(
        &mut cluster,
        &[LOG.target(3), LOG.stands("b", 3, true), LOG.stands("a", 3, true)],
    );
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    cluster.run(Millis(3_000));
    let [[stood, gone], [stood_too, gone_too]] = [LOG.gone("a"), LOG.gone("b")];
    put(&mut cluster, LOG, "Empty", 5, &[]);
    let both = [stood, gone, LOG.epoch(4, 7), stood_too, gone_too, LOG.epoch(5, 7)];
    write_all(&mut cluster, &both);
    cluster.run(Millis(3_000));
    let group = cluster.shown("orders");
    let rows: Vec<_> = group.rebalances.iter().take(2).map(|row| told(row)).collect();
    let unseen = RebalanceCause::NotVisible;
    let expected = [
        (Some(4), Some(5), unseen, Some("b"), false),
        (Some(3), Some(4), unseen, Some("a"), true),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn one_whose_start_a_look_saw_before_its_record_was_read_gives_way_where_the_next_one_was_written() {
    let mut cluster = at_rest(LOG);
    // Another broker leads the log, and is not known yet.
    cluster.log.move_to(shared::ids::NodeId(-1));
    cluster.run(Millis(3_000));
    let began = joins(&mut cluster, LOG);
    cluster.run(Millis(100));
    let next = write_all(&mut cluster, &[LOG.member("d", None, &["t"]), LOG.epoch(4, 7)]);
    put(&mut cluster, LOG, "Assigning", 4, &[("a", 2), ("b", 0), ("d", 0)]);
    cluster.run(Millis(3_000));
    cluster.log.move_to(super::super::ONE);
    cluster.run(Millis(3_000));
    let arrive = [
        LOG.target(4),
        LOG.stands("a", 4, true),
        LOG.stands("b", 4, true),
        LOG.stands("d", 4, true),
    ];
    write_all(&mut cluster, &arrive);
    put(&mut cluster, LOG, "Stable", 4, &[("a", 4), ("b", 4), ("d", 4)]);
    cluster.run(Millis(3_000));
    let group = cluster.shown("orders");
    let rows: Vec<_> = group
        .rebalances
        .iter()
        .map(|row| (row.generation.map(|to| to.0), row.gave_way()))
        .collect();
    assert_eq!(rows, [(Some(4), false), (Some(3), true)]);
    let first = &group.rebalances[1];
    let since = first.started_earliest.or(first.started.get().copied()).unwrap();
    assert!(
        since <= began && began <= *first.started.get().unwrap(),
        "{first:?}"
    );
    assert_eq!(first.finished.get(), Some(&next));
}
