//! The views, rendered on the host and compared with `tests/snapshots/*.html`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p frontend --test snapshots` writes them anew; what changed is then read in the diff.

#[path = "support/scenes.rs"]
mod scenes;
#[path = "support/stage.rs"]
mod stage;

use std::fs;
use std::path::PathBuf;

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
