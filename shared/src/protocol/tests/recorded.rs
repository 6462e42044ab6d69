//! `tests/vectors.json`: 179 requests and answers that clients, brokers and other libraries wrote. Each entry
//! names its source and its licence.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::hex;
use crate::protocol::schema::{Field, Kind};
use crate::protocol::{
    AnyRequest, AnyResponse, ApiKey, ConsumerProtocol, ConsumerProtocolAssignment,
    ConsumerProtocolSubscription, DecodeError, Decoded, FrameReader, RequestHeader, Schema,
    decode_response_header, encode_request, encode_response,
};

/// One entry.
struct Recorded {
    entry: Value,
    key: ApiKey,
    version: i16,
    is_request: bool,
    bytes: Vec<u8>,
}

fn recorded() -> Vec<Recorded> {
    let entries: Vec<Value> = serde_json::from_str(include_str!("../../../../tests/vectors.json")).unwrap();
    assert_eq!(entries.len(), 179);
    let read = |entry: Value| Recorded {
        key: ApiKey::try_from(int(&entry["api_key"])).unwrap(),
        version: int(&entry["version"]),
        is_request: entry["direction"] == "request",
        bytes: hex::bytes(entry["hex"].as_str().unwrap()),
        entry,
    };
    entries.into_iter().map(read).collect()
}

fn int(value: &Value) -> i16 {
    value.as_i64().unwrap().try_into().unwrap()
}

/// What an entry holds: a request or an answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Body {
    Request(AnyRequest),
    Response(AnyResponse),
}

impl Recorded {
    fn is_frame(&self) -> bool {
        self.entry["framing"] == "frame"
    }

    /// The one entry that a vendor's broker wrote without `throttle_time_ms`.
    fn omits_throttle(&self) -> bool {
        self.entry["decoded"].get("_note").is_some()
    }

    fn schema(&self) -> &'static Schema {
        if self.is_request {
            self.key.request_schema()
        } else {
            self.key.response_schema()
        }
    }

    fn decode(&self, body: &[u8]) -> Result<Body, DecodeError> {
        if self.is_request {
            AnyRequest::decode(self.key, self.version, body).map(Body::Request)
        } else {
            AnyResponse::decode(self.key, self.version, body).map(Body::Response)
        }
    }

    fn encode(&self, body: &Body) -> Vec<u8> {
        let mut out = Vec::new();
        match body {
            Body::Request(request) => request.encode(self.version, &mut out),
            Body::Response(response) => response.encode(self.version, &mut out),
        }
        .unwrap();
        out
    }

    /// The body behind the frame's header, and the header's meaning.
    fn unwrapped<'a>(&self, frame: &'a [u8]) -> Result<(Value, &'a [u8]), DecodeError> {
        if self.is_request {
            let (header, body) = RequestHeader::decode(frame)?;
            let key = ApiKey::try_from(header.key).unwrap();
            let meaning = json!({
                "api_key": header.key,
                "api": key.name(),
                "api_version": header.version,
                "correlation_id": header.correlation_id,
                "client_id": header.client_id,
                "header_version": key.request_header_version(header.version),
            });
            Ok((meaning, body))
        } else {
            let (correlation_id, body) = decode_response_header(self.key, self.version, frame)?;
            Ok((json!({ "correlation_id": correlation_id }), body))
        }
    }

    /// The frame without its length.
    fn frame(&self) -> Vec<u8> {
        let mut reader = FrameReader::new(1 << 20);
        reader.push(&self.bytes);
        let frame = reader.next_frame().unwrap().unwrap();
        assert_eq!(reader.pending(), 0);
        assert_eq!(self.entry["decoded"]["size"], frame.len());
        frame
    }

    /// The body, what it should mean, and what it is.
    fn decoded(&self) -> (Vec<u8>, &Value, Body) {
        let decoded = &self.entry["decoded"];
        if !self.is_frame() {
            return (self.bytes.clone(), decoded, self.decode(&self.bytes).unwrap());
        }
        let frame = self.frame();
        let (header, body) = self.unwrapped(&frame).unwrap();
        assert_eq!(header, decoded["header"], "{self}");
        (body.to_vec(), &decoded["body"], self.decode(body).unwrap())
    }
}

impl std::fmt::Display for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let direction = if self.is_request { "request" } else { "answer" };
        write!(
            f,
            "{} {direction} version {} of {}",
            self.key, self.version, self.entry["source"]
        )
    }
}

/// `value` in Kafka's names, with what `version` carries and nothing else; bytes as hexadecimal digits.
fn meaning(value: &impl Serialize, fields: &[Field], version: i16) -> Value {
    cut(serde_json::to_value(value).unwrap(), fields, version)
}

fn cut(value: Value, fields: &[Field], version: i16) -> Value {
    let Value::Object(mut members) = value else {
        panic!("{value} where a structure should be")
    };
    let mut kept = Map::new();
    for field in fields {
        let name = pascal(field.name);
        let member = members.remove(&name).unwrap();
        if field.versions.contains(version) {
            kept.insert(name, cut_value(member, field.kind, version));
        }
    }
    assert!(members.is_empty(), "{members:?}");
    Value::Object(kept)
}

fn cut_value(value: Value, kind: Kind, version: i16) -> Value {
    match (kind, value) {
        (Kind::Structure(structure), value @ Value::Object(_)) => cut(value, structure.fields, version),
        (Kind::Bytes, Value::Array(bytes)) => {
            let bytes: Vec<u8> = bytes
                .iter()
                .map(|byte| byte.as_u64().unwrap().try_into().unwrap())
                .collect();
            Value::String(hex::text(&bytes))
        }
        (Kind::Array(item), Value::Array(items)) => items
            .into_iter()
            .map(|value| cut_value(value, *item, version))
            .collect(),
        (_, value) => value,
    }
}

