//! Every way a peer can answer, rightly and wrongly, without a socket.

use std::sync::Arc;

use proptest::prelude::*;
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, DecodeFault, FrameError, HeartbeatRequest, HeartbeatResponse,
    JoinGroupRequest, RequestHeader, encode_response,
};
use shared::time::{Millis, Timestamp};

use super::{Answer, Came, Pipeline};
use crate::kafka::link_end::LinkEnd;
use crate::limits;

const START: Timestamp = Timestamp(1_000_000);
const TIMEOUT: Millis = Millis(30_000);

fn pipeline() -> Pipeline {
    Pipeline::new(Arc::from("demo-1"), 1024)
}

fn heartbeat() -> AnyRequest {
    let request = HeartbeatRequest {
        group_id: "demo".to_owned(),
        generation_id: 7,
        member_id: "demo-1-5f".to_owned(),
        group_instance_id: None,
    };
    request.into()
}

/// Asks one heartbeat in version 4.
fn beat(pipeline: &mut Pipeline, now: Timestamp, token: u64) {
    pipeline
        .ask(now, token, 4, &heartbeat(), TIMEOUT)
        .expect("room for a request");
}

fn answer(correlation: i32, error_code: i16) -> Vec<u8> {
    let response = HeartbeatResponse {
        error_code,
        ..Default::default()
    };
    encode_response(ApiKey::Heartbeat, 4, correlation, &response.into()).expect("encodes")
}

fn end_of(pipeline: &mut Pipeline, bytes: &[u8]) -> LinkEnd {
    pipeline.push(bytes);
    pipeline.answer().expect_err("the connection ends")
}

#[test]
fn a_request_goes_out_with_its_header_and_the_answer_comes_back_with_its_token() {
    let mut pipeline = pipeline();
    let bytes = pipeline
        .ask(START, 42, 4, &heartbeat(), TIMEOUT)
        .expect("encodes");
    let (header, body) = RequestHeader::decode(&bytes[4..]).expect("a header");
    assert_eq!(header, RequestHeader::new(ApiKey::Heartbeat, 4, 0, "demo-1"));
    assert_eq!(
        AnyRequest::decode(ApiKey::Heartbeat, 4, body),
        Ok(heartbeat()),
        "the body is the request"
    );
    pipeline.push(&answer(0, 27));
    let Answer { token, came, .. } = pipeline.answer().expect("a good answer").expect("a whole one");
    let Came::Whole(response, 0) = came else {
        panic!("{came:?} to what was not to be compared")
    };
    assert_eq!((token, response.error_code()), (42, Some(27)));
    assert_eq!(pipeline.deadline(), None, "nothing is unanswered");
}

#[test]
fn answers_come_in_the_order_of_the_requests_however_the_bytes_are_cut() {
    let mut pipeline = pipeline();
    for token in 0..3 {
        beat(&mut pipeline, START, token);
    }
    let stream: Vec<u8> = (0..3).flat_map(|id| answer(id, 0)).collect();
    let mut tokens = Vec::new();
    for byte in stream {
        pipeline.push(&[byte]);
        while let Some(Answer { token, .. }) = pipeline.answer().expect("good answers") {
            tokens.push(token);
        }
    }
    assert_eq!(tokens, [0, 1, 2]);
}

#[test]
fn a_wrong_correlation_id_ends_the_connection() {
    let mut pipeline = pipeline();
    beat(&mut pipeline, START, 1);
    assert_eq!(
        end_of(&mut pipeline, &answer(5, 0)),
        LinkEnd::WrongCorrelation {
            came: 5,
            due: 0,
            api: ApiKey::Heartbeat
        }
    );
}

#[test]
fn an_answer_out_of_order_ends_the_connection() {
    let mut pipeline = pipeline();
    beat(&mut pipeline, START, 1);
    beat(&mut pipeline, START, 2);
    let end = end_of(&mut pipeline, &answer(1, 0));
    assert!(
        matches!(end, LinkEnd::WrongCorrelation { came: 1, due: 0, .. }),
        "{end}"
    );
}

#[test]
fn an_answer_to_nothing_ends_the_connection() {
    assert_eq!(
        end_of(&mut pipeline(), &answer(9, 0)),
        LinkEnd::Unasked { came: Some(9) }
    );
    assert_eq!(
        end_of(&mut pipeline(), &[0, 0, 0, 0]),
        LinkEnd::Unasked { came: None },
        "an empty frame has no correlation id"
    );
}

