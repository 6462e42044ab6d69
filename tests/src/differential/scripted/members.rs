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

/// How far a group has read, for whoever asks.
pub(super) const OFFSETS: &[Row] = &[
    (
        "offsets of a group that is not there",
        "A offsets, A offsets topic=known, A offsets topic=unknown, A offsets v9 stranger/-, A offsets v1 topic=known, \
         A offsets v5, A list",
    ),
    (
        "offsets in every version",
        "A arrive, A sync, A commit, A offsets v1 topic=known, A offsets v2, A offsets v3, A offsets v4, A offsets v5, A offsets v6, \
         A offsets v7, A offsets v8, A offsets v9, A offsets v10",
    ),
    (
        "offsets of a topic and of a partition that are not there",
        "A arrive, A sync, A commit, A offsets v1 topic=unknown, A offsets v1 topic=partition, A offsets v7 topic=unknown, \
         A offsets v7 topic=partition, A offsets v9 topic=unknown, A offsets v9 topic=partition, A offsets topic=unknown, \
         A offsets topic=partition, A offsets topic=known",
    ),
    (
        "offsets that were committed to what is not there",
        "A arrive, A sync, A commit topic=unknown v9, A commit topic=partition v9, A offsets v9, A offsets, A offsets v5",
    ),
    (
        "offsets asked for under wrong names and generations",
        "two, A commit, A offsets v9 stranger/-, A offsets v9 B/-, A offsets v9 g+1, A offsets v9 g-1, A offsets v9 none/-, \
         C offsets stranger/- g+1",
    ),
    (
        "offsets while a rebalance runs",
        "two, A commit, C arrive, A offsets, C offsets, A join, B join, A offsets v9, A sync, A offsets v8",
    ),
    (
        "offsets after all have left",
        "two, A commit, B commit, A leave A/- B/-, C offsets, A offsets v9 former/-, C commit outside, C offsets",
    ),
    (
        "the newest commit counts, whoever made it",
        "two, A commit, B commit, A offsets, B offsets v5, A commit g-1, B offsets, A commit v2, B offsets v9",
    ),
];

/// Names that are there and say nothing.
pub(super) const EMPTY_IDS: &[Row] = &[
    (
        "the group without an id",
        "A join nameless, A join nameless v3, A join nameless stranger/-, A sync nameless, A beat nameless, A leave nameless, \
         A leave nameless v2, A join nameless v5 own/own, A join nameless speaks=, A join nameless below",
    ),
    (
        "the group without an id, in the first versions",
        "A join nameless v0, A sync nameless v0, A beat nameless v0, A leave nameless v0, A beat nameless v3 own/own",
    ),
    (
        "a commit from outside to the group without an id",
        "A commit nameless outside, A commit nameless outside v2, A commit nameless outside topic=partition v9",
    ),
    (
        "no member id in a group with members",
        "two, A beat none/-, A sync none/-, A commit none/-, A leave none/-, A join none/-, A beat, B beat",
    ),
    (
        "no member id in a group that is not there",
        "A beat none/-, A sync none/-, A commit none/-, A leave none/-",
    ),
    (
        "an empty instance id",
        "A join none/empty, A sync own/empty, A beat own/empty, A commit own/empty, A join none/empty, A beat former/empty, \
         A beat own/-, A leave none/empty, A beat own/empty",
    ),
    (
        "an empty instance id beside others",
        "two fixed, C join none/empty, A join fixed, B join fixed, A sync fixed, C sync own/empty, B sync fixed, A beat own/empty, \
         C beat own/own, C beat own/empty, D join none/empty, C beat own/empty",
    ),
];
