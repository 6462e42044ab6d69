//! Field incidents, played end to end over real connections: `heartline --scenario NAME`.
//!
//! A scenario is a file of `backend/scenarios`: members of ours, clients that send the frames they are told to, faults of
//! the coordinator, and when. It holds no verdict: what the page says of it is found out as ever. Live and in tests the
//! same coordinator, members, hub and board play it; only the [`World`](crate::world::World) differs.
//!
//! # Writing one
//!
//! ```toml
//! title = "One line for --scenario list"
//! incident = "A01"                  # of incidents.md
//! speed = 20                        # how many times faster than life it is played; --scenario-set speed=1 for life
//!
//! [parameters]                      # "{group}" and the like stand for them anywhere below; --scenario-set group=orders
//! group = { default = "billing", is = "the group" }
//! session_ms = { default = 45000, is = "how long a member may be silent" }
//!
//! [coordinator]
//! topics = "invoices:6"
//! config = ["group.initial.rebalance.delay.ms=0"]
//!
//! [[part]]                          # one of those who play, all at once; each goes through its steps in order
//! client = { id = "old-app", host = "10.0.0.7", group = "{group}", topics = ["invoices"], session_ms = "{session_ms}" }
//! step = [
//!   { join_group = {} },            # as a client does: an answer 79 is followed by a second JoinGroup with the id
//!   { sync_group = {} },            # a leader hands in a range assignment
//!   { heartbeat = {}, every_ms = 3000, until = "error" },
//!   { wait_ms = ["{session_ms}", -500], join_group = {} },       # times are summed up
//! ]
//!
//! [[part]]
//! step = [
//!   { start = { client_id = "app", count = 2, group = "{group}", topics = ["invoices"] } },   # members of ours: app-1, app-2
//!   { when = { kind = "rebalance_finished", group = "{group}" }, wait_ms = 5000, fault = { fault = "kill", member = "app-2" } },
//! ]
//! ```
//!
//! A step waits for the event `when` it has one, then for `wait_ms`, then does one thing and is over when that is done: a
//! request when it is answered. What each takes stands in `file` and `frames`; whatever else is written is refused with
//! what is allowed. A part with `times = 3` goes through its steps three times, and before that once through those of
//! `first = [...]`. A part with `count = 7` is played seven times at once, `{n}` in it being 1 to 7, each `apart_ms` later.
//!
//! # Testing one
//!
//! ```ignore
//! let mut play = Play::of("name").set("group", "g-17").set("session_ms", 12_000).start().await;
//! let scene = play.until(|scene| scene.has("g-17", Verdict::Waiting)).await;
//! let finding = scene.finding("g-17", Verdict::Waiting);
//! assert_eq!(finding.sentence, "...");
//! play.at(Millis(60_000)).await;    // a minute after the start
//! ```
//!
//! Time is virtual (`tests/play.rs`): hours pass in moments. Play it twice with other names, counts and timings, so that
//! no number can be written down anywhere.
//!
//! # Layout
//!
//! - `file`, `parameters`, `length`, `members`: a file as a [`Scenario`]; `frames`: the requests of its clients
//! - `player`: which part does what now, without IO
//! - `standing`, `client`: what a client knows, and its connection; `batch`: the records it produces
//! - `stage`: the player's cues carried out

mod batch;
mod client;
mod file;
mod frames;
mod length;
mod members;
mod parameters;
mod player;
mod stage;
mod standing;
#[cfg(test)]
mod tests;

pub use file::{Listed, Scenario, ScenarioError, list};
pub use stage::{Stage, Staged};
