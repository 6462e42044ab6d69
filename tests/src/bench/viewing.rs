//! The page an operator keeps open, and those who look at it.
//!
//! - `frames`: what script does in each frame, beside an empty page's frames in the same browser
//! - `crowded`: 10,000 groups on the page
//! - `wide`: a group of 1,000 members, its timeline on show
//! - `tab`: a million events through one tab
//! - `viewers`: 500 viewers of one server

pub mod crowded;
mod frames;
pub mod tab;
pub mod viewers;
pub mod wide;
