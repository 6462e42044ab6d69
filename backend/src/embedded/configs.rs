//! DescribeConfigs: what topics and the broker are set to, by Kafka's names. Every value is the one that is in force here.

use std::fmt::{self, Display, Formatter};

use shared::error_code as code;
use shared::protocol::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult, DescribeConfigsResponse,
    DescribeConfigsResult, DescribeConfigsSynonym,
};

use super::NODE;
use crate::coordinator::config::Config;
use crate::coordinator::topics::Topics;
use crate::{limits, partitions};

/// Kafka's kinds of resource that are described.
const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const GROUP: i8 = 32;

/// Kafka's types of value.
const BOOLEAN: i8 = 1;
const STRING: i8 = 2;
const INT: i8 = 3;
const LONG: i8 = 5;
const LIST: i8 = 7;

/// Where a value comes from: set for this broker, or as Kafka has it when nothing is set.
const STATIC: i8 = 4;
const DEFAULT: i8 = 5;

/// A setting that is the same in every run.
struct Fixed {
    name: &'static str,
    value: Value,
    /// Kafka's own value.
    default: Value,
    kind: i8,
    meaning: &'static str,
}

#[derive(Clone, Copy)]
enum Value {
    Text(&'static str),
    Number(usize),
    /// Kafka's -1: no bound.
    Unbounded,
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Unbounded => f.write_str("-1"),
        }
    }
}

const AS_PRODUCED: &str = "Batches are kept as their producers compressed them.";
const BATCH_BYTES: &str = "Bytes of one record batch.";
const IN_SYNC: &str = "Replicas that must have a record before its producer is told.";
const KEPT_BYTES: &str =
    "Bytes of batches kept for all partitions of all topics together; the oldest go first.";
const KEPT_FOR_EVER: &str = "No batch is deleted because of its age.";
const NOT_COMPACTED: &str = "Old batches are deleted, none is compacted.";
const PRODUCERS_TIME: &str = "Records keep the time of their producers.";
const TIME_AHEAD: &str = "How far ahead a record's time may lie.";

const fn fixed(name: &'static str, value: Value, default: Value, kind: i8, meaning: &'static str) -> Fixed {
    Fixed {
        name,
        value,
        default,
        kind,
        meaning,
    }
}

/// One that is as in Kafka.
const fn usual(name: &'static str, value: Value, kind: i8, meaning: &'static str) -> Fixed {
    fixed(name, value, value, kind, meaning)
}

const BATCH: Value = Value::Number(limits::LOG_BATCH_BYTES);
const AHEAD: Value = Value::Number(partitions::TIMESTAMP_AFTER_MAX_MS as usize);
const KEPT: Value = Value::Number(limits::LOG_BYTES);
const ANSWER: Value = Value::Number(limits::FETCH_BYTES);
const FRAME: Value = Value::Number(limits::COORDINATOR_FRAME);
const NODE_ID: Value = Value::Number(NODE.0 as usize);
const A_WEEK: Value = Value::Number(604_800_000);
const ONE: Value = Value::Number(1);
const ALL_PROTOCOLS: Value = Value::Text("classic,consumer,streams");

/// Each topic's.
const OF_A_TOPIC: [Fixed; 8] = [
    usual("cleanup.policy", Value::Text("delete"), LIST, NOT_COMPACTED),
    usual("compression.type", Value::Text("producer"), STRING, AS_PRODUCED),
    usual("max.message.bytes", BATCH, INT, BATCH_BYTES),
    usual("message.timestamp.after.max.ms", AHEAD, LONG, TIME_AHEAD),
    usual(
        "message.timestamp.type",
        Value::Text("CreateTime"),
        STRING,
        PRODUCERS_TIME,
    ),
    usual("min.insync.replicas", ONE, INT, IN_SYNC),
    fixed("retention.bytes", KEPT, Value::Unbounded, LONG, KEPT_BYTES),
    fixed("retention.ms", Value::Unbounded, A_WEEK, LONG, KEPT_FOR_EVER),
];

/// The broker's, beside what an operator can set.
#[rustfmt::skip]
const OF_THE_BROKER: [Fixed; 14] = [
    fixed("auto.create.topics.enable", Value::Text("false"), Value::Text("true"), BOOLEAN, "The topics are those of --topics."),
    fixed("broker.id", NODE_ID, Value::Unbounded, INT, "The one broker there is."),
    usual("compression.type", Value::Text("producer"), STRING, AS_PRODUCED),
    usual("default.replication.factor", ONE, INT, "Replicas of each partition."),
    fixed("fetch.max.bytes", ANSWER, Value::Number(57_671_680), INT, "Bytes of records in one answer to Fetch."),
    fixed("group.coordinator.rebalance.protocols", Value::Text("classic"), ALL_PROTOCOLS, LIST, "How groups are coordinated."),
    usual("log.cleanup.policy", Value::Text("delete"), LIST, NOT_COMPACTED),
    usual("log.message.timestamp.after.max.ms", AHEAD, LONG, TIME_AHEAD),
    usual("log.message.timestamp.type", Value::Text("CreateTime"), STRING, PRODUCERS_TIME),
    fixed("log.retention.bytes", KEPT, Value::Unbounded, LONG, KEPT_BYTES),
    fixed("log.retention.ms", Value::Unbounded, A_WEEK, LONG, KEPT_FOR_EVER),
    usual("message.max.bytes", BATCH, INT, BATCH_BYTES),
    usual("min.insync.replicas", ONE, INT, IN_SYNC),
    fixed("socket.request.max.bytes", FRAME, Value::Number(104_857_600), INT, "Bytes of one request."),
];

