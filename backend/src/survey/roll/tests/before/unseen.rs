//! Rebalances of the time in which nobody looked: each that is known to have been is a row, with who came and who went where the offsets
//! log tells, and none begins after it was over.

use shared::board::Rebalance;
use shared::event::RebalanceCause;
use shared::ids::MemberId;

use super::*;

/// From which generation to which each of a group's rebalances went, and how many it missed, oldest first.
fn rows(cluster: &Cluster, id: &str) -> Vec<(Option<i32>, Option<i32>, u32)> {
    let rows = cluster.shown(id).rebalances.clone();
    let number = |generation: Option<&Generation>| generation.map(|generation| generation.0);
    let row = |row: &Rebalance| {
        let from = number(row.from_generation.get());
        (
            from,
            number(row.generation.as_ref()),
            row.missed.get().copied().unwrap_or(0),
        )
    };
    rows.iter().rev().map(|one| row(one)).collect()
}

fn newest(cluster: &Cluster, id: &str) -> Rebalance {
    let shown = cluster.shown(id);
    (**shown.rebalances.first().expect("it rebalanced")).clone()
}

/// Every row's start lies between the end of the one before it and its own end.
fn in_order(cluster: &Cluster, id: &str) {
    let rows = cluster.shown(id).rebalances.clone();
    for row in &rows {
        assert!(row.started.get() <= row.finished.get(), "{row:?}");
        assert!(row.started_earliest.as_ref() <= row.started.get(), "{row:?}");
    }
    for pair in rows.windows(2) {
        let [newer, older] = pair else { continue };
        let began = newer.started_earliest.or(newer.started.get().copied());
        assert!(
            began.is_some() && began.as_ref() >= older.finished.get(),
            "{pair:?}"
        );
    }
}

fn told(cluster: &Cluster, id: &str, kind: &str) -> usize {
    kinds(cluster, id).iter().filter(|told| **told == kind).count()
}

fn ids(names: &[&str]) -> Vec<MemberId> {
    names.iter().map(|name| MemberId::from(*name)).collect()
}

#[test]
fn each_rebalance_of_that_time_is_told_with_who_came_and_went_as_the_records_name_them() {
    for compacted in [false, true] {
        let mut cluster = looked_at();
        let ended = cluster.unix();
        cluster.restart();
        if compacted {
            // Who was there before is then known from the run before alone.
            cluster.log.compact();
        }
        let mut over = Vec::new();
        for (generation, members) in [
            (3, &["a", "b", "c"][..]),
            (4, &["a", "c"]),
            (5, &["a", "c", "d", "e"]),
        ] {
            cluster.pass(Millis(5_000));
            over.push(write(&mut cluster, generation, members));
        }
        cluster.put(ONE, "orders", classic(&["a", "c", "d", "e"]));
        cluster.pass(Millis(5_000));
        cluster.run(Millis(8_000));
        assert_eq!(
            rows(&cluster, "orders"),
            [
                (Some(2), Some(3), 0),
                (Some(3), Some(4), 0),
                (Some(4), Some(5), 0)
            ]
        );
        in_order(&cluster, "orders");
        let shown = cluster.shown("orders");
        let [last, second, first] = &shown.rebalances[..] else {
            panic!("{:?}", shown.rebalances);
        };
        for (row, at) in [first, second, last].into_iter().zip(&over) {
            assert_eq!(row.finished.get(), Some(at));
        }
        assert!(first.started_earliest.is_some_and(|earliest| earliest <= ended));
        let who = |row: &Rebalance| (row.cause(), row.member.get().cloned());
        assert_eq!(who(first), (RebalanceCause::MemberJoined, Some("c".into())));
        assert_eq!(who(second), (RebalanceCause::NotVisible, Some("b".into())));
        assert_eq!(who(last), (RebalanceCause::MemberJoined, None));
        assert_eq!(second.left.get(), Some(&ids(&["b"])));
        assert_eq!(last.joined.get(), Some(&ids(&["d", "e"])));
        assert_eq!(told(&cluster, "orders", "rebalance_finished"), 3);
        assert_eq!(shown.state.get(), Some(&GroupState::Stable));
        assert_eq!(shown.generation.get(), Some(&Generation(5)));
    }
}

