//! `POST /api/ping`: one heartbeat to a group's coordinator, by a member that does not exist, and how long its answer took.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::error_code;
use shared::ids::GroupId;

use super::super::Web;
use super::super::error::{ApiError, quoted};
use super::super::query::Parameters;
use super::group::find;
use crate::ping::{Heartbeat, PingError};

/// `POST /api/ping?group=ID[&cluster=ID]`.
pub(in crate::web) async fn post(
    State(web): State<Arc<Web>>,
    query: Parameters,
) -> Result<Json<Value>, ApiError> {
    let query = query.only(&["group", "cluster"])?;
    let group = query
        .one("group")?
        .ok_or_else(|| ApiError::bad_request("group=ID is needed; \"\" is an id too"))?;
    let snapshot = web.snapshot().await?;
    let group = GroupId::from(group);
    let row = find(&snapshot.board, &group, query.one("cluster")?)?;
    let not_now = |why: String| ApiError::new(StatusCode::CONFLICT, "no_heartbeat", why);
    let Some(group_type) = row.group_type.get() else {
        let id = quoted(group.as_str());
        return Err(not_now(format!(
            "the type of the group {id} is not visible, so that no heartbeat is known to be harmless to it"
        )));
    };
    let heartbeat = Heartbeat::of(group_type).ok_or_else(|| {
        not_now(format!(
            "the group {} is of the type {}: a heartbeat by nobody is harmless in classic and consumer groups only",
            quoted(group.as_str()),
            group_type.as_str()
        ))
    })?;
    let pinger = web.site.pinger.upgrade().ok_or_else(ApiError::shutting_down)?;
    match pinger.ping(&group, heartbeat).await {
        Ok(pinged) => Ok(Json(json!({
            "group": group,
            "node": pinged.node,
            "api": pinged.api,
            "latency_us": pinged.latency_us,
            "error": pinged.error,
            "answered": matches!(
                pinged.error,
                error_code::UNKNOWN_MEMBER_ID | error_code::GROUP_ID_NOT_FOUND
            ),
            "right": right(pinged.error, &group),
            "beside": pinged.beside,
        }))),
        Err(error @ PingError::TooSoon) => Err(ApiError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too_soon",
            error.to_string(),
        )),
        Err(PingError::NoAnswer(why)) => Err(ApiError::new(StatusCode::BAD_GATEWAY, "no_answer", why)),
    }
}

/// The right without which a heartbeat is answered so.
fn right(error: i16, group: &GroupId) -> Option<String> {
    (error == error_code::GROUP_AUTHORIZATION_FAILED).then(|| format!("READ on group {group}"))
}