/// One setting as it is told.
struct Row {
    name: &'static str,
    value: String,
    /// Kafka's own value where ours is another.
    default: Option<String>,
    kind: i8,
    meaning: String,
}

impl Row {
    fn new(
        name: &'static str,
        value: impl Display,
        default: impl Display,
        kind: i8,
        meaning: impl Into<String>,
    ) -> Self {
        let (value, default) = (value.to_string(), default.to_string());
        Self {
            name,
            default: (default != value).then_some(default),
            value,
            kind,
            meaning: meaning.into(),
        }
    }

    fn told(self, request: &DescribeConfigsRequest) -> DescribeConfigsResourceResult {
        let synonym = |value: &String, source| DescribeConfigsSynonym {
            name: self.name.into(),
            value: Some(value.clone()),
            source,
        };
        let mut synonyms = Vec::new();
        if request.include_synonyms {
            match &self.default {
                Some(default) => synonyms.extend([synonym(&self.value, STATIC), synonym(default, DEFAULT)]),
                None => synonyms.push(synonym(&self.value, DEFAULT)),
            }
        }
        DescribeConfigsResourceResult {
            name: self.name.into(),
            config_source: if self.default.is_some() { STATIC } else { DEFAULT },
            value: Some(self.value),
            // Nothing is set while it runs.
            read_only: true,
            synonyms,
            config_type: self.kind,
            documentation: request.include_documentation.then_some(self.meaning),
            ..DescribeConfigsResourceResult::default()
        }
    }
}

/// Answers DescribeConfigs.
pub(super) fn describe(
    config: &Config,
    topics: &Topics,
    request: &DescribeConfigsRequest,
) -> DescribeConfigsResponse {
    let results = request.resources.iter().map(|resource| {
        let result = DescribeConfigsResult {
            error_message: None,
            resource_type: resource.resource_type,
            resource_name: resource.resource_name.clone(),
            ..DescribeConfigsResult::default()
        };
        match rows(config, topics, resource) {
            Ok(rows) => DescribeConfigsResult {
                configs: rows
                    .into_iter()
                    .filter(|row| is_asked_for(resource, row.name))
                    .map(|row| row.told(request))
                    .collect(),
                ..result
            },
            Err((error_code, why)) => DescribeConfigsResult {
                error_code,
                error_message: Some(why),
                ..result
            },
        }
    });
    DescribeConfigsResponse {
        results: results.collect(),
        ..DescribeConfigsResponse::default()
    }
}

/// No names mean all settings, as Kafka's brokers take it.
fn is_asked_for(resource: &DescribeConfigsResource, name: &str) -> bool {
    let keys = resource.configuration_keys.as_deref().unwrap_or_default();
    keys.is_empty() || keys.iter().any(|key| key == name)
}

fn rows(
    config: &Config,
    topics: &Topics,
    resource: &DescribeConfigsResource,
) -> Result<Vec<Row>, (i16, String)> {
    let name = resource.resource_name.as_str();
    match resource.resource_type {
        TOPIC if topics.by_name(name).is_some() => Ok(of_a_topic()),
        TOPIC => Err((
            code::UNKNOWN_TOPIC_OR_PARTITION,
            format!("there is no topic {name:?}"),
        )),
        // Kafka's name for what is set for all brokers while they run: nothing.
        BROKER if name.is_empty() => Ok(Vec::new()),
        BROKER if name == NODE.0.to_string() => Ok(of_the_broker(config)),
        BROKER => Err((
            code::INVALID_REQUEST,
            format!("there is no broker {name:?}: the only one is {}", NODE.0),
        )),
        GROUP if name.is_empty() => Err((code::INVALID_REQUEST, "a group's name is empty".into())),
        // A group has no settings of its own in the classic protocol: all come from its members and the broker.
        GROUP => Ok(Vec::new()),
        other => Err((
            code::INVALID_REQUEST,
            format!(
                "resources of kind {other} have no settings here (known: topics 2, brokers 4, groups 32)"
            ),
        )),
    }
}

fn told(fixed: &Fixed) -> Row {
    Row::new(fixed.name, fixed.value, fixed.default, fixed.kind, fixed.meaning)
}

fn of_a_topic() -> Vec<Row> {
    OF_A_TOPIC.iter().map(told).collect()
}

fn of_the_broker(config: &Config) -> Vec<Row> {
    let kafkas = Config::default();
    let given = config.settings().zip(kafkas.settings());
    let given = given.map(|((name, value, allowed), (_, default, _))| {
        Row::new(name, value, default, LONG, format!("Allowed is {allowed}."))
    });
    let mut rows: Vec<Row> = OF_THE_BROKER.iter().map(told).chain(given).collect();
    rows.sort_by_key(|row| row.name);
    rows
}
