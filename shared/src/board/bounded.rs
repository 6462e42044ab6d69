//! Lists that keep a number of the newest.
//!
//! They are short ([`super::limits`]), so that moving all their items costs less than a queue, whose code is compiled anew for
//! each type of item, would weigh on the page.

/// Puts `item` first and cuts the list to `limit`; how many fell out.
pub(super) fn push_newest<T>(list: &mut Vec<T>, item: T, limit: usize) -> u64 {
    list.insert(0, item);
    let out = list.len().saturating_sub(limit);
    list.truncate(limit);
    out as u64
}

/// Puts `item` last and lets the first go once there are more than `limit`.
pub(super) fn push_last<T>(list: &mut Vec<T>, item: T, limit: usize) {
    list.push(item);
    list.drain(..list.len().saturating_sub(limit));
}
