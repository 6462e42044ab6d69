//! Rows of progress as JSON: for each topic its fields, each a list of what the rows have, or what all of them have.
//!
//! A board of ten thousand groups has more of these rows than of any other, and what one has of a field the next one mostly has,
//! too. A topic with one row reads as that row would by itself, which is how boards were written before.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::Progress;
use crate::time::UnixMs;
use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// How far a group has read, by topic and partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgressRows(Vec<Progress>);

impl From<Vec<Progress>> for ProgressRows {
    fn from(rows: Vec<Progress>) -> Self {
        Self(rows)
    }
}

impl Deref for ProgressRows {
    type Target = [Progress];

    fn deref(&self) -> &[Progress] {
        &self.0
    }
}

impl DerefMut for ProgressRows {
    fn deref_mut(&mut self) -> &mut [Progress] {
        &mut self.0
    }
}

impl Serialize for ProgressRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let topics = self.chunk_by(|one, other| one.topic == other.topic);
        serializer.collect_seq(topics.map(OfTopic::of))
    }
}

/// What the rows of a topic have of a field.
struct Column<'a, T>(&'a [Progress], fn(&Progress) -> Option<T>);

impl<T: PartialEq> Column<'_, T> {
    fn is_blank(&self) -> bool {
        self.0.iter().all(|row| self.1(row).is_none())
    }
}

impl<T: Serialize + PartialEq> Serialize for Column<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(rows, field) = self;
        let first = rows.first().and_then(field);
        if rows.iter().all(|row| field(row) == first) {
            return first.serialize(serializer);
        }
        serializer.collect_seq(rows.iter().map(field))
    }
}

/// The rows of a topic, by the names of their fields.
#[derive(Serialize)]
struct OfTopic<'a> {
    topic: &'a str,
    partition: Column<'a, i32>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    committed: Column<'a, i64>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    end: Column<'a, i64>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    committed_at: Column<'a, UnixMs>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    lag: Column<'a, u64>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    gone: Column<'a, bool>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    behind_since: Column<'a, UnixMs>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    end_then: Column<'a, i64>,
    #[serde(skip_serializing_if = "Column::is_blank")]
    arrived: Column<'a, UnixMs>,
}

impl<'a> OfTopic<'a> {
    fn of(rows: &'a [Progress]) -> Self {
        Self {
            topic: rows.first().map_or("", |row| &row.topic),
            partition: Column(rows, |row| Some(row.partition)),
            committed: Column(rows, |row| row.committed),
            end: Column(rows, |row| row.end),
            committed_at: Column(rows, |row| row.committed_at),
            lag: Column(rows, |row| row.lag),
            gone: Column(rows, |row| row.gone.then_some(true)),
            behind_since: Column(rows, |row| row.behind.behind_since),
            end_then: Column(rows, |row| row.behind.end_then),
            arrived: Column(rows, |row| row.arrived),
        }
    }
}

impl FromNode for ProgressRows {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        let mut rows: Vec<Progress> = Vec::new();
        for (place, topic) in node.list()?.iter().enumerate() {
            let columns = topic.object()?;
            let lengths = columns.iter().filter_map(|(_, column)| column.list().ok());
            let count = lengths.map(<[_]>::len).max().unwrap_or(1);
            for index in 0..count {
                let fields = columns.iter().filter_map(|(name, column)| {
                    let value = match column {
                        Node::List(values) => values.get(index)?,
                        of_all => of_all,
                    };
                    (*value != Node::Null).then(|| (name.clone(), value.clone()))
                });
                let row = Progress::from_node(&Node::Object(fields.collect()));
                let mut row = row.map_err(|wrong| wrong.within(&place.to_string()))?;
                // One text for all rows of it.
                if let Some(before) = rows.last().filter(|before| before.topic == row.topic) {
                    row.topic = Arc::clone(&before.topic);
                }
                rows.push(row);
            }
        }
        Ok(Self(rows))
    }
}

deserialize_from_node!(ProgressRows);

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: &Value) -> ProgressRows {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn rows_that_name_their_fields_one_by_one_are_written_by_column_and_read_again() {
        let rows = read(&json!([
            {"topic": "a", "partition": 0, "committed": 5, "end": 7, "committed_at": 900, "behind_since": 800, "end_then": 6, "arrived": null},
            {"topic": "a", "partition": 3, "committed": 5, "end": null, "gone": true},
            {"topic": "b", "partition": 1, "committed": null, "end": 7, "lag": 2, "arrived": 12},
        ]));
        assert_eq!(rows.len(), 3);
        let written = serde_json::to_value(&rows).unwrap();
        let by_column = json!([
            {"topic": "a", "partition": [0, 3], "committed": 5, "end": [7, null], "committed_at": [900, null], "gone": [null, true],
                "behind_since": [800, null], "end_then": [6, null]},
            {"topic": "b", "partition": 1, "end": 7, "lag": 2, "arrived": 12},
        ]);
        assert_eq!(written, by_column);
        assert_eq!(read(&written), rows);
        assert!(Arc::ptr_eq(&rows[0].topic, &rows[1].topic));
    }

    #[test]
    fn a_field_that_is_missing_or_wrong_is_told_with_its_place() {
        let refused = |value: Value| {
            serde_json::from_value::<ProgressRows>(value)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused(json!([{"topic": "a", "partition": [0], "committed": [1, 2]}])),
            "0: missing field `partition`"
        );
        assert_eq!(
            refused(json!([{"topic": "a", "partition": ["x"]}])),
            "0.partition: invalid type: string \"x\", expected i32"
        );
    }
}
