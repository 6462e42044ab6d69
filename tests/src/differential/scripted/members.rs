//! Leaving and committing.

use super::Row;

/// One leaves, many, or nobody.
pub(super) const LEAVES: &[Row] = &[
    (
        "a follower leaves a stable group",
        "two, B leave, B beat, A beat, A join, A sync",
    ),
    (
        "a leader leaves a stable group",
        "two, A leave, B beat, B join, B sync",
    ),
    (
        "all leave at once",
        "two, A leave A/- B/-, A beat, A join, C arrive, C sync",
    ),
    (
        "one of a batch is unknown",
        "two, A leave B/- stranger/- B/-, A beat",
    ),
    (
        "a leave before the assignment",
        "two, A join, B join, B sync, A leave, B join, B sync",
    ),
    (
        "a member leaves while its SyncGroup waits",
        "two, A join, B join, B sync, B leave, A join, A sync",
    ),
    (
        "a member leaves while its JoinGroup waits",
        "two, C arrive, C leave, A join, B join",
    ),
    (
        "who is waited for leaves",
        "two, C arrive, A join, B leave, A sync, C sync",
    ),
    (
        "an empty id leaves",
        "two, A leave none/-, A leave none/- v0, C leave v2, B beat",
    ),
    (
        "leaving in old versions",
        "two, B leave v0, B leave v1, A leave v2, A leave v2",
    ),
    (
        "an empty group has no members to leave",
        "A arrive, A leave, A leave, A beat, A commit, A sync, A join",
    ),
];

/// Commits, and the list.
pub(super) const COMMITS: &[Row] = &[
    (
        "a commit from outside a group that has members",
        "two, C commit outside, C commit none/-, A beat",
    ),
    (
        "a group of nothing but offsets",
        "A commit outside topic=unknown v2, A commit none/- v9, A commit none/- v8, A commit outside, \
         A list v4, A commit none/- g+1, A arrive, A sync",
    ),
    (
        "a commit while joins are collected",
        "two, C arrive, A commit, C commit, A join, B commit",
    ),
    (
        "a commit before the assignment",
        "two, A join, B join, A commit, A sync, A commit, B commit",
    ),
    (
        "a commit by who has left",
        "two, B leave, B commit, A leave, A commit, A commit outside",
    ),
    (
        "a commit to what is not there",
        "A arrive, A sync, A commit topic=unknown v2, A commit topic=partition v2, \
         A commit topic=unknown v8, A commit topic=partition v8, A commit topic=unknown v9, \
         A commit topic=partition v9, A commit topic=unknown v10, A commit topic=partition v10",
    ),
    (
        "a commit in every version",
        "A arrive, A sync, A commit v2, A commit v3, A commit v4, A commit v5, A commit v6, \
         A commit v7, A commit v8, A commit v9, A commit v10",
    ),
    (
        "a list in every version",
        "A arrive, A sync, A list v0, A list v1, A list v2, A list v3, A list v4, A list v5",
    ),
];
