//! `/api/faults`: what can be made to go wrong on the embedded coordinator, and doing so.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use shared::fault::SHAPES;
use tokio::time::timeout;

use super::super::Web;
use super::super::error::ApiError;
use super::super::query::Parameters;
use crate::faults::{self, Refused};
use crate::limits;

/// `GET /api/faults`: what POST takes; nothing on a real cluster.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    query: Parameters,
) -> Result<Json<Value>, ApiError> {
    query.only(&[])?;
    let faults = if web.site.faults.is_some() { SHAPES } else { &[] };
    Ok(Json(json!({ "faults": faults })))
}

/// `POST /api/faults`: plays one.
pub(in crate::web) async fn post(
    State(web): State<Arc<Web>>,
    query: Parameters,
    headers: HeaderMap,
    request: Request,
) -> Result<Json<Value>, ApiError> {
    query.only(&[])?;
    let Some(desk) = &web.site.faults else {
        let message =
            "faults are played on the embedded coordinator only, and this server shows a real cluster";
        return Err(ApiError::new(StatusCode::NOT_FOUND, "no_faults_here", message));
    };
    // Only a script or our own page can send this type: a form on a foreign page cannot.
    if !is_json(&headers) {
        let message = "the body must be sent as Content-Type: application/json";
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            message,
        ));
    }
    let body = body(request).await?;
    let fault = faults::read(&body)
        .map_err(|why| ApiError::bad_request(format!("{why}; GET /api/faults lists every fault")))?;
    match desk.play(fault.clone()).await {
        Ok(sentence) => Ok(Json(json!({ "played": fault, "message": sentence }))),
        Err(Refused::Value(why)) => Err(ApiError::bad_request(why)),
        Err(Refused::Now(why)) => Err(ApiError::new(StatusCode::CONFLICT, "not_now", why)),
        Err(Refused::Ended) => Err(ApiError::shutting_down()),
    }
}

/// The whole body, which must come in time and be short enough.
async fn body(request: Request) -> Result<Bytes, ApiError> {
    let whole = timeout(limits::HTTP_BODY_WAIT, Bytes::from_request(request, &())).await;
    match whole {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(why)) if why.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(ApiError::too_large()),
        Ok(Err(why)) => Err(ApiError::new(why.status(), "bad_request", why.body_text())),
        Err(_late) => {
            let message = format!(
                "the body was not all there within {} s",
                limits::HTTP_BODY_WAIT.as_secs()
            );
            Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message))
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}
