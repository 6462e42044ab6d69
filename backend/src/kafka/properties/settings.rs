//! Properties looked up by key, and faults that name the key and its line.

use std::path::PathBuf;

use shared::time::Millis;

use super::jaas::LoginModule;
use super::{Property, printable};
use crate::secret::Secret;

/// All of a file, or the options of a login module, which may hold keys of their own.
#[derive(Debug)]
pub(super) struct Settings {
    properties: Vec<Property>,
}

impl Settings {
    pub(super) const fn new(properties: Vec<Property>) -> Self {
        Self { properties }
    }

    /// A module's options, as if each stood in the line of the module.
    pub(super) fn of_options(module: &LoginModule, line: usize) -> Self {
        let options = module.options.iter().map(|(key, value)| Property {
            key: key.clone(),
            value: value.clone(),
            line,
        });
        Self::new(options.collect())
    }

    pub(super) fn all(&self) -> &[Property] {
        &self.properties
    }

    /// The property, also where its value is empty.
    pub(super) fn given(&self, key: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.key == key)
    }

    /// A value that is not empty: an empty one is Kafka's way to take a setting back.
    pub(super) fn secret(&self, key: &str) -> Option<&Secret> {
        self.given(key)
            .map(|property| &property.value)
            .filter(|value| !value.expose().is_empty())
    }

    /// The same of a key whose value is no secret.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.secret(key).map(Secret::expose)
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// Milliseconds, at least 1.
    pub(super) fn millis(&self, key: &str) -> Result<Option<Millis>, String> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        match text.parse::<i32>() {
            Ok(millis) if millis > 0 => Ok(Some(Millis(u64::from(millis.unsigned_abs())))),
            _ => {
                let most = i32::MAX;
                Err(self.fault(
                    key,
                    &format!("{}: from 1 to {most} milliseconds are allowed", quoted(text)),
                ))
            }
        }
    }

    /// A line about `key`, with the line it stands in.
    pub(super) fn fault(&self, key: &str, problem: &str) -> String {
        match self.given(key) {
            Some(property) => format!("{} (line {}): {problem}", printable(key), property.line),
            None => format!("{}: {problem}", printable(key)),
        }
    }
}

/// A value that is no secret as it may be shown.
pub(super) fn quoted(value: &str) -> String {
    format!("\"{}\"", printable(value))
}
