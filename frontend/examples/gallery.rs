//! Writes every scene as a page of its own, with the stylesheet beside it, to be looked at in a browser:
//! `cargo run -p frontend --example gallery -- FOLDER`.

#[path = "../tests/support/scenes.rs"]
mod scenes;
#[path = "../tests/support/stage.rs"]
mod stage;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use frontend::views;
use yew::{Callback, Html, LocalServerRenderer, Properties, component};

#[derive(Clone, PartialEq, Properties)]
struct ShowProps {
    html: Html,
}

#[component]
fn Show(props: &ShowProps) -> Html {
    props.html.clone()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let folder = env::args()
        .nth(1)
        .map_or_else(|| PathBuf::from("target/gallery"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("style.css"), stylesheet()?)?;
    for (name, make) in scenes::SCENES {
        let stage = make();
        let html = views::page(&stage.model, stage.drawn_at(), &Callback::noop()).html;
        let body = LocalServerRenderer::<Show>::with_props(ShowProps { html })
            .hydratable(false)
            .render()
            .await;
        for theme in ["light", "dark"] {
            let page = format!(
                "<!doctype html><html lang=\"en\" data-theme=\"{theme}\"><meta charset=\"utf-8\">\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
                 <title>{name}</title><link rel=\"stylesheet\" href=\"style.css\"><body><div id=\"app\">{body}</div></body></html>"
            );
            fs::write(folder.join(format!("{name}-{theme}.html")), page)?;
        }
    }
    println!("{}", folder.display());
    Ok(())
}

/// The stylesheets in the order of their names, as the build joins them.
fn stylesheet() -> io::Result<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("static");
    let mut paths: Vec<PathBuf> = fs::read_dir(sources)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "css"));
    paths.sort();
    paths.iter().map(fs::read_to_string).collect()
}
