//! The coordinator's settings, by the names Kafka's brokers use.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use shared::time::Millis;

/// What a broker operator can set (protocol.md 3.1); the defaults are Kafka's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How long a group that was empty waits for more members before its first rebalance ends.
    pub initial_rebalance_delay: Millis,
    /// The shortest session timeout a member may ask for.
    pub min_session_timeout: Millis,
    /// The longest session timeout a member may ask for.
    pub max_session_timeout: Millis,
    /// Members a group may have.
    pub max_size: usize,
    /// How long an empty group without offsets is kept.
    pub empty_group_retention: Millis,
    /// How long the offsets of an empty group are kept, and the group with them.
    pub offsets_retention: Millis,
    /// Bytes of the text that comes with a committed offset.
    pub offset_metadata_max: usize,
    /// How long a connection may say nothing before it is closed.
    pub connection_max_idle: Millis,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            initial_rebalance_delay: Millis(3_000),
            min_session_timeout: Millis(6_000),
            max_session_timeout: Millis(1_800_000),
            max_size: INT_MAX as usize,
            empty_group_retention: Millis(600_000),
            offsets_retention: Millis(10_080 * MINUTE),
            offset_metadata_max: 4_096,
            connection_max_idle: Millis(600_000),
        }
    }
}

const INT_MAX: u64 = i32::MAX as u64;
const MINUTE: u64 = 60_000;

/// One row: Kafka's name, what it takes, and where it goes.
struct Setting {
    name: &'static str,
    allowed: RangeInclusive<u64>,
    unit: &'static str,
    set: fn(&mut Config, u64),
    get: fn(&Config) -> u64,
}

const SETTINGS: [Setting; 8] = [
    Setting {
        name: "connections.max.idle.ms",
        allowed: 1..=INT_MAX,
        unit: "milliseconds",
        set: |config, n| config.connection_max_idle = Millis(n),
        get: |config| config.connection_max_idle.0,
    },
    Setting {
        name: "group.initial.rebalance.delay.ms",
        allowed: 0..=INT_MAX,
        unit: "milliseconds",
        set: |config, n| config.initial_rebalance_delay = Millis(n),
        get: |config| config.initial_rebalance_delay.0,
    },
    Setting {
        name: "group.max.session.timeout.ms",
        allowed: 1..=INT_MAX,
        unit: "milliseconds",
        set: |config, n| config.max_session_timeout = Millis(n),
        get: |config| config.max_session_timeout.0,
    },
    Setting {
        name: "group.max.size",
        allowed: 1..=INT_MAX,
        unit: "members",
        set: |config, n| config.max_size = usize::try_from(n).unwrap_or(usize::MAX),
        get: |config| config.max_size as u64,
    },
    Setting {
        name: "group.min.session.timeout.ms",
        allowed: 1..=INT_MAX,
        unit: "milliseconds",
        set: |config, n| config.min_session_timeout = Millis(n),
        get: |config| config.min_session_timeout.0,
    },
    Setting {
        name: "offset.metadata.max.bytes",
        allowed: 0..=INT_MAX,
        unit: "bytes",
        set: |config, n| config.offset_metadata_max = usize::try_from(n).unwrap_or(usize::MAX),
        get: |config| config.offset_metadata_max as u64,
    },
    Setting {
        name: "offsets.retention.check.interval.ms",
        allowed: 1..=INT_MAX,
        unit: "milliseconds",
        set: |config, n| config.empty_group_retention = Millis(n),
        get: |config| config.empty_group_retention.0,
    },
    Setting {
        name: "offsets.retention.minutes",
        allowed: 1..=INT_MAX,
        unit: "minutes",
        set: |config, n| config.offsets_retention = Millis(n.saturating_mul(MINUTE)),
        get: |config| config.offsets_retention.0 / MINUTE,
    },
];

impl Config {
    /// Kafka's defaults with these `name=value` settings on top; a name given twice is refused.
    ///
    /// # Errors
    ///
    /// Names the first setting that is unknown, doubled or out of range, and what is allowed instead.
    pub fn from_settings<S: AsRef<str>>(settings: impl IntoIterator<Item = S>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut given = BTreeMap::new();
        for setting in settings {
            let text = setting.as_ref();
            let Some((name, value)) = text.split_once('=') else {
                return Err(ConfigError::Shape { text: text.into() });
            };
            let (name, value) = (name.trim(), value.trim());
            if let Some(before) = given.insert(name.to_owned(), value.to_owned()) {
                return Err(ConfigError::Twice {
                    name: name.into(),
                    first: before,
                    second: value.into(),
                });
            }
            config.set(name, value)?;
        }
        if config.min_session_timeout > config.max_session_timeout {
            return Err(ConfigError::SessionRange {
                min: config.min_session_timeout,
                max: config.max_session_timeout,
            });
        }
        Ok(config)
    }

