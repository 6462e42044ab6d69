//! A scenario's file: read, its parameters filled in, every word of it judged before anything is played.

mod step;

pub(super) use step::{Action, Asking, Repeat, Step, Until, When};

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use toml::{Table, Value};

use super::frames::ClientRow;
use super::length::Length;
use super::parameters::{Parameters, Values, fill, settle, words};
use crate::coordinator::config::Config;
use crate::coordinator::topics::Topics;
use crate::limits;
use shared::time::Millis;
use step::StepRow;

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../scenarios/", $name, ".toml")))
    };
}

/// Every file, by the name it is played under.
const FILES: &[(&str, &str)] = &[
    file!("abandoned-join"),
    file!("container-address"),
    file!("displaced-leaders"),
    file!("expired-member"),
    file!("forbidden-group"),
    file!("frozen-partition"),
    file!("healthy-hour"),
    file!("listed-only"),
    file!("never-balanced"),
    file!("no-heartbeats"),
    file!("odd-group-ids"),
    file!("outlived-session"),
    file!("paused-process"),
    file!("restart-overlap"),
    file!("restless-leader"),
    file!("self-fencing"),
    file!("silent-sync"),
    file!("slow-leader"),
    file!("stalled-poll-loop"),
    file!("starved-client"),
    file!("told-to-rejoin"),
    file!("unheeded-move"),
    file!("unused-member-id"),
    file!("unwritable-offsets"),
    file!("zombie-restarts"),
];

/// The parameter that every scenario has: how many times faster than life it is played.
const SPEED: &str = "speed";
/// The parameter that parts played more than once have: the how-manieth it is, from 1.
const NUMBER: &str = "n";

/// A scenario, ready to be played.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is played under.
    pub name: String,
    /// One line that says what happens.
    pub title: String,
    /// The incident it plays, by its number in incidents.md.
    pub incident: String,
    /// How many times faster than life it is to be played.
    pub speed: NonZeroU32,
    /// Kafka's settings of the coordinator it is played on.
    pub settings: Config,
    /// The topics there.
    pub topics: Topics,
    /// Who plays.
    pub(super) parts: Vec<Part>,
}

/// One of those who play.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Where in the file it stands, for whoever reads an error.
    pub(super) place: String,
    /// Its client, where it sends frames.
    pub(super) client: Option<Arc<ClientRow>>,
    /// How long after the scenario's start it begins.
    pub(super) begins: Millis,
    /// How often it goes through its steps.
    pub(super) times: u32,
    /// The steps, and at which of them it begins again: those before are played once.
    pub(super) steps: Arc<[Step]>,
    pub(super) again_from: usize,
}

/// A row of `--scenario list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: &'static str,
    pub incident: String,
    pub title: String,
    /// Each parameter as `name=default`, and what it is.
    pub parameters: Vec<(String, String)>,
}

