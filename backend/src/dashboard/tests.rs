//! All of it over loopback TCP: the demo group lives, faults reach the part that plays them, the end is orderly.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use shared::event::{Change, Event};
use shared::ids::MemberId;
use shared::wire::{ClientMessage, ServerMessage, VERSION, Watch};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::*;
use crate::cli::{self, Command};

/// How long a condition may take before a test fails: far longer than it ever does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A dashboard with a viewer who watches the demo group.
struct Demo {
    page: SocketAddr,
    viewer: WebSocketStream<MaybeTlsStream<TcpStream>>,
    end: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

impl Demo {
    async fn start(arguments: &[&str]) -> Self {
        let quick = [
            "--heartbeat-interval",
            "200",
            "--coordinator-config",
            "group.initial.rebalance.delay.ms=0",
        ];
        let line: Vec<&str> = quick.into_iter().chain(arguments.iter().copied()).collect();
        Self::serve(&line, "demo").await
    }

    /// A dashboard whose viewer watches `group`.
    async fn serve(arguments: &[&str], group: &str) -> Self {
        let line = std::iter::once("heartline").chain(arguments.iter().copied());
        let Ok(Command::Serve(args)) = cli::parse(line) else {
            panic!("not serve")
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let dashboard = Dashboard::start(Config::from_args(&args).unwrap(), listener)
            .await
            .unwrap();
        let page = dashboard.page();
        let (end, told) = oneshot::channel::<()>();
        let ended = tokio::spawn(dashboard.run(async {
            let _told = told.await;
        }));
        let (mut viewer, _) = connect_async(format!("ws://{page}/ws")).await.unwrap();
        let hello = ClientMessage::Hello {
            version: VERSION,
            stream: None,
            resume: None,
            watch: Watch::Groups(vec![group.into()]),
        };
        viewer
            .send(Message::text(serde_json::to_string(&hello).unwrap()))
            .await
            .unwrap();
        Self {
            page,
            viewer,
            end,
            ended,
        }
    }

    /// Reads events until `found` says so of one.
    async fn until(&mut self, what: &str, mut found: impl FnMut(&Event) -> bool) {
        let reading = async {
            while let Some(frame) = self.viewer.next().await {
                let Message::Text(text) = frame.unwrap() else {
                    continue;
                };
                let ServerMessage::Events { events, .. } = serde_json::from_str(&text).unwrap() else {
                    continue;
                };
                // Events after the one looked for are the next condition's to find elsewhere: conditions are in order.
                if events.iter().any(&mut found) {
                    return;
                }
            }
            panic!("the connection ended before {what}");
        };
        let waited = tokio::time::timeout(PATIENCE, reading).await;
        waited.unwrap_or_else(|_| panic!("{what} did not come"));
    }

    /// Waits until so many members of ours have been answered in one generation.
    async fn beating(&mut self, count: usize) -> BTreeSet<MemberId> {
        let (mut newest, mut members) = (None, BTreeSet::new());
        self.until("heartbeats of all members in one generation", |event| {
            if let Change::HeartbeatAnswered {
                generation, error: 0, ..
            } = event.what.change
            {
                if newest < Some(generation) {
                    newest = Some(generation);
                    members.clear();
                }
                if newest == Some(generation) {
                    members.extend(event.what.member.clone());
                }
            }
            members.len() == count
        })
        .await;
        members
    }

    /// POST of a fault: the status line's code and the body.
    async fn play(&self, fault: &Value) -> (u16, Value) {
        let body = fault.to_string();
        let mut stream = TcpStream::connect(self.page).await.unwrap();
        let request = format!(
            "POST /api/faults HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.page,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, serde_json::from_str(body).unwrap())
    }
}

/// Whether an event is about the member with this client id.
fn is_of(event: &Event, client_id: &str) -> bool {
    let member = event.what.member.as_ref().map(MemberId::as_str);
    member.is_some_and(|member| member == client_id || member.starts_with(&format!("{client_id}-")))
}

#[tokio::test]
async fn the_demo_group_beats_and_at_the_end_leaves_before_the_viewers_are_let_go() {
    let mut demo = Demo::start(&[]).await;
    assert_eq!(demo.beating(3).await.len(), 3);
    demo.end.send(()).unwrap();
    let (mut left, mut closed) = (BTreeSet::new(), false);
    while let Some(Ok(frame)) = demo.viewer.next().await {
        match frame {
            Message::Text(text) => {
                if let ServerMessage::Events { events, .. } = serde_json::from_str(&text).unwrap() {
                    let gone = events
                        .into_iter()
                        .filter(|event| event.what.change.kind() == "member_left");
                    left.extend(gone.filter_map(|event| event.what.member));
                }
            }
            Message::Close(Some(close)) => closed = close.reason.contains("ending"),
            _ => {}
        }
    }
    assert_eq!((left.len(), closed), (3, true), "{left:?}");
    demo.ended.await.unwrap();
    assert!(TcpStream::connect(demo.page).await.is_err());
}

#[tokio::test]
async fn faults_on_members_reach_the_members_and_are_told_as_played() {
    let mut demo = Demo::start(&[]).await;
    demo.beating(3).await;
    let (status, answer) = demo.play(&json!({"fault": "leave", "member": "demo-1"})).await;
    assert_eq!(status, 200, "{answer}");
    let mut seen = (false, false);
    demo.until("demo-1 to leave", |event| {
        seen.0 |= event.what.change.kind() == "member_left" && is_of(event, "demo-1");
        seen.1 |= event.what.change.kind() == "fault_played";
        seen == (true, true)
    })
    .await;
    let (status, answer) = demo.play(&json!({"fault": "add", "count": 2})).await;
    assert_eq!(status, 200, "{answer}");
    demo.beating(4).await;
    let (status, answer) = demo.play(&json!({"fault": "kill", "member": "demo-2"})).await;
    assert_eq!(status, 200, "{answer}");
    demo.until("demo-2 to be expired by the coordinator", |event| {
        event.what.change.kind() == "member_expired" && is_of(event, "demo-2")
    })
    .await;
}

#[tokio::test]
async fn faults_on_the_coordinator_reach_it() {
    let mut demo = Demo::start(&["--members", "1"]).await;
    demo.beating(1).await;
    let fault = json!({"fault": "answer", "api": "Heartbeat", "error": 16});
    assert_eq!(demo.play(&fault).await.0, 200);
    demo.until("a heartbeat answered 16", |event| {
        matches!(event.what.change, Change::HeartbeatAnswered { error: 16, .. })
    })
    .await;
    demo.beating(1).await;
    assert_eq!(demo.play(&json!({"fault": "stop"})).await.0, 200);
    demo.until("the coordinator to be taken for dead", |event| {
        event.what.change.kind() == "coordinator_dead"
    })
    .await;
    let (status, answer) = demo.play(&json!({"fault": "stop"})).await;
    assert_eq!((status, &answer["error"]), (409, &json!("not_now")));
    assert_eq!(demo.play(&json!({"fault": "restart"})).await.0, 200);
    demo.beating(1).await;
}

#[tokio::test]
async fn a_fault_on_what_is_not_there_names_it_and_what_is() {
    let mut demo = Demo::start(&["--members", "1"]).await;
    demo.beating(1).await;
    let (wrong, not_now) = ((400, "bad_request"), (409, "not_now"));
    for (fault, refused, named) in [
        (json!({"fault": "kill", "member": "demo-9"}), not_now, "demo-9"),
        (json!({"fault": "leave", "member": "demo-9"}), not_now, "demo-9"),
        (json!({"fault": "silence", "member": "demo-9"}), not_now, "demo-9"),
        (json!({"fault": "add", "count": 0}), wrong, "from 1 to 100"),
        (
            json!({"fault": "drop", "api": "DeleteTopics"}),
            wrong,
            "Heartbeat",
        ),
    ] {
        let (status, answer) = demo.play(&fault).await;
        assert_eq!(
            (status, &answer["error"]),
            (refused.0, &json!(refused.1)),
            "{fault}"
        );
        assert!(answer["message"].as_str().unwrap().contains(named), "{answer}");
    }
}

#[tokio::test]
async fn a_scenario_is_played_over_tcp_faster_than_life_from_hosts_of_its_own() {
    let told = [
        "--scenario",
        "unused-member-id",
        "--scenario-set",
        "speed=100",
        "--scenario-set",
    ];
    let told: Vec<&str> = told.into_iter().chain(["group=live"]).collect();
    let mut demo = Demo::serve(&told, "live").await;
    let welcome = demo.viewer.next().await.unwrap().unwrap();
    let welcome: Value = serde_json::from_str(welcome.to_text().unwrap()).unwrap();
    assert_eq!(welcome["scenario"], "unused-member-id");
    assert_eq!(welcome["rate"], 100);
    let mut hosts = BTreeSet::new();
    demo.until("the client that asked twice is in", |event| {
        if let Change::MemberJoined(joined) = &event.what.change {
            hosts.extend(joined.host.clone());
        }
        event
            .what
            .member
            .as_ref()
            .is_some_and(|member| member.as_str().starts_with("rdkafka-"))
            && matches!(event.what.change, Change::MemberJoined(_))
    })
    .await;
    if cfg!(target_os = "linux") {
        assert!(hosts.contains("/127.0.1.9"), "{hosts:?}");
    }
    demo.end.send(()).unwrap();
    demo.ended.await.unwrap();
}
