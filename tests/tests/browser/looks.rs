//! How the page looks and is reached: widths, themes, long names, the keyboard; and the picture for README.md.

use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;

use serde_json::json;
use shared::time::Millis;
use tests::cast::{Cast, config};
use tests::chrome::{Page, Row, Theme};
use tests::folder::root;
use tests::heartline::Heartline;
use tests::wait::wait_until;

use crate::{nothing_to_complain_of, on_time, ready};

/// A desk's screen, a small one, a tablet and a telephone, in CSS pixels.
pub(crate) const WIDTHS: [(u32, u32); 4] = [(1280, 900), (1000, 800), (700, 900), (400, 860)];

/// Whatever is wider than its place: the page itself, or what stands in a panel, in a table's cell or, where it has one to be seen, in its head.
const TOO_WIDE: &str = "const wide = (all) => [...all].filter((place) => place.scrollWidth > place.clientWidth + 1).map((place) => place.innerText); \
     const heads = [...document.querySelectorAll('th')].filter((head) => head.closest('thead').clientWidth > 1); \
     return wide([document.documentElement, ...heads, ...document.querySelectorAll('.panel, tbody td')])";

/// Nothing is wider than its place.
pub(crate) async fn fits(page: &Page, when: &str) {
    let wide = page.script(TOO_WIDE).await;
    assert_eq!(wide, json!([]), "too wide for their places at {when}");
}

#[tokio::test]
async fn the_page_fits_every_width_in_light_and_dark() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    page.wait_for("some latency to draw", "heartbeat-latency", |rows| {
        (rows.first()?.data("count").parse::<u64>().ok()? >= 30).then_some(())
    })
    .await;
    // A picture of a page where nothing happens says little: one member is silent, and late when it is drawn.
    heartline
        .play(&json!({"fault": "silence", "member": members[1]}))
        .await;
    page.wait_for("one member late", "member-row", |rows| {
        rows.iter().any(|row| row.data("state") == "late").then_some(())
    })
    .await;
    let pictures = root().join("target/pictures");
    fs::create_dir_all(&pictures).expect("target/ is ours");
    for (width, height) in WIDTHS {
        for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            page.emulate(width, height, theme).await;
            wait_until("the end of the colours' transitions", async || {
                let running = page.script("return document.getAnimations().length").await;
                if running == 0 { Ok(()) } else { Err(running) }
            })
            .await;
            let picture = page.screenshot().await;
            fs::write(pictures.join(format!("page-{width}-{name}.png")), picture).expect("target/ is ours");
            fits(&page, &format!("{width}, {name}")).await;
        }
    }
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn long_ids_that_end_apart_look_apart_and_no_cell_runs_into_the_next() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&["--members", "0"]).await;
    let coordinator = heartline.coordinator().expect("it is embedded");
    let coordinator: SocketAddr = coordinator.parse().expect("an address");
    // Clients of others: the latency of their heartbeats is not visible.
    let mut strangers = config(
        &coordinator.into(),
        "payments-settlement-consumer-eu-west-1-instance",
        3,
    );
    strangers.member.topics = vec!["demo".to_owned()];
    // What a coordinator takes by default, and few beats, since nobody reads what these members report.
    strangers.member.session_timeout = Millis(6_000);
    strangers.member.heartbeat_interval = Millis(1_000);
    let strangers = Cast::start(strangers);
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    for (width, height) in WIDTHS.into_iter().chain([(1920, 1080)]) {
        page.emulate(width, height, Theme::Light).await;
        let names = "return [...document.querySelectorAll('[data-testid=member-row] .cut')].map((name) => \
             ({ end: getComputedStyle(name, '::after').content, fits: name.scrollWidth <= name.clientWidth }))";
        let names = page.script(names).await;
        let names = names.as_array().expect("a list");
        let ends: BTreeSet<String> = names.iter().map(|name| name["end"].to_string()).collect();
        assert_eq!(ends.len(), 3, "{names:?} at {width}");
        assert!(
            names.iter().all(|name| name["fits"] == true),
            "{names:?} at {width}"
        );
        fits(&page, &width.to_string()).await;
    }
    page.emulate(400, 860, Theme::Light).await;
    let log = "const log = document.querySelector('.log'); return log.clientHeight < log.scrollHeight && log.clientHeight <= innerHeight";
    assert_eq!(
        page.script(log).await,
        true,
        "at 400 px the log scrolls by itself"
    );
    nothing_to_complain_of(&page).await;
    drop(strangers);
}

