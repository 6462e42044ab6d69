//! A whole file, read into what connections are made by.

use std::path::Path;

use shared::time::Millis;

use super::keys::{self, Meaning};
use super::settings::{Settings, quoted};
use super::{credentials, encryption, parse, printable};
use crate::kafka::security::{Security, files};
use crate::limits;

/// What a client's file says.
#[derive(Clone, Debug, Default)]
pub struct ClientConfig {
    /// `bootstrap.servers`, as it is written.
    pub bootstrap_servers: Option<String>,
    /// `client.id`
    pub client_id: Option<String>,
    /// `request.timeout.ms`
    pub request_timeout: Option<Millis>,
    /// `socket.connection.setup.timeout.ms`
    pub connect_timeout: Option<Millis>,
    /// `security.protocol`, `ssl.*`, `sasl.*`
    pub security: Security,
    /// Keys of Kafka's clients that mean nothing here.
    pub idle: Vec<String>,
}

/// `security.protocol`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Protocol {
    name: &'static str,
    tls: bool,
    sasl: bool,
}

const PROTOCOLS: [Protocol; 4] = [
    Protocol::new("PLAINTEXT", false, false),
    Protocol::new("SSL", true, false),
    Protocol::new("SASL_PLAINTEXT", false, true),
    Protocol::new("SASL_SSL", true, true),
];

impl Protocol {
    const fn new(name: &'static str, tls: bool, sasl: bool) -> Self {
        Self { name, tls, sasl }
    }

    fn of(settings: &Settings) -> Result<Self, String> {
        const KEY: &str = "security.protocol";
        let [plaintext, ..] = PROTOCOLS;
        let Some(text) = settings.text(KEY) else {
            return Ok(plaintext);
        };
        let named = PROTOCOLS
            .into_iter()
            .find(|protocol| protocol.name.eq_ignore_ascii_case(text));
        named.ok_or_else(|| {
            let allowed = PROTOCOLS.map(|protocol| protocol.name).join(", ");
            settings.fault(KEY, &format!("{}: {allowed} are allowed", quoted(text)))
        })
    }
}

impl ClientConfig {
    /// Reads the file, and the stores and keys that it names.
    ///
    /// # Errors
    /// One sentence: the file, or what is wrong in it, by key and line; never a value that may be a secret.
    pub fn load(path: &Path) -> Result<Self, String> {
        let bytes = files::read(path)?;
        if bytes.len() > limits::PROPERTIES_FILE {
            return Err(format!("it is longer than {} bytes", limits::PROPERTIES_FILE));
        }
        Self::from_bytes(&bytes)
    }

    /// The same from the file's content.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let settings = Settings::new(parse(bytes).map_err(|fault| fault.to_string())?);
        let idle = judged(&settings)?;
        let protocol = Protocol::of(&settings)?;
        agrees(&settings, protocol)?;
        let tls = if protocol.tls {
            Some(encryption::tls(&settings)?)
        } else {
            None
        };
        let sasl = if protocol.sasl {
            Some(credentials::credentials(&settings)?)
        } else {
            None
        };
        let client_id = settings.text("client.id");
        if client_id.is_some_and(|id| id.len() > limits::CLIENT_ID_BYTES) {
            let problem = format!("at most {} bytes are allowed", limits::CLIENT_ID_BYTES);
            return Err(settings.fault("client.id", &problem));
        }
        Ok(Self {
            bootstrap_servers: settings.text("bootstrap.servers").map(str::to_owned),
            client_id: client_id.map(str::to_owned),
            request_timeout: settings.millis("request.timeout.ms")?,
            connect_timeout: settings.millis("socket.connection.setup.timeout.ms")?,
            security: Security { tls, sasl },
            idle,
        })
    }
}

/// The keys that mean nothing here; a fault where one is unknown or cannot be heeded.
fn judged(settings: &Settings) -> Result<Vec<String>, String> {
    let mut idle = Vec::new();
    for property in settings.all() {
        let key = &property.key;
        match keys::meaning(key) {
            Some(Meaning::Used) => {}
            Some(Meaning::Idle) => idle.push(printable(key)),
            Some(Meaning::Refused(_)) if property.value.expose().is_empty() => {}
            Some(Meaning::Refused(why)) => return Err(settings.fault(key, why)),
            None => {
                let hint = keys::meant(key).map(|meant| format!("; was {meant} meant?"));
                let problem = format!("no client of Kafka knows this key{}", hint.unwrap_or_default());
                return Err(settings.fault(key, &problem));
            }
        }
    }
    Ok(idle)
}

/// What says something about TLS or SASL without them: the file would be less safe than it looks.
fn agrees(settings: &Settings, protocol: Protocol) -> Result<(), String> {
    for property in settings.all() {
        let key = property.key.as_str();
        if keys::meaning(key) != Some(Meaning::Used) {
            continue;
        }
        let missing = if key.starts_with("ssl.") && !protocol.tls {
            "SSL or SASL_SSL"
        } else if key.starts_with("sasl.") && !protocol.sasl {
            "SASL_SSL or SASL_PLAINTEXT"
        } else {
            continue;
        };
        let set = match settings.text("security.protocol") {
            Some(_) => format!("security.protocol={}", protocol.name),
            None => format!(
                "security.protocol, which is {} where it is not set",
                protocol.name
            ),
        };
        return Err(settings.fault(key, &format!("it contradicts {set}: with it {missing} is needed")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
