//! Heartline's page: Yew on WebAssembly, folding the same board as the server from the same events.
//!
//! # Layout
//!
//! `feed` (WebSocket, reconnect, resume) -> `model` (board + what the viewer selected) -> `views` (functions of the model)
//!
//! - [`app`]: the one component, which owns the model and changes it in place; draws at most once per animation frame
//! - [`feed`]: the link to the server; its machine is sans-IO, its driver is the only user of the socket
//! - [`model`]: pure; messages, answers and actions in, requests out
//! - [`views`]: know the model and `shared`, never the feed
//! - [`browser`]: clock, chance, storage, history, requests
//!
//! `static/` holds what is served as it is: `index.html`, `boot.js`, the stylesheets (joined in the order of their names) and
//! `favicon.svg`. They name each other and the program (`/frontend.js`, `/frontend_bg.wasm`) from the root; the build puts
//! hashed names in their place. No view writes a `style` attribute: the policy of docs/contract.md blocks it.
//!
//! Everything but `app`, the driver of `feed`, `browser` and the painting of the chart runs on the host and is tested there;
//! `cargo run -p frontend --example gallery -- FOLDER` draws every scene of the tests as a page to look at.

pub mod app;
pub mod browser;
pub mod feed;
pub mod model;
pub mod views;

use wasm_bindgen::prelude::wasm_bindgen;

/// Where the page starts: called by the module's own glue once it is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    // Only in a browser: the same crate is compiled for the host to be tested there.
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        yew::Renderer::<app::App>::with_root(root).render();
    }
}
