//! Silences: sessions that end, joins and syncs that do not come.

use super::Row;

/// Short sessions, rebalances without end.
pub(super) const SESSIONS: &[Row] = &[
    (
        "a silent follower is removed",
        "A join, A join, A sync, B join short, B join short, A join, A sync, B sync, pass 1, B beat, \
         A beat, A join, A sync",
    ),
    (
        "a silent leader is removed",
        "A join short, A join short, A sync, B join, B join, A join short, A sync, B sync, pass 1, \
         A beat, B beat, B join, B sync",
    ),
    (
        "all are silent",
        "A join short, A join short, A sync, B join short, B join short, A join short, A sync, B sync, \
         pass 1, A beat, B commit, A join",
    ),
    (
        "a follower is silent before the assignment",
        "A join, A join, A sync, B join short, B join short, A join, pass 1, B beat, A sync, A join, A sync",
    ),
    (
        "a follower that waits for its assignment is excused",
        "A join, A join, A sync, B join short, B join short, A join, B sync, pass 1, A sync, B beat",
    ),
    (
        "a leader is silent before the assignment",
        "A join short, A join short, A sync, B join, B join, A join short, B sync, pass 1, B join, B sync",
    ),
    (
        "who waits in a JoinGroup is excused",
        "A join, A join, A sync, B join short, B join short, A join, A sync, B sync, C arrive, \
         B join short, pass 1, A join, A sync",
    ),
    (
        "who is waited for is silent",
        "A join, A join, A sync, B join short, B join short, A join, A sync, B sync, C arrive, A join, \
         pass 1, A sync, C sync",
    ),
    (
        "an id handed out that is not used",
        "A join short, pass 1, A join, A beat",
    ),
    (
        "an id handed out that is not used lets a rebalance end",
        "two, C arrive, D join short, A join, B join, pass 1, A sync",
    ),
    (
        "a static member is removed when its session ends",
        "A join fixed short, A sync fixed, pass 1, A beat fixed, A join back, A sync fixed",
    ),
    (
        "a replaced static member is given a session of its own",
        "A join fixed short, A sync fixed, A join back short, pass 1, A beat fixed",
    ),
];

/// Sessions without end, short rebalances: E13, E14, E16, E34 of protocol.md 5.
pub(super) const JOINS: &[Row] = &[
    (
        "a follower that does not rejoin is out",
        "two hasty, A join hasty, wait, A sync, B beat, A beat",
    ),
    (
        "a leader that does not rejoin is out",
        "two hasty, C arrive hasty, wait, C sync, A beat, B beat",
    ),
    (
        "a static follower that does not rejoin stays",
        "two fixed hasty, A join fixed hasty, wait, A sync fixed, A beat fixed",
    ),
    (
        "a static leader that does not rejoin no longer leads",
        "two fixed hasty, B join fixed hasty topic=1, wait, B sync fixed, B beat fixed",
    ),
    (
        "only absent static members",
        "two fixed hasty, B leave fixed, pass 3, A join fixed hasty, A sync fixed",
    ),
    (
        "a dynamic member leads two absent static ones",
        "two fixed hasty, C arrive hasty, wait, C leave none/B, pass 3, C beat",
    ),
    ("nobody rejoins", "two hasty, B leave, pass 2, A beat"),
];

/// The same: E20, E30, E32, E33.
pub(super) const SYNCS: &[Row] = &[
    (
        "nobody syncs",
        "A arrive hasty, B arrive hasty, A join hasty, pass 2, A beat, B beat",
    ),
    (
        "the leader does not sync",
        "A arrive hasty, B arrive hasty, A join hasty, B sync, wait, B join hasty, B sync, A beat",
    ),
    (
        "a follower does not sync",
        "A arrive hasty, B arrive hasty, A join hasty, A sync, pass 4, A beat, B beat",
    ),
    (
        "all sync in time",
        "A arrive hasty, B arrive hasty, A join hasty, B sync, A sync, pass 2, A beat, B beat",
    ),
    (
        "all sync in time with nothing to assign",
        "A arrive hasty, B arrive hasty, A join hasty, B sync, A sync parts=, pass 2, B beat",
    ),
];
