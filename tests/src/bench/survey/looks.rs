//! How long each group waits for the next look at it: from the DescribeGroups requests on the wire.

use std::collections::BTreeMap;

use shared::protocol::{AnyRequest, ApiKey, RequestHeader};

use crate::bench::capture::Segment;

/// Requests longer than this are none of a survey's.
const REQUEST_MAX: usize = 1 << 20;

/// The longest time in microseconds between two requests that ask about the same group, and about how many groups it was
/// asked at least twice.
#[must_use]
pub(super) fn longest_wait(segments: &[Segment]) -> (u64, usize) {
    let mut streams: BTreeMap<(u16, u16), Vec<u8>> = BTreeMap::new();
    let mut last: BTreeMap<String, (u64, u32)> = BTreeMap::new();
    let mut longest = 0;
    for segment in segments {
        let stream = streams.entry((segment.from_port, segment.to_port)).or_default();
        stream.extend_from_slice(&segment.payload);
        while let Some(frame) = next_frame(stream) {
            for group in described(&frame) {
                let (at, times) = last.entry(group).or_insert((segment.at_us, 0));
                longest = longest.max(segment.at_us.saturating_sub(*at));
                (*at, *times) = (segment.at_us, *times + 1);
            }
        }
    }
    (longest, last.values().filter(|(_, times)| *times > 1).count())
}

/// The first whole frame of a stream, taken out of it. A stream whose beginning was not captured gives none.
fn next_frame(stream: &mut Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::from_be_bytes(*stream.first_chunk()?) as usize;
    if length > REQUEST_MAX {
        stream.clear();
        return None;
    }
    let frame = stream.get(4..4 + length)?.to_vec();
    stream.drain(..4 + length);
    Some(frame)
}

fn described(frame: &[u8]) -> Vec<String> {
    let read = || {
        let (header, body) = RequestHeader::decode(frame).ok()?;
        let key = ApiKey::try_from(header.key).ok()?;
        AnyRequest::decode(key, header.version, body).ok()
    };
    match read() {
        Some(AnyRequest::DescribeGroups(asked)) => asked.groups,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use shared::protocol::{DescribeGroupsRequest, encode_request};

    use super::*;

    fn asks(at_us: u64, groups: &[&str]) -> Vec<u8> {
        let request = AnyRequest::from(DescribeGroupsRequest {
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            ..DescribeGroupsRequest::default()
        });
        let correlation = i32::try_from(at_us).unwrap();
        let header = RequestHeader::new(request.key(), 5, correlation, "c");
        encode_request(&header, &request).unwrap()
    }

    fn segment(at_us: u64, payload: &[u8]) -> Segment {
        Segment {
            at_us,
            from_port: 1,
            to_port: 2,
            payload: payload.to_vec(),
        }
    }

    #[test]
    fn the_longest_wait_is_that_of_one_group_whatever_segments_its_requests_came_in() {
        let [first, second, third] = [asks(0, &["a", "b"]), asks(500, &["b"]), asks(900, &["a"])];
        let (head, tail) = third.split_at(7);
        let both = [&second[..], head].concat();
        let segments = [segment(0, &first), segment(500, &both), segment(901, tail)];
        assert_eq!(longest_wait(&segments), (901, 2));
    }
}
