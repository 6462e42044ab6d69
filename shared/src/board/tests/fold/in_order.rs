//! Whoever tells of the start of a rebalance and whoever tells of its end, and by whichever clock: it began no later than it was over.

use super::*;

/// When an event happened, and at the earliest: milliseconds since the start.
fn times() -> impl Strategy<Value = Vec<(u64, Option<u64>)>> {
    let of_one = (0..3_000_u64, prop::option::of(0..3_000_u64));
    prop::collection::vec(of_one, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_row_begins_after_its_end_whatever_times_are_told(reports in reports(), times in times()) {
        let mut events = numbered(reports);
        for (event, (ms, earliest)) in events.iter_mut().zip(times.iter().cycle()) {
            event.what.at = at(*ms);
            event.what.at_earliest = earliest.map(at);
            if earliest.is_some() {
                event.what.evidence = Evidence::Inferred;
            }
        }
        for group in fold(&events).groups() {
            for row in &group.rebalances {
                let (began, over) = (row.started.get(), row.finished.get());
                prop_assert!(began.is_none() || over.is_none() || began <= over, "{row:?}");
                prop_assert!(began.is_none() || row.started_earliest.as_ref() <= began, "{row:?}");
                prop_assert!(row.finished_earliest.as_ref() <= over, "{row:?}");
                let took = row.took_between();
                prop_assert!(took.is_none_or(|(least, most)| most.is_none_or(|most| least <= most)), "{row:?}");
            }
        }
    }
}

#[test]
fn a_start_that_is_told_to_be_later_than_the_end_was_at_any_time_before_that() {
    let mut story = Story::default();
    story.group_of(Source::Survey, Change::RebalanceFinished(bare(2, None)));
    let start = started(RebalanceCause::NotVisible, None, Some(2));
    story.at(900).of_group_since(at(800), at(900), start);
    story.heard(950, 500, Change::RebalanceFinished(bare(3, Some(2))));
    let row = &story.group().rebalances[0];
    assert_eq!(
        (row.started.get(), row.finished.get()),
        (Some(&at(500)), Some(&at(500)))
    );
    assert_eq!((row.started_earliest, row.started_unbounded), (None, true));
    assert!(
        row.took_between().is_some_and(|(_, most)| most.is_none()),
        "{row:?}"
    );
}
