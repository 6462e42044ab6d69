//! Field incidents played by the built program, over real connections, as somebody sees them who starts it.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use std::process::Command;

use futures_util::stream::{self, StreamExt as _};
use tests::heartline::{Heartline, binary};
use tests::wait::wait_until;

/// Programs that run at once.
const AT_ONCE: usize = 4;

/// The names that `--scenario list` prints, one a line, each with what it plays.
fn listed() -> Option<Vec<String>> {
    let output = Command::new(binary()?)
        .args(["--scenario", "list"])
        .output()
        .expect("it is built");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("it is text");
    let name = |line: &str| {
        let (name, title) = line.trim().split_once(' ').expect("a name and what it plays");
        assert!(!title.trim().is_empty(), "{line}");
        name.to_owned()
    };
    Some(text.lines().map(name).collect())
}

#[tokio::test]
async fn every_scenario_on_the_list_is_played_with_groups_to_see() {
    let Some(names) = listed() else { return };
    assert!(names.len() >= 15, "{names:?}");
    stream::iter(&names)
        .for_each_concurrent(AT_ONCE, async |name| {
            let heartline = Heartline::start(&["--scenario", name]).await;
            wait_until(&format!("a group in {name}"), async || {
                let (_, answer) = heartline.get("/api/groups").await;
                let groups = answer["groups"].as_array().map_or(0, Vec::len);
                if groups > 0 { Ok(()) } else { Err(answer) }
            })
            .await;
        })
        .await;
}

/// Two whose story does not depend on how fast this machine is.
#[tokio::test]
async fn a_scenario_ends_in_the_sentence_that_its_report_asks_for() {
    if binary().is_none() {
        return;
    }
    for (name, set, group, parts) in [
        (
            "unused-member-id",
            "group=pay ments",
            "pay%20ments",
            ["waiting for pending id ", " and never used"],
        ),
        (
            "forbidden-group",
            "group=secret",
            "secret",
            ["READ on group secret", "30 GROUP_AUTHORIZATION_FAILED"],
        ),
    ] {
        let heartline = Heartline::start(&["--scenario", name, "--scenario-set", set]).await;
        wait_until(&format!("what is said of {name}"), async || {
            let (_, answer) = heartline.get(&format!("/api/group?group={group}")).await;
            let found = answer["verdicts"].as_array().is_some_and(|said| {
                said.iter().any(|finding| {
                    let sentence = finding["sentence"].as_str().unwrap_or_default();
                    parts.iter().all(|part| sentence.contains(part))
                })
            });
            if found {
                Ok(())
            } else {
                Err(answer["verdicts"].clone())
            }
        })
        .await;
    }
}
