//! Large JSON answers: made off the runtime's threads, compressed where the client takes it.

use std::io::Write as _;

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::encoding::{Encoding, accepted};
use super::error::ApiError;

/// Bodies below this many bytes fit into one packet; compressing them gains nothing.
const WORTHWHILE: usize = 1_400;

/// Of a board of ten thousand groups the first level leaves a fifteenth more than this one, in the same time; those above take
/// twice as long for a tenth less.
const LEVEL: Compression = Compression::new(3);

/// A body in both forms, cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    plain: Bytes,
    gzip: Option<Bytes>,
}

impl Encoded {
    /// Compresses a body; for a large one this takes milliseconds.
    pub(super) fn new(plain: Vec<u8>) -> Self {
        let gzip = if plain.len() < WORTHWHILE {
            None
        } else {
            gzip(&plain)
        };
        Self {
            plain: plain.into(),
            gzip,
        }
    }

    /// The form that the client takes, as JSON.
    pub(super) fn response(self, headers: &HeaderMap) -> Response {
        let gzip = self
            .gzip
            .filter(|_| accepted(headers.get_all(ACCEPT_ENCODING)).gzip);
        let compressed = gzip.is_some();
        let mut response = Response::new(Body::from(gzip.unwrap_or(self.plain)));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if compressed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(Encoding::Gzip.name()));
        }
        response
    }
}

/// None where compressing failed: the plain form is as good.
fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), LEVEL);
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// Does work that takes milliseconds where it stalls no viewer.
pub(super) async fn offload<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ApiError::internal(&error)),
    }
}

/// A value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(value).map_err(|error| ApiError::internal(&error))
}
