//! The page's files, embedded by `build.rs`, and how they are served.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};

use super::Web;
use super::encoding::{Encoding, accepted};
use super::error::ApiError;

/// One file of the page.
#[derive(Clone, Copy, Debug)]
pub struct File {
    pub name: &'static str,
    pub plain: &'static [u8],
    pub brotli: Option<&'static [u8]>,
    pub gzip: Option<&'static [u8]>,
}

/// All files of the page; none where it was not built.
pub static EMBEDDED: &[File] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The file that `/` and the page's own addresses answer with.
const INDEX: &str = "index.html";

/// What is served where the page was not built: enough to build it.
const NOT_BUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Heartline</title>\
<p>This server was built without its page. Build both with <code>cargo xtask build</code>, or run both with \
<code>cargo xtask run</code>. The API answers meanwhile: <a href=/api/board>/api/board</a>.</p></html>\n";

/// `/`, `/group`, `/events`, `/coordinators`: the address holds what the page shows.
pub(super) async fn index(State(web): State<Arc<Web>>, headers: HeaderMap) -> Response {
    match find(web.site.page, INDEX) {
        Some(file) => serve(file, &headers),
        None => (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response(),
    }
}

/// Any other file of the page, by its name.
pub(super) async fn file(
    State(web): State<Arc<Web>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    match find(web.site.page, &name) {
        Some(file) => Ok(serve(file, &headers)),
        None => Err(ApiError::no_such_path(&format!("/{name}"))),
    }
}

/// What tells one page from another: the names of its files, which carry hashes of their content. None where it was not built.
pub(super) fn version(page: &[File]) -> Option<String> {
    let mut hasher = DefaultHasher::new();
    for file in page {
        hasher.write(file.name.as_bytes());
    }
    (!page.is_empty()).then(|| format!("{:016x}", hasher.finish()))
}

fn find(page: &'static [File], name: &str) -> Option<&'static File> {
    page.iter().find(|file| file.name == name)
}

fn serve(file: &'static File, headers: &HeaderMap) -> Response {
    let accepted = accepted(headers.get_all(ACCEPT_ENCODING));
    let (body, encoding) = match (file.brotli, file.gzip) {
        (Some(brotli), _) if accepted.brotli => (brotli, Some(Encoding::Brotli)),
        (_, Some(gzip)) if accepted.gzip => (gzip, Some(Encoding::Gzip)),
        _ => (file.plain, None),
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(file.name)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching(file.name)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    }
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// A name with a hash of the content (`style-1f2e3d4c5b6a7988.css`) never means anything else; the others are asked
/// for again, or a browser would keep the page of an older server.
fn caching(name: &str) -> &'static str {
    let stem = name.split('.').next().unwrap_or_default();
    let hash = stem.rsplit_once('-').map(|(_, hash)| hash);
    match hash {
        Some(hash) if hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()) => {
            "public, max-age=31536000, immutable"
        }
        _ => "no-cache",
    }
}
