//! A group that looks alive and is not.

use shared::health::Verdict;
use shared::health::words::{many, span};
use shared::time::Millis;

use super::play::Play;

#[tokio::test(start_paused = true)]
async fn a_member_that_heartbeats_and_commits_nothing_is_named_with_its_partition_and_what_waits() {
    for (group, client, topic, records, every_ms, commit_ms, well_ms, beat_ms) in [
        (
            "billing-export",
            "exporter",
            "invoices",
            20,
            1_000,
            5_000,
            60_000,
            3_000,
        ),
        ("bill ing", "ex#1", "orders", 7, 500, 1_000, 30_500, 2_000),
    ] {
        let mut play = Play::of("frozen-partition")
            .set("group", group)
            .set("client", client)
            .set("topic", topic)
            .set("records", records)
            .set("every_ms", every_ms)
            .set("commit_ms", commit_ms)
            .set("well_ms", well_ms)
            .set("beat_ms", beat_ms)
            .start()
            .await;
        let scene = play.at(Millis(well_ms)).await;
        assert!(!scene.has(group, Verdict::NotProgressing), "{scene}");
        play.until(|scene| scene.has(group, Verdict::NotProgressing))
            .await;
        let scene = play.pass(Millis(61_000)).await;
        let row = scene.group(group).unwrap();
        let frozen = row.progress.iter().find(|row| row.partition == 0).unwrap();
        // The first commit is of offset 1, each further one of as many records more as come in the meantime.
        let commits = (well_ms - 1) / commit_ms;
        let committed = 1 + i64::try_from(commits * records).unwrap();
        assert_eq!(frozen.committed, Some(committed), "{scene}");
        let (left, came) = (frozen.left().unwrap(), frozen.came_since().unwrap());
        let still = scene.now.since(frozen.behind.behind_since.unwrap());
        // Told every few seconds.
        let expected = still.0 / every_ms * records;
        assert!(
            came.abs_diff(expected) <= 10_000 / every_ms * records,
            "{came}, not {expected}: {scene}"
        );
        let finding = scene.finding(group, Verdict::NotProgressing);
        let begins = format!(
            "{client} commits nothing for {} on 1 partition: {topic}-0; {} meanwhile and {} left to read. It heartbeats all the \
             while (last ",
            span(still),
            many(came, "record came", "records came"),
            many(left, "is", "are")
        );
        assert!(finding.sentence.starts_with(&begins), "{scene}");
        assert!(finding.evidence.contains("is not visible from here"), "{scene}");
        assert!(finding.member.unwrap().as_str().starts_with(client), "{scene}");
        assert!(scene.has(group, Verdict::Stable), "{scene}");
        for verdict in [Verdict::MemberLate, Verdict::MemberSilent] {
            assert!(!scene.has(group, verdict), "{scene}");
        }
    }
}
