//! The offsets log as a broker keeps it on disk, read by Kafka's own tool.

use std::fs;

use serde_json::Value;

use super::{Broker, java};

/// A record of the offsets log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its own timestamp, in Unix milliseconds.
    pub at: u64,
    /// `{"type":"3","data":{"groupId":...}}`
    pub key: Value,
    /// The same with `version`; null in a tombstone.
    pub value: Value,
}

impl Broker {
    /// What this broker has written so far, partition after partition.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn offsets_log(&self) -> Vec<Written> {
        let data = fs::read_dir(self.folder.path().join("data"));
        let partitions = data.into_iter().flatten().flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("__consumer_offsets-")
        });
        // A test writes less than a segment.
        let files: Vec<String> = partitions
            .map(|entry| {
                entry
                    .path()
                    .join("00000000000000000000.log")
                    .display()
                    .to_string()
            })
            .collect();
        let arguments = ["--offsets-decoder", "--files", &files.join(",")];
        let printed = java::run("org.apache.kafka.tools.DumpLogSegments", &arguments).await;
        printed.lines().filter_map(read).collect()
    }
}

/// A line of the tool; none where it is not of a record.
fn read(line: &str) -> Option<Written> {
    let (_, at) = line.split_once(" CreateTime: ")?;
    let (at, _) = at.split_once(' ')?;
    let (_, said) = line.split_once(" key: ")?;
    let (key, value) = said.split_once(" payload: ")?;
    Some(Written {
        at: at.parse().ok()?,
        key: serde_json::from_str(key).ok()?,
        // A tombstone has none.
        value: serde_json::from_str(value).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Written, read};

    #[test]
    fn a_record_is_read_with_its_own_time() {
        let line = r#"| offset: 10 CreateTime: 1796014975655 keySize: 23 valueSize: 17 sequence: 1 headerKeys: [] key: {"type":"3","data":{"groupId":"g"}} payload: {"version":"0","data":{"epoch":2,"metadataHash":1}}"#;
        let expected = Written {
            at: 1_796_014_975_655,
            key: json!({"type": "3", "data": {"groupId": "g"}}),
            value: json!({"version": "0", "data": {"epoch": 2, "metadataHash": 1}}),
        };
        assert_eq!(read(line), Some(expected));
        let batch = "baseOffset: 0 lastOffset: 3 count: 4 baseSequence: 0 CreateTime: 1796014974386 size: 300 magic: 2";
        assert_eq!(read(batch), None);
    }
}
