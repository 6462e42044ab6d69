//! A command line that makes sense: defaults filled in, every value within what Kafka and we allow.

mod coordinator;
mod members;
mod scenario;

pub use coordinator::CoordinatorConfig;
pub use members::MembersConfig;
pub use scenario::listed as listed_scenarios;

use std::net::IpAddr;
use std::path::PathBuf;

use crate::cli::{CoordinatorArgs, HostPort, Refusal, ServeArgs};
use crate::kafka::address::Address;
use crate::kafka::properties::client::ClientConfig;
use crate::limits;
use crate::scenario::Scenario;

/// All that `heartline serve` needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    pub page: PageConfig,
    pub target: Target,
    pub members: MembersConfig,
    /// What is played on the embedded coordinator, with members of its own.
    pub scenario: Option<Scenario>,
    /// How the connections to a real cluster are made.
    pub client: ClientConfig,
    /// Where the history is kept, and what the embedded coordinator keeps; none keeps nothing.
    pub data_dir: Option<PathBuf>,
}

/// Where the page is served and under which names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConfig {
    pub listen: HostPort,
    /// Names, in lower case, that `Host` may hold beside IP addresses and localhost.
    pub allowed_hosts: Vec<String>,
}

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Our own coordinator, in this process.
    Embedded(CoordinatorConfig),
    /// A real cluster, found over any of these addresses.
    Cluster(Vec<Address>),
}

impl Config {
    /// Judges what the values of a command line mean together.
    ///
    /// # Errors
    ///
    /// One line that names the flag, its value and what is allowed.
    pub fn from_args(args: &ServeArgs) -> Result<Self, Refusal> {
        let client = client(args)?;
        let mut target = Target::from_args(args, &client)?;
        let mut members = MembersConfig::from_args(args, matches!(target, Target::Embedded(_)), &client)?;
        let scenario = scenario::from_args(args)?;
        if let (Some(scenario), Target::Embedded(coordinator)) = (&scenario, &mut target) {
            coordinator.settings = scenario.settings.clone();
            coordinator.topics = scenario.topics.clone();
            members.count = 0;
        }
        Ok(Self {
            page: PageConfig::from_args(args)?,
            target,
            members,
            scenario,
            client,
            data_dir: coordinator::data_dir(&args.coordinator)?,
        })
    }
}

impl PageConfig {
    fn from_args(args: &ServeArgs) -> Result<Self, Refusal> {
        let mut allowed_hosts = vec![args.listen.host.to_ascii_lowercase()];
        for name in &args.allowed_hosts {
            if name.trim().is_empty() {
                return Err(Refusal::usage(
                    "--allowed-host \"\": a host name without a port is needed, as in heartline.example",
                ));
            }
            // The same syntax as a host in host:port; the port is not ours to judge.
            let host = format!("{name}:0").parse::<HostPort>();
            let host = host.map_err(|why| Refusal::usage(format!("--allowed-host {name:?}: {why}")))?;
            allowed_hosts.push(host.host.to_ascii_lowercase());
        }
        Ok(Self {
            listen: args.listen.clone(),
            allowed_hosts,
        })
    }
}

impl Target {
    fn from_args(args: &ServeArgs, client: &ClientConfig) -> Result<Self, Refusal> {
        let servers = servers(args, client)?;
        if servers.is_empty() {
            if args.command_config.is_some() {
                return Err(Refusal::usage(
                    "--command-config is for a real cluster: give --bootstrap-servers too, or bootstrap.servers in it",
                ));
            }
            let listen = args
                .coordinator_listen
                .clone()
                .unwrap_or_else(CoordinatorConfig::any_port);
            return CoordinatorConfig::new(listen, &args.coordinator).map(Self::Embedded);
        }
        for (flag, is_given) in [
            ("--coordinator-listen", args.coordinator_listen.is_some()),
            ("--coordinator-config", !args.coordinator.config.is_empty()),
            ("--topics", args.coordinator.topics.is_some()),
            ("--scenario", args.scenario.is_some()),
        ] {
            if is_given {
                return Err(Refusal::usage(format!(
                    "{flag} is for the embedded coordinator, which --bootstrap-servers replaces: give one of them"
                )));
            }
        }
        if servers.len() > limits::BOOTSTRAP_SERVERS {
            return Err(Refusal::usage(format!(
                "--bootstrap-servers: {} addresses; at most {} are allowed",
                servers.len(),
                limits::BOOTSTRAP_SERVERS
            )));
        }
        let addresses = servers.iter().map(|server| {
            let address = Address::new(&server.host, server.port.into());
            address.map_err(|error| Refusal::usage(format!("--bootstrap-servers: {error}")))
        });
        addresses.collect::<Result<_, _>>().map(Self::Cluster)
    }
}

/// The file of `--command-config`; without one all is as Kafka's clients have it by default.
fn client(args: &ServeArgs) -> Result<ClientConfig, Refusal> {
    let Some(path) = &args.command_config else {
        return Ok(ClientConfig::default());
    };
    let loaded = ClientConfig::load(path);
    loaded.map_err(|problem| Refusal::usage(format!("--command-config {}: {problem}", path.display())))
}

/// Where the cluster is asked first: as Kafka's tools have it, the flag before the file.
fn servers(args: &ServeArgs, client: &ClientConfig) -> Result<Vec<HostPort>, Refusal> {
    match &client.bootstrap_servers {
        Some(listed) if args.bootstrap_servers.is_empty() => {
            let servers = listed
                .split(',')
                .map(str::trim)
                .filter(|server| !server.is_empty());
            let named = |why| Refusal::usage(format!("bootstrap.servers of --command-config: {why}"));
            servers.map(|server| server.parse().map_err(named)).collect()
        }
        _ => Ok(args.bootstrap_servers.clone()),
    }
}

/// What `heartline coordinator` needs to know.
///
/// # Errors
///
/// As [`Config::from_args`].
pub fn coordinator(args: &CoordinatorArgs) -> Result<CoordinatorConfig, Refusal> {
    CoordinatorConfig::new(args.listen.clone(), &args.coordinator)
}

/// Whether only this machine can reach an address.
#[must_use]
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests;
