//! Scenarios played in virtual time, each twice with other names, counts and times. How to write one: [`super`].

mod coordinators;
mod files;
mod frozen;
mod names;
mod pending_ids;
mod play;
mod sessions;
mod steps;
mod storms;
mod stuck;
