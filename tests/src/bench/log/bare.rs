//! Fetch requests that bring all of the offsets log, made once by a reader that looks at no record, then sent again as they are:
//! what the broker itself and the way to it take.

use std::collections::BTreeMap;

use shared::protocol::batches::batches;
use shared::protocol::{AnyResponse, FetchPartition, FetchRequest, FetchTopic, PartitionData};
use tokio::net::TcpStream;

use crate::bench::load::ask;
use crate::bench::survey::bare::{ask_all, frame};
use crate::bench::survey::crowd::connect;

/// The last version that names topics by their names.
const FETCH: i16 = 12;

/// Bytes of records in one answer.
const BYTES: i32 = 8 << 20;

/// A connection, and the requests that bring all of the log.
#[derive(Debug)]
pub(super) struct Bare {
    socket: Option<TcpStream>,
    frames: Vec<Vec<u8>>,
    /// Records that they bring.
    pub(super) records: u64,
}

impl Bare {
    /// Reads the log of a broker that leads all its partitions once, to know what to ask for.
    ///
    /// # Errors
    ///
    /// What the broker answered instead.
    pub(super) async fn prepare(address: &str, partitions: i32) -> Result<Self, String> {
        let mut socket = connect(address).await?;
        let mut frames = Vec::new();
        let mut records = 0;
        let mut unread: BTreeMap<i32, i64> = (0..partitions).map(|partition| (partition, 0)).collect();
        while !unread.is_empty() {
            let request = fetch(&unread);
            frames.push(frame(FETCH, &request.clone().into())?);
            let AnyResponse::Fetch(answer) = ask(&mut socket, FETCH, request.into()).await? else {
                return Err("another answer than Fetch's".to_owned());
            };
            let answered: Vec<PartitionData> = answer
                .responses
                .into_iter()
                .flat_map(|topic| topic.partitions)
                .collect();
            if answer.error_code != 0 || answered.is_empty() {
                return Err(format!("Fetch answered {}", answer.error_code));
            }
            for partition in answered {
                let number = partition.partition_index;
                if partition.error_code != 0 {
                    return Err(format!(
                        "partition {number}: Fetch answered {}",
                        partition.error_code
                    ));
                }
                let next = unread.get(&number).copied().unwrap_or(0).max(end(&partition));
                if next < partition.high_watermark {
                    unread.insert(number, next);
                } else {
                    unread.remove(&number);
                    records += u64::try_from(next).unwrap_or(0);
                }
            }
        }
        Ok(Self {
            socket: Some(socket),
            frames,
            records,
        })
    }

    /// Brings all of it, once.
    ///
    /// # Errors
    ///
    /// The connection failed.
    pub(super) async fn look(&mut self) -> Result<(), String> {
        let socket = self.socket.take().ok_or("the connection has failed")?;
        let frames = std::mem::take(&mut self.frames);
        let (socket, frames, _bytes) = ask_all(socket, frames).await?;
        (self.socket, self.frames) = (Some(socket), frames);
        Ok(())
    }
}

/// What is behind the last batch that came; nothing before the first.
fn end(partition: &PartitionData) -> i64 {
    let bytes = partition.records.as_ref().map_or(&[][..], |records| &records.0);
    let ends = batches(bytes).filter_map(|batch| Some(batch.ok()?.last_offset().saturating_add(1)));
    ends.max().unwrap_or(0)
}

fn fetch(unread: &BTreeMap<i32, i64>) -> FetchRequest {
    let partitions = unread.iter().map(|(partition, fetch_offset)| FetchPartition {
        partition: *partition,
        fetch_offset: *fetch_offset,
        partition_max_bytes: BYTES,
        ..FetchPartition::default()
    });
    FetchRequest {
        min_bytes: 1,
        max_bytes: BYTES,
        topics: vec![FetchTopic {
            topic: "__consumer_offsets".to_owned(),
            partitions: partitions.collect(),
            ..FetchTopic::default()
        }],
        ..FetchRequest::default()
    }
}
