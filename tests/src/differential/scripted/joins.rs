//! Coming in, rebalancing, and what a group speaks.

use super::{Row, words};
use crate::differential::step::Sequence;

/// Joins and rebalances.
pub(super) const ROUNDS: &[Row] = &[
    (
        "a third joins and all rebalance",
        "two, C arrive, A beat, A join, B beat, B join, A sync, B sync, C sync",
    ),
    (
        "a leader that rejoins a stable group starts a rebalance",
        "two, A join, B beat, B join, B sync, A sync",
    ),
    (
        "an unchanged follower of a stable group is answered at once",
        "two, B join, B beat, B sync",
    ),
    (
        "a changed follower of a stable group starts a rebalance",
        "two, B join topic=1, A join, A sync, B sync",
    ),
    (
        "members that ask again before the assignment are answered at once",
        "two, A join, B join, A join, B join, A sync, B join",
    ),
    (
        "a change before the assignment starts over",
        "two, A join, B join, B sync, A join topic=1, B join, A sync, B sync",
    ),
    (
        "a newcomer before the assignment starts over",
        "two, A join, B join, B sync, C arrive, A join, B join",
    ),
    (
        "a sole leader rejoins again and again",
        "A arrive, A sync, A join, A sync, A join, A join, A sync, A beat",
    ),
    (
        "two newcomers of whom nobody has synced",
        "A arrive, B arrive, A join, A beat, B beat, A sync, B sync",
    ),
    (
        "an id handed out makes a rebalance wait",
        "A arrive, A sync, B arrive, C join, A join, C join, A sync",
    ),
    (
        "an id handed out that leaves lets a rebalance end",
        "A arrive, A sync, B arrive, C join, A join, C leave, A sync, B sync",
    ),
    (
        "an id handed out is no member",
        "A arrive, A sync, B join, B beat, B commit, B sync, B leave, B leave, B join",
    ),
    (
        "an id handed out belongs to dynamic members",
        "A join, A join fixed, A join",
    ),
    (
        "a member that joins twice while it waits",
        "two, C arrive, B join, B join, A join, A sync, B sync",
    ),
    (
        "session timeouts out of range",
        "two, B join below, B join above, C join above, B beat",
    ),
    (
        "a stranger's ids in every request",
        "two, B join stranger/-, B sync stranger/-, B beat stranger/-, B beat none/-, \
         B commit stranger/-, B leave stranger/-",
    ),
    (
        "every request to a group that is not there",
        "A join stranger/-, A sync, A beat, A leave, A commit, A commit stranger/- g+1, A list",
    ),
];

/// Handing in and out.
pub(super) const SYNCS: &[Row] = &[
    (
        "followers wait for the leader",
        "A arrive, B arrive, A join, B sync, B beat, A sync, A beat",
    ),
    (
        "a late follower gets its part at once",
        "A arrive, B arrive, A join, A sync, B beat, B sync, B sync",
    ),
    (
        "a leader that syncs again changes nothing",
        "A arrive, A sync, A sync parts=, A sync",
    ),
    (
        "members left out get nothing and strangers are ignored",
        "A arrive, B arrive, A join, B sync, A sync but=B, B sync",
    ),
    ("a leader without assignments", "A arrive, A sync parts=, A beat"),
    (
        "a follower's assignments are ignored",
        "A arrive, B arrive, A join, B sync, A sync but=A",
    ),
    (
        "a follower that syncs twice while it waits",
        "A arrive, B arrive, A join, B sync, B sync, A sync",
    ),
    (
        "a SyncGroup while joins are collected is told to rejoin",
        "two, C arrive, A sync, B sync, A beat",
    ),
    (
        "wrong generations",
        "two, B sync g+1, B sync g-1, B beat g+1, B beat g-1, B beat g-3, B commit g+1, B commit g-1, \
         B commit outside",
    ),
    (
        "wrong generations while joins are collected",
        "two, A join, B beat g+1, B commit g-1, B sync g-1, B sync g+1, B beat g-1",
    ),
    (
        "wrong generations before the assignment",
        "two, A join, B join, B beat g-1, B commit g-1, B sync g-1, B sync g+1, B beat g+1",
    ),
    (
        "a rebalance ends the waiting for an assignment",
        "two, A join, B join, B sync, A leave, B join, B sync",
    ),
];

/// What a group speaks.
pub(super) const PROTOCOLS: &[Row] = &[
    (
        "the protocol most members prefer",
        "A arrive, B arrive speaks=ba, C arrive speaks=ba, A join, B join speaks=ba, A sync",
    ),
    (
        "the one protocol all members speak",
        "A arrive, B arrive speaks=bc, A join, A sync",
    ),
    (
        "no protocol in common",
        "two, C join speaks=c, A beat, B join speaks=c",
    ),
    (
        "the only member may not change to what the group does not speak",
        "two, B leave, A join, A sync, A join speaks=c",
    ),
    (
        "an empty group speaks what its next member does",
        "A arrive, A sync, A leave, B arrive speaks=c type=other, B sync",
    ),
    (
        "a group of no type or no protocol",
        "A join type=, A join speaks=, A beat, A join",
    ),
    (
        "another protocol type",
        "two, C join type=other, B join type=other, B beat",
    ),
    (
        "a SyncGroup about another protocol",
        "A arrive, A sync wrong-type, A sync wrong-name, A sync unnamed, A sync unnamed v4, A sync wrong-name",
    ),
];

/// Two members from their first JoinGroup to the empty group, all in one version of JoinGroup and what was new with it.
pub(super) fn a_life_in(version: i16) -> Sequence {
    let (sync, beat) = (version.min(5), version.min(4));
    // From version 4 on a dynamic member is given its id first.
    let comes = if version >= 4 { "arrive" } else { "join" };
    let steps = format!(
        "A {comes} v{version}, B {comes} v{version} speaks=ba, A join v{version}, A sync v{sync}, B sync v{sync}, \
         B beat v{beat}, B leave v{sync}, A beat v{beat}, A leave v{sync}, A leave v{sync}"
    );
    words::sequence(&format!("a life in version {version} of JoinGroup"), &steps)
}
