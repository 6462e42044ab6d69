//! Refusals of the APIs that describe groups and their offsets: each group asked for gets the code.

use crate::protocol::{
    ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse, DescribeGroupsRequest,
    DescribeGroupsResponse, DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup, DescribedGroup, ShareGroupDescribeRequest,
    ShareGroupDescribeResponse, StreamsGroupDescribeRequest, StreamsGroupDescribeResponse,
    consumer_group_describe, share_group_describe, streams_group_describe,
};

/// `$answer` with a `$group` of this code for each of `$ids`.
macro_rules! refused {
    ($answer:ident, $group:path, $ids:expr, $code:expr) => {{
        let groups = $ids.iter().map(|id| {
            // A path to a structure is none to its literal.
            type Group = $group;
            Group {
                error_code: $code,
                group_id: id.clone(),
                ..Default::default()
            }
        });
        $answer {
            groups: groups.collect(),
            ..Default::default()
        }
    }};
}

pub(super) fn groups(request: &DescribeGroupsRequest, code: i16) -> DescribeGroupsResponse {
    refused!(DescribeGroupsResponse, DescribedGroup, request.groups, code)
}

pub(super) fn consumer_groups(
    request: &ConsumerGroupDescribeRequest,
    code: i16,
) -> ConsumerGroupDescribeResponse {
    refused!(
        ConsumerGroupDescribeResponse,
        consumer_group_describe::DescribedGroup,
        request.group_ids,
        code
    )
}

pub(super) fn share_groups(request: &ShareGroupDescribeRequest, code: i16) -> ShareGroupDescribeResponse {
    refused!(
        ShareGroupDescribeResponse,
        share_group_describe::DescribedGroup,
        request.group_ids,
        code
    )
}

pub(super) fn streams_groups(
    request: &StreamsGroupDescribeRequest,
    code: i16,
) -> StreamsGroupDescribeResponse {
    refused!(
        StreamsGroupDescribeResponse,
        streams_group_describe::DescribedGroup,
        request.group_ids,
        code
    )
}

pub(super) fn share_group_offsets(
    request: &DescribeShareGroupOffsetsRequest,
    code: i16,
) -> DescribeShareGroupOffsetsResponse {
    let groups = request
        .groups
        .iter()
        .map(|group| DescribeShareGroupOffsetsResponseGroup {
            group_id: group.group_id.clone(),
            error_code: code,
            ..Default::default()
        });
    DescribeShareGroupOffsetsResponse {
        groups: groups.collect(),
        ..Default::default()
    }
}
