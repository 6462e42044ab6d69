//! From a request's body to a fault, or one sentence: which field, which value, what is allowed.
//!
//! Judged by hand before serde sees it, whose words are for whoever wrote the types.

use serde_json::{Map, Value};
use shared::error_code;
use shared::fault::{Fault, Field, Kind, SHAPES, Shape};

/// Characters of a wrong value that the sentence repeats.
const SHOWN: usize = 80;

/// Reads a fault.
///
/// # Errors
///
/// The sentence for whoever sent it.
pub fn read(body: &[u8]) -> Result<Fault, String> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err("the body is empty: {\"fault\": NAME, ...} is allowed".to_owned());
    }
    let value: Value =
        serde_json::from_slice(body).map_err(|error| format!("the body is not JSON ({error})"))?;
    let Value::Object(fields) = &value else {
        let value = shown(&value);
        return Err(format!(
            "the body {value} is no object: {{\"fault\": NAME, ...}} is allowed"
        ));
    };
    judge(fields)?;
    let without_nulls = fields.iter().filter(|(_, value)| !value.is_null());
    let given: Map<String, Value> = without_nulls
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    serde_json::from_value(Value::Object(given)).map_err(|error| error.to_string())
}

/// Whether a fault that was not read from a request stays within its bounds.
///
/// # Errors
///
/// The sentence for whoever made it.
pub(super) fn check_bounds(fault: &Fault) -> Result<(), String> {
    match serde_json::to_value(fault) {
        Ok(Value::Object(fields)) => judge(&fields),
        // Every fault is an object of plain values.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn judge(fields: &Map<String, Value>) -> Result<(), String> {
    let shape = shape(fields)?;
    for name in fields.keys().filter(|name| *name != "fault") {
        if !shape.fields.iter().any(|field| field.name == name) {
            return Err(format!(
                "the fault {} takes no field {}: {} is allowed",
                shape.name,
                shown(&Value::from(name.as_str())),
                names(shape.fields.iter().map(|field| field.name), "none")
            ));
        }
    }
    for field in shape.fields {
        match fields.get(field.name) {
            Some(value) => check(field, value)?,
            None if field.required => {
                return Err(format!(
                    "the fault {} needs {}: {}",
                    shape.name, field.name, field.takes
                ));
            }
            None => {}
        }
    }
    Ok(())
}

fn shape(fields: &Map<String, Value>) -> Result<&'static Shape, String> {
    let all = || names(SHAPES.iter().map(|shape| shape.name), "none");
    let Some(value) = fields.get("fault") else {
        return Err(format!("the field fault is missing: {} is allowed", all()));
    };
    let found = SHAPES.iter().find(|shape| value.as_str() == Some(shape.name));
    found.ok_or_else(|| format!("fault {} is not known: {} is allowed", shown(value), all()))
}

fn check(field: &Field, value: &Value) -> Result<(), String> {
    if value.is_null() && !field.required {
        return Ok(());
    }
    let (good, allowed) = match field.kind {
        Kind::Number { least, most, .. } => (
            value.as_i64().is_some_and(|n| (least..=most).contains(&n)),
            format!("a whole number from {least} to {most}"),
        ),
        Kind::Answer => (is_answer(value), field.takes.to_owned()),
        Kind::Code { codes } => (
            code_of(value).is_some_and(|code| codes.contains(&code)),
            field.takes.to_owned(),
        ),
        Kind::Word { words } => (
            value.as_str().is_some_and(|word| words.contains(&word)),
            field.takes.to_owned(),
        ),
        Kind::Text { most } => (
            value
                .as_str()
                .is_some_and(|text| (1..=most).contains(&text.len())),
            format!("{}, of 1 to {most} bytes", field.takes),
        ),
        Kind::Member | Kind::Group | Kind::Api => (value.is_string(), field.takes.to_owned()),
    };
    if good {
        Ok(())
    } else {
        Err(format!(
            "{} {} is not allowed: {allowed} is",
            field.name,
            shown(value)
        ))
    }
}

fn code_of(value: &Value) -> Option<i16> {
    match value {
        Value::String(name) => error_code::named(name).map(|row| row.number),
        _ => value.as_i64().and_then(|code| i16::try_from(code).ok()),
    }
}

fn is_answer(value: &Value) -> bool {
    value.as_str() == Some("disconnect") || code_of(value).is_some()
}

