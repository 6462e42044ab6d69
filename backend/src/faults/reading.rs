//! From a request's body to a fault, or one sentence: which field, which value, what is allowed.
//!
//! Judged by hand before serde sees it, whose words are for whoever wrote the types.

mod once;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use shared::error_code;
use shared::fault::{Fault, Field, Kind, SHAPES, Shape};

use crate::kafka::address::Address;
use once::said_twice;

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
    if let Some(name) = said_twice(body) {
        let name = shown(&Value::from(name));
        return Err(format!(
            "the field {name} stands there more than once: each is allowed once"
        ));
    }
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
    agree(shape, fields)
}

/// What no field says alone.
fn agree(shape: &Shape, fields: &Map<String, Value>) -> Result<(), String> {
    let given = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
    if shape.name == "advertise" && !given("host") && !given("port") {
        return Err(
            "the fault advertise needs host or port: without either the broker names its true address"
                .to_owned(),
        );
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
        // The one text there is names a host; any port will do to judge it.
        Kind::Text { most } => (
            value
                .as_str()
                .is_some_and(|text| text.len() <= most && Address::new(text, 1).is_ok()),
            format!("a host name of 1 to {most} bytes without blanks or control characters"),
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
