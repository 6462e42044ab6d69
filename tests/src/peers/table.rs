//! Which client plays which story: the one table, from which the tests are made.

use super::client::Client;

/// Calls `$then! { $argument rows }` with the table: a row for each story of [`super::stories`], in it a cell for each client
/// in the order of [`super::client::Client::ALL`]: `run`, or `(no WHY)` for what is not in this client.
#[macro_export]
macro_rules! client_table {
    ([$($then:tt)+] $argument:tt) => {
        $($then)+! {
            $argument
            // java, librdkafka, kafka-python, aiokafka, kafkajs, franz-go
            two_members_share_the_partitions_and_commit_what_they_consume:
                run run run run run run;
            a_third_member_joins_and_everybody_gives_up_everything_first:
                run run run run run run;
            cooperative_members_keep_what_stays_theirs_when_a_third_joins:
                run run run
                (no "aiokafka 0.14 has the assignors range, roundrobin and sticky, and its subscription names no owned partitions")
                (no "KafkaJS 2.2 has round robin as its only assigner and no incremental rebalance")
                run;
            a_member_killed_by_sigkill_is_out_once_its_session_is_over:
                run run run run run run;
            a_member_that_leaves_is_out_at_once_and_its_offsets_are_carried_on:
                run run run run run run;
            a_static_member_restarts_within_its_session_without_a_rebalance:
                run run run run
                (no "KafkaJS 2.2 has no setting for a group instance id")
                run;
            a_second_holder_of_an_instance_id_fences_the_first:
                run run run
                (no "aiokafka 0.14 sends Heartbeat and OffsetCommit in versions without an instance id and does not know code 82")
                (no "KafkaJS 2.2 has no setting for a group instance id")
                run;
            all_find_their_way_back_to_a_coordinator_that_was_restarted:
                run run run run run run;
        }
    };
}

/// A test of each story with each client that plays it, `STORY::CLIENT`. `$stage` makes the scene: from the client and the story's
/// name to a [`super::stories::Scene`], or to `None` where the test must be skipped.
#[macro_export]
macro_rules! client_stories {
    ($stage:path) => {
        $crate::client_table! { [$crate::client_rows] [$stage] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! client_rows {
    ([$stage:path] $($story:ident: $java:tt $librdkafka:tt $kafka_python:tt $aiokafka:tt $kafkajs:tt $franz_go:tt;)*) => {
        $(
            mod $story {
                $crate::client_cell! { $stage, $story, java Java, $java }
                $crate::client_cell! { $stage, $story, librdkafka Librdkafka, $librdkafka }
                $crate::client_cell! { $stage, $story, kafka_python KafkaPython, $kafka_python }
                $crate::client_cell! { $stage, $story, aiokafka Aiokafka, $aiokafka }
                $crate::client_cell! { $stage, $story, kafkajs KafkaJs, $kafkajs }
                $crate::client_cell! { $stage, $story, franz_go FranzGo, $franz_go }
            }
        )*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! client_cell {
    ($stage:path, $story:ident, $name:ident $client:ident, run) => {
        #[tokio::test]
        async fn $name() {
            let client = $crate::peers::client::Client::$client;
            if client.is_installed()
                && let Some(scene) = $stage(client, stringify!($story)).await
            {
                $crate::peers::stories::$story(scene).await;
            }
        }
    };
    ($stage:path, $story:ident, $name:ident $client:ident, (no $why:literal)) => {};
}

/// Whether a client plays a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Run,
    /// Why it cannot.
    NotInThisClient(&'static str),
}

macro_rules! cells {
    ([] $($story:ident: $java:tt $librdkafka:tt $kafka_python:tt $aiokafka:tt $kafkajs:tt $franz_go:tt;)*) => {
        &[$((
            stringify!($story),
            [cell!($java), cell!($librdkafka), cell!($kafka_python), cell!($aiokafka), cell!($kafkajs), cell!($franz_go)],
        )),*]
    };
}

macro_rules! cell {
    (run) => {
        Cell::Run
    };
    ((no $why:literal)) => {
        Cell::NotInThisClient($why)
    };
}

/// The table as data: story, then a cell for each of [`super::client::Client::ALL`].
pub const TABLE: &[(&str, [Cell; 6])] = client_table! { [cells] [] };

/// The scenes that are played: client and story.
pub fn scenes() -> impl Iterator<Item = (Client, &'static str)> {
    TABLE.iter().flat_map(|(story, cells)| {
        let played = Client::ALL
            .into_iter()
            .zip(cells)
            .filter(|(_, cell)| **cell == Cell::Run);
        played.map(|(client, _)| (client, *story))
    })
}

/// A scene's name, of its group and of its topic: the client and, since names are long, how manyth story it is.
///
/// # Panics
///
/// Where the story is not in the table.
#[must_use]
pub fn scene_name(client: Client, story: &str) -> String {
    let number = TABLE
        .iter()
        .position(|(name, _)| *name == story)
        .expect("a story of the table");
    format!("{client}-{}", number + 1)
}

/// Whether the story needs a coordinator of its own, since it restarts it.
#[must_use]
pub fn restarts_its_coordinator(story: &str) -> bool {
    story.ends_with("_a_coordinator_that_was_restarted")
}

/// The topics of all scenes, as `--topics` takes them.
#[must_use]
pub fn topics() -> Vec<String> {
    scenes()
        .map(|(client, story)| scene_name(client, story))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Cell, Client, TABLE};

    const STORIES: [&str; 3] = [
        include_str!("stories.rs"),
        include_str!("stories/lasting.rs"),
        include_str!("stories/statics.rs"),
    ];

    #[test]
    fn every_story_is_a_row_of_the_table_once() {
        let mut told: Vec<&str> = STORIES
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next())
            .collect();
        let mut rows: Vec<&str> = TABLE.iter().map(|(story, _)| *story).collect();
        told.sort_unstable();
        rows.sort_unstable();
        assert_eq!(told, rows);
    }

    #[test]
    fn the_java_client_and_librdkafka_play_every_story() {
        assert_eq!(Client::ALL[..2], [Client::Java, Client::Librdkafka]);
        for (story, cells) in TABLE {
            assert_eq!(cells[..2], [Cell::Run, Cell::Run], "{story}");
        }
    }

    #[test]
    fn what_is_not_in_a_client_has_a_reason_that_names_its_version() {
        let clients = [None, None, None, Some("aiokafka 0.14"), Some("KafkaJS 2.2"), None];
        for (story, cells) in TABLE {
            for (cell, client) in cells.iter().zip(clients) {
                if let Cell::NotInThisClient(why) = cell {
                    assert!(
                        client.is_some_and(|client| why.starts_with(client)),
                        "{story}: {why}"
                    );
                }
            }
        }
    }
}
