//! Our schema tables beside Kafka's own: the JSON files that ship in its jars, field by field.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails its test")]

#[path = "kafka_schemas/jars.rs"]
mod jars;

use std::collections::BTreeMap;

use jars::{RELEASES, jars, schemas};
use serde_json::Value;
use shared::protocol::offsets_log::LogRecord;
use shared::protocol::schema::{Field, Kind, Schema, VersionRange};
use shared::protocol::{ApiKey, ConsumerProtocolAssignment, ConsumerProtocolSubscription, Message};

/// Those of them whose keys in the offsets log are compared. Up to 4.0 a key is numbered otherwise: its versions are the
/// types of its record.
const RECORD_RELEASES: [&str; 2] = ["4.3.0", "4.4.0"];

/// The jars with the APIs' schemas.
const CLIENTS: &str = "kafka-clients";
/// The jars with the schemas of the offsets log.
const COORDINATOR: &str = "kafka-group-coordinator";

/// A table, ours or Kafka's, cut to the versions of one release.
#[derive(Debug, PartialEq)]
struct Table {
    name: String,
    flexible: String,
    rows: Vec<Row>,
}

/// A row of it; `ignorable` only where it matters: in a version of the release that does not carry the field.
#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    kind: String,
    versions: String,
    nullable: String,
    tag: Option<(u64, String)>,
    default: String,
    ignorable: Option<bool>,
    rows: Vec<Self>,
}

fn tables() -> Vec<&'static Schema> {
    let apis = ApiKey::ALL
        .iter()
        .flat_map(|key| [key.request_schema(), key.response_schema()]);
    apis.chain([
        ConsumerProtocolSubscription::SCHEMA,
        ConsumerProtocolAssignment::SCHEMA,
    ])
    .collect()
}

#[test]
fn the_tables_equal_the_schemas_in_kafka_s_jars() {
    let Some(jars) = jars(CLIENTS) else { return };
    let mut compared = 0;
    for (release, jar) in RELEASES.iter().zip(&jars) {
        let schemas = schemas(jar);
        for table in tables() {
            let Some(valid) = stable_versions(&schemas, table) else {
                continue;
            };
            assert_eq!(
                ours(table, valid),
                theirs(&schemas[table.name], valid),
                "{} of Kafka {release}",
                table.name
            );
            compared += 1;
        }
    }
    // Share and streams groups came after 4.0.
    assert_eq!(compared, 4 * 44 + 2 * 6);
}

#[test]
fn the_tables_have_the_versions_of_the_releases_and_no_other() {
    let Some(jars) = jars(CLIENTS) else { return };
    let releases: Vec<_> = jars.iter().map(|jar| schemas(jar)).collect();
    for table in tables() {
        let ranges: Vec<VersionRange> = releases
            .iter()
            .filter_map(|schemas| stable_versions(schemas, table))
            .collect();
        let all = VersionRange::new(
            ranges.iter().map(|range| range.min).min().unwrap(),
            ranges.iter().map(|range| range.max).max().unwrap(),
        );
        assert_eq!(table.versions, all, "{}", table.name);
    }
}

#[test]
fn the_keys_are_kafka_s() {
    let Some(jars) = jars(CLIENTS) else { return };
    for schemas in jars.iter().map(|jar| schemas(jar)) {
        for key in ApiKey::ALL {
            for (schema, kind) in [
                (key.request_schema(), "request"),
                (key.response_schema(), "response"),
            ] {
                let Some(json) = schemas.get(schema.name) else {
                    // Streams groups, and how far share groups have come, came after 4.0.
                    let later = [ApiKey::StreamsGroupDescribe, ApiKey::DescribeShareGroupOffsets];
                    assert!(later.contains(key), "{key}");
                    continue;
                };
                assert_eq!(json["apiKey"], i16::from(*key), "{}", schema.name);
                assert_eq!(json["type"], kind, "{}", schema.name);
            }
        }
    }
}

