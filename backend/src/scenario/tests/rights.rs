//! Kind L: rights that are missing.

use shared::health::Verdict;
use shared::health::words::{ago, many, span};
use shared::time::Millis;

use super::play::Play;

#[tokio::test(start_paused = true)]
async fn a_group_that_may_be_listed_and_not_described_says_so_and_all_others_are_shown() {
    for (group, other, tool, host, members, comes_ms, every_ms, looks) in [
        (
            "__internal_prober_cg",
            "orders",
            "kafka-ui",
            "10.0.8.1",
            2,
            15_000,
            10_000,
            4,
        ),
        ("prüfer #1", "x", "akhq é", "10.7.7.7", 5, 6_500, 3_700, 11),
    ] {
        let mut play = Play::of("listed-only")
            .set("group", group)
            .set("other", other)
            .set("tool", tool)
            .set("host", host)
            .set("members", members)
            .set("comes_ms", comes_ms)
            .set("every_ms", every_ms)
            .start()
            .await;
        let scene = play.at(Millis(comes_ms - 100)).await;
        assert!(!scene.has(group, Verdict::NotAuthorized), "{scene}");

        let (first, since) = (comes_ms, 1_200);
        let last = first + (looks - 1) * every_ms;
        let scene = play.at(Millis(last + since)).await;
        let finding = scene.finding(group, Verdict::NotAuthorized);
        assert_eq!(
            finding.sentence,
            format!(
                "Listed, no right to describe it: DescribeGroups of {tool} of /{host} was answered 30 GROUP_AUTHORIZATION_FAILED \
                 {} in {}, the last {}. Its members need another right (READ) and are not touched by that.",
                many(looks, "time", "times"),
                span(Millis(last - first)),
                ago(Millis(since))
            ),
            "{scene}"
        );
        assert!(finding.evidence.contains("DESCRIBE to look at it"), "{scene}");
        // The group itself is as well as the one beside it.
        for group in [group, other] {
            let sentence = scene.finding(group, Verdict::Stable).sentence;
            assert!(sentence.contains(&format!(": {members} members.")), "{scene}");
        }
        let said = |group: &str| -> Vec<Verdict> {
            let findings = scene.findings(group);
            findings.into_iter().map(|finding| finding.verdict).collect()
        };
        assert_eq!(said(group), [Verdict::NotAuthorized, Verdict::Stable], "{scene}");
        assert_eq!(said(other), [Verdict::Stable], "{scene}");
    }
}
