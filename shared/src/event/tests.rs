//! Every kind of event goes through JSON both ways.

mod contract;

use serde_json::json;

use super::samples::{every_change, summary};
use super::*;
use crate::ids::Generation;

fn event(change: Change) -> Event {
    Event {
        seq: 812,
        seen: UnixMs(1_764_417_600_125),
        what: Observation {
            at: UnixMs(1_764_417_600_123),
            at_earliest: Some(UnixMs(1_764_417_599_600)),
            source: Source::Survey,
            evidence: Evidence::Inferred,
            cluster: ClusterId::from("Jx3"),
            group: Some(GroupId::from("")),
            member: Some(MemberId::from("orders-1-\u{0}\"")),
            change,
        },
    }
}

#[test]
fn every_kind_goes_through_json_both_ways() {
    let mut kinds: Vec<&str> = Vec::new();
    for change in every_change() {
        kinds.push(change.kind());
        let event = event(change);
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event, "{text}");
        let value = serde_json::to_value(&event).unwrap();
        assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event, "{text}");
    }
    for kind in Change::KINDS {
        assert!(kinds.contains(kind), "{kind} is not tried");
    }
}

#[test]
fn errors_stay_a_map_by_code_on_the_wire() {
    let json = serde_json::to_value(event(Change::HeartbeatsSummarised(summary()))).unwrap();
    assert_eq!(json["change"]["errors"], json!({"-1": 1, "25": 2}));
    assert_eq!(json["change"]["buckets"], json!({"0": 1, "895": 2}));
}

#[test]
fn a_code_out_of_range_is_refused_by_value() {
    let mut json = serde_json::to_value(event(Change::HeartbeatsSummarised(summary()))).unwrap();
    json["change"]["errors"] = json!({"40000": 1});
    let error = serde_json::from_value::<Event>(json).unwrap_err().to_string();
    assert!(error.contains("40000"), "{error}");
}

#[test]
fn what_is_not_visible_may_be_absent() {
    let json = json!({"seq": 1, "seen": 2, "at": 2, "source": "probe", "evidence": "observed", "cluster": "c",
        "change": {"kind": "rebalance_started", "cause": "not_visible"}});
    let event: Event = serde_json::from_value(json).unwrap();
    assert_eq!(
        (event.what.at_earliest, event.what.group, event.what.member),
        (None, None, None)
    );
}

#[test]
fn an_unknown_state_or_type_is_kept_verbatim() {
    let state: super::GroupState = serde_json::from_value(json!("Bewildered")).unwrap();
    assert_eq!(state, super::GroupState::from("Bewildered"));
    assert_eq!(state.as_str(), "Bewildered");
    assert_eq!(GroupType::from("queue").as_str(), "queue");
}

#[test]
fn states_and_types_are_spelled_the_same_in_json_and_in_text() {
    for word in [
        "Empty",
        "PreparingRebalance",
        "CompletingRebalance",
        "Stable",
        "Dead",
        "Assigning",
        "Reconciling",
        "NotReady",
    ] {
        let state: super::GroupState = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(state, super::GroupState::from(word));
        assert!(!matches!(state, super::GroupState::Other(_)));
        assert_eq!(state.as_str(), word);
    }
    for word in ["classic", "consumer", "share", "streams"] {
        let group_type: GroupType = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(group_type, GroupType::from(word));
        assert!(!matches!(group_type, GroupType::Other(_)));
        assert_eq!(group_type.as_str(), word);
    }
}

#[test]
fn only_single_beats_say_whether_they_renew() {
    for change in every_change() {
        assert_eq!(
            change.renews().is_some(),
            change.is_single_beat(),
            "{}",
            change.kind()
        );
    }
    let received = |error| {
        Change::HeartbeatReceived {
            generation: Generation(1),
            error,
        }
        .renews()
    };
    assert_eq!(received(0), Some(true));
    assert_eq!(received(27), Some(true));
    assert_eq!(received(25), Some(false));
}
