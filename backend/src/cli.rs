//! The command line: every flag of docs/contract.md, each also as `HEARTLINE_*` in the environment.
//!
//! Only syntax is judged here; what the values mean together is [`crate::config`]'s. A flag of a part that is not
//! built yet is absent from `--help` and refused with what it comes with.

mod host_port;
mod refusal;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::limits;
pub use host_port::HostPort;
pub use refusal::Refusal;

/// Shows the liveness of Kafka consumer groups in a browser.
#[derive(Debug, Parser)]
#[command(name = "heartline", version, args_conflicts_with_subcommands = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

/// What to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The dashboard (the default). Without --bootstrap-servers: on its own embedded coordinator with a live demo group
    Serve(Box<ServeArgs>),
    /// The embedded coordinator alone
    Coordinator(CoordinatorArgs),
}

/// What `heartline [serve]` takes.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Where the page is served; port 0 picks a free one
    #[arg(
        long,
        env = "HEARTLINE_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: HostPort,
    /// A further Host name the page may be reached by (repeatable)
    #[arg(
        long = "allowed-host",
        env = "HEARTLINE_ALLOWED_HOST",
        value_name = "NAME",
        value_delimiter = ','
    )]
    pub allowed_hosts: Vec<String>,
    /// host:port,host:port of a real cluster
    #[arg(
        long,
        env = "HEARTLINE_BOOTSTRAP_SERVERS",
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub bootstrap_servers: Vec<HostPort>,
    /// A Java client's .properties file, as Kafka's own tools take: TLS, SASL, time limits of the cluster's connections
    #[arg(long, env = "HEARTLINE_COMMAND_CONFIG", value_name = "FILE")]
    pub command_config: Option<PathBuf>,
    /// The group our own members form [default: heartline-probe-<host>-<pid>; demo on the embedded coordinator]
    #[arg(long, env = "HEARTLINE_PROBE_GROUP", value_name = "NAME")]
    pub probe_group: Option<String>,
    /// How many members of ours; 0 = none, and then nothing is ever written to the cluster [default: 3]
    #[arg(long, env = "HEARTLINE_MEMBERS", value_name = "N", allow_negative_numbers = true,
          value_parser = |text: &str| whole(text, 0, limits::MEMBERS))]
    pub members: Option<u32>,
    /// Which client our members behave as
    #[arg(long, env = "HEARTLINE_MEMBER_RULES", value_enum, default_value_t = MemberRules::Modern)]
    pub member_rules: MemberRules,
    /// Of our members [default: 3000; embedded demo: 1000]
    #[arg(long, env = "HEARTLINE_HEARTBEAT_INTERVAL", value_name = "MS", allow_negative_numbers = true, value_parser = millis)]
    pub heartbeat_interval: Option<u32>,
    /// Of our members [default: 45000, or 30000 with --member-rules v0.10; embedded demo: 6000]
    #[arg(long, env = "HEARTLINE_SESSION_TIMEOUT", value_name = "MS", allow_negative_numbers = true, value_parser = millis)]
    pub session_timeout: Option<u32>,
    /// Of our members [default: 60000; embedded demo: 10000]
    #[arg(long, env = "HEARTLINE_REBALANCE_TIMEOUT", value_name = "MS", allow_negative_numbers = true, value_parser = millis)]
    pub rebalance_timeout: Option<u32>,
    /// Where the embedded coordinator listens [default: 127.0.0.1:0]
    #[arg(long, env = "HEARTLINE_COORDINATOR_LISTEN", value_name = "ADDR")]
    pub coordinator_listen: Option<HostPort>,
    #[command(flatten)]
    pub coordinator: CoordinatorSettings,
    /// Plays a field incident on the embedded coordinator, faster than life; `list` names them
    #[arg(long, env = "HEARTLINE_SCENARIO", value_name = "NAME|list")]
    pub scenario: Option<String>,
    /// Another value for a parameter of the scenario, such as speed=1 (repeatable)
    #[arg(long = "scenario-set", env = "HEARTLINE_SCENARIO_SET", value_name = "K=V")]
    pub scenario_set: Vec<String>,
    #[command(flatten)]
    pub later: LaterServeFlags,
}

