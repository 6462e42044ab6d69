//! Lists that keep a number of the newest.

use std::collections::VecDeque;

/// Puts `item` first and cuts the list to `limit`; how many fell out.
pub(super) fn push_newest<T>(list: &mut VecDeque<T>, item: T, limit: usize) -> u64 {
    list.push_front(item);
    let out = list.len().saturating_sub(limit);
    list.truncate(limit);
    out as u64
}

/// Puts `item` last and lets the first go once there are more than `limit`.
pub(super) fn push_last<T>(list: &mut VecDeque<T>, item: T, limit: usize) {
    list.push_back(item);
    while list.len() > limit {
        list.pop_front();
    }
}
