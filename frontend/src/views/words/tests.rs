//! Words and figures.

use super::*;

#[test]
fn spans_name_two_units_at_most() {
    let spans = [
        (0, "0.0 s"),
        (2_640, "2.6 s"),
        (2_650, "2.7 s"),
        (9_949, "9.9 s"),
        (9_999, "10 s"),
        (48_000, "48 s"),
        (60_000, "1 min"),
        (130_000, "2 min 10 s"),
        (11_040_000, "3 h 4 min"),
        (273_600_000, "3 d 4 h"),
    ];
    for (ms, said) in spans {
        assert_eq!(span(Millis(ms)), said);
    }
}

#[test]
fn durations_are_told_to_the_hundredth() {
    assert_eq!(took(Millis(3)), "3 ms");
    assert_eq!(took(Millis(1_020)), "1.02 s");
    assert_eq!(took(Millis(59_999)), "59.99 s");
    assert_eq!(took(Millis(125_000)), "2 min 5 s");
}

#[test]
fn settings_are_told_exactly() {
    let settings = [
        (500, "500 ms"),
        (1_000, "1 s"),
        (1_500, "1.5 s"),
        (6_001, "6.001 s"),
        (45_000, "45 s"),
        (300_000, "5 min"),
    ];
    for (ms, said) in settings {
        assert_eq!(setting(Millis(ms)), said);
    }
}

#[test]
fn latencies_have_three_figures() {
    let latencies = [
        (97, "97 µs"),
        (1_234, "1.23 ms"),
        (12_345, "12.3 ms"),
        (123_456, "123 ms"),
        (1_900_000, "1.90 s"),
    ];
    for (micros, said) in latencies {
        assert_eq!(latency(micros), said);
    }
}

#[test]
fn thousands_are_set_apart() {
    assert_eq!(thousands(0), "0");
    assert_eq!(thousands(999), "999");
    assert_eq!(thousands(1_042), "1,042");
    assert_eq!(thousands(12_345_678), "12,345,678");
    assert_eq!(count(1, "member", "members"), "1 member");
    assert_eq!(count(0, "member", "members"), "0 members");
}

#[test]
fn local_time_wraps_at_midnight_both_ways() {
    let at = UnixMs(1_764_417_600_123); // 12:00:00.123 UTC
    let clock = |minutes_ahead| LocalTime { minutes_ahead }.exact(at);
    assert_eq!(clock(0), "12:00:00.123");
    assert_eq!(clock(13 * 60), "01:00:00.123");
    assert_eq!(clock(-(12 * 60 + 30)), "23:30:00.123");
}

#[test]
fn an_id_cannot_pretend_or_break_its_row() {
    assert_eq!(spelled("demo-1"), "demo-1");
    assert_eq!(spelled("grüße 🫀"), "grüße 🫀");
    assert_eq!(spelled("a\nb\u{202e}c"), "a\\u{a}b\\u{202e}c");
    assert_eq!(spelled("<script>"), "<script>", "escaping HTML is Yew's");
    assert_eq!(spelled("two words"), "two words");
    assert_eq!(
        spelled(" "),
        "\\u{20}",
        "an id that shows as nothing cannot be clicked"
    );
    assert_eq!(spelled(" a  b "), "\\u{20}a  b\\u{20}");
    assert_eq!(spelled("a\u{a0}b\u{3000}"), "a\\u{a0}b\\u{3000}");
}

#[test]
fn only_a_uuid_is_a_random_tail() {
    let uuid = "5f2c91ab-0a1b-4c3d-8e4f-0123456789ab";
    assert_eq!(
        cut_tail(&format!("demo-1-{uuid}")),
        ("demo-1", format!("-{uuid}").as_str())
    );
    for whole in [
        uuid,
        "demo-1",
        "",
        "-",
        &format!("x{uuid}"),
        &format!("-{uuid}"),
        "é-0a1b-4c3d-8e4f-0123456789ab",
    ] {
        assert_eq!(cut_tail(whole), (whole, ""), "{whole:?}");
    }
}

#[test]
fn a_shortened_text_says_that_it_is() {
    assert_eq!(shortened("grüße", 5), "grüße");
    assert_eq!(shortened("grüße", 3), "grü…");
}

#[test]
fn names_that_differ_at_their_end_are_told_apart_where_there_is_no_room_for_the_whole() {
    let names = [1, 2, 3].map(|n| without_middle(&format!("heartline-probe-vm-29024-{n}"), 16));
    assert_eq!(names[0], "heartlin…-29024-1");
    assert!(names[1].ends_with("-2") && names[2].ends_with("-3"), "{names:?}");
    assert_eq!(without_middle("grüße", 5), "grüße");
    assert_eq!(without_middle("grüße", 3), "gr…e");
    assert_eq!(without_middle("grüße", 0), "…");
}

#[test]
fn what_members_speak_is_told_where_it_is_more_than_the_type_says() {
    let classic = |word| kind(&GroupType::Classic, word);
    assert_eq!(classic(Some("connect")), "classic · connect");
    assert_eq!(classic(Some("w\u{e9}ird<type>")), "classic · w\u{e9}ird<type>");
    for silent in [None, Some(""), Some("consumer")] {
        assert_eq!(classic(silent), "classic");
    }
    assert_eq!(kind(&GroupType::Share, Some("share")), "share");
}

#[test]
fn a_date_is_that_of_the_viewers_zone() {
    let utc = LocalTime::default();
    for (seconds, date) in [
        (0, "1970-01-01"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_709_164_800, "2024-02-29"),
        (1_735_689_599, "2024-12-31"),
        (1_764_417_600, "2025-11-29"),
        (4_107_542_400, "2100-03-01"),
    ] {
        assert_eq!(utc.date(UnixMs(seconds * 1_000)), date);
    }
    let kiribati = LocalTime { minutes_ahead: 840 };
    assert_eq!(kiribati.date(UnixMs(1_735_689_599_000)), "2025-01-01");
    let hawaii = LocalTime { minutes_ahead: -600 };
    assert_eq!(hawaii.date(UnixMs(1_735_689_600_000)), "2024-12-31");
}