    /// Each setting: its name, its value in the unit of its name, and in words what is allowed.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, u64, String)> + '_ {
        SETTINGS.iter().map(|setting| {
            let (least, most) = (setting.allowed.start(), setting.allowed.end());
            let allowed = format!("a whole number of {} from {least} to {most}", setting.unit);
            (setting.name, (setting.get)(self), allowed)
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), ConfigError> {
        let setting = SETTINGS
            .iter()
            .find(|s| s.name == name)
            .ok_or_else(|| ConfigError::Name { name: name.into() })?;
        match value.parse::<u64>() {
            Ok(number) if setting.allowed.contains(&number) => {
                (setting.set)(self, number);
                Ok(())
            }
            _ => Err(ConfigError::Value {
                name: setting.name,
                value: value.into(),
                allowed: setting.allowed.clone(),
                unit: setting.unit,
            }),
        }
    }
}

/// Why settings were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not `name=value`.
    #[error("coordinator setting {text:?} is not of the form name=value")]
    Shape { text: String },
    /// No such setting.
    #[error("unknown coordinator setting {name:?}; known are {}", Names)]
    Name { name: String },
    /// Given more than once.
    #[error("coordinator setting {name:?} is given twice, as {first:?} and as {second:?}")]
    Twice {
        name: String,
        first: String,
        second: String,
    },
    /// Not a number, or out of range.
    #[error("{name}={value}: allowed is a whole number of {unit} from {} to {}", .allowed.start(), .allowed.end())]
    Value {
        name: &'static str,
        value: String,
        allowed: RangeInclusive<u64>,
        unit: &'static str,
    },
    /// The shortest session is longer than the longest.
    #[error(
        "group.min.session.timeout.ms={} is above group.max.session.timeout.ms={}: the first must not exceed the \
         second",
        min.0,
        max.0
    )]
    SessionRange { min: Millis, max: Millis },
}

/// Writes the names of all settings.
struct Names;

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, setting) in SETTINGS.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", setting.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_kafkas() {
        let config = Config::from_settings::<&str>([]).unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(config.initial_rebalance_delay, Millis(3_000));
        assert_eq!(config.max_size, 2_147_483_647);
    }

    #[test]
    fn settings_are_taken_by_kafkas_names() {
        let config =
            Config::from_settings(["group.initial.rebalance.delay.ms=0", " group.max.size = 10 "]).unwrap();
        assert_eq!(config.initial_rebalance_delay, Millis(0));
        assert_eq!(config.max_size, 10);
    }

    #[test]
    fn every_setting_is_told_as_it_was_given() {
        for (name, default, allowed) in Config::default().settings() {
            let given = default / 2 + 1;
            let config = Config::from_settings([format!("{name}={given}")]);
            let config = config.unwrap_or_else(|error| panic!("{name}={given}: {error}"));
            let told = config.settings().find(|row| row.0 == name).unwrap();
            assert_eq!((told.1, told.2), (given, allowed), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = Config::from_settings(["group.max.sise=10"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("\"group.max.sise\""), "{error}");
        assert!(error.contains("group.max.size"), "{error}");
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_what_is_allowed() {
        for value in ["0", "-1", "ten", "", "2147483648", "99999999999999999999"] {
            let error = Config::from_settings([format!("group.max.size={value}")])
                .unwrap_err()
                .to_string();
            assert_eq!(
                error,
                format!("group.max.size={value}: allowed is a whole number of members from 1 to 2147483647")
            );
        }
    }

    #[test]
    fn a_setting_without_a_value_or_given_twice_is_refused() {
        let error = Config::from_settings(["group.max.size"]).unwrap_err().to_string();
        assert!(error.contains("name=value"), "{error}");
        let error = Config::from_settings(["group.max.size=1", "group.max.size=2"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("twice"), "{error}");
    }

    #[test]
    fn the_shortest_session_may_not_exceed_the_longest() {
        let error = Config::from_settings(["group.max.session.timeout.ms=5000"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("6000") && error.contains("5000"), "{error}");
    }
}
