//! How much a board remembers. It forgets by these counts and never by a clock, so that server and page forget the same.
//!
//! What is forgotten is counted in [`super::Forgotten`].

use crate::time::Millis;

/// Groups. One more: the group without members that changed longest ago is forgotten, else the one that changed longest ago.
pub const GROUPS: usize = 20_000;

/// Groups that are gone, newest first. Their late heartbeats do not bring them back.
pub const GONE: usize = 64;

/// Members in all groups together. One more gets no row.
pub const MEMBERS: usize = 50_000;

/// Departed members a group keeps, newest first.
pub const DEPARTED: usize = 20;

/// Departed members a group keeps behind those, for what still comes of them: the summary of their last second above all.
pub const LATE: usize = 1_000;

/// How long they are kept so at least, where there is room: from their end to a later departure.
pub const LATE_FOR: Millis = Millis(10_000);

/// For how long after its end why a rebalance began may still be learnt before it is counted for good: a record is read a moment
/// after a look, a member tells after its coordinator.
pub const CAUSE_SETTLES: Millis = Millis(10_000);

/// Finished rebalances a group keeps, newest first.
pub const REBALANCES: usize = 20;

/// Departed members, rebalances and [`PARTIES`] in all groups together, [`LATE`] ones counted; above it a group keeps
/// [`HISTORY_AT_LEAST`] of each.
pub const HISTORY: usize = 150_000;

/// What each group may keep of its history even on a full board.
pub const HISTORY_AT_LEAST: usize = 2;

/// Cells of a member's heartbeat bar.
pub const CELLS: usize = 40;

/// Seconds of beats a member's row can still replace by their summaries: two sources, two generations, two seconds.
pub const TALLIES: usize = 8;

/// Gaps between beats from which an untold interval is taken (docs/contract.md).
pub const BEAT_GAPS: usize = 10;

/// Rejoins a member's row keeps, newest first.
pub const REJOINS: usize = 8;

/// Members named in a rebalance's row, in each of its lists.
pub const NAMED: usize = 16;

/// Other ids under which events of a group's rows still come.
pub const ALIASES: usize = 1_000;

/// Coordinators a group's latency is kept apart by; those of further ones are counted with node -1.
pub const NODES: usize = 16;

/// Coordinators of all clusters together.
pub const COORDINATORS: usize = 1_000;

/// Kinds of requests a coordinator's round trips are kept apart by: a survey has fewer.
pub const APIS: usize = 16;

/// Faults played, newest first.
pub const FAULTS: usize = 32;

/// Gaps, newest first.
pub const GAPS: usize = 32;

/// Missing rights that concern a whole cluster, newest first.
pub const REFUSALS: usize = 32;

/// Clusters whose offsets log is told of: a server has one, or its own coordinator's and one more.
pub const LOGS: usize = 8;

/// Bytes of an id or a text; a longer one is cut and carries a hash of the whole, so that two never become one.
pub const TEXT: usize = 256;

/// Bytes of a sentence that says why: an address, what was done there, and the broker's own words fit, and all that can be said of a
/// departure.
pub const DETAIL: usize = 600;

/// Member ids handed out and not used that a group's row names: the coordinator itself bounds how many there are.
pub const PENDING: usize = 32;

/// Abandoned joins a group's row names, newest first.
pub const ABANDONED: usize = 16;

/// Kinds of refused requests a group's row names: one for each client, API and code, newest first.
pub const REFUSED: usize = 16;

/// Clients that have left a group at least once and are remembered by it, the last to move first; counted in [`HISTORY`].
pub const PARTIES: usize = 32;

/// Comings, and goings, remembered of each: three returns of five members that look alike, and one more.
pub const COMINGS: usize = 16;

/// Between two rebalances of one run: the longest a client waits between two tries, with all its backoffs.
pub const RUN_GAP: Millis = Millis(60_000);

/// Turns of a run whose times are kept: enough for a rate, and for how even it is.
pub const TURNS: usize = 16;

/// Who made the rebalances of a run: as many names as a deploy has, and some.
pub const STARTERS: usize = 32;
