//! Faults through the form that is made of their shapes, and groups whose ids are trouble elsewhere.

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;
use tests::wait::wait_until;

use crate::{newest_seq, nothing_to_complain_of, on_time, ready, seq};

#[tokio::test]
async fn a_fault_is_filled_in_played_and_seen_doing_what_its_form_says() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    let before = newest_seq(&page).await;

    page.choose("[data-testid=fault-name] option[value=unused_id]")
        .await;
    fill(&page, "count", "0").await;
    wait_until("no button that plays 0 ids", async || {
        let buttons = page
            .script("return document.querySelectorAll('[data-fault=unused_id]:enabled').length")
            .await;
        if buttons == 0 { Ok(()) } else { Err(buttons) }
    })
    .await;
    fill(&page, "count", "2").await;
    page.click("[data-testid=fault][data-fault=unused_id]").await;
    for kind in ["fault_played", "member_id_issued", "member_id_expired"] {
        let times = if kind == "fault_played" { 1 } else { 2 };
        page.wait_for(&format!("{times} × {kind}"), "event-row", |rows| {
            let new = rows
                .iter()
                .filter(|row| seq(row) > before && row.data("kind") == kind);
            (new.count() == times).then_some(())
        })
        .await;
    }
    on_time(&page, 3).await;
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn a_negative_number_can_be_typed_and_is_what_is_played() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    page.choose("[data-testid=fault-name] option[value=clock_step]")
        .await;
    fill(&page, "ms", "-1500").await;
    page.click("[data-testid=fault][data-fault=clock_step]").await;
    page.wait_for("the step back in the log", "event-row", |rows| {
        rows.iter()
            .find(|row| row.data("kind") == "fault_played" && row.text.contains("back by 1.5"))?;
        Some(())
    })
    .await;
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn a_group_with_an_odd_id_is_listed_opened_and_found_again_by_its_address() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    heartline.play(&json!({"fault": "odd_ids", "ms": 600_000})).await;
    let page = Page::open(heartline.address()).await;
    let ids = page
        .wait_for("every group", "group-row", |rows| {
            let ids: Vec<String> = rows.iter().map(|row| row.data("group").to_owned()).collect();
            // The demo group, eleven short ids, three long ones.
            (ids.len() >= 15).then_some(ids)
        })
        .await;
    for odd in ["a#b", "two words", " ", "\u{1f418}", "..", "line\nbreak\ttab"] {
        assert!(ids.iter().any(|id| id == odd), "{odd:?} is not in {ids:?}");
    }
    assert!(ids.iter().any(|id| id.len() == 249) && ids.iter().any(|id| id.len() > 249));
    for id in ids.iter().filter(|id| *id != "demo") {
        let quoted = json!(id);
        let follow = format!(
            "[...document.querySelectorAll('[data-testid=group-row]')].find((row) => row.dataset.group === {quoted})\
             .querySelector('a').click()"
        );
        page.script(&follow).await;
        shown(&page, id).await;
        page.session().refresh().await.expect("the page loads again");
        shown(&page, id).await;
        page.script("history.back()").await;
        page.wait_for("the overview", "group-row", |rows| {
            (rows.len() >= 15).then_some(())
        })
        .await;
    }
    nothing_to_complain_of(&page).await;
}

/// Waits for the group's own page, which names it, and shows its one member and its events.
async fn shown(page: &Page, id: &str) {
    page.wait_for(&format!("the page of {id:?}"), "group-row", |rows| match rows {
        [only] => (only.data("group") == id).then_some(()),
        _ => None,
    })
    .await;
    page.wait_for(&format!("the events of {id:?}"), "event-row", |rows| {
        (!rows.is_empty()).then_some(())
    })
    .await;
    let heading = page
        .script("return document.querySelector('h1').textContent")
        .await;
    let heading = heading.as_str().expect("a text");
    let as_it_is = |character: char| character.is_alphanumeric() || character.is_ascii_punctuation();
    let plain = !id.is_empty() && id.chars().all(as_it_is);
    assert!(!heading.trim().is_empty(), "nothing is shown of {id:?}");
    if plain {
        assert_eq!(heading, id);
    }
}

/// Replaces what stands in a field of the form, key by key.
async fn fill(page: &Page, field: &str, text: &str) {
    let select = format!(
        "const input = document.querySelector('[data-field={field}] input'); input.focus(); input.select()"
    );
    page.script(&select).await;
    for key in text.chars() {
        page.press(&key.to_string()).await;
    }
    wait_until(&format!("{text} in the field {field}"), async || {
        let shown = page
            .script(&format!(
                "return document.querySelector('[data-field={field}] input').value"
            ))
            .await;
        if shown == text { Ok(()) } else { Err(shown) }
    })
    .await;
    page.is_drawn().await;
}
