//! The logs and their lock: what connections and the alarm call. A lock of their own, so that records of a megabyte that
//! are copied hold up no heartbeat.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::protocol::{AnyRequest, AnyResponse, FetchResponse};
use shared::time::Timestamp;
use tokio::sync::{Notify, oneshot};

use super::alarm::Sleeper;
use crate::clock::Clock;
use crate::coordinator::Ticket;
use crate::coordinator::topics::Topics;
use crate::partitions::{Call, End, Input, Output, Partitions};

/// What all tasks of an embedded coordinator share of its logs.
#[derive(Debug)]
pub(super) struct Data {
    clock: Clock,
    inner: Mutex<Inner>,
    /// The machine's deadline may be earlier than the alarm task believes.
    deadline: Notify,
}

#[derive(Debug)]
struct Inner {
    partitions: Partitions,
    /// Fetches that wait, and where to tell that they need not any more.
    waiting: BTreeMap<Ticket, oneshot::Sender<()>>,
    tickets: u64,
    /// When the alarm task will wake the machine.
    alarm: Option<Timestamp>,
}

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// It is answered.
    Now(AnyResponse),
    /// It is a Fetch that waits.
    Later(Waiting),
}

/// A Fetch that waits. Dropped, it is forgotten.
#[derive(Debug)]
pub(super) struct Waiting {
    data: Arc<Data>,
    ticket: Ticket,
    ready: oneshot::Receiver<()>,
}

impl Waiting {
    /// Until it need not wait any more.
    pub(super) async fn ready(&mut self) {
        // The other end goes only after it has said so, or with all of the coordinator.
        let _gone = (&mut self.ready).await;
    }

    /// The answer, of at most `room` bytes of records.
    pub(super) fn collect(self, room: usize) -> FetchResponse {
        let collected = self.data.lock().partitions.collect(self.ticket, room);
        collected.unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.data.input(Input::Gone(self.ticket), Some(self.ticket));
    }
}

impl Data {
    pub(super) fn new(clock: Clock, topics: Arc<Topics>, seed: u64) -> Self {
        Self {
            clock,
            inner: Mutex::new(Inner {
                partitions: Partitions::new(topics, seed),
                waiting: BTreeMap::new(),
                tickets: 0,
                alarm: None,
            }),
            deadline: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic inside would be a bug of ours; the state behind it is still the best there is.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the logs end that were ever written to.
    pub(super) fn ends(&self) -> Vec<End> {
        self.lock().partitions.ends().collect()
    }

    /// The offset of the next record of a partition; none where there is no such partition.
    pub(super) fn end(&self, topic: &str, partition: i32) -> Option<i64> {
        self.lock().partitions.end(topic, partition)
    }

    /// Whether a request is about logs.
    pub(super) const fn concerns(request: &AnyRequest) -> bool {
        matches!(
            request,
            AnyRequest::Produce(_)
                | AnyRequest::Fetch(_)
                | AnyRequest::ListOffsets(_)
                | AnyRequest::InitProducerId(_)
        )
    }

    /// Handles a request about logs; `room` is how many bytes of records its answer may carry.
    pub(super) fn serve(self: &Arc<Self>, version: i16, room: usize, request: AnyRequest) -> Answer {
        let now = self.clock.now();
        let mut inner = self.lock();
        inner.tickets += 1;
        let ticket = Ticket(inner.tickets);
        let call = Call {
            ticket,
            version,
            room,
        };
        let unix = self.clock.unix(now);
        inner.partitions.handle(now, unix, Input::Request(call, request));
        if let Some(response) = self.settle(&mut inner) {
            return Answer::Now(response);
        }
        let (tell, ready) = oneshot::channel();
        inner.waiting.insert(ticket, tell);
        Answer::Later(Waiting {
            data: Arc::clone(self),
            ticket,
            ready,
        })
    }

    /// The logs go on from there, at the start, before anybody asks.
    pub(super) fn resume(&self, ends: Vec<End>) {
        self.lock().partitions.resume(ends);
    }

    /// Gives an input; whoever waits behind `gone` waits no longer.
    fn input(&self, input: Input, gone: Option<Ticket>) {
        let now = self.clock.now();
        let mut inner = self.lock();
        if let Some(ticket) = gone {
            inner.waiting.remove(&ticket);
        }
        inner.partitions.handle(now, self.clock.unix(now), input);
        self.settle(&mut inner);
    }

    /// Carries out what the machine says; hands back the answer to the request just given.
    fn settle(&self, inner: &mut Inner) -> Option<AnyResponse> {
        let mut answer = None;
        while let Some(output) = inner.partitions.poll() {
            match output {
                Output::Reply { response, .. } => answer = Some(response),
                Output::Ready(ticket) => {
                    if let Some(waits) = inner.waiting.remove(&ticket) {
                        // Its connection may have gone; then nobody is told.
                        let _gone = waits.send(());
                    }
                }
            }
        }
        let due = inner.partitions.deadline();
        if due.is_some_and(|due| inner.alarm.is_none_or(|alarm| due < alarm)) {
            self.deadline.notify_one();
        }
        answer
    }
}

impl Sleeper for Data {
    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let mut inner = self.lock();
        inner.alarm = inner.partitions.deadline();
        inner.alarm
    }

    async fn deadline_moved(&self) {
        self.deadline.notified().await;
    }

    fn tick(&self) {
        self.input(Input::Tick, None);
    }
}