#[tokio::test]
async fn long_names_of_groups_members_and_topics_fit_every_width() {
    const GROUP: &str =
        "payments-settlement-reconciliation-consumer-eu-west-1-production-v2-blue-green-canary";
    const TOPIC: &str = "a-topic-with-a-very-long-name.settlements.reconciled.eu-west-1.production.v2";
    if !ready() {
        return;
    }
    let topics = format!("demo:6,{TOPIC}:6");
    let heartline = Heartline::start(&["--topics", &topics]).await;
    let coordinator: SocketAddr = heartline
        .coordinator()
        .and_then(|address| address.parse().ok())
        .expect("an address");
    let mut strangers = config(&coordinator.into(), GROUP, 2);
    strangers.member.topics = vec![TOPIC.to_owned()];
    strangers.member.session_timeout = Millis(6_000);
    strangers.member.heartbeat_interval = Millis(1_000);
    let strangers = Cast::start(strangers);
    let page = Page::open(heartline.address()).await;
    page.wait_for("both groups stable", "group-row", |rows| {
        (rows.len() == 2 && rows.iter().all(|row| row.data("verdict") == "stable")).then_some(())
    })
    .await;
    for (width, height) in WIDTHS {
        page.emulate(width, height, Theme::Light).await;
        fits(&page, &format!("{width}, all groups")).await;
    }
    page.click(&format!("[data-group='{GROUP}'] a")).await;
    page.wait_for("whose each partition is", "partition-row", |rows| {
        let owned = |row: &Row| row.text.contains(&GROUP[..5]);
        (rows.len() == 6 && rows.iter().all(owned)).then_some(())
    })
    .await;
    for (width, height) in WIDTHS {
        page.emulate(width, height, Theme::Light).await;
        fits(&page, &format!("{width}, the group")).await;
    }
    nothing_to_complain_of(&page).await;
    drop(strangers);
}

#[tokio::test]
async fn a_fault_can_be_played_with_the_keyboard_alone() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    wait_until(
        "the focus on the button that adds a member, by Tab alone",
        async || {
            page.press("\u{E004}").await;
            let focused = page
                .script("return document.activeElement.dataset.fault ?? document.activeElement.tagName")
                .await;
            if focused == "add" { Ok(()) } else { Err(focused) }
        },
    )
    .await;
    page.press("\u{E007}").await;
    on_time(&page, 4).await;
    nothing_to_complain_of(&page).await;
}

/// Each word with something behind it is focused in turn: those whose box then reaches beyond the window, from where to where. Beside the
/// box's width stand its padding and border.
const BEYOND: &str = "const beyond = []; window.unfolded = 0; for (const hint of document.querySelectorAll('.hint')) { \
     hint.focus(); if (!hint.matches(':focus-visible')) continue; \
     const box = getComputedStyle(hint, '::after'); const left = parseFloat(box.left); const right = left + parseFloat(box.width) + 20; \
     window.unfolded += 1; if (!(left >= 0 && right <= innerWidth)) beyond.push([hint.innerText, left, right]); } return beyond";

#[tokio::test]
async fn what_stands_behind_a_word_unfolds_within_the_window() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    for (width, height) in WIDTHS {
        page.emulate(width, height, Theme::Light).await;
        page.press("\u{E004}").await;
        assert_eq!(page.script(BEYOND).await, json!([]), "at {width} px");
    }
    let unfolded = page.script("return window.unfolded").await;
    assert!(unfolded.as_u64() > Some(20), "{unfolded} were looked at");
    nothing_to_complain_of(&page).await;
}
