//! Missing rights: named, worse than all else, and as long as they are missing.

use super::*;

#[test]
fn a_missing_right_is_worse_than_all_else() {
    let mut demo = Demo::stable();
    let refused = Change::NotAuthorized {
        error: 30,
        right: "READ on group demo".into(),
    };
    demo.tell(7000, Source::Probe, Some("demo-1-77"), refused);
    let finding = verdict(&demo.board, demo.group(), UnixMs(START + 9000));
    assert_eq!(finding.verdict, Verdict::NotAuthorized);
    assert_eq!(
        finding.sentence,
        "READ on group demo is missing: refused 2 s ago with 30 GROUP_AUTHORIZATION_FAILED."
    );
    assert_eq!(finding.member, Some(MemberId::from("demo-1-77")));
    assert!(
        finding.evidence.contains("DESCRIBE to look at it"),
        "{}",
        finding.evidence
    );
    let words: Vec<Verdict> = demo.said(9000).into_iter().map(|(verdict, _)| verdict).collect();
    assert_eq!(
        words,
        [Verdict::NotAuthorized, Verdict::MemberSilent, Verdict::Stable]
    );
    demo.heard(9500, &["demo-2"]);
    assert_eq!(
        demo.worst(9500).0,
        Verdict::NotAuthorized,
        "another's answer says nothing of it"
    );
    demo.heard(9600, &["demo-1"]);
    assert_ne!(
        demo.worst(9600).0,
        Verdict::NotAuthorized,
        "its own answer came through"
    );
}

#[test]
fn a_right_that_ended_a_member_is_missing_while_the_others_live_on_without_it() {
    let mut demo = Demo::stable();
    let refused = Change::NotAuthorized {
        error: 30,
        right: "READ on group demo".into(),
    };
    let ended = Change::MemberFailed {
        error: Some(30),
        sentence: "refused".into(),
        again: 0,
    };
    demo.tell(1000, Source::Probe, Some("demo-1-77"), refused);
    demo.tell(1000, Source::Probe, Some("demo-1-77"), ended);
    let expired = Change::MemberExpired {
        cause: "silent for 6 s".into(),
    };
    demo.tell(6500, Source::Embedded, Some("demo-1-77"), expired);
    demo.heard(7000, &["demo-2", "demo-3"]);
    let finding = verdict(&demo.board, demo.group(), UnixMs(START + 7000));
    assert_eq!(
        (finding.verdict, finding.sentence.as_str(), finding.member),
        (
            Verdict::NotAuthorized,
            "READ on group demo is missing: refused 6 s ago with 30 GROUP_AUTHORIZATION_FAILED.",
            Some(MemberId::from("demo-1-77"))
        )
    );
    assert_eq!(demo.said(7000).len(), 2, "and it is stable for all that");
}
