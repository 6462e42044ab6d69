//! The router as clients see it: requests in, answers out, no socket between.

mod api;
mod faults;
mod guard;
mod metrics;
mod page;
mod past;
mod ping;
mod ready;
mod refusals;
mod rows;
mod socket;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use shared::event::{Change, Joined, Source};
use shared::ids::{Generation, NodeId};
use shared::time::{Millis, UnixMs};
use tower::ServiceExt as _;

use super::*;
use crate::hub::fixtures::{answered, left, observation};
use crate::hub::{self, Reporter};
use crate::probe::KeptOut;

/// A whole second.
const START: UnixMs = UnixMs(1_764_417_600_000);

/// A server without a socket.
struct Server {
    reporter: Reporter,
    hub: Hub,
    clock: Clock,
    web: Arc<Web>,
}

/// An answer, whole.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Server {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// A server whose site is changed before it serves.
    fn with(change: impl FnOnce(&mut Site)) -> Self {
        let clock = Clock::starting_at(START);
        let (reporter, hub) = hub::start(clock);
        let mut site = Site {
            scenario: None,
            hub: hub.clone(),
            clock,
            allowed_hosts: vec!["heartline.example".into()],
            page: &[],
            faults: None,
            pinger: std::sync::Weak::new(),
            survey: None,
            readiness: Readiness::Members {
                kept_out: KeptOut::default(),
                group: "g".into(),
                patience: Millis(6_000),
            },
        };
        change(&mut site);
        let web = Arc::new(Web::new(site));
        Self {
            reporter,
            hub,
            clock,
            web,
        }
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = router(Arc::clone(&self.web)).oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    /// GET with these headers beside Host.
    async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(path).header("host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[]).await
    }

    /// GET that must be answered 200 with JSON.
    async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        answer.json()
    }

    /// GET that must be refused: the status, the code and the sentence.
    async fn refused(&self, path: &str) -> (u16, String, String) {
        self.get(path).await.refusal()
    }
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The status and what docs/contract.md promises of every error.
    fn refusal(&self) -> (u16, String, String) {
        let body = self.json();
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
        (self.status.as_u16(), text("error"), text("message"))
    }
}

/// A member of ours in generation 1 of a group, its coordinator known.
async fn join(server: &Server, group: &str, member: &str) {
    let found = Change::CoordinatorFound {
        node: NodeId(1),
        host: "broker".into(),
        port: 9092,
    };
    let joined = Change::MemberJoined(Joined {
        generation: Some(Generation(1)),
        client_id: Some(format!("client-{member}")),
        session_timeout_ms: Some(6_000),
        heartbeat_interval_ms: Some(1_000),
        ..Joined::default()
    });
    for change in [found, joined] {
        let mut what = observation(Source::Probe, group, member, change);
        what.at = server.clock.now_unix();
        server.reporter.report(what).await;
    }
}
