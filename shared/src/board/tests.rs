//! The fold, as facts: what events make of a board, and what a board says at a moment.

mod beats;
mod coordinator;
mod ended;
mod fold;
mod identity;
mod limits;
mod membership;
mod new_run;
mod order;
mod probed;
mod rebalances;
mod rejoined;
mod repeats;
mod states;
mod story;
mod surveyed;
mod work;
