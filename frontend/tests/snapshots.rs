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
    let stage = make();
    let html = views::page(&stage.model, stage.drawn_at(), &Callback::noop());
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
