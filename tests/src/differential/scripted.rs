//! Sequences written by hand: the cases of Kafka's own tests that two coordinators can show (protocol.md 5.E), and who may be
//! wrong in each state (3.2-3.7, 3.10). Each is named as the fact it is about.
//!
//! They are written in words: steps are parted by commas, a step is who, what, and what is not as ever. As ever is: the newest
//! versions, the actor's own member id, no instance id, the newest generation that anybody was told, protocols `a` and `b`
//! with the subscription to topic 0, timeouts that do not end, parts for everybody.
//!
//! | word | means |
//! | --- | --- |
//! | `join`, `sync`, `beat`, `leave`, `commit`, `offsets`, `list` | the request |
//! | `nameless` | the same request in the group without an id |
//! | `two`, `two fixed` | A and B join so and sync: generation 2, A leads |
//! | `arrive` | `join` twice: a dynamic member is given its id first |
//! | `pass 2` | nobody speaks for two units of short timeouts |
//! | `wait` | nobody speaks until somebody is answered |
//! | `v4` | the request's version |
//! | `ID/INSTANCE` | `own`, `former`, `none`, `stranger` or an actor; `-`, `own`, `empty`, `stranger` or an actor. In `leave` one for each that leaves |
//! | `fixed`, `back` | `own/own`, `none/own` |
//! | `g+1`, `g-1` | a generation beside the newest; `outside`: none, and no id |
//! | `speaks=ba` | other protocols; `speaks=`: none; `topic=1`: another subscription; `type=other`: another protocol type |
//! | `short`, `below`, `above` | the session timeout: one unit, or out of the coordinator's range; `hasty`: the rebalance timeout is one unit |
//! | `parts=`, `but=B` | nobody's part; everybody's but one, and a stranger's |
//! | `wrong-type`, `wrong-name`, `unnamed` | what a SyncGroup says it is about |
//! | `topic=unknown`, `topic=partition` | a topic, or a partition, that is not there; `offsets` asks for all, or for one: also `topic=known` |

mod deadlines;
mod joins;
mod members;
mod statics;
mod words;

use super::step::Sequence;

/// A name, and the steps in words.
type Row = (&'static str, &'static str);

/// All of them.
#[must_use]
pub fn sequences() -> Vec<Sequence> {
    let tables = [
        joins::ROUNDS,
        joins::SYNCS,
        joins::PROTOCOLS,
        members::LEAVES,
        members::COMMITS,
        members::OFFSETS,
        members::EMPTY_IDS,
        statics::FENCED,
        statics::REMOVED,
        deadlines::SESSIONS,
        deadlines::JOINS,
        deadlines::SYNCS,
    ];
    let rows = tables.into_iter().flatten();
    let told = rows.map(|(name, steps)| words::sequence(name, steps));
    let lives = (0..=9).map(joins::a_life_in);
    let returns = [5, 8, 9].into_iter().flat_map(statics::returns_in);
    told.chain(lives).chain(returns).collect()
}
