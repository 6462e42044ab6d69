//! A rebalance that looks see and the log tells, whichever is first, is one row of the board.

use shared::board::Rebalance;
use shared::event::RebalanceCause;
use shared::ids::NodeId;
use shared::time::Millis;

use super::{ONE, sat, write};
use crate::survey::brokers::{Cluster, Group, InLog, Kind, Log, Record, consumer};

const LOG: InLog = InLog(Kind::Consumer, "orders");
const NOBODY: NodeId = NodeId(-1);

/// What descriptions say of the group of the consumer protocol from now on.
fn shows(cluster: &mut Cluster, state: &str, epoch: i32, members: &[(&str, i32)]) {
    let members = members.iter();
    let members: Vec<_> = members.map(|(id, epoch)| consumer(id, "c", *epoch)).collect();
    cluster.put(ONE, "orders", Group::new("consumer", state, epoch, &members));
}

fn records(cluster: &mut Cluster, records: &[Record]) {
    for record in records {
        cluster.write(record);
    }
}

/// `a` alone has epoch 2.
fn first(cluster: &mut Cluster) {
    let first = [
        LOG.member("a", None, &["t"]),
        LOG.epoch(2, 7),
        LOG.target(2),
        LOG.stands("a", 2, true),
    ];
    records(cluster, &first);
}

/// `b` comes, for which there is epoch 3.
fn joins(cluster: &mut Cluster) {
    records(cluster, &[LOG.member("b", None, &["t"]), LOG.epoch(3, 7)]);
}

/// Both have taken epoch 3 over.
fn ends(cluster: &mut Cluster) {
    let ends = [LOG.target(3), LOG.stands("b", 3, true), LOG.stands("a", 3, true)];
    records(cluster, &ends);
    shows(cluster, "Stable", 3, &[("a", 3), ("b", 3)]);
}

/// `a` alone in epoch 2, seen for a while.
fn at_rest() -> Cluster {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    shows(&mut cluster, "Stable", 2, &[("a", 2)]);
    first(&mut cluster);
    cluster.run(Millis(5_000));
    cluster
}

/// When things happened, in milliseconds since the brokers began.
fn ms(cluster: &Cluster) -> u64 {
    cluster.unix().0 - 1_700_000_000_000
}

/// The numbers of the rebalances that the board shows, newest first, each told once; of the newest one, whose start and end lie
/// where they were, the row.
fn rows(cluster: &Cluster, began: u64, over: u64) -> (Vec<Option<i32>>, Rebalance) {
    let group = cluster.shown("orders");
    assert!(group.open.is_none(), "{:?}", group.open);
    let rows: Vec<_> = (group.rebalances.iter())
        .map(|row| row.generation.map(|number| number.0))
        .collect();
    let counted: u64 = group.rebalances_total.values().sum();
    assert_eq!(usize::try_from(counted), Ok(rows.len()), "{:?}", group.rebalances);
    let row = (**group.rebalances.first().expect("it rebalanced")).clone();
    let since = |at: shared::time::UnixMs| at.0 - 1_700_000_000_000;
    let (started, finished) = (*row.started.get().unwrap(), *row.finished.get().unwrap());
    let earliest = row.started_earliest.unwrap_or(started);
    let bounds = (since(earliest), since(started), since(finished));
    assert!(bounds.0 <= began && began <= bounds.1, "{began} in {bounds:?}");
    let earliest = row.finished_earliest.map_or(bounds.2, since);
    assert!(earliest <= over && over <= bounds.2, "{over} in {bounds:?}");
    let (least, most) = row.took_between().unwrap();
    let took = over - began;
    let most = most.map_or(u64::MAX, |most| most.0);
    assert!(least.0 <= took && took <= most, "{took} in {least:?} to {most}");
    if row.took_ms.get().is_some() {
        assert_eq!(bounds.2 - bounds.1, least.0, "a length that is that of its ends");
    }
    (rows, row)
}

/// Which one was told is known by its cause, too.
fn is_of_b(row: &Rebalance) {
    assert_eq!(row.cause(), RebalanceCause::MemberJoined, "{row:?}");
    assert_eq!(row.member.get().map(|member| member.as_str()), Some("b"));
    assert_eq!(row.from_generation.get().map(|from| from.0), Some(2));
}

