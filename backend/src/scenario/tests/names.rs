//! Rights, and names that are trouble elsewhere.

use shared::health::Verdict;
use shared::health::words::many;
use shared::time::Millis;

use super::play::Play;

#[tokio::test(start_paused = true)]
async fn one_forbidden_group_says_what_is_missing_and_the_others_are_as_ever() {
    for (group, others, count, members, after_ms) in [
        ("__internal_prober_cg", "reports", 3, 2, 20_000),
        ("secret group", "r\u{e9}ports", 5, 1, 7_000),
    ] {
        let mut play = Play::of("forbidden-group")
            .set("group", group)
            .set("others", others)
            .set("count", count)
            .set("members", members)
            .set("after_ms", after_ms)
            .start()
            .await;
        // Its members' end is told beside what the coordinator holds of them until their sessions are over.
        let ended = format!("0 members, and {members} more that an error has ended");
        let scene = play
            .until(|scene| {
                let mut all = scene.findings(group).into_iter();
                all.any(|finding| finding.sentence.contains(&ended))
            })
            .await;
        let sentence = scene.finding(group, Verdict::NotAuthorized).sentence;
        assert!(
            sentence.contains(&format!(" on group {group} is missing: refused ")),
            "{scene}"
        );
        assert!(
            sentence.ends_with(" with 30 GROUP_AUTHORIZATION_FAILED."),
            "{scene}"
        );
        for n in 1..=count {
            let findings = scene.findings(&format!("{others}-{n}"));
            assert_eq!(findings.len(), 1, "{scene}");
            assert_eq!(findings[0].verdict, Verdict::Stable, "{scene}");
            let all = many(members, "member", "members");
            assert!(findings[0].sentence.contains(&format!(": {all}. ")), "{scene}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn any_group_id_is_kept_as_it_is() {
    for (ids, members) in [
        (["somename_#", "two  words ", "\u{1f418}"], 1),
        (["#", "%20 \"b\"/?", "\u{65e5}\u{672c}"], 3),
    ] {
        let mut play = Play::of("odd-group-ids")
            .set("hash", ids[0])
            .set("space", ids[1])
            .set("emoji", ids[2])
            .set("members", members)
            .start()
            .await;
        let scene = play.at(Millis(9_000)).await;
        assert_eq!(scene.board.groups().count(), ids.len(), "{scene}");
        for id in ids {
            assert_eq!(scene.group(id).unwrap().members.len(), members, "{scene}");
            assert!(scene.has(id, Verdict::Stable), "{scene}");
        }
        let scene = play.at(Millis(20_000)).await;
        for id in ["a#b", " ", "..", "line\nbreak\ttab", "\u{202e}thgir", "null"] {
            assert!(scene.has(id, Verdict::Stable), "{id:?}: {scene}");
        }
        // Nobody can be a member of the group without an id; commits make it.
        assert!(scene.group("").is_some(), "{scene}");
    }
}
