//! The built program: started, asked over HTTP, stopped by signal.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use reqwest::StatusCode;
use serde_json::Value;
use shared::event::Event;

use crate::folder::root;
use crate::port;
use crate::process::Process;
use crate::skip::skip_or_fail;
use crate::wait::wait_until;

/// A running `heartline`.
#[derive(Debug)]
pub struct Heartline {
    process: Process,
    arguments: Vec<String>,
    address: String,
    coordinator: Option<String>,
    http: reqwest::Client,
}

/// Where the built program is: `HEARTLINE_BIN`, as xtask sets it, else the release build; none when it is not built.
#[must_use]
pub fn binary() -> Option<PathBuf> {
    let built =
        env::var_os("HEARTLINE_BIN").map_or_else(|| root().join("target/release/heartline"), PathBuf::from);
    if built.is_file() {
        return Some(built);
    }
    skip_or_fail("the program is not built: cargo xtask build");
    None
}

impl Heartline {
    /// Starts the dashboard with these arguments, on a free port unless they name one, and waits until it serves.
    ///
    /// # Panics
    ///
    /// When it does not come up; and when it is not built (see [`binary`], which a test asks first).
    pub async fn start(arguments: &[&str]) -> Self {
        let mut arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
        if !arguments.iter().any(|argument| argument == "--listen") {
            arguments.extend(["--listen".to_owned(), format!("127.0.0.1:{}", port::free())]);
        }
        Self::start_as_is(arguments).await
    }

    async fn start_as_is(arguments: Vec<String>) -> Self {
        let binary = binary().expect("the program is built");
        let mut process = Process::spawn("heartline", Command::new(binary).args(&arguments));
        let after = |prefix: &'static str| move |line: &str| line.strip_prefix(prefix).map(str::to_owned);
        let address = process
            .line("the page's address", after("heartline: page on http://"))
            .await;
        let coordinator = if arguments.iter().any(|argument| argument == "--bootstrap-servers") {
            None
        } else {
            let line = process
                .line("the coordinator's address", after("heartline: coordinator on "))
                .await;
            line.split_whitespace().next().map(str::to_owned)
        };
        Self {
            process,
            arguments,
            address,
            coordinator,
            http: one_request_a_connection(),
        }
    }

    /// Where the page is, `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where the embedded coordinator listens, `host:port`; none on a real cluster.
    #[must_use]
    pub fn coordinator(&self) -> Option<&str> {
        self.coordinator.as_deref()
    }

    /// The process itself.
    #[must_use]
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Starts it again after its end: the same arguments, on the same page address.
    pub async fn start_again(&mut self) {
        let mut arguments = self.arguments.clone();
        let listen = arguments
            .iter()
            .position(|argument| argument == "--listen")
            .expect("start adds it");
        arguments[listen + 1].clone_from(&self.address);
        *self = Self::start_as_is(arguments).await;
    }

    async fn answer(&self, path: &str) -> reqwest::Response {
        let address = format!("http://{}{path}", self.address);
        let answer = self.http.get(address).send().await;
        answer.unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    /// GET: the status and the body as JSON (null where it is none).
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        let answer = self.answer(path).await;
        (answer.status(), answer.json().await.unwrap_or(Value::Null))
    }

    /// GET: the body as text.
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    pub async fn text(&self, path: &str) -> String {
        self.answer(path)
            .await
            .text()
            .await
            .unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    /// All that it says to anybody: its page, its metrics, its API with every event, its log. For what must be nowhere.
    pub async fn everything(&self) -> String {
        let mut said = String::new();
        for path in [
            "/",
            "/metrics",
            "/readyz",
            "/api/board",
            "/api/groups",
            "/api/events?limit=10000",
        ] {
            said += &self.text(path).await;
        }
        said += &self.process.output().last(usize::MAX);
        said
    }

    /// POST of JSON: the status and the body as JSON (null where it is none).
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    pub async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let answer = self
            .http
            .post(format!("http://{}{path}", self.address))
            .json(body)
            .send()
            .await;
        let answer = answer.unwrap_or_else(|error| panic!("POST {path}: {error}"));
        (answer.status(), answer.json().await.unwrap_or(Value::Null))
    }

    /// Plays a fault.
    ///
    /// # Panics
    ///
    /// When it is refused.
    pub async fn play(&self, fault: &Value) {
        let (status, answer) = self.post("/api/faults", fault).await;
        assert!(status.is_success(), "{fault} is refused: {status} {answer}");
    }

    /// Every event after a seq that the query (`&kind=…&group=…`) lets through, oldest first.
    ///
    /// # Panics
    ///
    /// When the answer is not what docs/contract.md says.
    pub async fn events_after(&self, mut after: u64, query: &str) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let (status, mut page) = self
                .get(&format!("/api/events?after={after}&limit=10000{query}"))
                .await;
            assert_eq!(status, StatusCode::OK, "{page}");
            let part: Vec<Event> = serde_json::from_value(page["events"].take()).expect("events are events");
            events.extend(part);
            match page["next"].as_u64() {
                Some(next) => after = next,
                None => return events,
            }
        }
    }

    /// Waits for the first event after a seq that `pick` takes.
    pub async fn event_after<T>(
        &self,
        after: u64,
        what: &str,
        pick: impl Fn(&Event) -> Option<T>,
    ) -> (u64, T) {
        wait_until(what, async || {
            let events = self.events_after(after, "").await;
            let found = events
                .iter()
                .find_map(|event| pick(event).map(|picked| (event.seq, picked)));
            found.ok_or_else(|| {
                events
                    .iter()
                    .rev()
                    .take(10)
                    .map(|event| event.what.clone())
                    .collect::<Vec<_>>()
            })
        })
        .await
    }
}

/// The server closes a connection that was idle for 10 s: on a busy machine a kept one may be closed just when it is used again.
fn one_request_a_connection() -> reqwest::Client {
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build();
    client.expect("nothing of it depends on the machine")
}
