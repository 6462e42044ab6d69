//! The other end of a viewer's socket, in memory.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, Stream};
use shared::wire::{ClientMessage, ServerMessage};
use tokio::sync::mpsc::{self, OwnedPermit, error::SendError};
use tokio::task::JoinHandle;

use super::{About, Clock, Ended, Hub, show};

/// A page: says things, hears the answers, in the order they were sent.
pub(super) struct Page {
    says: mpsc::Sender<Message>,
    hears: mpsc::Receiver<Message>,
    server: JoinHandle<Ended>,
}

impl Page {
    /// A page that takes whatever comes.
    pub(super) fn open(hub: &Hub, clock: Clock) -> Self {
        Self::with_room(hub, clock, 100_000)
    }

    /// A page whose socket takes `room` frames that are not read yet.
    pub(super) fn with_room(hub: &Hub, clock: Clock, room: usize) -> Self {
        let (says, incoming) = mpsc::channel(100);
        let (outgoing, hears) = mpsc::channel(room);
        let room = None;
        let pipe = Pipe {
            incoming,
            outgoing,
            room,
        };
        let hub = hub.clone();
        let server = tokio::spawn(async move { show(pipe, &hub, clock, About::default()).await });
        Self { says, hears, server }
    }

    pub(super) async fn send(&mut self, message: Message) {
        self.says.send(message).await.unwrap();
    }

    pub(super) async fn text(&mut self, text: &str) {
        self.send(Message::text(text)).await;
    }

    pub(super) async fn say(&mut self, message: &ClientMessage) {
        self.text(&serde_json::to_string(message).unwrap()).await;
    }

    /// The next text; pings are answered, as a browser does by itself.
    pub(super) async fn next(&mut self) -> ServerMessage {
        loop {
            match self.hears.recv().await.unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(what) => self.send(Message::Pong(what)).await,
                other => panic!("no text but {other:?}"),
            }
        }
    }

    /// Waits for a ping.
    pub(super) async fn pinged(&mut self) {
        while !matches!(self.hears.recv().await.unwrap(), Message::Ping(_)) {}
    }

    /// The close's code and reason; texts before it are passed over.
    pub(super) async fn closed(mut self) -> (u16, String) {
        loop {
            if let Message::Close(Some(close)) = self.hears.recv().await.unwrap() {
                return (close.code, close.reason.to_string());
            }
        }
    }

    /// Hears all there is and says nothing, until the server ends it.
    pub(super) async fn ended(mut self) -> Ended {
        while self.hears.recv().await.is_some() {}
        self.server.await.unwrap()
    }

    /// Hears nothing, until the server ends it.
    pub(super) async fn stuck(self) -> Ended {
        self.server.await.unwrap()
    }

    /// Goes away.
    pub(super) async fn leave(self) {
        drop((self.says, self.hears));
        let ended = self.server.await.unwrap();
        assert_eq!(ended, Ended::Gone);
    }
}

/// The server's end: a socket whose peer reads when it likes.
struct Pipe {
    incoming: mpsc::Receiver<Message>,
    outgoing: mpsc::Sender<Message>,
    /// Room for one more message, or the wait for it.
    room: Option<Room>,
}

type Permit = Result<OwnedPermit<Message>, SendError<()>>;

enum Room {
    Awaited(Pin<Box<dyn Future<Output = Permit> + Send>>),
    Found(OwnedPermit<Message>),
}

impl Stream for Pipe {
    type Item = Result<Message, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.incoming.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Message> for Pipe {
    type Error = axum::Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        let outgoing = self.outgoing.clone();
        let room = self
            .room
            .get_or_insert_with(|| Room::Awaited(Box::pin(outgoing.reserve_owned())));
        if let Room::Awaited(wait) = room {
            match wait.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(found)) => *room = Room::Found(found),
                Poll::Ready(Err(gone)) => return Poll::Ready(Err(axum::Error::new(gone))),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), axum::Error> {
        match self.room.take() {
            Some(Room::Found(permit)) => drop(permit.send(message)),
            _ => panic!("start_send before poll_ready"),
        }
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        Poll::Ready(Ok(()))
    }
}
