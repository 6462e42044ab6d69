//! The groups of others: what a real cluster tells about them, as events. It only reads.
//!
//! ```text
//! brokers --TCP--> driver (a task per connection) --Input--> Survey  handle(now, input), poll(), deadline()
//!                     ^                                         | roll: who is there (lists and descriptions)
//!                     |                                         | ledger: what the coordinators noted (the offsets log)
//!                     +------ Output::{Open, Close, Ask} -------+
//!                                                               +--> Output::Report --> hub
//! ```
//!
//! # Layout
//!
//! - `port`: what the machine is told and what it wants done
//! - `machine`: the machine, put together of its parts; does no IO and reads no clock
//! - `roll`: which groups there are and who is in them, from ListGroups and the describe call of each type
//! - `ledger`: the offsets log: generations, timeouts, the ends of rebalances, signs of life
//! - `visible`: what each source can say of a rebalance, and what none of them can
//! - `comings`: who came and who went between two sights of a group
//! - `rounds`: what is asked every few seconds: how far groups have read, and their timeouts
//! - `before`: the groups as the run before this one left them, from where it goes on
//! - `look`: one answer to a describe call, whatever the group's type
//! - `gate`: how much one broker is asked at once and in a second
//! - `line`: the state of one connection; `driver`, `link`: the IO, the same for all parts
//! - `log_reader`: the ledger on its own, at full speed: to be measured

mod before;
#[cfg(test)]
mod brokers;
#[cfg(test)]
mod cases;
mod comings;
mod driver;
mod gate;
mod ledger;
mod line;
mod link;
mod log_reader;
pub mod look;
pub mod machine;
pub mod port;
mod roll;
mod rounds;
pub mod visible;

pub use before::Before;
pub use driver::{Figures, Insight, Surveyor};
pub use gate::Load;
pub use ledger::Counts;
pub use log_reader::{LogRead, LogUnread, read_log};
