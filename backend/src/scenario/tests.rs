//! Scenarios played in virtual time, each twice with other names, counts and times. How to write one: [`super`].

mod files;
mod pending_ids;
mod play;
mod sessions;
mod steps;
