//! The machine and its lock: what connections, the alarm and the fault player call.
//!
//! There is one machine and one lock around it, held for about a microsecond a request and never across an await. A
//! heartbeat is answered by the connection that read it, without a change of task; only a parked request's answer travels.

mod keeping;
mod playing;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey};
use shared::time::{Millis, Timestamp, UnixMs};
use tokio::sync::{Notify, oneshot};

use super::EmbeddedConfig;
use super::alarm::Sleeper;
use super::broker::Broker;
use super::complaints::Complaints;
use super::data::{Answer, Data, Waiting};
use super::faults::{Asked, Faults};
use super::nodes::Nodes;
use super::reports::Reports;
use super::store::Store;
use crate::clock::Clock;
use crate::coordinator::{Call, Coordinator, Input, Observed, Origin, Output, Ticket};
use crate::limits;
use playing::{displace, elsewhere, joined_where_all_displace, read_what_has_moved};

/// Into how many answers the room for them is divided: more may be on their way, each with less then.
const FETCHES_AT_ONCE: usize = 16;

/// What all tasks of an embedded coordinator share.
#[derive(Debug)]
pub(super) struct Service {
    clock: Clock,
    broker: Broker,
    data: Arc<Data>,
    max_idle: Millis,
    inner: Mutex<Inner>,
    /// Faults in force, so that a request without any takes no lock to learn that.
    planned: AtomicUsize,
    /// The machine's deadline may be earlier than the alarm task believes.
    deadline: Notify,
    reports: Arc<Reports>,
    /// Bytes of half requests and of answers not taken, beyond what each connection may hold freely.
    held: AtomicUsize,
    /// Of connections that end by what no client should do.
    complaints: Complaints,
    connections: AtomicU64,
    /// How far the time of day is off that this coordinator tells, in milliseconds.
    clock_step: AtomicI64,
}

#[derive(Debug)]
struct Inner {
    coordinator: Coordinator,
    store: Store,
    faults: Faults,
    nodes: Nodes,
    /// Parked requests whose connections wait.
    parked: BTreeMap<Ticket, oneshot::Sender<AnyResponse>>,
    tickets: u64,
    /// Client ids of open connections, with how many connections each has.
    clients: BTreeMap<Arc<str>, usize>,
    /// When the alarm task will wake the machine.
    alarm: Option<Timestamp>,
}

/// One request, taken from its connection.
#[derive(Debug)]
pub(super) struct Incoming<'a> {
    pub(super) client_id: &'a str,
    pub(super) host: &'a str,
    pub(super) version: i16,
    /// The node the client reached.
    pub(super) node: NodeId,
    /// The address the client reached us by.
    pub(super) reached: SocketAddr,
}

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Served {
    /// It is answered.
    Now(AnyResponse),
    /// It is parked; the answer comes here.
    Later(Ticket, oneshot::Receiver<AnyResponse>),
    /// It is a Fetch that waits for records.
    Fetch(Waiting),
}

impl Service {
    pub(super) fn new(
        config: EmbeddedConfig,
        address: SocketAddr,
        clock: Clock,
        reports: Arc<Reports>,
        store: Store,
        seed: u64,
    ) -> Self {
        let topics = Arc::new(config.topics);
        let settings = config.coordinator.clone();
        let max_idle = config.coordinator.connection_max_idle;
        let coordinator = Coordinator::new(config.coordinator, Arc::clone(&topics), seed);
        Self {
            clock,
            broker: Broker::new(reports.cluster().clone(), Arc::clone(&topics), settings),
            data: Arc::new(Data::new(clock, topics, seed)),
            max_idle,
            inner: Mutex::new(Inner {
                coordinator,
                store,
                faults: Faults::default(),
                nodes: Nodes::new(address),
                parked: BTreeMap::new(),
                tickets: 0,
                clients: BTreeMap::new(),
                alarm: None,
            }),
            planned: AtomicUsize::new(0),
            deadline: Notify::new(),
            reports,
            held: AtomicUsize::new(0),
            complaints: Complaints::default(),
            connections: AtomicU64::new(0),
            clock_step: AtomicI64::new(0),
        }
    }

