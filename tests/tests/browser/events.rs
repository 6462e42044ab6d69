//! The log with the page to itself: filtered by the address, and handed out as a file.

use serde_json::{Value, json};
use tests::chrome::{Page, Row};
use tests::heartline::Heartline;

use crate::{nothing_to_complain_of, on_time, ready, seq};

/// What is listed by its numbers, once there is some.
async fn listed(page: &Page, what: &str, is_right: impl Fn(&Row) -> bool) -> Vec<u64> {
    page.wait_for(what, "event-row", |rows| {
        (!rows.is_empty() && rows.iter().all(&is_right)).then(|| rows.iter().map(seq).collect())
    })
    .await
}

/// What a link of the page answers with.
async fn fetched(page: &Page, testid: &str) -> String {
    let script = format!(
        "return fetch(document.querySelector('[data-testid={testid}]').href).then((answer) => answer.text())"
    );
    page.script(&script).await.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn what_is_filtered_is_in_the_address_and_is_what_the_files_hold() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    page.click("nav a[href='/events']").await;
    page.choose("[data-testid=log-kind] option[value=member_joined]")
        .await;
    page.choose("[data-testid=log-evidence] option[value=observed]")
        .await;
    page.choose("[data-testid=log-host] option:nth-child(2)").await;
    let joins = |row: &Row| row.data("kind") == "member_joined" && row.data("evidence") == "observed";
    let seqs = listed(&page, "the joins", joins).await;
    assert!(seqs.len() >= members.len(), "{seqs:?}");
    let address = page.script("return location.pathname + location.search").await;
    let address = address.as_str().expect("a text");
    assert!(
        address.starts_with("/events?kind=member_joined&host=") && address.ends_with("&evidence=observed"),
        "{address}"
    );

    let lines = fetched(&page, "export-jsonl").await;
    let mut held: Vec<u64> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an event a line"))
        .map(|event| event["seq"].as_u64().expect("a number"))
        .collect();
    held.reverse();
    assert_eq!(held, seqs);
    let cells = fetched(&page, "export-csv").await;
    assert_eq!(cells.lines().count(), seqs.len() + 1, "{cells}");
    nothing_to_complain_of(&page).await;

    // Whoever is sent the address sees the same.
    let other = Page::open(&format!("{}{address}", heartline.address())).await;
    assert_eq!(listed(&other, "the same joins", joins).await, seqs);
    let chosen = "return document.querySelector('[data-testid=log-evidence]').value";
    assert_eq!(other.script(chosen).await, json!("observed"));
    nothing_to_complain_of(&other).await;
}
