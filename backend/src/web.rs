//! HTTP and WebSocket: the page, the API, the metrics (docs/contract.md). Everything shown comes from [`crate::hub`].

mod answer;
mod api;
mod encoding;
mod error;
mod guard;
mod impatient;
mod metrics;
mod page;
mod query;
mod serve;
mod viewer;
mod ws;

pub use api::ready::Readiness;
pub use page::{EMBEDDED as EMBEDDED_PAGE, File};
pub use serve::serve;

use std::sync::{Arc, Weak};

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::faults::FaultDesk;
use crate::hub::{Hub, Snapshot};
use crate::limits;
use crate::ping::Pinger;
use crate::survey::Insight;
use error::ApiError;

/// What is served, and to whom.
#[derive(Debug)]
pub struct Site {
    /// What is known.
    pub hub: Hub,
    /// Its clock.
    pub clock: Clock,
    /// Names, in lower case, that `Host` may hold beside IP addresses and localhost.
    pub allowed_hosts: Vec<String>,
    /// The page's files.
    pub page: &'static [File],
    /// Where faults are played; none on a real cluster.
    pub faults: Option<FaultDesk>,
    /// Who sends single heartbeats by nobody, as long as it is there: it reports what it asks, and the hub ends with the
    /// last who reports.
    pub pinger: Weak<Pinger>,
    /// What a survey costs; none where there is none.
    pub survey: Option<Insight>,
    /// How it is known whether the coordinator answers.
    pub readiness: Readiness,
    /// The scenario that is played.
    pub scenario: Option<Arc<str>>,
}

/// What the handlers share.
#[derive(Debug)]
struct Web {
    site: Site,
    present: api::board::Present,
    viewers: Arc<Semaphore>,
}

impl Web {
    fn new(site: Site) -> Self {
        Self {
            site,
            present: api::board::Present::default(),
            viewers: Arc::new(Semaphore::new(limits::VIEWERS)),
        }
    }

    /// The board as it stands.
    ///
    /// # Errors
    ///
    /// The hub has ended: the server shuts down.
    async fn snapshot(&self) -> Result<Snapshot, ApiError> {
        self.site.hub.board().await.ok_or_else(ApiError::shutting_down)
    }

    /// How many viewers are connected.
    fn viewers(&self) -> usize {
        limits::VIEWERS.saturating_sub(self.viewers.available_permits())
    }
}

/// All that is served.
fn router(web: Arc<Web>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/group", get(page::index))
        .route("/events", get(page::index))
        .route("/coordinators", get(page::index))
        .route("/{name}", get(page::file))
        .route("/healthz", get("ok\n"))
        .route("/readyz", get(api::ready::get))
        .route("/metrics", get(metrics::get))
        .route("/api/board", get(api::board::get))
        .route("/api/groups", get(api::groups::get))
        .route("/api/group", get(api::group::get))
        .route("/api/events", get(api::events::get))
        .route("/api/faults", get(api::faults::get).post(api::faults::post))
        .route("/api/ping", post(api::ping::post))
        .route("/ws", get(ws::open))
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(limits::HTTP_BODY))
        .layer(from_fn(small))
        .layer(from_fn(in_time))
        .layer(from_fn_with_state(Arc::clone(&web), guard::guard))
        .with_state(web)
}

async fn no_such_path(uri: Uri) -> ApiError {
    ApiError::no_such_path(uri.path())
}

async fn no_such_method(method: Method, uri: Uri) -> ApiError {
    let message = format!("{method} is not answered at {}", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

/// Refuses a body that announces too much before any of it is read.
async fn small(request: Request, next: Next) -> Response {
    let announced = request.body().size_hint().lower();
    if announced > limits::HTTP_BODY as u64 {
        return ApiError::too_large().into_response();
    }
    next.run(request).await
}

/// Ends a request that takes too long, a body that never comes among them.
async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(limits::HTTP_REQUEST, next.run(request)).await {
        Ok(response) => response,
        Err(_late) => {
            let message = format!(
                "the request took longer than {} s",
                limits::HTTP_REQUEST.as_secs()
            );
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message).into_response()
        }
    }
}

#[cfg(test)]
mod tests;
