//! Faults as JSON: every one both ways, and bad input refused with the value and what is allowed.

use super::*;

fn all() -> Vec<Fault> {
    let all = answers().into_iter().chain(of_members_and_groups());
    all.chain(of_the_broker()).collect()
}

fn answers() -> Vec<Fault> {
    let member = MemberId::from("demo-1");
    let group = GroupId::from("demo");
    vec![
        Fault::Silence {
            member: member.clone(),
        },
        Fault::Kill {
            member: member.clone(),
        },
        Fault::Leave {
            member: member.clone(),
        },
        Fault::Add { count: 2 },
        Fault::Delay {
            api: "Heartbeat".into(),
            ms: 2000,
            member: Some(member.clone()),
            group: None,
            times: 3,
        },
        Fault::Drop {
            api: "SyncGroup".into(),
            times: 1,
            member: None,
            group: Some(group),
        },
        Fault::Stop,
        Fault::Restart,
        Fault::Answer {
            api: "Heartbeat".into(),
            error: AnswerWith::Code(-1),
            times: 1,
            member: Some(member),
            group: None,
        },
        Fault::Answer {
            api: "Heartbeat".into(),
            error: AnswerWith::Word(AnswerWord::Disconnect),
            times: 1,
            member: None,
            group: None,
        },
    ]
}

/// Those that are about more than single answers.
fn of_members_and_groups() -> Vec<Fault> {
    let member = MemberId::from("demo-1");
    let group = GroupId::from("demo");
    vec![
        Fault::IgnoreRebalance {
            member: member.clone(),
            ms: 5,
        },
        Fault::JoinWithoutSync {
            member: member.clone(),
            times: 2,
        },
        Fault::QueueBehind {
            member: member.clone(),
            ms: 5,
        },
        Fault::Refuse {
            error: Code(16),
            ms: 5,
            group: Some(group.clone()),
        },
        Fault::Move {
            group: group.clone(),
            reload: Reload::Older,
            ms: 5,
        },
        Fault::FailStorage {
            group: group.clone(),
            error: Code(19),
            times: 2,
        },
        Fault::UnusedId {
            group: group.clone(),
            count: 2,
        },
        Fault::Rejoin {
            member: member.clone(),
            times: 2,
            every_ms: 5,
        },
        Fault::EvictEachOther { group, ms: 5 },
        Fault::DuplicateInstance { member: Some(member) },
    ]
}

/// Those of the broker, of connections and of whole groups.
fn of_the_broker() -> Vec<Fault> {
    let member = MemberId::from("demo-1");
    let group = GroupId::from("demo");
    vec![
        Fault::Full { max: 2, ms: 5 },
        Fault::Forbid {
            group: group.clone(),
            ms: 5,
        },
        Fault::Advertise {
            host: Some("1b34de8e9eaa".into()),
            port: Some(9092),
            ms: 5,
        },
        Fault::Throttle {
            ms: 5,
            api: None,
            times: 1,
            member: Some(member.clone()),
            group: Some(group),
        },
        Fault::HalfOpen { member, ms: 5 },
        Fault::ClockStep { ms: -5 },
        Fault::Groups {
            count: 2,
            members: 3,
            ms: 5,
        },
        Fault::OddIds { ms: 5 },
        Fault::Calm,
    ]
}

fn refused(json: &str) -> String {
    serde_json::from_str::<Fault>(json).unwrap_err().to_string()
}

#[test]
fn every_fault_goes_both_ways() {
    for fault in all() {
        let json = serde_json::to_value(&fault).unwrap();
        assert_eq!(json["fault"], fault.name());
        assert_eq!(serde_json::from_value::<Fault>(json).unwrap(), fault);
    }
}

