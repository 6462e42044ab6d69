//! A member of a consumer group as a sans-IO machine.

mod state;

pub use state::{MoveCause, State};