/// Why a scenario cannot be played: which, where, what, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ScenarioError(String);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    title: String,
    incident: String,
    speed: NonZeroU32,
    #[serde(default)]
    parameters: Parameters,
    #[serde(default)]
    coordinator: Table,
    #[serde(default)]
    part: Vec<Table>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoordinatorRow {
    #[serde(default)]
    topics: String,
    #[serde(default)]
    config: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartRow {
    client: Option<ClientRow>,
    #[serde(default = "one")]
    count: u32,
    #[serde(default)]
    apart_ms: Length,
    #[serde(default = "one")]
    times: u32,
    /// Steps that are played once, before the others.
    #[serde(default)]
    first: Vec<Table>,
    step: Vec<Table>,
}

const fn one() -> u32 {
    1
}

/// Every scenario there is.
///
/// # Errors
///
/// A file is none; a test reads them all.
pub fn list() -> Result<Vec<Listed>, ScenarioError> {
    let row = |(name, text): &(&'static str, &str)| {
        let file: FileRow = parse(name, text)?;
        let described = |(name, parameter): (String, super::parameters::Parameter)| {
            (format!("{name}={}", words(&parameter.default)), parameter.is)
        };
        Ok(Listed {
            name,
            incident: file.incident,
            title: file.title,
            parameters: file.parameters.into_iter().map(described).collect(),
        })
    };
    FILES.iter().map(row).collect()
}

impl Scenario {
    /// The scenario of that name, with these parameters in place of its defaults.
    ///
    /// # Errors
    ///
    /// Names what is wrong and what is allowed.
    pub fn named(name: &str, given: &[(String, String)]) -> Result<Self, ScenarioError> {
        match FILES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::read(name, text, given),
            None => {
                let known: Vec<&str> = FILES.iter().map(|(known, _)| *known).collect();
                Err(ScenarioError(format!(
                    "no scenario {name:?}: {} are allowed",
                    known.join(", ")
                )))
            }
        }
    }

    /// Reads a scenario.
    ///
    /// # Errors
    ///
    /// As [`Self::named`].
    pub fn read(name: &str, text: &str, given: &[(String, String)]) -> Result<Self, ScenarioError> {
        let within = |place: &str, what: String| wrong(name, place, &what);
        let file: FileRow = parse(name, text)?;
        for reserved in [SPEED, NUMBER] {
            if file.parameters.contains_key(reserved) {
                let what = format!("no parameter may be called {reserved}: every scenario has it");
                return Err(within("parameters", what));
            }
        }
        let (speeds, given): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|(key, _)| key == SPEED);
        let speed = match speeds.last() {
            Some((_, text)) => speed(text).map_err(|what| within("parameters", what))?,
            None => file.speed,
        };
        let values = settle(&file.parameters, &given).map_err(|what| within("parameters", what))?;
        let coordinator: CoordinatorRow =
            filled(file.coordinator, &values).map_err(|what| within("coordinator", what))?;
        let settings = Config::from_settings(&coordinator.config)
            .map_err(|error| within("coordinator.config", error.to_string()))?;
        let topics = Topics::parse(&coordinator.topics)
            .map_err(|error| within("coordinator.topics", error.to_string()))?;
        let mut parts = Vec::new();
        for (at, table) in file.part.into_iter().enumerate() {
            let place = format!("part {}", at + 1);
            let more = read_part(&place, &table, &values).map_err(|(place, what)| within(&place, what))?;
            parts.extend(more);
            if parts.len() > limits::SCENARIO_PARTS {
                let what = format!("more than {} parts in all", limits::SCENARIO_PARTS);
                return Err(within(&place, what));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            title: file.title,
            incident: file.incident,
            speed,
            settings,
            topics,
            parts,
        })
    }
}

/// A part, as often as it is played at once. What is wrong comes with its place.
fn read_part(place: &str, table: &Table, values: &Values) -> Result<Vec<Part>, (String, String)> {
    let here = |what: String| (place.to_owned(), what);
    let count = match table.get("count") {
        Some(count) => {
            filled::<CountRow>(Table::from_iter([("count".to_owned(), count.clone())]), values)
                .map_err(here)?
                .count
        }
        None => 1,
    };
    if count as usize > limits::SCENARIO_PARTS {
        let what = format!("count {count}: from 0 to {} is allowed", limits::SCENARIO_PARTS);
        return Err(here(what));
    }
    let mut parts = Vec::new();
    for n in 1..=count {
        let mut values = values.clone();
        values.insert(NUMBER.to_owned(), Value::Integer(n.into()));
        let row: PartRow = filled(table.clone(), &values).map_err(here)?;
        let Length(apart) = row.apart_ms;
        let mut steps = Vec::new();
        let again_from = row.first.len();
        for (at, step) in row.first.into_iter().chain(row.step).enumerate() {
            let step: Result<Step, String> = Value::Table(step)
                .try_into::<StepRow>()
                .map_err(|error| error.message().to_owned())
                .and_then(|step| step.read(row.client.is_some()));
            steps.push(step.map_err(|what| (format!("{place}, step {}", at + 1), what))?);
        }
        parts.push(Part {
            place: match row.count {
                1 => place.to_owned(),
                _ => format!("{place} ({n} of {count})"),
            },
            client: row.client.map(Arc::new),
            begins: Millis(apart.0.saturating_mul(u64::from(n) - 1)),
            times: row.times,
            steps: steps.into(),
            again_from,
        });
    }
    Ok(parts)
}

#[derive(Debug, Deserialize)]
struct CountRow {
    count: u32,
}

fn speed(text: &str) -> Result<NonZeroU32, String> {
    let most = limits::SCENARIO_SPEED;
    text.trim()
        .parse::<NonZeroU32>()
        .ok()
        .filter(|speed| *speed <= most)
        .ok_or_else(|| format!("{SPEED}={text:?}: a whole number from 1 to {most} is allowed"))
}

fn parse(name: &str, text: &str) -> Result<FileRow, ScenarioError> {
    toml::from_str(text).map_err(|error| wrong(name, "the file", error.to_string().trim()))
}

fn filled<T: DeserializeOwned>(table: Table, values: &Values) -> Result<T, String> {
    let mut value = Value::Table(table);
    fill(&mut value, values)?;
    value.try_into::<T>().map_err(|error| error.message().to_owned())
}

fn wrong(name: &str, place: &str, what: &str) -> ScenarioError {
    ScenarioError(format!("scenario {name}, {place}: {what}"))
}