#[test]
fn a_second_answer_to_the_same_request_ends_the_connection() {
    let mut pipeline = pipeline();
    beat(&mut pipeline, START, 1);
    pipeline.push(&answer(0, 0));
    assert!(matches!(pipeline.answer(), Ok(Some(Answer { token: 1, .. }))));
    assert_eq!(
        end_of(&mut pipeline, &answer(0, 0)),
        LinkEnd::Unasked { came: Some(0) }
    );
}

#[test]
fn a_length_that_no_answer_has_ends_the_connection_before_anything_is_kept() {
    for (length, error) in [
        (
            i32::MAX,
            FrameError::TooLarge {
                len: i32::MAX as usize,
                max: 1024,
            },
        ),
        (1025, FrameError::TooLarge { len: 1025, max: 1024 }),
        (-1, FrameError::Negative { len: -1 }),
        (i32::MIN, FrameError::Negative { len: i32::MIN }),
    ] {
        let mut pipeline = pipeline();
        beat(&mut pipeline, START, 1);
        assert_eq!(
            end_of(&mut pipeline, &length.to_be_bytes()),
            LinkEnd::BadLength { error }
        );
    }
}

#[test]
fn a_web_server_and_a_tls_listener_are_told_by_their_first_bytes() {
    let sentence = |bytes: &[u8]| end_of(&mut pipeline(), bytes).to_string();
    let http = sentence(b"HTTP/1.1 400 Bad Request\r\n");
    assert!(http.contains("a web server, not a Kafka broker"), "{http}");
    let tls = sentence(&[0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]);
    assert!(tls.contains("wants TLS"), "{tls}");
}

#[test]
fn an_answer_that_cannot_be_read_ends_the_connection_and_says_where() {
    let mut pipeline = pipeline();
    beat(&mut pipeline, START, 1);
    // Correlation id 0, no tags, then one byte where six and a tag count should stand.
    let end = end_of(&mut pipeline, &[0, 0, 0, 6, 0, 0, 0, 0, 0, 1]);
    assert!(
        end.to_string()
            .starts_with("the answer to Heartbeat cannot be read: "),
        "{end}"
    );
}

#[test]
fn a_huge_array_in_an_answer_ends_the_connection_without_being_reserved() {
    let mut pipeline = pipeline();
    pipeline
        .ask(START, 1, 0, &JoinGroupRequest::default().into(), TIMEOUT)
        .expect("encodes");
    let mut body = vec![0, 0, 0, 0]; // correlation id
    body.extend([0, 0, 0, 0, 0, 1]); // error, generation
    body.extend([0, 0, 0, 0, 0, 0]); // protocol, leader, member id: empty
    body.extend(i32::MAX.to_be_bytes()); // members
    let mut frame = 20_i32.to_be_bytes().to_vec();
    frame.append(&mut body);
    let end = end_of(&mut pipeline, &frame);
    let LinkEnd::Undecodable {
        token: 1,
        api: ApiKey::JoinGroup,
        reason,
    } = end
    else {
        panic!("{end:?}");
    };
    let count = i32::MAX as usize;
    assert_eq!(reason.fault, DecodeFault::ArrayTooLong { count, left: 0 });
}

#[test]
fn the_deadline_is_that_of_the_first_request_to_be_overdue_not_of_the_oldest() {
    let mut pipeline = pipeline();
    let join = JoinGroupRequest::default().into();
    pipeline
        .ask(START, 1, 4, &join, Millis(300_000))
        .expect("encodes");
    beat(&mut pipeline, START, 2);
    let due = START + TIMEOUT;
    assert_eq!(pipeline.deadline(), Some(due));
    assert_eq!(pipeline.overdue(Timestamp(due.0 - 1), false), None);
    let (token, api, within) = (2, ApiKey::Heartbeat, TIMEOUT);
    assert_eq!(
        pipeline.overdue(due, false),
        Some(LinkEnd::Unanswered {
            token,
            api,
            within,
            bytes: 0
        })
    );
    assert_eq!(
        pipeline.overdue(due, true),
        Some(LinkEnd::Unsent { token, api, within })
    );
}

