//! The demo group, and one member made silent by a button.

use tests::chrome::{Page, Row};
use tests::heartline::Heartline;
use tests::wait::wait_until;

use crate::{newest_seq, nothing_to_complain_of, on_time, ready, seq};

#[tokio::test]
async fn the_demo_groups_members_are_on_time_and_their_latency_is_shown() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    page.wait_for("a live link", "link", |rows| {
        (rows.first()?.data("state") == "live").then_some(())
    })
    .await;
    wait_until("a window title that says the group is stable", async || {
        let title = page.script("return document.title").await;
        if title == "stable · demo · Heartline" {
            Ok(())
        } else {
            Err(title)
        }
    })
    .await;
    let latency = page
        .wait_for("the latency of at least ten beats", "heartbeat-latency", |rows| {
            let row = rows.first()?;
            let number = |name: &str| row.data(name).parse::<u64>().ok();
            (number("count")? >= 10).then_some((number("p50-us")?, number("p99-us")?))
        })
        .await;
    assert!(
        0 < latency.0 && latency.0 <= latency.1,
        "p50 and p99 are {latency:?}"
    );
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn two_groups_are_listed_each_with_its_state_and_verdict() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let coordinator = heartline.coordinator().expect("it has its own");
    let arguments = [
        "--bootstrap-servers",
        coordinator,
        "--probe-group",
        "orders",
        "--members",
        "2",
    ];
    let _neighbour = Heartline::start(&arguments).await;
    let page = Page::open(heartline.address()).await;
    page.wait_for("both groups stable", "group-row", |rows| {
        let stable = |row: &&Row| row.data("state") == "Stable" && row.data("verdict") == "stable";
        let mut groups: Vec<&str> = rows.iter().filter(stable).map(|row| row.data("group")).collect();
        groups.sort_unstable();
        (groups == ["demo", "orders"]).then_some(())
    })
    .await;
    page.click("[data-testid=group-row][data-group=orders] a").await;
    on_time(&page, 2).await;
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn a_silenced_member_is_late_then_expired_and_the_rebalance_names_that_cause() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    let silenced = &members[1];
    let before = newest_seq(&page).await;

    page.click(&format!(
        "[data-testid=fault][data-fault=silence][data-member='{silenced}']"
    ))
    .await;
    for state in ["late", "expired"] {
        page.wait_for(&format!("{silenced} {state}"), "member-row", |rows| {
            rows.iter()
                .find(|row| row.data("member") == silenced && row.data("state") == state)?;
            Some(())
        })
        .await;
    }
    page.wait_for("the coordinator's word that it expired", "event-row", |rows| {
        rows.iter().find(|row| {
            seq(row) > before && row.data("kind") == "member_expired" && row.data("evidence") == "observed"
        })?;
        Some(())
    })
    .await;
    let (generation, took) = page
        .wait_for("the rebalance, its cause and its length", "rebalance", |rows| {
            let row = rows.iter().find(|row| row.data("cause") == "member_timed_out")?;
            Some((
                row.data("generation").parse::<i32>().ok()?,
                row.data("took-ms").parse::<u64>().ok()?,
            ))
        })
        .await;
    assert!(
        generation > 1 && took < 60_000,
        "generation {generation}, {took} ms"
    );
    nothing_to_complain_of(&page).await;
}
