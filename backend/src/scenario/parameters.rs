//! What of a scenario can be chosen: names, counts and times, each with its default and what it is.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Value;

/// Bytes a text may have: those of the longest group id that Kafka's tools take.
const TEXT_BYTES: usize = 249;

/// A parameter as a file declares it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    /// A number or a text; what is given must be of the same kind.
    pub(super) default: Value,
    /// What it is, with its unit.
    pub(super) is: String,
    /// The least number.
    #[serde(default)]
    pub(super) least: i64,
    /// The greatest number.
    #[serde(default = "most")]
    pub(super) most: i64,
}

const fn most() -> i64 {
    i32::MAX as i64
}

/// The parameters of a file, by name.
pub(super) type Parameters = BTreeMap<String, Parameter>;

/// What each stands for.
pub(super) type Values = BTreeMap<String, Value>;

/// What the parameters stand for, with what is given in place of the defaults.
pub(super) fn settle(parameters: &Parameters, given: &[(String, String)]) -> Result<Values, String> {
    let mut values = Values::new();
    for (name, parameter) in parameters {
        check(name, parameter, &parameter.default)?;
        values.insert(name.clone(), parameter.default.clone());
    }
    let mut seen = BTreeMap::new();
    for (name, text) in given {
        let Some(parameter) = parameters.get(name) else {
            let known: Vec<&str> = parameters.keys().map(String::as_str).collect();
            return Err(format!(
                "no parameter {name:?}: speed, {} are allowed",
                known.join(", ")
            ));
        };
        if seen.insert(name, text).is_some() {
            return Err(format!("the parameter {name} is given twice"));
        }
        let value = match parameter.default {
            Value::Integer(_) => text
                .trim()
                .parse()
                .map(Value::Integer)
                .map_err(|_| format!("{name}={text:?}: {}", allowed(parameter)))?,
            _ => Value::String(text.clone()),
        };
        check(name, parameter, &value)?;
        values.insert(name.clone(), value);
    }
    Ok(values)
}

fn check(name: &str, parameter: &Parameter, value: &Value) -> Result<(), String> {
    let is_good = match value {
        Value::Integer(number) => (parameter.least..=parameter.most).contains(number),
        Value::String(text) => text.len() <= TEXT_BYTES,
        _ => false,
    };
    if is_good {
        return Ok(());
    }
    Err(format!("{name}={}: {}", words(value), allowed(parameter)))
}

fn allowed(parameter: &Parameter) -> String {
    match parameter.default {
        Value::Integer(_) => format!(
            "a whole number from {} to {} is allowed ({})",
            parameter.least, parameter.most, parameter.is
        ),
        _ => format!(
            "a text of at most {TEXT_BYTES} bytes is allowed ({})",
            parameter.is
        ),
    }
}

/// Puts the values in place of `{name}`: alone it becomes the value itself, inside a text its words. `{{` is a brace.
pub(super) fn fill(value: &mut Value, values: &Values) -> Result<(), String> {
    match value {
        Value::String(text) => {
            if let Some(name) = alone(text) {
                *value = of(values, name)?.clone();
            } else if text.contains('{') {
                *value = Value::String(filled(text, values)?);
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, values)),
        Value::Table(table) => table.iter_mut().try_for_each(|(_, item)| fill(item, values)),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Ok(()),
    }
}

/// A value as it stands inside a text.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn alone(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    (!name.contains(['{', '}'])).then_some(name)
}

fn of<'a>(values: &'a Values, name: &str) -> Result<&'a Value, String> {
    values.get(name).ok_or_else(|| {
        let known: Vec<&str> = values.keys().map(String::as_str).collect();
        format!("{{{name}}} stands for nothing: {} do", known.join(", "))
    })
}

fn filled(text: &str, values: &Values) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        if let Some(more) = after.strip_prefix('{') {
            out.push('{');
            rest = more;
            continue;
        }
        let (name, more) = after
            .split_once('}')
            .ok_or_else(|| format!("{text:?}: a brace is not closed"))?;
        out.push_str(&words(of(values, name)?));
        rest = more;
    }
    out.push_str(rest);
    Ok(out)
}
