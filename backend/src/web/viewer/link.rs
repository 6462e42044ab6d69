//! A viewer's socket: text frames both ways, each sent within a bound of time; pings, pongs and the close beneath.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, close_code};
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use shared::wire::ServerMessage;

use super::Ended;
use crate::limits;

/// Messages both ways: a WebSocket, or two channels in a test.
pub(in crate::web) trait Socket:
    Stream<Item = Result<Message, axum::Error>> + Sink<Message, Error = axum::Error> + Send + Unpin
{
}

impl<S> Socket for S where
    S: Stream<Item = Result<Message, axum::Error>> + Sink<Message, Error = axum::Error> + Send + Unpin
{
}

/// The longest reason a close can carry, in bytes (RFC 6455 5.5: a control frame holds 125, the code takes 2).
const REASON_MAX: usize = 123;

pub(super) struct Link<S> {
    socket: S,
    /// Whether anything came since the last [`Self::heard`].
    heard: bool,
}

impl<S: Socket> Link<S> {
    pub(super) const fn new(socket: S) -> Self {
        Self { socket, heard: false }
    }

    /// The viewer's next text. Giving up waiting loses nothing.
    pub(super) async fn text(&mut self) -> Result<Utf8Bytes, Ended> {
        loop {
            let message = match self.socket.next().await {
                Some(Ok(message)) => message,
                // Too large a frame is one of these; nothing after it can be read.
                Some(Err(error)) => return Err(Ended::Refused(format!("an unreadable frame: {error}"))),
                None => return Err(Ended::Gone),
            };
            self.heard = true;
            match message {
                Message::Text(text) => return Ok(text),
                Message::Binary(_) => return Err(Ended::Refused("a binary frame".to_owned())),
                // The socket answers pings itself.
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return Err(Ended::Gone),
            }
        }
    }

    /// Whether anything came since this was last asked.
    pub(super) const fn heard(&mut self) -> bool {
        std::mem::replace(&mut self.heard, false)
    }

    pub(super) async fn say(&mut self, message: &ServerMessage) -> Result<(), Ended> {
        let text = serde_json::to_string(message).map_err(|error| Ended::Refused(error.to_string()))?;
        self.send(text).await
    }

    pub(super) async fn send(&mut self, text: String) -> Result<(), Ended> {
        self.deliver(Message::Text(text.into())).await
    }

    pub(super) async fn ping(&mut self) -> Result<(), Ended> {
        self.deliver(Message::Ping(Default::default())).await
    }

    async fn deliver(&mut self, message: Message) -> Result<(), Ended> {
        match tokio::time::timeout(limits::VIEWER_SEND, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_broken)) => Err(Ended::Gone),
            Err(_late) => Err(Ended::Stuck),
        }
    }

    /// Says why, where there is still somebody to say it to, and waits a little for the other side to have read it: a
    /// socket dropped with bytes unread is reset, and the reason with it.
    pub(super) async fn close(mut self, why: &Ended) {
        let code = match why {
            Ended::Gone | Ended::Stuck => return,
            Ended::Silent | Ended::Refused(_) => close_code::POLICY,
            Ended::Shutdown => close_code::AWAY,
        };
        let mut reason = why.to_string();
        reason.truncate(reason.floor_char_boundary(REASON_MAX));
        let close = CloseFrame {
            code,
            reason: reason.into(),
        };
        let farewell = async {
            if self.socket.send(Message::Close(Some(close))).await.is_ok() {
                while let Some(Ok(_)) = self.socket.next().await {}
            }
        };
        let _late = tokio::time::timeout(limits::VIEWER_CLOSE, farewell).await;
    }
}
