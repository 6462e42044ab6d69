//! The scenario that is played, if one is: it brings its own coordinator's settings, topics and members.

use crate::cli::{Refusal, ServeArgs};
use crate::scenario::{Scenario, list};

/// The word that lists them instead of playing one.
const LIST: &str = "list";

/// What `--scenario list` prints: each by name, with what it plays; none where something else was asked for.
///
/// # Errors
///
/// As [`Scenario::named`].
pub fn listed(args: &ServeArgs) -> Result<Option<String>, Refusal> {
    if args.scenario.as_deref() != Some(LIST) {
        return Ok(None);
    }
    let rows = list().map_err(|error| Refusal::usage(format!("--scenario list: {error}")))?;
    let widest = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{:widest$}  {}: {}", row.name, row.incident, row.title))
        .collect();
    Ok(Some(lines.join("\n")))
}

/// The scenario of a command line.
pub(super) fn from_args(args: &ServeArgs) -> Result<Option<Scenario>, Refusal> {
    let Some(name) = &args.scenario else {
        return match args.scenario_set.first() {
            Some(set) => Err(Refusal::usage(format!(
                "--scenario-set {set:?} is a parameter of a scenario: --scenario NAME is needed"
            ))),
            None => Ok(None),
        };
    };
    for (flag, is_given) in [
        ("--coordinator-config", !args.coordinator.config.is_empty()),
        ("--topics", args.coordinator.topics.is_some()),
        ("--data-dir", args.coordinator.data_dir.is_some()),
        ("--probe-group", args.probe_group.is_some()),
        ("--members", args.members.is_some()),
        ("--heartbeat-interval", args.heartbeat_interval.is_some()),
        ("--session-timeout", args.session_timeout.is_some()),
        ("--rebalance-timeout", args.rebalance_timeout.is_some()),
    ] {
        if is_given {
            return Err(Refusal::usage(format!(
                "{flag} cannot be given with --scenario, which has its own members, topics and settings: --scenario-set \
                 changes those it names"
            )));
        }
    }
    let mut given: Vec<(String, String)> = Vec::new();
    for set in &args.scenario_set {
        let Some((parameter, value)) = set.split_once('=') else {
            return Err(Refusal::usage(format!(
                "--scenario-set {set:?}: NAME=VALUE is allowed, such as speed=1"
            )));
        };
        if let Some((_, before)) = given.iter().find(|(known, _)| known == parameter) {
            return Err(Refusal::usage(format!(
                "--scenario-set {set:?}: {parameter} is given already, as {before:?}: each parameter at most once"
            )));
        }
        given.push((parameter.to_owned(), value.to_owned()));
    }
    let scenario = Scenario::named(name, &given);
    scenario
        .map(Some)
        .map_err(|error| Refusal::usage(format!("--scenario: {error}")))
}
