//! Heartline's server: IO around the pure core of `shared`.
//!
//! # Layout
//!
//! - [`cli`], [`config`]: arguments -> valid configuration
//! - [`clock`]: the one place that reads a clock
//! - [`coordinator`]: the group coordinator as a sans-IO machine
//! - [`dashboard`]: all of it put together
//! - [`data_folder`]: private folders and the files in them that outlive the process
//! - [`embedded`]: the TCP server around it, its topics and faults
//! - [`faults`]: the way of a fault to the part that plays it
//! - [`hub`]: numbers events, owns the board; [`journal`]: keeps them on disk
//! - [`kafka`]: clusters over TCP, as a client
//! - `lean`: JSON without nulls, as boards are sent and kept
//! - [`limits`]: every bound, with its reason; [`open_files`]: the system's own
//! - [`network`]: TCP, or a network in memory
//! - [`partitions`]: the embedded coordinator's topics as logs in memory, a sans-IO machine
//! - [`probe`]: our own group members
//! - [`secret`]: passwords and tokens, printed nowhere; [`core_dumps`]: switched off
//! - [`scenario`]: field incidents, played
//! - [`web`]: the page, the API, the WebSocket, the metrics
//! - [`world`]: clock, network and chance, as life or a test has them

pub mod cli;
pub mod clock;
pub mod config;
pub mod coordinator;
pub mod core_dumps;
pub mod dashboard;
pub mod data_folder;
pub mod embedded;
pub mod faults;
pub mod hub;
pub mod journal;
pub mod kafka;
mod lean;
pub mod limits;
pub mod network;
pub mod open_files;
pub mod partitions;
pub mod ping;
pub mod placement;
pub mod probe;
mod progress;
pub mod scenario;
pub mod secret;
pub mod survey;
pub mod web;
pub mod world;
