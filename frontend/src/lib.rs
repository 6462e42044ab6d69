//! Heartline's page: Yew on WebAssembly, folding the same board as the server from the same events.
//!
//! # Layout
//!
//! `feed` (WebSocket, reconnect, resume) -> `model` (board + what the viewer selected) -> `views` (functions of the model).
//!
//! `static/` holds what is served as it is: `index.html`, `boot.js`, `style.css`, `favicon.svg`. They name each other and
//! the program (`/frontend.js`, `/frontend_bg.wasm`) from the root; the build puts hashed names in their place.

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
