//! DescribeConfigs: what topics and the broker are set to, by Kafka's names. Every value is the one that is in force here.

use std::fmt::Display;

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

/// One setting.
struct Row {
    name: &'static str,
    value: String,
    /// Kafka's own value where ours is another.
    default: Option<String>,
    kind: i8,
    meaning: String,
}

impl Row {
    fn new(name: &'static str, value: impl Display, kind: i8, meaning: impl Into<String>) -> Self {
        Self {
            name,
            value: value.to_string(),
            default: None,
            kind,
            meaning: meaning.into(),
        }
    }

    /// With Kafka's default, where the value is another.
    fn default_is(self, default: impl Display) -> Self {
        let default = default.to_string();
        Self {
            default: (default != self.value).then_some(default),
            ..self
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

fn of_a_topic() -> Vec<Row> {
    vec![
        Row::new(
            "cleanup.policy",
            "delete",
            LIST,
            "Old batches are deleted, none is compacted.",
        ),
        Row::new(
            "compression.type",
            "producer",
            STRING,
            "Batches are kept as their producers compressed them.",
        ),
        Row::new(
            "max.message.bytes",
            limits::LOG_BATCH_BYTES,
            INT,
            "Bytes of one record batch.",
        ),
        Row::new(
            "message.timestamp.after.max.ms",
            partitions::TIMESTAMP_AFTER_MAX_MS,
            LONG,
            "How far ahead a record's time may lie.",
        ),
        Row::new(
            "message.timestamp.type",
            "CreateTime",
            STRING,
            "Records keep the time of their producers.",
        ),
        Row::new(
            "min.insync.replicas",
            1,
            INT,
            "Replicas that must have a record before its producer is told.",
        ),
        Row::new(
            "retention.bytes",
            limits::LOG_BYTES,
            LONG,
            "Bytes of batches kept for all partitions of all topics together; the oldest go first.",
        )
        .default_is(-1),
        Row::new(
            "retention.ms",
            -1,
            LONG,
            "No batch is deleted because of its age.",
        )
        .default_is(604_800_000_u64),
    ]
}

fn of_the_broker(config: &Config) -> Vec<Row> {
    let mut rows = vec![
        Row::new(
            "auto.create.topics.enable",
            false,
            BOOLEAN,
            "The topics are those of --topics.",
        )
        .default_is(true),
        Row::new("broker.id", NODE.0, INT, "The one broker there is.").default_is(-1),
        Row::new(
            "compression.type",
            "producer",
            STRING,
            "Batches are kept as their producers compressed them.",
        ),
        Row::new(
            "default.replication.factor",
            1,
            INT,
            "Replicas of each partition.",
        ),
        Row::new(
            "fetch.max.bytes",
            limits::FETCH_BYTES,
            INT,
            "Bytes of records in one answer to Fetch.",
        )
        .default_is(57_671_680),
        Row::new(
            "group.coordinator.rebalance.protocols",
            "classic",
            LIST,
            "How groups are coordinated.",
        )
        .default_is("classic,consumer,streams"),
        Row::new(
            "log.cleanup.policy",
            "delete",
            LIST,
            "Old batches are deleted, none is compacted.",
        ),
        Row::new(
            "log.message.timestamp.after.max.ms",
            partitions::TIMESTAMP_AFTER_MAX_MS,
            LONG,
            "How far ahead a record's time may lie.",
        ),
        Row::new(
            "log.message.timestamp.type",
            "CreateTime",
            STRING,
            "Records keep the time of their producers.",
        ),
        Row::new(
            "log.retention.bytes",
            limits::LOG_BYTES,
            LONG,
            "Bytes of batches kept for all partitions of all topics together; the oldest go first.",
        )
        .default_is(-1),
        Row::new(
            "log.retention.ms",
            -1,
            LONG,
            "No batch is deleted because of its age.",
        )
        .default_is("null"),
        Row::new(
            "message.max.bytes",
            limits::LOG_BATCH_BYTES,
            INT,
            "Bytes of one record batch.",
        ),
        Row::new(
            "min.insync.replicas",
            1,
            INT,
            "Replicas that must have a record before its producer is told.",
        ),
        Row::new(
            "socket.request.max.bytes",
            limits::COORDINATOR_FRAME,
            INT,
            "Bytes of one request.",
        )
        .default_is(104_857_600),
    ];
    let kafkas = Config::default();
    let given = config.settings().zip(kafkas.settings());
    rows.extend(given.map(|((name, value, allowed), (_, default, _))| {
        Row::new(name, value, LONG, format!("Allowed is {allowed}.")).default_is(default)
    }));
    rows.sort_by_key(|row| row.name);
    rows
}
