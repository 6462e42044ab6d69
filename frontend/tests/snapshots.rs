//! The views, rendered on the host and compared with `tests/snapshots/*.html`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p frontend --test snapshots` writes them anew; what changed is then read in the diff.

#[path = "support/scenes.rs"]
mod scenes;
#[path = "support/stage.rs"]
mod stage;

use std::fs;
use std::path::PathBuf;

use frontend::model::address::Address;
use frontend::views;
use yew::{Callback, Html, LocalServerRenderer, Properties, component};

use scenes::{SCENES, Scene};
use stage::Stage;

/// What is to be rendered.
#[derive(Clone, PartialEq, Properties)]
struct ShowProps {
    html: Html,
}

#[component]
fn Show(props: &ShowProps) -> Html {
    props.html.clone()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// A scene as HTML, a tag a line, without what Yew writes for hydration.
async fn render((_, make): &Scene) -> String {
    draw(&make()).await
}

async fn draw(stage: &Stage) -> String {
    let html = views::page(&stage.model, stage.drawn_at(), &Callback::noop()).html;
    let text = LocalServerRenderer::<Show>::with_props(ShowProps { html })
        .hydratable(false)
        .render()
        .await;
    text.replace("><", ">\n<") + "\n"
}

#[tokio::test]
async fn every_scene_looks_as_it_did() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut changed = Vec::new();
    for scene in SCENES {
        let path = folder().join(format!("{}.html", scene.0));
        let drawn = render(scene).await;
        if update {
            fs::create_dir_all(folder()).expect("folder");
            fs::write(&path, &drawn).expect("writable");
        } else if fs::read_to_string(&path).unwrap_or_default() != drawn {
            changed.push(scene.0);
        }
    }
    assert!(
        changed.is_empty(),
        "these scenes look different: {changed:?}; run with UPDATE_SNAPSHOTS=1 and read the diff"
    );
}

#[test]
fn no_snapshot_is_left_over() {
    let known: Vec<String> = SCENES.iter().map(|(name, _)| format!("{name}.html")).collect();
    for entry in fs::read_dir(folder()).expect("folder") {
        let name = entry.expect("entry").file_name().into_string().expect("UTF-8");
        assert!(known.contains(&name), "{name} belongs to no scene");
    }
}

#[tokio::test]
async fn of_many_members_those_in_trouble_are_drawn_first() {
    let mut stage = Stage::live("", false);
    let ids: Vec<String> = (100..200).map(|number| format!("m-{number}")).collect();
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    let joins: Vec<(&str, u64)> = all.iter().map(|id| (*id, 5)).collect();
    stage.join(1, &joins);
    stage.beat(1, &all, 2);
    stage.beat(1, &all[..99], 2);
    let drawn = draw(&stage).await;
    let rows: Vec<&str> = drawn
        .lines()
        .filter(|line| line.contains("data-testid=\"member-row\""))
        .collect();
    assert_eq!(rows.len(), 50);
    assert!(
        rows[0].contains("data-member=\"m-199\" data-state=\"late\""),
        "{}",
        rows[0]
    );
    assert!(
        rows[1].contains("data-member=\"m-100\" data-state=\"on-time\""),
        "{}",
        rows[1]
    );
    assert!(drawn.contains("show more (50 not shown)"));
}

#[tokio::test]
async fn of_a_group_that_may_not_be_described_nothing_is_zero_and_each_thing_names_its_right() {
    let hidden = SCENES.iter().find(|(name, _)| *name == "surveyed-hidden");
    let mut stage = hidden.expect("the scene").1();
    let overview = draw(&stage).await;
    let (_, row) = overview.split_once("data-group=\"secret\"").expect("its row");
    let (row, _) = row.split_once("</tr>").expect("its end");
    let hides = |text: &str, label: &str, why: &str| {
        let (_, cell) = text.split_once(label).expect(label);
        let (_, reason) = cell.split_once("data-hint=\"").expect("a reason");
        assert!(reason.starts_with(why), "{label}: {reason}");
    };
    let describe = "DESCRIBE on group secret is missing\"";
    let read = "READ on topic __consumer_offsets is missing\"";
    for (label, why) in [
        ("members", describe),
        ("generation", read),
        ("rebalances", describe),
        ("lag", describe),
    ] {
        hides(row, &format!("data-label=\"{label}\""), why);
    }
    stage.model.go(Address::of_group(&"secret".into(), None));
    let page = draw(&stage).await;
    for (label, why) in [
        ("Generation", read),
        ("Members", describe),
        ("Session", read),
        ("Lag", describe),
    ] {
        hides(&page, &format!("<dt>{label}</dt>"), why);
    }
    assert!(page.contains("Whether there were any is not visible: DESCRIBE on group secret is missing."));
    assert!(!page.contains("None has been seen"));
}
