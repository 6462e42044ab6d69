//! Bare frames: the same questions as a survey's, whose answers nobody decodes. What the brokers themselves take.

use std::time::{Duration, Instant};

use shared::protocol::{AnyRequest, DescribeGroupsRequest, ListGroupsRequest, RequestHeader, encode_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::crowd::{Coordinators, connect};

/// What Kafka 4.3 and a survey agree upon.
const LIST: i16 = 5;
const DESCRIBE: i16 = 6;

/// As a survey asks: groups in one request, and requests that one broker has not answered yet.
const BATCH: usize = 200;
const UNANSWERED: usize = 2;

/// A connection to each broker and what it is asked over and over.
#[derive(Debug)]
pub(super) struct Bare {
    brokers: Vec<(TcpStream, Vec<Vec<u8>>)>,
}

impl Bare {
    /// Connects to the brokers.
    ///
    /// # Errors
    ///
    /// One cannot be reached.
    pub(super) async fn connect(coordinators: &Coordinators) -> Result<Self, String> {
        let mut brokers = Vec::new();
        for coordinator in coordinators.values() {
            let mut frames = vec![frame(LIST, &ListGroupsRequest::default().into())?];
            for batch in coordinator.groups.chunks(BATCH) {
                let request = DescribeGroupsRequest {
                    groups: batch.to_vec(),
                    ..DescribeGroupsRequest::default()
                };
                frames.push(frame(DESCRIBE, &request.into())?);
            }
            brokers.push((connect(&coordinator.address).await?, frames));
        }
        Ok(Self { brokers })
    }

    /// Lists and describes all groups once; how long that took, and the bytes that were answered.
    ///
    /// # Errors
    ///
    /// A connection failed.
    pub(super) async fn look(&mut self) -> Result<(Duration, usize), String> {
        let start = Instant::now();
        let mut asking = JoinSet::new();
        for (socket, frames) in self.brokers.drain(..) {
            asking.spawn(ask_all(socket, frames));
        }
        let mut bytes = 0;
        while let Some(asked) = asking.join_next().await {
            let (socket, frames, answered) = asked.map_err(|error| error.to_string())??;
            bytes += answered;
            self.brokers.push((socket, frames));
        }
        Ok((start.elapsed(), bytes))
    }

    /// Looks again and again, once every `pace`, for `length`.
    ///
    /// # Errors
    ///
    /// A connection failed.
    pub(super) async fn keep_looking(&mut self, pace: Duration, length: Duration) -> Result<(), String> {
        let end = Instant::now() + length;
        let mut ticks = interval(pace);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while Instant::now() < end {
            ticks.tick().await;
            self.look().await?;
        }
        Ok(())
    }
}

/// Asks all of it, a few requests ahead of the answers; what it was given, and the bytes that were answered.
///
/// # Errors
///
/// The connection failed.
pub(in crate::bench) async fn ask_all(
    mut socket: TcpStream,
    frames: Vec<Vec<u8>>,
) -> Result<(TcpStream, Vec<Vec<u8>>, usize), String> {
    let mut bytes = 0;
    let mut answer = Vec::new();
    let mut unanswered = 0;
    for frame in &frames {
        if unanswered == UNANSWERED {
            bytes += skip(&mut socket, &mut answer).await?;
            unanswered -= 1;
        }
        socket.write_all(frame).await.map_err(|error| error.to_string())?;
        unanswered += 1;
    }
    for _ in 0..unanswered {
        bytes += skip(&mut socket, &mut answer).await?;
    }
    Ok((socket, frames, bytes))
}

/// Reads one answer and looks at nothing but its length.
async fn skip(socket: &mut TcpStream, answer: &mut Vec<u8>) -> Result<usize, String> {
    let length = socket.read_u32().await.map_err(|error| error.to_string())? as usize;
    if length > backend::limits::ANSWER_BYTES {
        return Err(format!("an answer of {length} bytes"));
    }
    answer.resize(length, 0);
    socket
        .read_exact(answer)
        .await
        .map_err(|error| error.to_string())?;
    Ok(length)
}

/// A request as it is written to the socket.
///
/// # Errors
///
/// It cannot be said in this version.
pub(in crate::bench) fn frame(version: i16, request: &AnyRequest) -> Result<Vec<u8>, String> {
    let header = RequestHeader::new(request.key(), version, 0, "heartline-bench");
    encode_request(&header, request).map_err(|error| error.to_string())
}