#[test]
fn the_records_of_the_offsets_log_equal_the_schemas_in_kafka_s_jars() {
    let Some(jars) = jars(COORDINATOR) else { return };
    let (mut keys, mut values) = (0, 0);
    for (release, jar) in RELEASES.iter().zip(&jars) {
        let schemas = schemas(jar);
        let numbered_by_type = RECORD_RELEASES.contains(release);
        for table in LogRecord::TABLES {
            let what = format!("{} of Kafka {release}", table.name);
            if numbered_by_type {
                let json = &schemas[&format!("{}Key", table.name)];
                assert_eq!(json["apiKey"], table.kind, "{what}");
                let valid = range(&json["validVersions"]);
                assert_eq!(table.key.versions, valid, "{what}");
                // Kafka has a schema for the key of each type, we have one for all that look alike.
                let named = Table {
                    name: format!("{}Key", table.name),
                    ..ours(table.key, valid)
                };
                assert_eq!(named, theirs(json, valid), "{what}");
                keys += 1;
            }
            // Share and streams groups came after 4.0.
            let is_new = table.name.starts_with("Share") || table.name.starts_with("Streams");
            let name = format!("{}Value", table.name);
            let Some(json) = schemas.get(&name).filter(|_| numbered_by_type || !is_new) else {
                continue;
            };
            let valid = range(&json["validVersions"]);
            if numbered_by_type {
                assert_eq!(json["apiKey"], table.kind, "{what}");
                assert_eq!(table.value.versions, valid, "{what}");
            }
            let (mut ours, theirs) = (ours(table.value, valid), theirs(json, valid));
            without_later_tags(&mut ours.rows, &theirs.rows);
            assert_eq!(ours, theirs, "{what}");
            values += 1;
        }
        let missing = schemas
            .keys()
            .filter(|name| name.ends_with("Value") && !name.starts_with("Legacy"));
        let known = |name: &&String| {
            LogRecord::TABLES
                .iter()
                .any(|table| **name == format!("{}Value", table.name))
        };
        if numbered_by_type {
            assert_eq!(
                missing.filter(|name| !known(name)).collect::<Vec<_>>(),
                Vec::<&String>::new()
            );
        }
    }
    // 3.9 has no resolved patterns yet.
    assert_eq!((keys, values), (2 * 21, 2 * 21 + 8 + 9));
}

#[test]
fn the_types_that_kafka_gave_up_are_told_as_unknown() {
    for kind in [9_i16, 18] {
        let key = [&kind.to_be_bytes()[..], b"\0\x01g"].concat();
        assert_eq!(LogRecord::read(&key, None), Ok(LogRecord::UnknownType(kind)));
    }
}

/// Takes out of our rows the tagged ones that an earlier release does not have: they came without a new version, and its
/// readers skip them.
fn without_later_tags(ours: &mut Vec<Row>, theirs: &[Row]) {
    ours.retain(|row| row.tag.is_none() || theirs.iter().any(|theirs| theirs.name == row.name));
    for (ours, theirs) in ours.iter_mut().zip(theirs) {
        without_later_tags(&mut ours.rows, &theirs.rows);
    }
}

/// The versions of `table` in one release; none where it does not know it or, as of share groups before 4.1, only in a
/// version that nobody gets to see and that is gone by now.
fn stable_versions(schemas: &BTreeMap<String, Value>, table: &Schema) -> Option<VersionRange> {
    let valid = range(&schemas.get(table.name)?["validVersions"]);
    table.versions.intersect(valid)?;
    Some(valid)
}

/// Our table, cut to `valid`.
fn ours(schema: &Schema, valid: VersionRange) -> Table {
    Table {
        name: schema.name.to_owned(),
        flexible: cut(schema.flexible, valid).to_string(),
        rows: schema
            .fields
            .iter()
            .filter_map(|field| our_row(field, valid))
            .collect(),
    }
}

fn our_row(field: &Field, valid: VersionRange) -> Option<Row> {
    let versions = field.versions.intersect(valid)?;
    let (kind, fields) = our_kind(field.kind);
    Some(Row {
        name: field.name.to_owned(),
        versions: versions.to_string(),
        nullable: cut(field.nullable, versions).to_string(),
        tag: field
            .tag
            .map(|(tag, tagged)| (tag.into(), cut(tagged, versions).to_string())),
        default: default(&kind, field.default.unwrap_or_default()),
        ignorable: (versions != valid).then_some(field.ignorable),
        rows: fields
            .iter()
            .filter_map(|field| our_row(field, versions))
            .collect(),
        kind,
    })
}

