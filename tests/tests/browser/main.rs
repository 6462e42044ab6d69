//! The group `browser`: the built program in headless Chromium, seen as its users see it.

#![expect(clippy::expect_used, reason = "a test's helper fails its test")]

mod access;
mod aim;
mod answers;
mod coordinator;
mod coordinators;
mod demo;
mod events;
mod faults;
mod groups;
mod looks;
mod past;
mod ping;
mod recovery;
mod timeline;

use tests::chrome::{Page, Row};

/// Whether the parts are here: the built program and Chromium.
fn ready() -> bool {
    tests::heartline::binary().is_some() && tests::chrome::is_installed()
}

/// Waits until `count` members are on time; their ids, in the page's order.
async fn on_time(page: &Page, count: usize) -> Vec<String> {
    page.wait_for(&format!("{count} members on time"), "member-row", |rows| {
        let on_time = in_state(rows, "on-time");
        (on_time.len() == count).then_some(on_time)
    })
    .await
}

/// The ids of the members in a state.
fn in_state(rows: &[Row], state: &str) -> Vec<String> {
    rows.iter()
        .filter(|row| row.data("state") == state)
        .map(|row| row.data("member").to_owned())
        .collect()
}

/// The newest seq in the page's event log.
async fn newest_seq(page: &Page) -> u64 {
    page.rows("event-row").await.iter().map(seq).max().unwrap_or(0)
}

/// The seq of a row of the event log.
fn seq(row: &Row) -> u64 {
    row.data("seq").parse().expect("a seq is a number")
}

/// Nothing was refused by the page's policy, and the console has no error of the page's own.
async fn nothing_to_complain_of(page: &Page) {
    let complaints = page.complaints().await;
    assert!(complaints.is_empty(), "{complaints:#?}");
}
