//! How far share groups have come: DescribeShareGroupOffsets (KIP-932), for all topics of a group, many groups in a request.
//!
//! A share group commits nothing: its records are acknowledged one by one, in any order. What its coordinator keeps is where the
//! first record is that is neither acknowledged nor given up. From version 1 on (KIP-1226) it counts what is left itself; below,
//! only that there are not more than from there to the end.

use shared::error_code;
use shared::ids::GroupId;
use shared::protocol::{
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse, DescribeShareGroupOffsetsResponseGroup,
};

use super::committed::{Committed, Place};

/// The request for these groups.
pub(super) fn request(groups: &[GroupId]) -> DescribeShareGroupOffsetsRequest {
    let groups = groups.iter().map(|group| DescribeShareGroupOffsetsRequestGroup {
        group_id: group.as_str().to_owned(),
        topics: None,
    });
    DescribeShareGroupOffsetsRequest {
        groups: groups.collect(),
    }
}

/// What an answer says. Groups answered with an error are left out: looks at them say why. So are those of which one partition is
/// refused, by a share coordinator that is just moving, say: what is left of the others would pass for all.
pub(super) fn read(answer: DescribeShareGroupOffsetsResponse) -> Vec<(GroupId, Committed)> {
    let whole = |group: &DescribeShareGroupOffsetsResponseGroup| {
        let mut partitions = group.topics.iter().flat_map(|topic| &topic.partitions);
        group.error_code == error_code::NONE
            && partitions.all(|partition| partition.error_code == error_code::NONE)
    };
    let told = answer.groups.into_iter().filter(whole);
    told.map(|group| {
        let topics = group.topics.into_iter().map(|topic| {
            let places = topic.partitions.iter().map(|partition| Place {
                partition: partition.partition_index,
                committed: (partition.start_offset >= 0).then_some(partition.start_offset),
                left: u64::try_from(partition.lag).ok(),
            });
            (topic.topic_name.into(), places.collect())
        });
        (GroupId::from(group.group_id), topics.collect())
    })
    .collect()
}