/// A type in Kafka's words, and its fields where it is a structure or an array of them.
fn our_kind(kind: Kind) -> (String, &'static [Field]) {
    let name = match kind {
        Kind::Bool => "bool",
        Kind::Int8 => "int8",
        Kind::Int16 => "int16",
        Kind::Uint16 => "uint16",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Uuid => "uuid",
        Kind::String => "string",
        Kind::Bytes => "bytes",
        Kind::Records => "records",
        Kind::Structure(structure) => return (structure.name.to_owned(), structure.fields),
        Kind::Array(item) => {
            let (item, fields) = our_kind(*item);
            return (format!("[]{item}"), fields);
        }
    };
    (name.to_owned(), &[])
}

/// Kafka's table, cut to `valid`.
fn theirs(json: &Value, valid: VersionRange) -> Table {
    let mut common = BTreeMap::new();
    for structure in json["commonStructs"].as_array().into_iter().flatten() {
        common.insert(structure["name"].as_str().unwrap(), &structure["fields"]);
    }
    Table {
        name: json["name"].as_str().unwrap().to_owned(),
        flexible: cut(range(&json["flexibleVersions"]), valid).to_string(),
        rows: their_rows(&json["fields"], valid, &common),
    }
}

fn their_rows(fields: &Value, valid: VersionRange, common: &BTreeMap<&str, &Value>) -> Vec<Row> {
    fields
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|field| their_row(field, valid, common))
        .collect()
}

fn their_row(json: &Value, valid: VersionRange, common: &BTreeMap<&str, &Value>) -> Option<Row> {
    // A tagged field may leave its versions out: those of its tag then stand.
    let versions = if json["versions"].is_null() {
        &json["taggedVersions"]
    } else {
        &json["versions"]
    };
    let versions = range(versions).intersect(valid)?;
    let kind = json["type"].as_str().unwrap().to_owned();
    let fields = json
        .get("fields")
        .or_else(|| common.get(kind.trim_start_matches("[]")).copied());
    // A default may be text, a number or a word; the JSON null is no default, the text "null" is one.
    let value = match &json["default"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(Row {
        name: snake(json["name"].as_str().unwrap()),
        versions: versions.to_string(),
        nullable: cut(range(&json["nullableVersions"]), versions).to_string(),
        tag: json["tag"]
            .as_u64()
            .map(|tag| (tag, cut(range(&json["taggedVersions"]), versions).to_string())),
        default: default(&kind, &value),
        ignorable: (versions != valid).then(|| json["ignorable"] == true),
        rows: fields.map_or_else(Vec::new, |fields| their_rows(fields, versions, common)),
        kind,
    })
}

/// A default in one spelling: the zero of a type may be written or left out.
fn default(kind: &str, text: &str) -> String {
    match (kind, text) {
        ("bool", "") => "false".to_owned(),
        (kind, "") if kind.contains("int") && !kind.starts_with("[]") => "0".to_owned(),
        (_, text) => text.to_owned(),
    }
}

fn cut(range: VersionRange, to: VersionRange) -> VersionRange {
    range.intersect(to).unwrap_or(VersionRange::NONE)
}

/// Versions in Kafka's notation; none where the key is absent.
fn range(json: &Value) -> VersionRange {
    let Some(text) = json.as_str().filter(|text| *text != "none") else {
        return VersionRange::NONE;
    };
    let number = |text: &str| text.parse::<i16>().unwrap();
    match (text.strip_suffix('+'), text.split_once('-')) {
        (Some(from), _) => VersionRange::from(number(from)),
        (None, Some((from, to))) => VersionRange::new(number(from), number(to)),
        (None, None) => VersionRange::new(number(text), number(text)),
    }
}

/// `GroupInstanceId` as `group_instance_id`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for char in name.chars() {
        if char.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(char.to_lowercase());
    }
    snake
}
