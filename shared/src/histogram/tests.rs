//! Buckets tile the values, percentiles never flatter, merging is adding.

use proptest::prelude::*;

use super::*;

#[test]
fn buckets_tile_every_value_without_hole_or_overlap() {
    let mut next = 0;
    for bucket in 0..BUCKETS {
        let (low, high) = bucket_bounds(bucket);
        assert_eq!(low, next);
        assert_eq!(bucket_of(low), bucket);
        assert_eq!(bucket_of(high), bucket);
        next = high + 1;
    }
    assert_eq!(next, 1 << VALUE_BITS);
}

#[test]
fn a_bucket_at_100_us_is_2_us_wide() {
    assert_eq!(bucket_bounds(bucket_of(100)), (100, 101));
}

#[test]
fn the_last_bucket_takes_everything_above() {
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    assert_eq!(bucket_bounds(u16::MAX), bucket_bounds(BUCKETS - 1));
}

#[test]
fn nothing_counted_has_no_percentile() {
    let empty = Histogram::default();
    assert_eq!(empty.percentile(50.0), None);
    assert_eq!(empty.max(), None);
}

#[test]
fn a_percentile_out_of_range_is_none() {
    let mut one = Histogram::default();
    one.record(7);
    assert_eq!(one.percentile(-0.1), None);
    assert_eq!(one.percentile(100.1), None);
    assert_eq!(one.percentile(f64::NAN), None);
    assert_eq!(one.percentile(0.0), Some(7));
}

#[test]
fn percentiles_are_nearest_rank() {
    let mut histogram = Histogram::default();
    for us in 1..=20 {
        histogram.record(us);
    }
    assert_eq!(histogram.percentile(50.0), Some(10));
    assert_eq!(histogram.percentile(95.0), Some(19));
    assert_eq!(histogram.percentile(99.0), Some(20));
    assert_eq!(histogram.percentile(100.0), Some(20));
}

#[test]
fn json_is_sparse_and_forgives_order_and_repeats() {
    let mut histogram = Histogram::default();
    histogram.record(3);
    histogram.record(3);
    histogram.record(40);
    assert_eq!(serde_json::to_string(&histogram).unwrap(), "[[3,2],[40,1]]");
    let read: Histogram = serde_json::from_str("[[40,1],[3,1],[3,1],[9,0]]").unwrap();
    assert_eq!(read, histogram);
}

#[test]
fn exported_bounds_rise() {
    assert!(EXPORTED_BOUNDS_US.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_whole_rank_is_not_rounded_up_to_the_next() {
    let mut histogram = Histogram::default();
    (0..100).for_each(|us| histogram.record(if us < 55 { 1 } else { 2 }));
    assert_eq!(histogram.percentile(55.0), Some(1));
    assert_eq!(histogram.percentile(56.0), Some(2));
}

proptest! {
    #[test]
    fn a_value_lies_in_its_bucket_which_is_at_most_3_2_percent_wide(us in 0..1_u64 << VALUE_BITS) {
        let (low, high) = bucket_bounds(bucket_of(us));
        prop_assert!(low <= us && us <= high);
        prop_assert!((high - low) * 32 <= low);
    }

    #[test]
    fn percentiles_are_within_a_bucket_of_the_exact_ones(
        mut values in prop::collection::vec(0..100_000_000_u64, 1..200),
        percent in 1..=100_u32,
    ) {
        let mut histogram = Histogram::default();
        values.iter().for_each(|us| histogram.record(*us));
        values.sort_unstable();
        let rank = (values.len() * percent as usize).div_ceil(100).max(1);
        let exact = values[rank - 1];
        prop_assert_eq!(histogram.percentile(f64::from(percent)), Some(bucket_bounds(bucket_of(exact)).1));
        prop_assert_eq!(histogram.count(), values.len() as u64);
    }

    #[test]
    fn merging_is_counting_all_in_one(
        left in prop::collection::vec(any::<u64>(), 0..50),
        right in prop::collection::vec(any::<u64>(), 0..50),
    ) {
        let count = |values: &[u64]| {
            let mut histogram = Histogram::default();
            values.iter().for_each(|us| histogram.record(*us));
            histogram
        };
        let mut merged = count(&left);
        merged.merge(&count(&right));
        let all: Vec<u64> = left.iter().chain(&right).copied().collect();
        prop_assert_eq!(&merged, &count(&all));
        for (bucket, n) in count(&right).buckets() {
            merged.subtract(bucket, n);
        }
        prop_assert_eq!(merged, count(&left));
    }

    #[test]
    fn json_round_trips(values in prop::collection::vec(any::<u64>(), 0..50)) {
        let mut histogram = Histogram::default();
        values.iter().for_each(|us| histogram.record(*us));
        let json = serde_json::to_string(&histogram).unwrap();
        prop_assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), histogram);
    }
}
