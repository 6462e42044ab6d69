//! Errors as the API answers them: `{"error": CODE, "message": SENTENCE}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::limits;

/// An answer that is an error. The code is for programs and stays; the sentence names the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            status,
            code,
            message,
        }
    }

    /// A query or a body that says something it may not.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// Nothing is served here.
    pub(super) fn no_such_path(path: &str) -> Self {
        let message = format!(
            "nothing is served at {}; the page is at /, the API under /api/ (board, groups, group, events, faults, ping)",
            quoted(path)
        );
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// A body of more bytes than are taken.
    pub(super) fn too_large() -> Self {
        let message = format!(
            "the body has more than {} bytes, the most allowed",
            limits::HTTP_BODY
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The hub has ended: so will the server.
    pub(super) fn shutting_down() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "shutting_down",
            "the server is ending",
        )
    }

    /// A fault of ours; the log has it too.
    pub(super) fn internal(error: &dyn std::error::Error) -> Self {
        tracing::error!(%error, "a request could not be answered");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    }
}

/// Text of a client's, escaped and in quotes, for a sentence: its first [`SHOWN`] characters.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// Characters of a client's text that a sentence repeats.
const SHOWN: usize = 80;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({"error": self.code, "message": self.message});
        (self.status, Json(body)).into_response()
    }
}