#[test]
fn shapes_list_every_fault_and_every_field_once() {
    let mut names: Vec<&str> = all().iter().map(Fault::name).collect();
    names.dedup();
    assert_eq!(names, SHAPES.iter().map(|shape| shape.name).collect::<Vec<_>>());
    for fault in all() {
        let json = serde_json::to_value(&fault).unwrap();
        let shape = SHAPES.iter().find(|shape| shape.name == fault.name()).unwrap();
        for key in json.as_object().unwrap().keys().filter(|key| *key != "fault") {
            assert!(shape.fields.iter().any(|field| field.name == key), "{key}");
        }
        for field in shape.fields.iter().filter(|field| field.required) {
            assert!(json.get(field.name).is_some(), "{}", field.name);
        }
    }
}

#[test]
fn what_a_shape_requires_is_required_and_the_rest_has_a_default() {
    for shape in SHAPES {
        let given = |skip: Option<&str>| {
            let mut json = serde_json::json!({"fault": shape.name});
            for field in shape
                .fields
                .iter()
                .filter(|field| field.required && Some(field.name) != skip)
            {
                json[field.name] = match field.name {
                    "ms" | "max" | "count" => 5.into(),
                    "error" => 16.into(),
                    _ => "x".into(),
                };
            }
            serde_json::from_value::<Fault>(json)
        };
        given(None).unwrap();
        for field in shape.fields.iter().filter(|field| field.required) {
            let error = given(Some(field.name)).unwrap_err().to_string();
            assert!(error.contains(field.name), "{error}");
        }
    }
}

#[test]
fn an_unknown_fault_is_refused_with_every_known_one() {
    let error = refused(r#"{"fault": "explode"}"#);
    assert!(error.contains("explode"), "{error}");
    for shape in SHAPES {
        assert!(error.contains(shape.name), "{error}");
    }
}

#[test]
fn an_unknown_field_is_refused_by_name() {
    assert!(refused(r#"{"fault": "kill", "member": "m", "hard": true}"#).contains("hard"));
    assert!(refused(r#"{"fault": "stop", "times": 3}"#).contains("times"));
    assert!(refused(r#"{"fault": "restart", "member": "m"}"#).contains("member"));
}

#[test]
fn a_bad_error_names_itself_and_what_is_allowed() {
    for bad in ["\"kaboom\"", "40000", "-40000", "1.5", "null", "[]"] {
        let error = refused(&format!(
            r#"{{"fault": "answer", "api": "Heartbeat", "error": {bad}}}"#
        ));
        assert!(error.contains("disconnect"), "{bad}: {error}");
    }
}

#[test]
fn a_code_of_a_fault_may_be_named_as_kafka_does_and_is_written_as_its_number() {
    let refuse: Fault = serde_json::from_str(r#"{"fault": "refuse", "error": "NOT_COORDINATOR"}"#).unwrap();
    assert_eq!(
        serde_json::to_value(refuse).unwrap(),
        serde_json::json!({"fault": "refuse", "error": 16, "ms": limits::MS_DEFAULT})
    );
    assert!(refused(r#"{"fault": "refuse", "error": "disconnect"}"#).contains("disconnect"));
}

#[test]
fn what_a_shape_says_of_its_defaults_is_what_is_taken() {
    for shape in SHAPES {
        let mut json = serde_json::json!({"fault": shape.name});
        for field in shape.fields.iter().filter(|field| field.required) {
            json[field.name] = match field.kind {
                Kind::Number { least, .. } => least.into(),
                Kind::Code { codes } => codes[0].into(),
                Kind::Answer => 25.into(),
                _ => "x".into(),
            };
        }
        let fault: Fault = serde_json::from_value(json).unwrap();
        let taken = serde_json::to_value(fault).unwrap();
        for field in shape.fields.iter().filter(|field| !field.required) {
            let told = match field.kind {
                Kind::Number { default, .. } => serde_json::to_value(default).unwrap(),
                Kind::Word { words } => words[0].into(),
                Kind::Code { codes } => codes[0].into(),
                _ => serde_json::Value::Null,
            };
            assert_eq!(
                taken.get(field.name).cloned().unwrap_or_default(),
                told,
                "{} {}",
                shape.name,
                field.name
            );
        }
    }
}