#[test]
fn half_an_answer_and_then_silence_is_told_as_such() {
    let mut pipeline = pipeline();
    beat(&mut pipeline, START, 1);
    pipeline.push(&answer(0, 0)[..7]);
    assert!(matches!(pipeline.answer(), Ok(None)));
    let end = pipeline
        .overdue(START + TIMEOUT, false)
        .expect("overdue")
        .to_string();
    assert_eq!(
        end,
        "Heartbeat was not answered within 30000 ms (only 7 bytes of an answer came)"
    );
    assert_eq!(pipeline.closed(), LinkEnd::ClosedInside { bytes: 7 });
}

#[test]
fn a_close_tells_how_many_requests_it_leaves_unanswered() {
    let mut pipeline = pipeline();
    assert_eq!(pipeline.closed().to_string(), "the peer closed the connection");
    beat(&mut pipeline, START, 1);
    assert_eq!(
        pipeline.closed().to_string(),
        "the peer closed the connection while a request waited for its answer"
    );
}

#[test]
fn no_more_requests_wait_than_a_connection_may_hold() {
    let mut pipeline = pipeline();
    let limit = limits::REQUESTS_UNANSWERED;
    for token in 0..limit as u64 {
        beat(&mut pipeline, START, token);
    }
    let refused = pipeline.ask(START, 99, 4, &heartbeat(), TIMEOUT);
    assert_eq!(refused, Err(LinkEnd::Overrun { limit }));
}

#[test]
fn a_request_that_its_version_cannot_carry_is_refused_and_not_awaited() {
    let mut pipeline = pipeline();
    let refused = pipeline.ask(START, 1, 99, &heartbeat(), TIMEOUT);
    assert!(matches!(refused, Err(LinkEnd::Unsendable { .. })), "{refused:?}");
    assert_eq!(pipeline.deadline(), None);
}

#[test]
fn correlation_ids_count_on_from_0_after_the_highest() {
    let mut pipeline = pipeline();
    pipeline.next_correlation = i32::MAX;
    beat(&mut pipeline, START, 1);
    beat(&mut pipeline, START, 2);
    pipeline.push(&answer(i32::MAX, 0));
    pipeline.push(&answer(0, 0));
    assert!(matches!(pipeline.answer(), Ok(Some(Answer { token: 1, .. }))));
    assert!(matches!(pipeline.answer(), Ok(Some(Answer { token: 2, .. }))));
}

/// Bytes as they are, or behind a length and a correlation id that fit.
fn push() -> impl Strategy<Value = Vec<u8>> {
    let framed = (0..3_i32, prop::collection::vec(any::<u8>(), 0..32)).prop_map(|(correlation, body)| {
        let length = i32::try_from(body.len() + 4).expect("short");
        [&length.to_be_bytes()[..], &correlation.to_be_bytes(), &body].concat()
    });
    prop_oneof![prop::collection::vec(any::<u8>(), 0..64), framed]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_bytes_end_the_connection_or_wait_and_never_hold_more_than_a_frame_and_a_push(
        pushes in prop::collection::vec(push(), 0..64),
    ) {
        let mut pipeline = pipeline();
        for token in 0..3 {
            beat(&mut pipeline, START, token);
        }
        for bytes in pushes {
            pipeline.push(&bytes);
            loop {
                match pipeline.answer() {
                    Ok(Some(Answer { came: Came::Whole(AnyResponse::Heartbeat(_), 0), .. })) => {}
                    Ok(Some(other)) => prop_assert!(false, "{other:?}"),
                    Ok(None) => break,
                    Err(_) => return Ok(()),
                }
            }
            prop_assert!(pipeline.frames.pending() <= 1024 + 4 + 64);
        }
    }
}

#[test]
fn an_answer_of_the_same_bytes_is_told_as_the_same_where_that_was_asked_for() {
    let mut pipeline = pipeline();
    let mut correlations = 0..;
    let mut round = |known: u64, error: i16| {
        beat(&mut pipeline, START, 1);
        pipeline.compare_last(known);
        pipeline.push(&answer(correlations.next().expect("endless"), error));
        let answer = pipeline.answer().expect("a good answer");
        answer.expect("a whole one").came
    };
    let Came::Whole(_, digest) = round(0, 0) else {
        panic!("nothing is known yet")
    };
    assert!(matches!(round(digest, 0), Came::Same(ApiKey::Heartbeat)));
    let Came::Whole(_, other) = round(digest, 27) else {
        panic!("other bytes")
    };
    assert_ne!(digest, other);
    assert!(matches!(round(other, 27), Came::Same(_)));
}
