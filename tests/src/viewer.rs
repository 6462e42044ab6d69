//! A viewer of the program without a browser: its WebSocket, typed.

use futures_util::{SinkExt, StreamExt};
use shared::wire::{ClientMessage, ServerMessage, VERSION, Watch};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::wait::PATIENCE;

/// An open WebSocket to `/ws`.
#[derive(Debug)]
pub struct Viewer {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Viewer {
    /// Connects to the page at `address` (`host:port`) and says nothing yet.
    ///
    /// # Panics
    ///
    /// When the server does not take it.
    pub async fn connect(address: &str) -> Self {
        let (socket, _) = connect_async(format!("ws://{address}/ws"))
            .await
            .expect("/ws answers");
        Self { socket }
    }

    /// Connects and says hello, from the start or resuming a stream after a seq.
    pub async fn hello(address: &str, resume: Option<(String, u64)>, watch: Watch) -> Self {
        let mut viewer = Self::connect(address).await;
        let (stream, resume) = resume.unzip();
        viewer
            .say(&ClientMessage::Hello {
                version: VERSION,
                stream,
                resume,
                watch,
            })
            .await;
        viewer
    }

    /// Sends a message.
    pub async fn say(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).expect("messages are JSON");
        self.send(Message::text(text)).await;
    }

    /// Sends a frame of any kind.
    ///
    /// # Panics
    ///
    /// When the connection is gone.
    pub async fn send(&mut self, frame: Message) {
        self.socket.send(frame).await.expect("the connection is open");
    }

    /// The next message; none when the server has closed the connection.
    ///
    /// # Panics
    ///
    /// When nothing comes, or what comes is not a message.
    pub async fn next(&mut self) -> Option<ServerMessage> {
        let text = self.text().await?;
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }

    /// The same, unread.
    ///
    /// # Panics
    ///
    /// When nothing comes.
    pub async fn text(&mut self) -> Option<Utf8Bytes> {
        loop {
            let frame = timeout(PATIENCE, self.socket.next())
                .await
                .expect("a tick comes every second");
            match frame {
                Some(Ok(Message::Text(text))) => return Some(text),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }
}