#[test]
fn of_a_group_that_no_list_has_shown_when_the_log_tells_of_it_and_that_is_seen_as_it_was() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.run(Millis(3_000));
    first(&mut cluster);
    cluster.run(Millis(50));
    joins(&mut cluster);
    let began = ms(&cluster);
    cluster.run(Millis(10));
    // A coordinator tells what its followers have, and that is read from the log before.
    shows(&mut cluster, "Stable", 2, &[("a", 2)]);
    cluster.run(Millis(600));
    // Another broker has not heard of the log yet.
    cluster.log.move_to(NOBODY);
    shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    cluster.run(Millis(2_000));
    cluster.log.move_to(ONE);
    cluster.run(Millis(2_000));
    ends(&mut cluster);
    let over = ms(&cluster);
    cluster.run(Millis(6_000));
    let (rows, row) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(3), Some(2)]);
    is_of_b(&row);
}

#[test]
fn whose_number_a_look_saw_before_the_log_told_of_the_first_one() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.run(Millis(3_000));
    // The records of a group that was never there are read late.
    cluster.log.move_to(NOBODY);
    cluster.run(Millis(500));
    let began = ms(&cluster);
    shows(&mut cluster, "Stable", 2, &[("a", 2)]);
    first(&mut cluster);
    let over = ms(&cluster);
    cluster.run(Millis(2_500));
    cluster.log.move_to(ONE);
    cluster.run(Millis(3_000));
    let (seen, row) = rows(&cluster, began, over);
    assert_eq!(seen, [Some(2)]);
    assert_eq!(row.from_generation.get(), None, "the first has none before it");
    assert_eq!(row.member.get().map(|member| member.as_str()), Some("a"));
    // And what comes next is its own.
    joins(&mut cluster);
    let began = ms(&cluster);
    cluster.run(Millis(400));
    ends(&mut cluster);
    let over = ms(&cluster);
    cluster.run(Millis(3_000));
    let (rows, row) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(3), Some(2)]);
    is_of_b(&row);
}

#[test]
fn with_descriptions_that_are_older_than_what_the_log_told() {
    let mut cluster = at_rest();
    joins(&mut cluster);
    let began = ms(&cluster);
    cluster.run(Millis(4_000));
    shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    cluster.run(Millis(2_000));
    ends(&mut cluster);
    shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    let over = ms(&cluster);
    cluster.run(Millis(400));
    shows(&mut cluster, "Stable", 3, &[("a", 3), ("b", 3)]);
    cluster.run(Millis(6_000));
    let (rows, row) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(3)]);
    is_of_b(&row);
}

#[test]
fn whose_start_a_look_saw_before_the_log_was_read() {
    // The log is lost before it begins, and found again before it is over, or after that.
    for late in [false, true] {
        let mut cluster = at_rest();
        cluster.log.move_to(NOBODY);
        cluster.run(Millis(3_000));
        joins(&mut cluster);
        let began = ms(&cluster);
        shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
        cluster.run(Millis(3_000));
        if !late {
            cluster.log.move_to(ONE);
            cluster.run(Millis(3_000));
        }
        ends(&mut cluster);
        let over = ms(&cluster);
        cluster.run(Millis(6_000));
        cluster.log.move_to(ONE);
        cluster.run(Millis(6_000));
        let (rows, row) = rows(&cluster, began, over);
        assert_eq!(rows, [Some(3)], "{late}");
        is_of_b(&row);
        let started = row.started.get().map(|at| at.0 - 1_700_000_000_000);
        assert_eq!(started, Some(began), "as its records tell: {row:?}");
        assert_eq!(row.took(), Some(Millis(over - began)));
    }
}

