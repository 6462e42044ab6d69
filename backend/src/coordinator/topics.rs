//! The topics a coordinator knows: what `--topics` names, what Metadata answers and what may be committed to.

use std::collections::BTreeMap;

use shared::protocol::Uuid;

use crate::limits;

/// A topic's name -> its id and how many partitions it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topics {
    by_name: BTreeMap<String, Topic>,
}

/// One topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// KIP-516: made from the name, so that a restart keeps it.
    pub id: Uuid,
    /// Partitions `0..partitions`.
    pub partitions: i32,
}

impl Topic {
    /// Whether it has that partition.
    #[must_use]
    pub const fn has(&self, partition: i32) -> bool {
        0 <= partition && partition < self.partitions
    }
}

impl Topics {
    /// Reads `NAME:PARTITIONS,...`; the empty text means no topic.
    ///
    /// # Errors
    ///
    /// Names the entry that cannot be taken and what is allowed.
    pub fn parse(text: &str) -> Result<Self, TopicsError> {
        let mut topics = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let Some((name, count)) = entry.rsplit_once(':') else {
                return Err(TopicsError::Shape { entry: entry.into() });
            };
            check_name(name)?;
            let partitions = match count.parse::<i32>() {
                Ok(n) if (1..=limits::PARTITIONS).contains(&n) => n,
                _ => {
                    return Err(TopicsError::Partitions {
                        name: name.into(),
                        count: count.into(),
                    });
                }
            };
            let topic = Topic {
                id: topic_id(name),
                partitions,
            };
            if topics.by_name.insert(name.into(), topic).is_some() {
                return Err(TopicsError::Twice { name: name.into() });
            }
            if topics.by_name.len() > limits::TOPICS {
                return Err(TopicsError::TooMany);
            }
        }
        Ok(topics)
    }

    /// The topic of that name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<Topic> {
        self.by_name.get(name).copied()
    }

    /// The topic with that id, and its name.
    #[must_use]
    pub fn by_id(&self, id: Uuid) -> Option<(&str, Topic)> {
        self.iter().find(|(_, topic)| topic.id == id)
    }

    /// All topics in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Topic)> {
        self.by_name.iter().map(|(name, topic)| (name.as_str(), *topic))
    }
}

/// A name-based UUID (version 8): a topic of the same name has the same id at every start.
fn topic_id(name: &str) -> Uuid {
    // FNV-1a over the name, twice with different offsets; ids need not be hard to guess, only to differ.
    let hash = |offset: u64| {
        name.bytes().fold(offset, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_be_bytes());
    bytes[8..].copy_from_slice(&hash(0x8422_2325_cbf2_9ce4).to_be_bytes());
    Uuid(uuid::Builder::from_custom_bytes(bytes).into_uuid().into_bytes())
}

/// Kafka's rule (`Topic.validate`): 1 to 249 of `[a-zA-Z0-9._-]`, but not `.` or `..`.
fn check_name(name: &str) -> Result<(), TopicsError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let fine = (1..=249).contains(&name.len()) && name.chars().all(legal) && name != "." && name != "..";
    if fine {
        Ok(())
    } else {
        Err(TopicsError::Name { name: name.into() })
    }
}

/// Why topics were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopicsError {
    /// Not `NAME:PARTITIONS`.
    #[error("topic {entry:?} is not of the form NAME:PARTITIONS, for example demo:6")]
    Shape { entry: String },
    /// No name Kafka would take.
    #[error(
        "topic name {name:?} is not allowed: 1 to 249 letters, digits, '.', '_' or '-', and neither \".\" nor \"..\""
    )]
    Name { name: String },
    /// No number of partitions.
    #[error(
        "topic {name:?} cannot have {count:?} partitions: allowed is 1 to {}",
        limits::PARTITIONS
    )]
    Partitions { name: String, count: String },
    /// Named more than once.
    #[error("topic {name:?} is given twice")]
    Twice { name: String },
    /// More than the coordinator keeps.
    #[error("too many topics: at most {}", limits::TOPICS)]
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_from_names_and_counts() {
        let topics = Topics::parse("demo:6, orders.eu:1").unwrap();
        let seen: Vec<_> = topics
            .iter()
            .map(|(name, topic)| (name, topic.partitions))
            .collect();
        assert_eq!(seen, [("demo", 6), ("orders.eu", 1)]);
        assert_eq!(Topics::parse("").unwrap(), Topics::default());
    }

    #[test]
    fn a_topic_keeps_its_id_and_shares_it_with_no_other() {
        let topics = Topics::parse("a:1,b:1,ab:1,ba:1").unwrap();
        let ids: std::collections::BTreeSet<_> = topics.iter().map(|(_, topic)| topic.id).collect();
        assert_eq!(ids.len(), 4);
        let demo = topics.by_name("b").unwrap();
        assert_eq!(Topics::parse("b:3").unwrap().by_name("b").unwrap().id, demo.id);
        assert_eq!(topics.by_id(demo.id), Some(("b", demo)));
    }

    #[test]
    fn what_is_no_topic_is_refused_by_name() {
        for (text, part) in [
            ("demo", "NAME:PARTITIONS"),
            ("demo:0", "\"0\" partitions: allowed is 1 to"),
            ("demo:x", "\"x\" partitions"),
            ("demo:2147483648", "partitions"),
            (":3", "topic name \"\""),
            ("..:3", "topic name \"..\""),
            ("a b:3", "topic name \"a b\""),
            ("a:1,a:2", "twice"),
        ] {
            let error = Topics::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
