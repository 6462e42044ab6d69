//! Heartline's page: Yew on WebAssembly, folding the same board as the server from the same events.
//!
//! # Layout
//!
//! `feed` (WebSocket, reconnect, resume) -> `model` (board + what the viewer selected) -> `views` (functions of the model).
//!
//! `static/` holds what is served as it is: `index.html`, `boot.js`, `style.css`, `favicon.svg`. They name each other and
//! the program (`/frontend.js`, `/frontend_bg.wasm`) from the root; the build puts hashed names in their place.