    /// A number for a new connection.
    pub(super) fn connection_number(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// The time of day of a moment, as this coordinator tells it.
    pub(super) fn unix(&self, at: Timestamp) -> UnixMs {
        let step = self.clock_step.load(Ordering::Relaxed);
        UnixMs(self.clock.unix(at).0.saturating_add_signed(step))
    }

    /// As [`Complaints::allow`], now.
    pub(super) fn may_complain(&self) -> Option<u64> {
        self.complaints.allow(self.clock.now())
    }

    pub(super) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The logs.
    pub(super) const fn data(&self) -> &Arc<Data> {
        &self.data
    }

    /// Bytes of records that one more answer may carry, so that many can be on their way at once.
    pub(super) fn room(&self) -> usize {
        let held = self.held.load(Ordering::Relaxed);
        limits::COORDINATOR_HELD.saturating_sub(held) / FETCHES_AT_ONCE
    }

    pub(super) const fn reports(&self) -> &Arc<Reports> {
        &self.reports
    }

    pub(super) const fn max_idle(&self) -> Millis {
        self.max_idle
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic inside would be a bug of ours; the state behind it is still the best there is.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a request.
    pub(super) fn serve(&self, incoming: &Incoming<'_>, request: AnyRequest) -> Served {
        let at = (incoming.node, incoming.reached);
        if let Some(mut response) = self.broker.answer(incoming.version, at, &request) {
            self.amend(at, Asked::new(0, "", &request).group, &mut response);
            return Served::Now(response);
        }
        if Data::concerns(&request) {
            return match self.data.serve(incoming.version, self.room(), request) {
                Answer::Now(response) => Served::Now(response),
                Answer::Later(waiting) => Served::Fetch(waiting),
            };
        }
        let now = self.clock.now();
        let mut inner = self.lock();
        if let Some(error) = elsewhere(&inner, incoming.node, &request) {
            let response = request.error_response(incoming.version, error);
            let from = Origin {
                client_id: incoming.client_id,
                host: incoming.host,
            };
            inner
                .coordinator
                .handle(now, Input::Refused(from, &request, error));
            self.settle(&mut inner, now, None);
            return Served::Now(response);
        }
        let joined = joined_where_all_displace(&inner, &request);
        let ticket = next_ticket(&mut inner);
        let from = Origin {
            client_id: incoming.client_id,
            host: incoming.host,
        };
        let call = Call {
            ticket,
            version: incoming.version,
            from,
        };
        inner.coordinator.handle(now, Input::Request(call, request));
        if let Some((group, before)) = joined {
            displace(&mut inner, now, group, before);
        }
        if let Some(mut response) = self.settle(&mut inner, now, Some(ticket)) {
            drop(inner);
            self.amend(at, None, &mut response);
            return Served::Now(response);
        }
        let (answer, answered) = oneshot::channel();
        inner.parked.insert(ticket, answer);
        Served::Later(ticket, answered)
    }

    /// Tells the machine of a request that a fault answered in its place.
    pub(super) fn refused(&self, from: Origin<'_>, request: &AnyRequest, error: i16) {
        self.input(Input::Refused(from, request, error));
    }

    /// Tells the machine that the client of a parked request has gone. Its answer goes nowhere.
    pub(super) fn gone(&self, ticket: Ticket) {
        self.input(Input::Gone(ticket));
    }

    pub(super) fn freeze(&self) {
        self.input(Input::Freeze);
    }

    pub(super) fn thaw(&self) {
        self.input(Input::Thaw);
    }

    fn input(&self, input: Input<'_>) {
        let now = self.clock.now();
        let mut inner = self.lock();
        inner.coordinator.handle(now, input);
        self.settle(&mut inner, now, None);
    }

    /// Carries out what the machine says; the answer to `own` is handed back.
    fn settle(&self, inner: &mut Inner, now: Timestamp, own: Option<Ticket>) -> Option<AnyResponse> {
        let mut answer = None;
        while let Some(output) = inner.coordinator.poll() {
            match output {
                Output::Reply { ticket, response } if Some(ticket) == own => answer = Some(response),
                Output::Reply { ticket, response } => {
                    if let Some(parked) = inner.parked.remove(&ticket) {
                        // Its connection may have gone; then nobody is told.
                        let _gone = parked.send(response);
                    }
                }
                Output::Append { append, records, .. } => {
                    let group = records.first().map(OffsetsRecord::group);
                    let failed = group.and_then(|group| inner.faults.append_error(group));
                    let result = match failed {
                        Some(error) => Some(Err(error)),
                        None => inner.store.append(append, records, self.unix(now)),
                    };
                    self.count_faults(inner);
                    if let Some(result) = result {
                        let appended = Input::Appended { append, result };
                        inner.coordinator.handle(now, appended);
                    }
                }
                Output::Observed(observed) => {
                    if inner.faults.count() > 0 {
                        inner.faults.observe(&observed);
                        self.count_faults(inner);
                    }
                    let Observed {
                        group,
                        member,
                        change,
                    } = observed;
                    self.reports.tell(self.unix(now), Some(group), member, change);
                }
            }
        }
        let due = deadline(inner);
        if due.is_some_and(|due| inner.alarm.is_none_or(|alarm| due < alarm)) {
            self.deadline.notify_one();
        }
        answer
    }

    /// The one member that goes by a member id or client id.
    pub(super) fn member_named(&self, name: &MemberId) -> Option<(GroupId, MemberId)> {
        match self.lock().coordinator.members_named(name.as_str()).as_slice() {
            [one] => Some((one.group.clone(), one.id.clone())),
            _ => None,
        }
    }

    /// A connection's client has named itself.
    pub(super) fn client_came(&self, client_id: &Arc<str>) {
        *self.lock().clients.entry(Arc::clone(client_id)).or_insert(0) += 1;
    }

    pub(super) fn client_went(&self, client_id: &Arc<str>) {
        let mut inner = self.lock();
        if let Some(count) = inner.clients.get_mut(client_id) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                inner.clients.remove(client_id);
            }
        }
    }

