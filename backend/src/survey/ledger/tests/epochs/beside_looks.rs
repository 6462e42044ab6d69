//! Where the log does not tell all of a rebalance: looks do, and nothing is told twice.

use super::*;

#[test]
fn the_end_of_a_rebalance_that_ran_at_our_start_is_told_without_a_begin() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, LOG, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    let running = [
        LOG.member("a", None, &["t"]),
        LOG.stands("a", 2, true),
        LOG.member("b", None, &["t"]),
        LOG.epoch(3, 7),
        LOG.target(3),
        LOG.stands("b", 3, true),
    ];
    write_all(&mut cluster, &running);
    cluster.run(Millis(3_000));
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    let over = write_all(&mut cluster, &[LOG.stands("a", 3, true)]);
    cluster.run(Millis(6_000));
    let what = &finished(&cluster);
    assert_eq!(what.len(), 1);
    assert_eq!(
        (what[0].generation, what[0].from_generation, what[0].took_ms),
        (Generation(3), None, None)
    );
    assert_eq!(
        last(&cluster, "rebalance_finished").unwrap().at,
        When::There(over)
    );
}

#[test]
fn of_what_looks_told_while_the_log_could_not_be_read_it_tells_no_more_than_when_that_was() {
    let mut cluster = at_rest(LOG);
    // Nobody leads it for a while.
    cluster.log.denied = true;
    cluster.run(Millis(3_000));
    put(&mut cluster, LOG, "Reconciling", 3, &[("a", 2), ("b", 3)]);
    joins(&mut cluster, LOG);
    cluster.run(Millis(3_000));
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    write_all(
        &mut cluster,
        &[LOG.target(3), LOG.stands("b", 3, true), LOG.stands("a", 3, true)],
    );
    cluster.run(Millis(6_000));
    assert_eq!(
        kinds_of(&cluster, "rebalance_finished"),
        1,
        "as the looks tell it"
    );
    let end = last(&cluster, "rebalance_finished").unwrap();
    assert_eq!(end.evidence, Evidence::Inferred);
    cluster.log.denied = false;
    cluster.run(Millis(120_000));
    let told: Vec<_> = finished(&cluster).iter().map(|what| what.generation).collect();
    assert_eq!(told, [Generation(3); 2]);
    let end = last(&cluster, "rebalance_finished").unwrap();
    assert_eq!(end.evidence, Evidence::Observed);
    assert_eq!(kinds_of(&cluster, "rebalance_started"), 1);
    assert_eq!(cluster.shown("orders").rebalances.len(), 1);
}

#[test]
fn where_a_record_is_in_an_unknown_version_the_looks_tell() {
    let mut cluster = at_rest(LOG);
    let mut key = 8_i16.to_be_bytes().to_vec();
    key.extend([0, 6]);
    key.extend(b"orders");
    key.extend([0, 1]);
    key.extend(b"a");
    cluster.write(&Record::raw("orders", &key, Some(&[0, 9, 0])));
    joins(&mut cluster, LOG);
    put(&mut cluster, LOG, "Stable", 3, &[("a", 3), ("b", 3)]);
    cluster.run(Millis(6_000));
    let what = finished(&cluster);
    assert_eq!(what.len(), 1);
    assert_eq!(what[0].generation, Generation(3));
    assert_eq!(
        last(&cluster, "rebalance_finished").unwrap().evidence,
        Evidence::Inferred
    );
}
