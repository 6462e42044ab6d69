//! A member of a consumer group as a sans-IO machine.

mod config;
mod port;
mod state;

pub use config::{Config, ConfigError, LeaveOperation};
pub use port::{AnswerFault, End, Fatal, Input, LinkId, Output, Peer, Token};
pub use state::{MoveCause, State};
