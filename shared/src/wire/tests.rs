//! The frames are those of docs/contract.md, letter by letter, and go both ways.

use std::num::NonZeroU32;

use serde_json::json;

use super::*;
use crate::event::{Change, Evidence, Observation, Source};
use crate::ids::{ClusterId, Generation, MemberId};

#[test]
fn the_page_says_hello_as_the_contract_writes_it() {
    let hello = |watch| ClientMessage::Hello {
        version: VERSION,
        stream: None,
        resume: Some(41),
        watch,
    };
    let cases = [
        (Watch::OVERVIEW, json!("overview")),
        (
            Watch::Groups(vec![GroupId::from(""), GroupId::from("a")]),
            json!(["", "a"]),
        ),
        (Watch::Groups(vec![]), json!([])),
    ];
    for (watch, written) in cases {
        let message = hello(watch);
        let frame = json!({"type": "hello", "version": 1, "stream": null, "resume": 41, "watch": written});
        assert_eq!(serde_json::to_value(&message).unwrap(), frame);
        assert_eq!(serde_json::from_value::<ClientMessage>(frame).unwrap(), message);
    }
}

#[test]
fn a_group_named_overview_can_be_watched() {
    let watch: Watch = serde_json::from_value(json!(["overview"])).unwrap();
    assert_eq!(watch, Watch::Groups(vec![GroupId::from("overview")]));
}

#[test]
fn a_bad_watch_is_refused_with_what_is_allowed() {
    for bad in [json!("everything"), json!(3), json!([1]), json!(null)] {
        let error = serde_json::from_value::<ClientMessage>(json!({"type": "watch", "watch": bad}))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("overview") || error.contains("string"),
            "{bad}: {error}"
        );
    }
}

#[test]
fn an_unknown_message_is_refused_with_the_known_ones() {
    let error = serde_json::from_value::<ClientMessage>(json!({"type": "shout"}))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("shout") && error.contains("hello") && error.contains("watch"),
        "{error}"
    );
}

fn beat() -> Event {
    Event {
        seq: 8,
        seen: UnixMs(1000),
        what: Observation {
            at: UnixMs(999),
            at_earliest: None,
            source: Source::Embedded,
            evidence: Evidence::Observed,
            cluster: ClusterId::from("c"),
            group: Some(GroupId::from("demo")),
            member: Some(MemberId::from("demo-1-5f")),
            change: Change::HeartbeatReceived {
                generation: Generation(4),
                error: 0,
            },
        },
    }
}

#[test]
fn the_servers_frames_are_the_contracts() {
    let cases = [
        (
            ServerMessage::Welcome {
                version: 1,
                stream: "s".into(),
                seq: 7,
                now: UnixMs(5),
                resumed: false,
                rate: NonZeroU32::MIN,
                scenario: None,
                page: None,
            },
            json!({"type": "welcome", "version": 1, "stream": "s", "seq": 7, "now": 5, "resumed": false}),
        ),
        (
            ServerMessage::Welcome {
                version: 1,
                stream: "s".into(),
                seq: 7,
                now: UnixMs(5),
                resumed: true,
                rate: NonZeroU32::new(20).unwrap(),
                scenario: Some("storm".into()),
                page: Some("5e19ba7f".into()),
            },
            json!({"type": "welcome", "version": 1, "stream": "s", "seq": 7, "now": 5, "resumed": true, "rate": 20,
                "scenario": "storm", "page": "5e19ba7f"}),
        ),
        (
            ServerMessage::Events {
                from: 8,
                to: 9,
                events: vec![beat()],
            },
            json!({"type": "events", "from": 8, "to": 9, "events": [{
                "seq": 8, "seen": 1000, "at": 999, "source": "embedded", "evidence": "observed", "cluster": "c",
                "group": "demo", "member": "demo-1-5f",
                "change": {"kind": "heartbeat_received", "generation": 4, "error": 0}}]}),
        ),
        (
            ServerMessage::Tick {
                now: UnixMs(5),
                seq: 9,
            },
            json!({"type": "tick", "now": 5, "seq": 9}),
        ),
        (
            ServerMessage::Lagged { seq: 9 },
            json!({"type": "lagged", "seq": 9}),
        ),
        (
            ServerMessage::Unsupported { version: 1 },
            json!({"type": "unsupported", "version": 1}),
        ),
    ];
    for (message, frame) in cases {
        assert_eq!(serde_json::to_value(&message).unwrap(), frame);
        assert_eq!(serde_json::from_value::<ServerMessage>(frame).unwrap(), message);
    }
}
