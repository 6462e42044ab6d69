//! Scenarios played in virtual time, each twice with other names, counts and times. How to write one: [`super`].

mod files;
mod healthy;
mod instances;
mod pending_ids;
mod play;
mod poll_loop;
mod rejoin;
mod said;
mod sessions;
mod starved;
mod steps;
mod unknown_members;
