//! What is refused, in which words; what is taken.

use serde_json::json;
use shared::fault::AnswerWith;

use super::*;

#[test]
fn a_wrong_field_is_refused_with_its_name_its_value_and_what_is_allowed() {
    for (body, sentence) in [
        ("", "the body is empty"),
        ("silence", "the body is not JSON"),
        ("[1]", "the body [1] is no object"),
        (r#"{"member":"x"}"#, "the field fault is missing: silence, kill,"),
        (r#"{"fault":7}"#, "fault 7 is not known: silence, kill,"),
        (
            r#"{"fault":"explode"}"#,
            "fault \"explode\" is not known: silence,",
        ),
        (
            r#"{"fault":"silence"}"#,
            "the fault silence needs member: a member id, or",
        ),
        (
            r#"{"fault":"kill","member":5}"#,
            "member 5 is not allowed: the client id or member id of a member of ours",
        ),
        (
            r#"{"fault":"stop","times":3}"#,
            "the fault stop takes no field \"times\": none is allowed",
        ),
        (
            r#"{"fault":"add","count":-1}"#,
            "count -1 is not allowed: a whole number from 1 to 100 is",
        ),
        (
            r#"{"fault":"add","count":"two"}"#,
            "count \"two\" is not allowed: a whole number from 1 to 100 is",
        ),
        (
            r#"{"fault":"delay","api":"Heartbeat","ms":1.5}"#,
            "ms 1.5 is not allowed: a whole number from 0 to 3600000 is",
        ),
        (
            r#"{"fault":"drop","api":"Heartbeat","times":4294967296}"#,
            "times 4294967296 is not allowed: a whole number from 1 to 100000 is",
        ),
        (
            r#"{"fault":"answer","api":"Heartbeat","error":40000}"#,
            "error 40000 is not allowed: an error code (-32768 to 32767)",
        ),
        (
            r#"{"fault":"answer","api":"Heartbeat","error":"no"}"#,
            "error \"no\" is not allowed: an error code",
        ),
        (
            r#"{"fault":"refuse","error":25}"#,
            "error 25 is not allowed: 14, 15 or 16, or",
        ),
        (
            r#"{"fault":"move","group":"g","reload":"old"}"#,
            "reload \"old\" is not allowed: what the node finds in its log: newest, none or older",
        ),
        (
            r#"{"fault":"clock_step","ms":-86400001}"#,
            "ms -86400001 is not allowed: a whole number from -86400000 to 86400000 is",
        ),
        (
            r#"{"fault":"advertise","host":""}"#,
            "host \"\" is not allowed: a host name of 1 to 255 bytes without blanks or control characters is",
        ),
        (
            r#"{"fault":"full","max":0}"#,
            "max 0 is not allowed: a whole number from 1 to 100000 is",
        ),
    ] {
        let refused = read(body.as_bytes()).unwrap_err();
        assert!(refused.starts_with(sentence), "{body}: {refused}");
    }
}

#[test]
fn a_fault_that_no_request_carried_is_held_to_the_same_bounds() {
    let good = Fault::ClockStep { ms: -1 };
    check_bounds(&good).unwrap();
    let refused = check_bounds(&Fault::Add { count: 0 }).unwrap_err();
    assert!(refused.starts_with("count 0 is not allowed"), "{refused}");
}

#[test]
fn a_long_value_is_cut() {
    let body = format!(r#"{{"fault":"{}"}}"#, "é".repeat(10_000));
    assert!(read(body.as_bytes()).unwrap_err().len() < 800);
}

#[test]
fn a_code_may_be_named_as_kafka_does() {
    let body = br#"{"fault":"answer","api":"Heartbeat","error":"UNKNOWN_MEMBER_ID","member":null}"#;
    match read(body).unwrap() {
        Fault::Answer { error, .. } => {
            assert_eq!(error, AnswerWith::Code(error_code::UNKNOWN_MEMBER_ID));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_host_with_a_blank_or_a_control_character_is_no_host() {
    for host in [
        "a\nb",
        "a b",
        "\t",
        "a\u{0}",
        "\u{7f}",
        "a\u{2028}b",
        &"h".repeat(256),
    ] {
        let body = json!({"fault": "advertise", "host": host}).to_string();
        let refused = read(body.as_bytes()).unwrap_err();
        assert!(refused.starts_with("host \""), "{refused}");
        assert!(refused.contains("of 1 to 255 bytes"), "{refused}");
        assert!(!refused.contains(['\n', '\t', '\u{0}']), "{refused:?}");
    }
    for host in [
        "1b34de8e9eaa",
        "kafka-1.internal",
        "fe80::1",
        "10.0.0.1",
        "köln.example",
        &"h".repeat(255),
    ] {
        let body = json!({"fault": "advertise", "host": host}).to_string();
        read(body.as_bytes()).unwrap();
    }
}

#[test]
fn an_address_that_says_nothing_new_is_refused_whoever_asks() {
    for body in [
        r#"{"fault":"advertise"}"#,
        r#"{"fault":"advertise","ms":5}"#,
        r#"{"fault":"advertise","host":null,"port":null}"#,
    ] {
        let refused = read(body.as_bytes()).unwrap_err();
        assert!(
            refused.starts_with("the fault advertise needs host or port"),
            "{refused}"
        );
    }
    let fault = Fault::Advertise {
        host: None,
        port: None,
        ms: 5,
    };
    assert!(check_bounds(&fault).unwrap_err().contains("host or port"));
    for body in [
        r#"{"fault":"advertise","port":1}"#,
        r#"{"fault":"advertise","host":"h","port":null}"#,
    ] {
        read(body.as_bytes()).unwrap();
    }
}

#[test]
fn a_field_that_stands_there_twice_is_refused_by_name_whatever_it_says() {
    for (body, name) in [
        (r#"{"fault":"add","count":1,"count":2}"#, "count"),
        (r#"{"fault":"add","count":2,"count":2}"#, "count"),
        (r#"{"fault":"stop","fault":"restart"}"#, "fault"),
        (
            r#"{"fault":"drop","api":"Heartbeat","member":null,"member":"a"}"#,
            "member",
        ),
        (r#"{"fault":"stop","no":1,"no":1}"#, "no"),
        // The same name, spelt otherwise.
        (r#"{"fault":"add","count":1,"c\u006funt":2}"#, "count"),
        (r#"{"fault":"stop","a\nb":1,"a\nb":2}"#, r"a\nb"),
    ] {
        let refused = read(body.as_bytes()).unwrap_err();
        assert_eq!(
            refused,
            format!("the field \"{name}\" stands there more than once: each is allowed once"),
            "{body}"
        );
    }
}
