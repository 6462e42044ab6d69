//! The list of groups: ten thousand of them, searched, sorted, scrolled and walked through by keyboard.

use serde_json::json;
use shared::protocol::{
    AnyResponse, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use tests::bench::load::ask;
use tests::chrome::Page;
use tests::heartline::Heartline;
use tests::wait::wait_until;
use tokio::net::TcpStream;

use crate::{nothing_to_complain_of, ready};

/// How many groups there are.
const GROUPS: usize = 10_000;

/// A version that knows neither topic ids nor tagged fields.
const COMMIT: i16 = 7;

/// Makes groups without members, `group-00000` and so on: a commit from outside is enough.
async fn crowd(coordinator: &str, groups: usize) {
    let mut socket = TcpStream::connect(coordinator).await.expect("it listens");
    for number in 0..groups {
        let request = OffsetCommitRequest {
            group_id: format!("group-{number:05}"),
            generation_id_or_member_epoch: -1,
            topics: vec![OffsetCommitRequestTopic {
                name: "demo".to_owned(),
                partitions: vec![OffsetCommitRequestPartition::default()],
                ..OffsetCommitRequestTopic::default()
            }],
            ..OffsetCommitRequest::default()
        };
        let answer = ask(&mut socket, COMMIT, request.into()).await.expect("an answer");
        let taken = matches!(&answer, AnyResponse::OffsetCommit(answer) if answer.topics[0].partitions[0].error_code == 0);
        assert!(taken, "{number}: {answer:?}");
    }
}

/// Waits until the head of the list says so many.
async fn listed(page: &Page, what: &str) {
    page.wait_for(&format!("{what} groups"), "listed", |rows| {
        (rows.first()?.text == what).then_some(())
    })
    .await;
}

/// The groups that are drawn, in the order of the page.
async fn drawn(page: &Page) -> Vec<String> {
    let rows = page.rows("group-row").await;
    rows.iter().map(|row| row.data("group").to_owned()).collect()
}

#[tokio::test]
async fn of_ten_thousand_groups_those_in_the_window_are_drawn_and_the_address_says_which_are_listed() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&["--members", "0"]).await;
    crowd(heartline.coordinator().expect("it is embedded"), GROUPS).await;
    let page = Page::open(&format!("{}/?sort=group", heartline.address())).await;
    listed(&page, "10,000").await;

    let count = "return document.querySelector('table.groups').getAttribute('aria-rowcount')";
    assert_eq!(page.script(count).await, json!("10001"));
    let first = drawn(&page).await;
    assert_eq!(first[0], "group-00000");
    assert!(first.len() < 100, "{} rows are drawn", first.len());

    page.script("window.scrollTo(0, document.body.scrollHeight)")
        .await;
    wait_until("the last group at the end", async || {
        let index = "return [...document.querySelectorAll('[data-testid=group-row]')].at(-1)?.getAttribute('aria-rowindex')";
        let last = (drawn(&page).await.pop(), page.script(index).await);
        if last == (Some("group-09999".to_owned()), json!("10001")) {
            Ok(())
        } else {
            Err(last)
        }
    })
    .await;
    assert!(drawn(&page).await.len() < 100);

    page.script("window.scrollTo(0, 0)").await;
    page.click("[data-testid=group-search]").await;
    for key in ["0", "0", "4", "2"] {
        page.press(key).await;
    }
    listed(&page, "11 of 10,000").await;
    page.click("[data-sort=group]").await;
    let backwards = async |page: &Page| {
        wait_until("the found ones from Z", async || {
            let drawn = drawn(page).await;
            let ends = (drawn.first().cloned(), drawn.last().cloned());
            let wanted = ["group-00429", "group-00042"].map(|name| Some(name.to_owned()));
            if drawn.len() == 11 && [ends.0, ends.1] == wanted {
                Ok(())
            } else {
                Err(drawn)
            }
        })
        .await;
    };
    backwards(&page).await;
    let address = page.script("return location.pathname + location.search").await;
    let address = address.as_str().expect("a text");
    assert_eq!(address, "/?q=0042&sort=-group");
    nothing_to_complain_of(&page).await;

    // A colleague who is sent the address sees the same.
    let other = Page::open(&format!("{}{address}", heartline.address())).await;
    backwards(&other).await;
    nothing_to_complain_of(&other).await;
}

#[tokio::test]
async fn by_keyboard_one_comes_to_groups_that_were_not_drawn() {
    const TAB: &str = "\u{E004}";
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&["--members", "0"]).await;
    crowd(heartline.coordinator().expect("it is embedded"), 300).await;
    let page = Page::open(&format!("{}/?sort=group", heartline.address())).await;
    listed(&page, "300").await;
    let first = drawn(&page).await.len();
    page.script("document.querySelector('[data-testid=group-row] a').focus()")
        .await;
    wait_until("the focus on a group that was not drawn", async || {
        page.press(TAB).await;
        let row = "return document.activeElement.closest('tr')?.getAttribute('aria-rowindex')";
        let row = page.script(row).await;
        let index = row.as_str().and_then(|row| row.parse::<usize>().ok());
        let index = index.expect("the focus is in the list");
        if index > first + 20 { Ok(()) } else { Err(index) }
    })
    .await;
    nothing_to_complain_of(&page).await;
}