/// A value as JSON, cut where it is long.
fn shown(value: &Value) -> String {
    let whole = value.to_string();
    match whole.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default()),
        None => whole,
    }
}

fn names<'a>(all: impl Iterator<Item = &'a str>, none: &str) -> String {
    let all: Vec<&str> = all.collect();
    if all.is_empty() {
        none.to_owned()
    } else {
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use shared::fault::AnswerWith;

    use super::*;

    #[test]
    fn a_wrong_field_is_refused_with_its_name_its_value_and_what_is_allowed() {
        for (body, sentence) in [
            ("", "the body is empty"),
            ("silence", "the body is not JSON"),
            ("[1]", "the body [1] is no object"),
            (r#"{"member":"x"}"#, "the field fault is missing: silence, kill,"),
            (r#"{"fault":7}"#, "fault 7 is not known: silence, kill,"),
            (
                r#"{"fault":"explode"}"#,
                "fault \"explode\" is not known: silence,",
            ),
            (
                r#"{"fault":"silence"}"#,
                "the fault silence needs member: a member id, or",
            ),
            (
                r#"{"fault":"kill","member":5}"#,
                "member 5 is not allowed: the client id or member id of a member of ours",
            ),
            (
                r#"{"fault":"stop","times":3}"#,
                "the fault stop takes no field \"times\": none is allowed",
            ),
            (
                r#"{"fault":"add","count":-1}"#,
                "count -1 is not allowed: a whole number from 1 to 100 is",
            ),
            (
                r#"{"fault":"add","count":"two"}"#,
                "count \"two\" is not allowed: a whole number from 1 to 100 is",
            ),
            (
                r#"{"fault":"delay","api":"Heartbeat","ms":1.5}"#,
                "ms 1.5 is not allowed: a whole number from 0 to 3600000 is",
            ),
            (
                r#"{"fault":"drop","api":"Heartbeat","times":4294967296}"#,
                "times 4294967296 is not allowed: a whole number from 1 to 100000 is",
            ),
            (
                r#"{"fault":"answer","api":"Heartbeat","error":40000}"#,
                "error 40000 is not allowed: an error code (-32768 to 32767)",
            ),
            (
                r#"{"fault":"answer","api":"Heartbeat","error":"no"}"#,
                "error \"no\" is not allowed: an error code",
            ),
            (
                r#"{"fault":"refuse","error":25}"#,
                "error 25 is not allowed: 14, 15 or 16, or",
            ),
            (
                r#"{"fault":"move","group":"g","reload":"old"}"#,
                "reload \"old\" is not allowed: what the node finds in its log: newest, none or older",
            ),
            (
                r#"{"fault":"clock_step","ms":-86400001}"#,
                "ms -86400001 is not allowed: a whole number from -86400000 to 86400000 is",
            ),
            (
                r#"{"fault":"advertise","host":""}"#,
                "host \"\" is not allowed: a host name; default the true one, of 1 to 255 bytes is",
            ),
            (
                r#"{"fault":"full","max":0}"#,
                "max 0 is not allowed: a whole number from 1 to 100000 is",
            ),
        ] {
            let refused = read(body.as_bytes()).unwrap_err();
            assert!(refused.starts_with(sentence), "{body}: {refused}");
        }
    }

    #[test]
    fn a_fault_that_no_request_carried_is_held_to_the_same_bounds() {
        let good = Fault::ClockStep { ms: -1 };
        check_bounds(&good).unwrap();
        let refused = check_bounds(&Fault::Add { count: 0 }).unwrap_err();
        assert!(refused.starts_with("count 0 is not allowed"), "{refused}");
    }

    #[test]
    fn a_long_value_is_cut() {
        let body = format!(r#"{{"fault":"{}"}}"#, "é".repeat(10_000));
        assert!(read(body.as_bytes()).unwrap_err().len() < 800);
    }

    #[test]
    fn a_code_may_be_named_as_kafka_does() {
        let body = br#"{"fault":"answer","api":"Heartbeat","error":"UNKNOWN_MEMBER_ID","member":null}"#;
        match read(body).unwrap() {
            Fault::Answer { error, .. } => {
                assert_eq!(error, AnswerWith::Code(error_code::UNKNOWN_MEMBER_ID));
            }
            other => panic!("{other:?}"),
        }
    }
}