#[test]
fn what_is_written_while_the_log_of_that_time_is_not_read_yet_is_told_after_that() {
    let mut cluster = looked_at();
    cluster.restart();
    cluster.pass(Millis(5_000));
    write(&mut cluster, 3, &["a"]);
    cluster.put(ONE, "orders", classic(&["a"]));
    // The end of the log is read before the first looks are over, and the rest of it after them.
    cluster.trip = Millis(1_500);
    cluster.run(Millis(500));
    write(&mut cluster, 4, &["a", "c"]);
    cluster.put(ONE, "orders", classic(&["a", "c"]));
    cluster.run(Millis(20_000));
    assert_eq!(
        rows(&cluster, "orders"),
        [(Some(2), Some(3), 0), (Some(3), Some(4), 0)]
    );
    assert_eq!(newest(&cluster, "orders").joined.get(), Some(&ids(&["c"])));
    assert_eq!(told(&cluster, "orders", "rebalance_finished"), 2);
}

#[test]
fn of_more_than_are_kept_the_oldest_are_told_as_missed() {
    let mut cluster = looked_at();
    cluster.restart();
    for generation in 3..60 {
        cluster.pass(Millis(1_000));
        write(&mut cluster, generation, &["a", "b"]);
    }
    cluster.run(Millis(8_000));
    let finished = told(&cluster, "orders", "rebalance_finished");
    assert_eq!(finished, crate::limits::LEDGER_UNSEEN);
    let missed: u32 = cluster
        .of_group("orders")
        .iter()
        .filter_map(|change| match change {
            Change::RebalanceFinished(what) => Some(what.missed),
            _ => None,
        })
        .sum();
    assert_eq!(missed as usize + finished, 57);
    assert_eq!(newest(&cluster, "orders").generation, Some(Generation(59)));
}

/// One rebalance runs when nobody looks any more, or begins and ends then; another one runs when somebody looks again.
fn amid_two(ran: bool, late: bool) -> Cluster {
    let mut cluster = looked_at();
    let preparing = |members: &[&str]| {
        let members: Vec<_> = members.iter().map(|id| member(id, id)).collect();
        Group::classic("PreparingRebalance", &members)
    };
    if ran {
        cluster.put(ONE, "orders", preparing(&["a", "b", "c"]));
        cluster.run(Millis(1_000));
    }
    cluster.restart();
    cluster.pass(Millis(5_000));
    write(&mut cluster, 3, &["a", "b", "c"]);
    cluster.pass(Millis(5_000));
    cluster.put(ONE, "orders", preparing(&["a", "b", "c", "d"]));
    cluster.log.denied = late;
    cluster.run(Millis(3_000));
    cluster.log.denied = false;
    cluster.run(Millis(30_000));
    write(&mut cluster, 4, &["a", "b", "c", "d"]);
    cluster.put(ONE, "orders", classic(&["a", "b", "c", "d"]));
    cluster.run(Millis(8_000));
    cluster
}

#[test]
fn a_restart_amid_two_rebalances_leaves_two_rows_each_with_a_start_before_its_end() {
    for (ran, late) in [(false, false), (true, false), (false, true), (true, true)] {
        let cluster = amid_two(ran, late);
        assert_eq!(
            rows(&cluster, "orders"),
            [(Some(2), Some(3), 0), (Some(3), Some(4), 0)],
            "{ran}, {late}"
        );
        in_order(&cluster, "orders");
        assert!(cluster.shown("orders").open.is_none());
    }
}

