//! The WebSocket over loopback: what only a real socket shows.

use futures_util::{SinkExt as _, StreamExt as _};
use shared::wire::{CLIENT_FRAME_MAX, ClientMessage, ServerMessage, VERSION, Watch};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::*;

/// A server on a port of its own.
struct Port {
    address: String,
    web: Arc<Web>,
    reporter: Reporter,
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

impl Port {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let Server { reporter, web, .. } = Server::new();
        let (end, ended) = oneshot::channel::<()>();
        let served = tokio::spawn(serve::run(listener, Arc::clone(&web), async {
            let _ended = ended.await;
        }));
        Self {
            address,
            web,
            reporter,
            end,
            served,
        }
    }

    async fn connect(&self) -> Socket {
        let (socket, _) = connect_async(format!("ws://{}/ws", self.address)).await.unwrap();
        socket
    }

    /// A viewer that was welcomed.
    async fn viewer(&self) -> Socket {
        let mut socket = self.connect().await;
        let hello = ClientMessage::Hello {
            version: VERSION,
            stream: None,
            resume: None,
            watch: Watch::OVERVIEW,
        };
        socket
            .send(Message::text(serde_json::to_string(&hello).unwrap()))
            .await
            .unwrap();
        assert!(matches!(next(&mut socket).await, ServerMessage::Welcome { .. }));
        socket
    }
}

/// The next message.
async fn next(socket: &mut Socket) -> ServerMessage {
    loop {
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

/// Reads to the end of the connection; the reason of the close, where there was one.
async fn reason(mut socket: Socket) -> Option<String> {
    let mut reason = None;
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(close) = message {
            reason = close.map(|close| close.reason.to_string());
        }
    }
    reason
}

#[tokio::test]
async fn events_and_ticks_reach_a_viewer_over_tcp() {
    let port = Port::open().await;
    let mut socket = port.viewer().await;
    port.reporter.report(left("g", "a")).await;
    let (mut events, mut ticks) = (0, 0);
    while events == 0 || ticks == 0 {
        match next(&mut socket).await {
            ServerMessage::Events { events: some, .. } => events += some.len(),
            ServerMessage::Tick { .. } => ticks += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(events, 1);
}

#[tokio::test]
async fn a_frame_above_64_kib_closes_the_connection_and_one_of_64_kib_does_not() {
    let port = Port::open().await;
    let mut socket = port.viewer().await;
    let watch = r#"{"type":"watch","watch":"overview"}"#;
    let whole = format!("{watch}{}", " ".repeat(CLIENT_FRAME_MAX - watch.len()));
    socket.send(Message::text(whole.clone())).await.unwrap();
    assert!(
        matches!(next(&mut socket).await, ServerMessage::Tick { .. }),
        "it lives"
    );
    socket.send(Message::text(whole + " ")).await.unwrap();
    let reason = reason(socket).await.unwrap();
    assert!(reason.contains("unreadable frame"), "{reason}");
}

#[tokio::test]
async fn a_foreign_page_gets_no_websocket() {
    let port = Port::open().await;
    let request = Request::get(format!("ws://{}/ws", port.address))
        .header("host", &port.address)
        .header("origin", "http://evil.example")
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    match connect_async(request.body(()).unwrap()).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), StatusCode::FORBIDDEN),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn more_viewers_than_allowed_are_refused_until_one_goes() {
    let port = Port::open().await;
    let others = u32::try_from(limits::VIEWERS - 1).unwrap();
    let _others = Arc::clone(&port.web.viewers)
        .acquire_many_owned(others)
        .await
        .unwrap();
    let mut last = port.viewer().await;
    assert_eq!(port.web.viewers(), limits::VIEWERS);
    match connect_async(format!("ws://{}/ws", port.address)).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE),
        other => panic!("{other:?}"),
    }
    last.close(None).await.unwrap();
    reason(last).await;
    let _freed = Arc::clone(&port.web.viewers).acquire_owned().await.unwrap();
}

#[tokio::test]
async fn at_the_end_viewers_are_told_and_the_port_is_closed() {
    let port = Port::open().await;
    let socket = port.viewer().await;
    port.end.send(()).unwrap();
    drop(port.reporter);
    assert_eq!(reason(socket).await.unwrap(), "the server is ending");
    port.served.await.unwrap();
    assert!(TcpStream::connect(&port.address).await.is_err());
}

/// The whole answer to bytes after which nothing more is sent.
async fn answer(port: &Port, bytes: &str) -> String {
    let mut stream = TcpStream::connect(&port.address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_body_that_announces_too_much_is_refused_at_once_and_the_connection_closed() {
    let port = Port::open().await;
    for path in ["/api/faults", "/healthz"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: 99999999999\r\n\r\n{{"
        );
        let answer = answer(&port, &head).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("\"too_large\""), "{answer}");
    }
}

#[tokio::test]
async fn a_body_that_nobody_wants_is_not_waited_for() {
    let port = Port::open().await;
    let head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{";
    let answer = answer(&port, head).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_is_not_waited_for_beyond_10_s() {
    let port = Port::open().await;
    let mut slow = TcpStream::connect(&port.address).await.unwrap();
    slow.write_all(b"GET /metrics HTTP/1.1\r\nHost: loc")
        .await
        .unwrap();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(limits::HTTP_HEAD * 2, slow.read_to_end(&mut rest)).await;
    assert!(
        ended.is_ok(),
        "the connection is held for a head that does not come"
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_no_answer_is_cut() {
    let port = Port::open().await;
    let mut deaf = TcpStream::connect(&port.address).await.unwrap();
    let requests = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    // Until nothing more is read of it, since nothing more can be written to it; and then until it is cut.
    let cut = async { while deaf.write_all(&requests).await.is_ok() {} };
    let ended = tokio::time::timeout(limits::HTTP_SEND * 2, cut).await;
    assert!(
        ended.is_ok(),
        "the connection is held by a client that never reads"
    );
    let mut viewer = port.viewer().await;
    assert!(
        matches!(next(&mut viewer).await, ServerMessage::Tick { .. }),
        "others are served"
    );
}