/// What `heartline coordinator` takes.
#[derive(Clone, Debug, Args)]
pub struct CoordinatorArgs {
    /// Where it listens; port 0 picks a free one
    #[arg(
        long,
        env = "HEARTLINE_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:9092"
    )]
    pub listen: HostPort,
    #[command(flatten)]
    pub coordinator: CoordinatorSettings,
}

/// What both commands take for the embedded coordinator.
#[derive(Clone, Debug, Default, Args)]
pub struct CoordinatorSettings {
    /// A setting by Kafka's own name, such as group.initial.rebalance.delay.ms (repeatable)
    #[arg(
        long = "coordinator-config",
        env = "HEARTLINE_COORDINATOR_CONFIG",
        value_name = "K=V",
        value_delimiter = ','
    )]
    pub config: Vec<String>,
    /// Topics of the embedded coordinator [default: demo:6]
    #[arg(long, env = "HEARTLINE_TOPICS", value_name = "NAME:PARTITIONS,...")]
    pub topics: Option<String>,
    /// Where the history is kept, to be there at the next start, and where the embedded coordinator keeps its groups, their
    /// members and offsets, to go on with them [default: nowhere]
    #[arg(long = "data-dir", env = "HEARTLINE_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// Flags of `heartline serve` that later parts bring.
#[derive(Clone, Debug, Default, Args)]
pub struct LaterServeFlags {
    #[arg(long, env = "HEARTLINE_GROUP_PROTOCOL", hide = true)]
    pub group_protocol: Option<OsString>,
    #[arg(long, env = "HEARTLINE_HISTORY", hide = true)]
    pub history: Option<OsString>,
}

/// Which client our members behave as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemberRules {
    /// Today's clients
    Modern,
    /// The consumer of Kafka 0.10.0
    #[value(name = "v0.10")]
    V0_10,
}

/// Kafka carries timeouts as a signed 32-bit number of milliseconds.
fn millis(text: &str) -> Result<u32, String> {
    whole(text, 1, i32::MAX.unsigned_abs())
}

/// A number within bounds, or what is allowed: a number too long for 32 bits is as wrong as a word.
fn whole(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.trim().parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("a whole number from {least} to {most} is allowed"))
}

/// Reads the command line (the program's name first) and the environment.
///
/// # Errors
///
/// A [`Refusal`] with the one line that says which argument is wrong and why; or the text of `--help` and
/// `--version`.
pub fn parse<A>(arguments: A) -> Result<Command, Refusal>
where
    A: IntoIterator,
    A::Item: Into<OsString> + Clone,
{
    let line = Line::try_parse_from(arguments).map_err(|error| Refusal::of_clap(&error))?;
    let command = line
        .command
        .unwrap_or_else(|| Command::Serve(Box::new(line.serve)));
    if let Command::Serve(args) = &command {
        refuse_later(&args.later.given())?;
    }
    Ok(command)
}

/// Refuses the first flag given that is not built yet.
fn refuse_later(given: &[(&str, bool, &str)]) -> Result<(), Refusal> {
    match given.iter().find(|(_, is_given, _)| *is_given) {
        Some((flag, _, with)) => Err(Refusal::usage(format!(
            "{flag}: not built yet: comes with {with}"
        ))),
        None => Ok(()),
    }
}

impl LaterServeFlags {
    /// Flag, whether it is given, and what it comes with.
    fn given(&self) -> [(&'static str, bool, &'static str); 2] {
        [
            ("--group-protocol", self.group_protocol.is_some(), "KIP-848"),
            (
                "--history",
                self.history.is_some(),
                "every group of a real cluster",
            ),
        ]
    }
}

#[cfg(test)]
mod tests;