/// `group_id` as `GroupId`.
fn pascal(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}

#[test]
fn every_recorded_message_means_what_its_entry_says() {
    for recorded in recorded() {
        let (_, expected, body) = recorded.decoded();
        let mut actual = meaning(&body, recorded.schema().fields, recorded.version);
        if recorded.omits_throttle() {
            assert_eq!(actual["ThrottleTimeMs"], 0);
            assert_eq!(actual["ErrorCode"], 0);
            assert_eq!(actual["ApiKeys"].as_array().unwrap().len(), 34);
            continue;
        }
        // Entries name a tagged field only where it was written.
        for field in recorded.schema().fields {
            let name = pascal(field.name);
            if field.tag_in(recorded.version).is_some() && expected.get(&name).is_none() {
                actual.as_object_mut().unwrap().remove(&name);
            }
        }
        assert_eq!(&actual, expected, "{recorded}");
    }
}

#[test]
fn every_recorded_message_is_written_as_it_was_recorded() {
    for recorded in recorded() {
        let (body, _, value) = recorded.decoded();
        let mut written = recorded.encode(&value);
        if recorded.omits_throttle() {
            assert_eq!(written.split_off(body.len()), [0; 4], "{recorded}");
        }
        assert_eq!(hex::text(&written), hex::text(&body), "{recorded}");
    }
}

#[test]
fn every_recorded_frame_is_written_as_it_was_recorded() {
    let frames: Vec<Recorded> = recorded().into_iter().filter(Recorded::is_frame).collect();
    assert_eq!(frames.len(), 62);
    for recorded in frames {
        let frame = recorded.frame();
        let (header, _) = recorded.unwrapped(&frame).unwrap();
        let (_, _, value) = recorded.decoded();
        let written = match &value {
            Body::Request(request) => {
                let (header, _) = RequestHeader::decode(&frame).unwrap();
                encode_request(&header, request)
            }
            Body::Response(response) => {
                let correlation_id = header["correlation_id"].as_i64().unwrap().try_into().unwrap();
                encode_response(recorded.key, recorded.version, correlation_id, response)
            }
        };
        assert_eq!(
            written.map(|bytes| hex::text(&bytes)),
            Ok(hex::text(&recorded.bytes)),
            "{recorded}"
        );
    }
}

#[test]
fn every_other_truncation_of_a_recorded_message_is_refused_or_incomplete() {
    for recorded in recorded() {
        let (body, _, _) = recorded.decoded();
        for length in 0..body.len() {
            // What one vendor's brokers send, and what we read it from.
            let is_whole_without_throttle =
                recorded.key == ApiKey::ApiVersions && recorded.version == 1 && length + 4 == body.len();
            if is_whole_without_throttle && !recorded.is_request && !recorded.omits_throttle() {
                continue;
            }
            assert!(
                recorded.decode(&body[..length]).is_err(),
                "{recorded}: {length} bytes"
            );
        }
        for length in 0..if recorded.is_frame() {
            recorded.bytes.len()
        } else {
            0
        } {
            let mut reader = FrameReader::new(1 << 20);
            reader.push(&recorded.bytes[..length]);
            assert_eq!(reader.next_frame(), Ok(None), "{recorded}: {length} bytes");
        }
    }
}

#[test]
fn recorded_subscriptions_and_assignments_mean_what_their_entry_says() {
    let (mut known, mut raw) = (0, 0);
    for recorded in recorded() {
        let Some(embedded) = recorded.entry.get("embedded") else {
            continue;
        };
        let (_, _, body) = recorded.decoded();
        let body = meaning(&body, recorded.schema().fields, recorded.version);
        for (path, expected) in embedded.as_object().unwrap() {
            let bytes = hex::bytes(find(&body, path).as_str().unwrap());
            let is_raw = expected.get("undecodable_as_consumer_protocol").is_some();
            if path.ends_with("Metadata") {
                check::<ConsumerProtocolSubscription>(&bytes, expected, is_raw);
            } else {
                check::<ConsumerProtocolAssignment>(&bytes, expected, is_raw);
            }
            if is_raw { raw += 1 } else { known += 1 }
        }
    }
    assert!(known > 20 && raw > 20, "{known} known, {raw} raw");
}

fn check<T: ConsumerProtocol + Serialize + PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    expected: &Value,
    is_raw: bool,
) {
    if is_raw {
        assert_eq!(T::read(bytes), Decoded::Raw(bytes.to_vec()));
        return;
    }
    let (version, value) = T::try_read(bytes).unwrap();
    let mut actual = meaning(&value, T::SCHEMA.fields, version);
    actual["_version"] = version.into();
    assert_eq!(&actual, expected);
    assert_eq!(value.to_bytes(version).as_deref(), Ok(bytes));
}

/// What stands at `path` in `body`: names with dots between, in brackets a place in an array or the name of
/// its item, before all a group's id where the answer is one for each group.
fn find<'a>(body: &'a Value, path: &str) -> &'a Value {
    let mut at = body;
    let mut path = path;
    if let Some(groups) = body["Groups"].as_array() {
        let is_named = |group: &&Value| path.starts_with(group["GroupId"].as_str().unwrap());
        at = groups.iter().find(is_named).unwrap();
        path = &path[at["GroupId"].as_str().unwrap().len() + 1..];
    }
    for step in path.split('.') {
        let (name, index) = step.split_once('[').unwrap_or((step, ""));
        at = &at[name];
        if let Some(index) = index.strip_suffix(']') {
            let items = at.as_array().unwrap();
            at = match index.parse::<usize>() {
                Ok(place) => &items[place],
                Err(_) => items.iter().find(|item| item["Name"] == index).unwrap(),
            };
        }
    }
    at
}
