//! Scenarios played in virtual time, each twice with other names, counts and times. How to write one: [`super`].

mod coordinators;
mod files;
mod frozen;
mod healthy;
mod instances;
mod names;
mod pending_ids;
mod play;
mod poll_loop;
mod rejoin;
mod rights;
mod said;
mod sessions;
mod starved;
mod steps;
mod storms;
mod stuck;
mod unknown_members;
