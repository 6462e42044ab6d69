//! How far share groups of brokers in memory have come.

use std::collections::{BTreeMap, BTreeSet};

use shared::protocol::{
    AnyRequest, DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse, DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition, DescribeShareGroupOffsetsResponseTopic,
};

/// By partition of `t`: where it starts, and how many records are left; both -1 where that is not known.
type Places = BTreeMap<i32, (i64, i64)>;

/// What their coordinators tell of them.
#[derive(Debug, Default)]
pub(in crate::survey) struct Shares {
    places: BTreeMap<String, Places>,
    /// Groups that are refused, with the code.
    pub(in crate::survey) refused: BTreeMap<String, i16>,
    /// Groups of which the first partition is refused.
    pub(in crate::survey) torn: BTreeSet<String>,
    /// Whether the question is never answered.
    pub(in crate::survey) stuck: bool,
}

impl Shares {
    /// A share group whose first record in `t` that is left is `start`, and which has `lag` left.
    pub(in crate::survey) fn put(&mut self, group: &str, partition: i32, start: i64, lag: i64) {
        let places = self.places.entry(group.to_owned()).or_default();
        places.insert(partition, (start, lag));
    }

    pub(super) fn is_stuck(&self, asked: &AnyRequest) -> bool {
        self.stuck && matches!(asked, AnyRequest::DescribeShareGroupOffsets(_))
    }

    pub(super) fn tell(&self, asked: DescribeShareGroupOffsetsRequest) -> DescribeShareGroupOffsetsResponse {
        DescribeShareGroupOffsetsResponse {
            groups: asked.groups.into_iter().map(|group| self.group(group)).collect(),
            ..Default::default()
        }
    }

    fn group(&self, asked: DescribeShareGroupOffsetsRequestGroup) -> DescribeShareGroupOffsetsResponseGroup {
        assert_eq!(asked.topics, None, "all of them");
        if let Some(error_code) = self.refused.get(&asked.group_id) {
            return DescribeShareGroupOffsetsResponseGroup {
                group_id: asked.group_id,
                error_code: *error_code,
                ..Default::default()
            };
        }
        let mut error_code = if self.torn.contains(&asked.group_id) {
            15
        } else {
            0
        };
        let places = self.places.get(&asked.group_id).into_iter().flatten();
        let rows = places.map(
            |(partition, (start, lag))| DescribeShareGroupOffsetsResponsePartition {
                partition_index: *partition,
                start_offset: *start,
                lag: *lag,
                error_code: std::mem::take(&mut error_code),
                ..Default::default()
            },
        );
        let topic = DescribeShareGroupOffsetsResponseTopic {
            topic_name: "t".to_owned(),
            partitions: rows.collect(),
            ..Default::default()
        };
        DescribeShareGroupOffsetsResponseGroup {
            group_id: asked.group_id,
            topics: vec![topic],
            ..Default::default()
        }
    }
}
