//! Static members: who keeps a seat, who takes it over, who is fenced.

use super::{Row, words};
use crate::differential::step::Sequence;

/// A static member comes back without its id, in each state of its group.
const RETURNS: &[Row] = &[
    (
        "a leader comes back to a stable group",
        "two fixed, A join back, A sync fixed, A beat fixed, B beat fixed",
    ),
    (
        "a follower comes back to a stable group",
        "two fixed, B join back, B sync fixed, B beat fixed, A beat fixed",
    ),
    (
        "a follower comes back with another subscription",
        "two fixed, B join back topic=1, B sync fixed, A beat fixed",
    ),
    (
        "a follower comes back and another protocol is chosen",
        "two fixed, B join back speaks=b, A join fixed, A sync fixed, B sync fixed",
    ),
    (
        "a follower comes back with another preference",
        "two fixed, B join back speaks=ba, B sync fixed, A join fixed, B join fixed",
    ),
    (
        "a follower comes back before the assignment",
        "two fixed, A join fixed, B join fixed, B sync fixed, B join back, A join fixed, A sync fixed, \
         B sync fixed",
    ),
    (
        "a leader comes back before the assignment",
        "two fixed, A join fixed, B join fixed, B sync fixed, A join back, B join fixed, A sync fixed, \
         B sync fixed",
    ),
    (
        "a follower comes back while joins are collected",
        "two fixed, A join fixed, B join back, A sync fixed, B sync fixed",
    ),
    (
        "a leader comes back while joins are collected",
        "two fixed, C arrive, B join fixed, A join back, A sync fixed, B sync fixed",
    ),
    (
        "a follower comes back while its JoinGroup waits",
        "two fixed, C arrive, B join fixed, B join back, A join fixed, A sync fixed, B sync fixed",
    ),
    (
        "a leader comes back while its JoinGroup waits",
        "two fixed, A join fixed, A join back, B join fixed, A sync fixed",
    ),
    (
        "a member comes back again and again",
        "two fixed, B join back, B join back, B join back, B sync fixed, B beat fixed",
    ),
];

/// The same in each version that answers otherwise.
pub(super) fn returns_in(version: i16) -> impl Iterator<Item = Sequence> {
    RETURNS.iter().map(move |(name, steps)| {
        let steps = steps.replace("back", &format!("back v{version}"));
        words::sequence(&format!("{name}, version {version}"), &steps)
    })
}

/// Two with the same name, and names that are not theirs.
pub(super) const FENCED: &[Row] = &[
    (
        "the instance id of another",
        "two fixed, A join own/B, A sync own/B, A beat own/B, A commit own/B, A leave own/B, \
         A beat fixed, B beat fixed",
    ),
    (
        "an instance id of nobody",
        "two fixed, A join own/stranger, A sync own/stranger, A beat own/stranger, \
         A commit own/stranger, A leave own/stranger, A beat fixed, B beat fixed",
    ),
    (
        "the member id of another",
        "two fixed, A join B/own, A sync B/own, A beat B/own, A commit B/own, A leave B/own, \
         A beat fixed, B beat fixed",
    ),
    (
        "a static member without its instance id",
        "two fixed, A join own/-, A sync own/-, A beat own/-, A commit own/-, A leave own/-, \
         A beat fixed, B beat fixed",
    ),
    (
        "the old id of a seat that was taken over",
        "two fixed, B join back, B beat former/own, B sync former/own, B commit former/own, \
         B join former/own, B leave former/own, B beat fixed",
    ),
    (
        "the old id of a seat that was taken over, without its instance id",
        "two fixed, B join back, B beat former/-, B sync former/-, B commit former/-, B join former/-, \
         B leave former/-, B beat fixed",
    ),
    (
        "the old id of a leader that was replaced",
        "two fixed, A join back, A sync former/own, A join former/own, A join fixed, B join fixed, \
         A sync fixed",
    ),
    (
        "a dynamic member takes an instance id",
        "two, B join fixed, B beat fixed",
    ),
    (
        "a static member that joins a group that is not there under an id",
        "A join stranger/own, A join fixed",
    ),
    (
        "another client takes a seat",
        "two fixed, C join none/B, C sync own/B, B beat fixed, C beat own/B",
    ),
];

/// Seats that are given up.
pub(super) const REMOVED: &[Row] = &[
    (
        "an administrator removes a member by its instance id",
        "two fixed, C leave none/B, B beat fixed, A join fixed, A sync fixed",
    ),
    (
        "an administrator removes some that are not there",
        "two fixed, C leave none/stranger none/B none/stranger none/B, A join fixed",
    ),
    (
        "an administrator removes everybody",
        "two fixed, C leave none/A none/B, A join fixed, A join back, A sync fixed",
    ),
    (
        "an administrator removes who waits",
        "two fixed, A join fixed, C leave none/A, B join fixed, B sync fixed",
    ),
    (
        "an administrator removes who is waited for",
        "two fixed, A join fixed, C leave none/B, A sync fixed",
    ),
    (
        "a static member leaves and comes back",
        "two fixed, B leave fixed, A join fixed, B join back, A join fixed, A sync fixed, B sync fixed",
    ),
    (
        "static and dynamic members together",
        "A join fixed, A sync fixed, B arrive, A join fixed, B sync, A sync fixed, B leave, A beat fixed",
    ),
];