#[test]
fn whose_start_the_log_told_and_whose_end_a_look_saw_while_it_could_not_be_read() {
    let mut cluster = at_rest();
    joins(&mut cluster);
    let began = ms(&cluster);
    cluster.run(Millis(1_000));
    cluster.log.move_to(NOBODY);
    // A look that is older than that.
    cluster.run(Millis(500));
    shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    cluster.run(Millis(3_000));
    ends(&mut cluster);
    let over = ms(&cluster);
    cluster.run(Millis(6_000));
    let (seen, row) = rows(&cluster, began, over);
    assert_eq!(seen, [Some(3)]);
    is_of_b(&row);
    cluster.log.move_to(ONE);
    cluster.run(Millis(6_000));
    let (rows, row) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(3)]);
    is_of_b(&row);
    assert_eq!(row.took(), Some(Millis(over - began)));
}

#[test]
fn that_ran_when_the_log_was_read_for_the_first_time() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(NOBODY);
    shows(&mut cluster, "Stable", 2, &[("a", 2)]);
    first(&mut cluster);
    cluster.run(Millis(5_000));
    let began = ms(&cluster);
    joins(&mut cluster);
    shows(&mut cluster, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    cluster.run(Millis(3_000));
    cluster.log.move_to(ONE);
    cluster.run(Millis(9_000));
    ends(&mut cluster);
    let over = ms(&cluster);
    cluster.run(Millis(6_000));
    let (rows, row) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(3)]);
    is_of_b(&row);
}

#[test]
fn of_a_classic_group_seen_by_looks_and_told_by_the_log_when_that_is_found_again() {
    // One, and another before that is told.
    for more in [false, true] {
        let mut cluster = super::cluster(&["a"]);
        write(&mut cluster, 4, 0, &[sat("a", 0)]);
        cluster.run(Millis(5_000));
        cluster.log.move_to(NOBODY);
        cluster.run(Millis(3_000));
        let mut began = ms(&cluster);
        super::put(&mut cluster, "PreparingRebalance", &["a", "b"]);
        cluster.run(Millis(3_000));
        write(&mut cluster, 5, 100, &[sat("a", 0), sat("b", 1)]);
        let mut over = ms(&cluster);
        super::put(&mut cluster, "Stable", &["a", "b"]);
        cluster.run(Millis(6_000));
        let mut expected = vec![Some(5)];
        if more {
            began = ms(&cluster);
            super::put(&mut cluster, "PreparingRebalance", &["a", "b", "d"]);
            cluster.run(Millis(3_000));
            cluster.log.move_to(ONE);
            cluster.run(Millis(3_000));
            write(&mut cluster, 6, 100, &[sat("a", 0), sat("b", 1), sat("d", 2)]);
            over = ms(&cluster);
            super::put(&mut cluster, "Stable", &["a", "b", "d"]);
            cluster.run(Millis(6_000));
            expected.insert(0, Some(6));
        }
        cluster.log.move_to(ONE);
        cluster.run(Millis(6_000));
        let (rows, row) = rows(&cluster, began, over);
        assert_eq!(rows, expected);
        assert_eq!(row.cause(), RebalanceCause::MemberJoined);
        let from = expected[0].map(|number| number - 1);
        assert_eq!(row.from_generation.get().map(|from| from.0), from);
    }
}

#[test]
fn of_a_classic_group_that_was_over_before_the_log_was_read_for_the_first_time() {
    let mut cluster = super::cluster(&["a"]);
    cluster.log.move_to(NOBODY);
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    cluster.run(Millis(5_000));
    let began = ms(&cluster);
    super::put(&mut cluster, "PreparingRebalance", &["a", "b"]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 5, 100, &[sat("a", 0), sat("b", 1)]);
    let over = ms(&cluster);
    super::put(&mut cluster, "Stable", &["a", "b"]);
    cluster.run(Millis(6_000));
    cluster.log.move_to(ONE);
    cluster.run(Millis(9_000));
    let (seen, _) = rows(&cluster, began, over);
    assert_eq!(seen, [Some(5)]);
    // And the next one has its start, though no look sees it.
    let began = ms(&cluster);
    cluster.run(Millis(100));
    write(&mut cluster, 6, 50, &[sat("a", 0), sat("b", 1), sat("d", 2)]);
    let over = ms(&cluster);
    super::put(&mut cluster, "Stable", &["a", "b", "d"]);
    cluster.run(Millis(6_000));
    let (rows, _) = rows(&cluster, began, over);
    assert_eq!(rows, [Some(6), Some(5)]);
}