#[test]
fn the_epoch_of_an_empty_classic_group_that_became_one_with_epochs_is_a_row() {
    for (down, denied, generation) in [
        (true, false, 5),
        (true, true, 5),
        (true, true, 1),
        (false, true, 5),
        (false, false, 5),
        (false, false, 0),
    ] {
        let mut cluster = looked_at();
        cluster.log.denied = denied;
        let formed = cluster.unix();
        cluster.write(&group("idle", generation, formed, &[]));
        cluster.run(Millis(12_000));
        if down {
            cluster.restart();
        }
        cluster.write(&tombstone("idle"));
        let log = InLog(Kind::Consumer, "idle");
        for record in [
            log.member("n", None, &["t"]),
            log.epoch(1, 7),
            log.target(1),
            log.stands("n", 1, true),
        ] {
            cluster.write(&record);
        }
        cluster.put(ONE, "idle", newer(1, &["n"]));
        if down {
            cluster.pass(Millis(5_000));
        }
        cluster.run(Millis(8_000));
        let case = (down, denied, generation);
        let shown = cluster.shown("idle");
        let row = shown.rebalances.first();
        let row = row.unwrap_or_else(|| panic!("{case:?}: {:?}", kinds(&cluster, "idle")));
        assert_eq!(row.generation, Some(Generation(1)), "{case:?}");
        assert_eq!(row.cause(), RebalanceCause::MemberJoined, "{case:?}");
        assert!(
            row.started.get().is_some() || row.finished_earliest.is_some(),
            "{case:?}: {row:?}"
        );
        let ends = cluster.of_group("idle").into_iter().filter(
            |change| matches!(change, Change::RebalanceFinished(what) if what.generation == Generation(1)),
        );
        assert_eq!(ends.count(), 1, "{case:?}");
        assert_eq!(shown.generation.get(), Some(&Generation(1)), "{case:?}");
        assert_eq!(shown.members.len(), 1);
    }
}

#[test]
fn the_epoch_of_a_group_deleted_and_made_anew_meanwhile_is_a_row_of_the_new_one() {
    for denied in [false, true] {
        let mut cluster = looked_at();
        cluster.log.denied = denied;
        cluster.restart();
        cluster.put(ONE, "newer", newer(2, &["n"]));
        cluster.pass(Millis(5_000));
        cluster.run(Millis(8_000));
        assert_eq!(told(&cluster, "newer", "group_gone"), 1);
        assert_eq!(rows(&cluster, "newer"), [(None, Some(2), 1)]);
        let row = newest(&cluster, "newer");
        assert!(row.finished_earliest.is_some(), "{row:?}");
        assert_eq!(row.joined.get(), Some(&ids(&["n"])));
    }
}

#[test]
fn a_group_with_epochs_that_became_a_classic_one_meanwhile_goes_on_with_its_count() {
    let mut cluster = looked_at();
    cluster.restart();
    cluster.put(ONE, "newer", classic(&["x"]));
    cluster.pass(Millis(5_000));
    let formed = cluster.unix();
    cluster.write(&group("newer", 5, formed, &[sat("x", 0)]));
    cluster.pass(Millis(5_000));
    cluster.run(Millis(8_000));
    assert_eq!(rows(&cluster, "newer"), [(Some(4), Some(5), 0)]);
    in_order(&cluster, "newer");
}

#[test]
fn what_became_of_a_group_that_was_not_answered_for_before_the_restart_is_told_since_it_was_answered_for_last()
 {
    let mut cluster = looked_at();
    let answered = cluster.unix();
    cluster.freeze(ONE);
    cluster.run(Millis(60_000));
    // Twice: the second run has not heard of it either.
    for _ in 0..2 {
        cluster.restart();
        cluster.run(Millis(30_000));
        let said = cluster.verdict("orders");
        let apart = Millis(cluster.unix().since(answered).0);
        assert!(
            apart > Millis(80_000) && said.sentence.starts_with("Not answered for "),
            "{said:?}"
        );
        let since = cluster.shown("orders").coordinator.clone();
        let since = since.and_then(|seat| seat.unanswered).map(|untold| untold.at);
        assert!(
            since.is_some_and(|since| since <= answered),
            "{since:?}, {answered:?}"
        );
    }
    cluster.put(ONE, "orders", classic(&["a"]));
    cluster.thaw(ONE);
    cluster.run(Millis(20_000));
    let shown = cluster.shown("orders");
    let gone = shown.departed.first().expect("b went");
    let earliest = gone.end.at_earliest;
    assert!(
        earliest.is_some_and(|earliest| earliest <= answered),
        "{earliest:?}, {answered:?}"
    );
    assert!(
        earliest.is_some_and(|earliest| earliest >= looked_before(looked_before(answered))),
        "{earliest:?}"
    );
}
