//! Which partition of the offsets log holds a group, and so which broker coordinates it; and names for groups that
//! are to be coordinated by a certain broker.

/// How many partitions it has unless a broker is told otherwise (`offsets.topic.num.partitions`).
pub const DEFAULT_PARTITIONS: i32 = 50;

/// How many names are tried: about as many are needed as there are partitions for each wanted one, and no cluster has
/// thousands of this topic.
const TRIES: u32 = 1 << 16;

/// The partition of `__consumer_offsets` that holds a group, of `partitions` there are: `Utils.abs(hashCode) %
/// partitions`, Java's hash of the name's UTF-16 units, with the one number that has no absolute value taken for 0. What is
/// coordinated is coordinated by that partition's leader. 0 where there are no partitions.
#[must_use]
pub fn partition_of(group: &str, partitions: i32) -> i32 {
    in_range(hash_on(0, group), partitions)
}

/// A name for a group in one of the partitions that are `wanted`, of `partitions` there are: `base`, a hyphen and the
/// first counter from `first` on that fits, and that counter.
///
/// `None` where 65,536 counters did not fit. That happens to single partitions where their number is a multiple of 31,
/// the base of Java's hash: there all but the last digit hardly matters, and ten digits cannot reach 31 partitions. A
/// broker that leads several of them is still found.
pub fn name_in(
    base: &str,
    first: u32,
    partitions: i32,
    wanted: impl Fn(i32) -> bool,
) -> Option<(String, u32)> {
    let before = hash_on(hash_on(0, base), "-");
    let fits = |counter: &u32| wanted(in_range(hash_on(before, &counter.to_string()), partitions));
    let counter = (first..first.saturating_add(TRIES)).find(fits)?;
    Some((format!("{base}-{counter}"), counter))
}

/// Java's `String.hashCode` of a text whose beginning has the hash `before`.
fn hash_on(before: i32, text: &str) -> i32 {
    text.encode_utf16().fold(before, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    })
}

fn in_range(hash: i32, partitions: i32) -> i32 {
    hash.checked_abs()
        .unwrap_or(0)
        .checked_rem(partitions)
        .unwrap_or(0)
}
