//! Kafka's own tools for groups, `ConsumerGroupCommand` and its like: what they print, compared column by column with what is known.

use std::collections::{BTreeMap, BTreeSet};

use super::stories::{PARTITIONS, Scene, consumed_since, produce_to_all};
use crate::group::Roster;
use crate::kafka::java;

/// The class that prints groups.
pub(crate) const TOOL: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

/// A printed row: column -> value.
pub type Row = BTreeMap<String, String>;

/// `--describe` with `--members --verbose`, `--state` and `--offsets`, one call each, while two members share the partitions,
/// have committed three records of each and left two more of one unread.
pub async fn the_consumer_groups_tool_prints_the_truth(scene: Scene) {
    let (mut a, mut b) = (scene.start("a"), scene.start("b"));
    let roster = scene.settled(&mut [&mut a, &mut b]).await;
    produce_to_all(&mut a, &["first", "second", "third"]).await;
    for peer in [&mut a, &mut b] {
        consumed_since(peer, 0, 9).await;
        peer.commit().await;
    }
    a.produce(0, &["fourth".to_owned(), "fifth".to_owned()]).await;
    let node = scene.group().node().await.expect("the cluster tells");

    let members = describe(&scene.bootstrap, &scene.name, &["--members", "--verbose"]).await;
    assert_eq!(members, members_expected(&scene, &roster));

    let state = describe(&scene.bootstrap, &scene.name, &["--state"]).await;
    let coordinator = format!("({})", node.0);
    let expected = row(&[
        ("GROUP", &scene.name),
        ("COORDINATOR", &scene.bootstrap),
        ("(ID)", &coordinator),
        ("ASSIGNMENT-STRATEGY", "range"),
        ("STATE", "Stable"),
        ("#MEMBERS", "2"),
    ]);
    assert_eq!(state, BTreeSet::from([expected]));

    let offsets = describe(&scene.bootstrap, &scene.name, &["--offsets"]).await;
    assert_eq!(offsets, offsets_expected(&scene, &roster));
    a.leave().await;
    b.leave().await;
}

fn members_expected(scene: &Scene, roster: &Roster) -> BTreeSet<Row> {
    let seats = roster.seats.iter().map(|seat| {
        let partitions: Vec<String> = seat.partitions.iter().map(i32::to_string).collect();
        let assignment = format!("{}:{}", scene.name, partitions.join(","));
        row(&[
            ("GROUP", &scene.name),
            ("CONSUMER-ID", seat.member.as_str()),
            ("HOST", "/127.0.0.1"),
            ("CLIENT-ID", &seat.client),
            ("#PARTITIONS", &partitions.len().to_string()),
            // A classic group has no epochs.
            ("CURRENT-EPOCH", "-"),
            ("CURRENT-ASSIGNMENT", &assignment),
            ("TARGET-EPOCH", "-"),
            ("TARGET-ASSIGNMENT", "-"),
        ])
    });
    seats.collect()
}

fn offsets_expected(scene: &Scene, roster: &Roster) -> BTreeSet<Row> {
    let owned = roster
        .seats
        .iter()
        .flat_map(|seat| seat.partitions.iter().map(move |partition| (seat, partition)));
    let rows: BTreeSet<Row> = owned
        .map(|(seat, partition)| {
            let (end, lag) = if *partition == 0 { ("5", "2") } else { ("3", "0") };
            row(&[
                ("GROUP", &scene.name),
                ("TOPIC", &scene.name),
                ("PARTITION", &partition.to_string()),
                ("CURRENT-OFFSET", "3"),
                ("LOG-END-OFFSET", end),
                ("LAG", lag),
                ("CONSUMER-ID", seat.member.as_str()),
                ("HOST", "/127.0.0.1"),
                ("CLIENT-ID", &seat.client),
            ])
        })
        .collect();
    assert_eq!(rows.len(), PARTITIONS);
    rows
}

fn row(cells: &[(&str, &str)]) -> Row {
    let cells = cells
        .iter()
        .map(|(column, value)| ((*column).to_owned(), (*value).to_owned()));
    cells.collect()
}

/// Has a tool delete a group.
///
/// # Panics
///
/// When it fails.
pub(crate) async fn delete_by(class: &str, bootstrap: &str, group: &str) {
    java::run(
        class,
        &["--bootstrap-server", bootstrap, "--delete", "--group", group],
    )
    .await;
}

/// The rows that `ConsumerGroupCommand` prints of a group, none where it prints no table; no value but the last may have a space in it.
///
/// # Panics
///
/// When it fails.
pub async fn describe(bootstrap: &str, group: &str, what: &[&str]) -> BTreeSet<Row> {
    describe_by(TOOL, bootstrap, group, what).await
}

/// The same by another tool of its kind.
///
/// # Panics
///
/// When it fails.
pub(crate) async fn describe_by(class: &str, bootstrap: &str, group: &str, what: &[&str]) -> BTreeSet<Row> {
    let server = ["--bootstrap-server", bootstrap, "--describe", "--group", group];
    table(&java::run(class, &[&server[..], what].concat()).await)
}

/// The type of each group as Kafka's own `GroupsCommand` prints it.
///
/// # Panics
///
/// When it fails.
pub async fn types(bootstrap: &str) -> BTreeMap<String, String> {
    let arguments = ["--bootstrap-server", bootstrap, "--list"];
    let output = java::run("org.apache.kafka.tools.GroupsCommand", &arguments).await;
    // The third column, the protocol, is empty for a group that was never joined.
    let pick = |line: &str| {
        let mut cells = line.split_whitespace().map(str::to_owned);
        Some((cells.next()?, cells.next()?))
    };
    output.lines().filter_map(pick).collect()
}

fn table(output: &str) -> BTreeSet<Row> {
    let mut lines = output.lines().skip_while(|line| !line.starts_with("GROUP "));
    let header: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    if header.is_empty() {
        // Of a group between two states, or of nothing committed, a tool may print nothing at all.
        return BTreeSet::new();
    }
    let rows = lines.filter(|line| !line.trim().is_empty()).map(|line| {
        let mut values: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert!(values.len() >= header.len(), "a row that is none: {output}");
        // The tasks of a streams member, which come last, have spaces between them.
        let last = values.split_off(header.len() - 1).join(" ");
        values.push(last);
        let cells: Vec<(&str, &str)> = header
            .iter()
            .copied()
            .zip(values.iter().map(String::as_str))
            .collect();
        row(&cells)
    });
    rows.collect()
}
