//! Group ids that are trouble elsewhere: in addresses, in patterns, in tables, in file names (incident L84).

use shared::ids::GroupId;

/// Bytes of Kafka's longest topic name, which many take for the longest group id; there is no such bound.
const USUAL: usize = 249;

/// All of them but the empty one, which no member can join (24) and which commits are accepted for.
pub(super) fn odd_ids() -> Vec<GroupId> {
    let short = [
        "a#b",
        "two words",
        " ",
        "\u{1f418}",
        "..",
        "a/b?c=d&e=f%20+",
        "\"quoted\" 'id'",
        "<b>bold</b>",
        "line\nbreak\ttab",
        "\u{202e}thgir",
        "null",
    ];
    let long = [USUAL, USUAL + 1, 1_000].map(|bytes| "x".repeat(bytes));
    let short = short.into_iter().map(GroupId::from);
    short.chain(long.into_iter().map(GroupId::from)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_another_and_none_is_empty() {
        let ids = odd_ids();
        let different: BTreeSet<&GroupId> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| !id.as_str().is_empty()));
    }
}