    /// Makes or gives back room for what a connection holds; false where there is none.
    pub(super) fn hold(&self, before: usize, after: usize) -> bool {
        if after <= before {
            self.held.fetch_sub(before - after, Ordering::Relaxed);
            return true;
        }
        let held = self.held.fetch_add(after - before, Ordering::Relaxed);
        held + (after - before) <= limits::COORDINATOR_HELD
    }

    /// The versions of an API that are served.
    pub(super) fn serves(&self, key: ApiKey, version: i16) -> bool {
        Broker::versions(key).is_some_and(|versions| versions.contains(version))
    }
}

impl Sleeper for Service {
    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let mut inner = self.lock();
        inner.alarm = deadline(&inner);
        inner.alarm
    }

    async fn deadline_moved(&self) {
        self.deadline.notified().await;
    }

    fn tick(&self) {
        let now = self.clock.now();
        let mut inner = self.lock();
        self.end_what_is_over(&mut inner);
        self.count_faults(&inner);
        inner.coordinator.handle(now, Input::Tick);
        read_what_has_moved(&mut inner, now);
        self.settle(&mut inner, now, None);
    }
}

fn next_ticket(inner: &mut Inner) -> Ticket {
    inner.tickets += 1;
    Ticket(inner.tickets)
}

/// What is due next, of the machine's, the faults' and the nodes'.
fn deadline(inner: &Inner) -> Option<Timestamp> {
    let all = [
        inner.coordinator.deadline(),
        inner.faults.deadline(),
        inner.nodes.deadline(),
    ];
    all.into_iter().flatten().min()
}
