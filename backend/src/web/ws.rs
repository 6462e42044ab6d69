//! The WebSocket's door: how many viewers there may be, and how large their frames.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use shared::wire;

use super::Web;
use super::error::ApiError;
use super::page;
use super::viewer::{self, About};
use crate::limits;

/// `GET /ws`.
pub(super) async fn open(
    State(web): State<Arc<Web>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|why| ApiError::new(why.status(), "not_a_websocket", why.to_string()))?;
    let Ok(place) = Arc::clone(&web.viewers).try_acquire_owned() else {
        let message = format!("{} viewers are connected; more are not allowed", limits::VIEWERS);
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too_many_viewers",
            message,
        ));
    };
    let upgrade = upgrade
        .max_frame_size(wire::CLIENT_FRAME_MAX)
        .max_message_size(wire::CLIENT_FRAME_MAX);
    Ok(upgrade
        .on_upgrade(move |socket| async move {
            let why = viewer::show(
                socket,
                &web.site.hub,
                web.site.clock,
                About {
                    scenario: web.site.scenario.as_deref(),
                    page: page::version(web.site.page),
                },
            )
            .await;
            tracing::debug!(%why, "a viewer's connection ended");
            drop(place);
        })
        .into_response())
}
