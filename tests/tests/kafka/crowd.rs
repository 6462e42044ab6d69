//! Many groups at once: the complete picture is whole and right. How fast it comes is `cargo xtask bench survey`'s to say.

use std::collections::BTreeMap;

use tests::bench::log::reader;
use tests::bench::survey::crowd::{COMMITTED, Crowd, MEMBERS};
use tests::kafka;
use tests::survey::{rows, watching};
use tests::wait::wait_until;

/// As many as keep the test short.
const GROUPS: usize = 500;

#[tokio::test]
async fn five_hundred_groups_are_all_shown_each_with_its_members_and_how_far_it_has_read() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let crowd = Crowd {
        groups: GROUPS,
        prefix: "many".to_owned(),
        session_ms: 600_000,
        topic: "many".to_owned(),
        commits: 1,
    };
    let partitions = usize::try_from(COMMITTED).expect("a small number");
    broker.create_topic(&crowd.topic, partitions).await;
    let coordinators = crowd
        .join(&broker.address())
        .await
        .expect("every group is stable");
    let wanted: Vec<&String> = coordinators.values().flat_map(|of| &of.groups).collect();
    assert_eq!(wanted.len(), GROUPS);

    // The offsets log alone, at full speed: `cargo xtask bench log` has it to measure. Other tests' groups stand in it too.
    let log = reader::read(&broker.address()).await.expect("all of it is read");
    let commits = GROUPS * partitions;
    assert!(log.groups >= GROUPS && log.commits >= commits, "{log:?}");
    assert!(log.counts.records >= (commits + GROUPS) as u64, "{log:?}");

    let heartline = watching(&broker.address(), &[]).await;
    let shown = wait_until("all of them, whole", async || {
        let rows = rows(&heartline).await;
        let whole = |group: &&String| {
            rows.get(group.as_str()).is_some_and(|row| {
                row["members"] == MEMBERS && row["state"] == "Stable" && row["type"] == "classic"
            })
        };
        let missing: Vec<&String> = wanted.iter().copied().filter(|group| !whole(group)).collect();
        if missing.is_empty() {
            Ok(rows)
        } else {
            Err(missing)
        }
    })
    .await;
    let members: BTreeMap<&str, u64> = shown
        .iter()
        .filter(|(group, _)| group.starts_with("many-"))
        .map(|(group, row)| (group.as_str(), row["members"].as_u64().unwrap_or_default()))
        .collect();
    assert_eq!(members.len(), GROUPS, "none twice, none that is not there");
    assert_eq!(members.values().sum::<u64>(), (GROUPS * MEMBERS) as u64);

    // One of them in full: its members own all partitions, each once, and all offsets are known.
    let one = wait_until("one in full", async || {
        let (_, one) = heartline.get("/api/group?group=many-00007").await;
        let known = one["progress"]
            .as_array()
            .is_some_and(|rows| rows.len() == partitions && rows.iter().all(|row| row["committed"] == 1));
        if known { Ok(one) } else { Err(one) }
    })
    .await;
    let mut owned: Vec<i64> = one["members"]
        .as_array()
        .expect("its members")
        .iter()
        .flat_map(|member| member["owned"]["partitions"][0]["partitions"].as_array().cloned())
        .flatten()
        .filter_map(|partition| partition.as_i64())
        .collect();
    owned.sort_unstable();
    assert_eq!(owned, (0..i64::from(COMMITTED)).collect::<Vec<i64>>());
}
