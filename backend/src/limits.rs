//! Every bound of the server in one place, each with its reason.
//!
//! What comes from a stranger (a viewer, a peer, a name) is counted against one of these before it is kept.

use std::num::NonZeroU32;
use std::time::Duration;

use shared::time::Millis;

mod journal;

pub use journal::*;

// The hub.

/// Observations waiting for the hub. A source that reports a transition waits while they are this many.
pub const REPORTS: usize = 8_192;

/// From this many waiting on, single heartbeats are merged into their second's summary and counted, so that the
/// hub catches up before transitions have to wait.
pub const REPORTS_NEARLY_FULL: usize = REPORTS * 3 / 4;

/// Observations the hub numbers as one range: what one broadcast carries at most. With [`RANGES_BEHIND`] it bounds what
/// a viewer that is behind keeps in memory, about 130 MB of the largest events there are.
pub const RANGE_EVENTS: usize = 128;

/// Questions (subscribe, board, history) waiting for the hub.
pub const QUESTIONS: usize = 256;

/// The newest events of each tier that stay as they are: what readers ask for most.
pub const HISTORY_SETTLED: usize = 1_024;

/// When older ones are packed, in milliseconds after they were seen, if the hub has nothing else to do: after the first look at ten
/// thousand groups and their lag, which have the processors' time, and while the offsets log is still read: what that adds has the
/// room of what was packed.
pub const HISTORY_SETTLES_MS: u64 = 1_000;

/// The same of the board, which is kept once what a start brings in has come.
pub const KEYFRAME_SETTLES_MS: u64 = 2_000;

/// The most that may wait to be packed: above it they are packed at once.
pub const HISTORY_LIVE: usize = 65_536;

/// Events packed together: half a millisecond's work, and enough alike to be a tenth of what they were.
pub const HISTORY_PACK: usize = 256;

/// Bytes of packed history in memory, by how long a thing is worth keeping: single heartbeats shortest.
pub const HISTORY_BEATS: usize = 2 << 20;
/// Their summaries: hours of a hundred members.
pub const HISTORY_SUMMARIES: usize = 6 << 20;
/// And the transitions: what is left when somebody comes to look in the morning.
pub const HISTORY_TRANSITIONS: usize = 12 << 20;

/// Boards kept for `?at=`, packed.
pub const KEYFRAMES: usize = 12;

/// Bytes of all of them: one of ten thousand groups has about three million.
pub const KEYFRAME_BYTES: usize = 12 << 20;

/// Events between two of them at first; it doubles whenever there are more than [`KEYFRAMES`].
pub const KEYFRAME_EVENTS: u64 = 4_096;

/// One is made when the hub has nothing else to do, unless that does not come for so many times the events between two.
pub const KEYFRAME_WAITS: u64 = 16;

/// Bytes of a board's text that are packed at once.
pub const KEYFRAME_WRITE: usize = 32 * 1024;

/// Events the hub hands out in answer to one question; a reader asks on from there.
pub const HISTORY_PAGE: usize = 4_096;

// Viewers.

/// Ranges a viewer may be behind before it is `lagged`.
pub const RANGES_BEHIND: usize = 1_024;

/// Events that a viewer resumes over at most; above it takes the board, which is smaller.
pub const RESUME_EVENTS: usize = 20_000;

/// Events in one frame to a viewer, so that a frame stays far below what a browser takes at once.
pub const FRAME_EVENTS: usize = 2_048;

/// The shortest time between two frames of events to one viewer: 60 a second, a screen's pace.
pub const FRAME_PAUSE: Duration = Duration::from_micros(16_667);

/// How long a viewer may take to say hello.
pub const HELLO_WAIT: Duration = Duration::from_secs(10);

/// How long a viewer may take to accept a frame before its connection is cut.
pub const VIEWER_SEND: Duration = Duration::from_secs(10);

/// A viewer from which nothing came for this long, not even the answer to a ping, is gone.
pub const VIEWER_SILENCE: Duration = Duration::from_secs(30);

/// How often a viewer is pinged; a third of [`VIEWER_SILENCE`], so that two may be lost.
pub const VIEWER_PING: Duration = Duration::from_secs(10);

/// How long a viewer may take to read why its connection is closed.
pub const VIEWER_CLOSE: Duration = Duration::from_secs(1);

/// How many viewers at once: each costs a task, two buffers and its place in the broadcast.
pub const VIEWERS: usize = 512;

/// How many groups one viewer may watch beat by beat.
pub const WATCHED_GROUPS: usize = 1_024;

// HTTP.

/// Connections to the page's port at once, beside those of [`VIEWERS`].
pub const HTTP_CONNECTIONS: usize = 1_024;

/// How long a client may take to send a request's head (a slow one would hold a connection for ever).
pub const HTTP_HEAD: Duration = Duration::from_secs(10);

/// How long a request other than the WebSocket may take in all.
pub const HTTP_REQUEST: Duration = Duration::from_secs(30);

/// How long a client may take to accept a part of an answer before its connection is cut: whoever never reads would keep
/// its place for ever. A viewer's frame has less, [`VIEWER_SEND`].
pub const HTTP_SEND: Duration = Duration::from_secs(30);

/// How long open requests and viewers get to end at a shutdown.
pub const HTTP_DRAIN: Duration = Duration::from_secs(2);

/// How long a request's body may take to be all there.
pub const HTTP_BODY_WAIT: Duration = Duration::from_secs(10);

/// Bytes of a request's body.
pub const HTTP_BODY: usize = 64 * 1024;

/// Events in one answer of `/api/events`: asked for, and at most.
pub const EVENTS_DEFAULT: usize = 1_000;
/// See [`EVENTS_DEFAULT`].
pub const EVENTS_MAX: usize = 10_000;

/// Events one request looks at, less than a second's work: above it the answer has what was found and says where to go on.
pub const EVENTS_SEARCHED: usize = 32_768;

/// Groups in one answer of `/api/groups`: unless asked for, and at most.
pub const GROUPS_DEFAULT: usize = 500;
/// See [`GROUPS_DEFAULT`].
pub const GROUPS_MAX: usize = 10_000;

/// Values one filter of a query may have (`?group=a&group=b...`).
pub const FILTER_VALUES: usize = 100;

// Metrics.

/// Series of `heartline_requests_total`: brokers name themselves, and a hostile one could do so anew each time. The other
/// metrics are bounded by what the board keeps.
pub const METRIC_SERIES: usize = 1_000;

// Members of ours.

/// Members that `--members` and the fault `add` may ask for in all: each is a TCP connection.
pub const MEMBERS: u32 = 10_000;

/// Bytes that all client ids of our members begin with; their number follows.
pub const CLIENT_ID_BYTES: usize = 200;

/// Commands waiting for those who run our members.
pub const PROBE_COMMANDS: usize = 16;

/// How often a member of ours tells at most that it finds and loses a coordinator that is down, and how often: it tries once a
/// second, and an outage has other things to show.
pub const DEATH_TOLD_AGAIN: Millis = Millis(10_000);

/// How often it is told at most that members which come in the place of one that an error ended are ended by the same.
pub const FAILURE_TOLD_AGAIN: Millis = Millis(600_000);

/// The pause before a new member replaces one that failed; doubles each time, up to [`REPLACEMENT_MAX`].
pub const REPLACEMENT_FIRST: Millis = Millis(10_000);
/// See [`REPLACEMENT_FIRST`]. A member that lasted longer than this starts the doubling over.
pub const REPLACEMENT_MAX: Millis = Millis(300_000);

/// Probe groups beside --probe-group, one a coordinator: each costs its broker a heartbeat every few seconds, and a record
/// for each time it is joined.
pub const PLACED_PROBES: usize = 64;

/// How many names of probe groups may turn out to be in use by others: as many are tried, and then no more groups are placed.
pub const PLACED_USED: usize = 1_024;

/// How long a broker must have coordinated no group of others before its probe leaves: groups that come and go for a moment
/// would have it join and leave as often.
pub const PLACED_IDLE: Millis = Millis(60_000);

/// How long a probe stays whose broker has another one by now, because a coordinator died: that one leads its partitions again
/// when it has started and the controller next looks whose they are (`leader.imbalance.check.interval.seconds`, 300 s unless it is
/// set), and who had left by then would have to join anew.
pub const PLACED_SPARE: Millis = Millis(600_000);

/// The shortest time between two heartbeats by nobody, asked for over HTTP.
pub const PING_PACE: Millis = Millis(200);

/// How long all of it may take, finding the coordinator included: somebody looks at the page meanwhile.
pub const PING_WAIT: Duration = Duration::from_secs(5);

/// Faults that a member of ours has been told to play and has not taken up: it does so at once unless it is held up.
pub const MEMBER_DEEDS: usize = 16;

/// Bytes of a group id: its length travels as 16 bits.
pub const GROUP_ID_BYTES: usize = i16::MAX as usize;

/// Bytes of `--probe-group`: Kafka's own bound for a topic's name, and few enough for a board to show the id whole.
pub const PROBE_GROUP_BYTES: usize = 249;

/// Addresses in `--bootstrap-servers`.
pub const BOOTSTRAP_SERVERS: usize = 64;

// Connections to brokers.

/// Bytes of a host name, as in DNS.
pub const HOST_BYTES: usize = 255;

/// Addresses tried behind one name.
pub const ADDRESSES_PER_NAME: usize = 8;

/// How long a broker may take to answer whoever looks for any before the next is asked too: well above a connection's setup over
/// land and sea, and well below what a client waits for its coordinator.
pub const BROKER_PATIENCE: Duration = Duration::from_secs(1);

/// TCP connections that are being made at once: fewer than a listener's queue holds (128 where nothing else is set),
/// since what overflows it is retried only after a second.
pub const CONNECTS_AT_ONCE: usize = 64;

/// Requests on one connection that wait for their answers. A member has a lookup, a join or a sync, a heartbeat and a
/// leave; more means that it no longer waits for answers.
pub const REQUESTS_UNANSWERED: usize = 32;

/// Bytes of one answer. The longest are a leader's JoinGroup (100 bytes a member) and DescribeGroups (500 a group).
pub const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Bytes read off a socket at once, on the stack.
pub const READ_BYTES: usize = 4 * 1024;

/// The same while an answer has begun to come: the long ones, of a quarter of a megabyte, in few reads.
pub const READ_ON_BYTES: usize = 64 * 1024;

/// Brokers of a cluster that are remembered as places to ask.
pub const BROKERS: usize = 1_000;

// Secured connections, and the survey of a cluster's groups: each in a file of its own.

mod security;
mod survey;

pub use security::*;
pub use survey::*;

// The embedded coordinator.

/// Topics of `--topics`.
pub const TOPICS: usize = 1_000;

/// Partitions of one topic.
pub const PARTITIONS: i32 = 10_000;

/// Bytes of record batches kept for all topics together, each batch counted with [`LOG_BATCH_OVERHEAD`]. When they are more,
/// the oldest batches go first, whichever partition they are in.
pub const LOG_BYTES: usize = 128 * 1024 * 1024;

/// What keeping one batch costs beside its bytes, at most: its place in its partition, in the order of all, its allocation.
pub const LOG_BATCH_OVERHEAD: usize = 256;

/// Bytes of one record batch: Kafka's `message.max.bytes`.
pub const LOG_BATCH_BYTES: usize = 1_048_588;

/// Idempotent producers remembered, counted once for each partition they write to. When they are more, the one that came
/// first is forgotten; Kafka takes any sequence number from a producer it has forgotten.
pub const LOG_PRODUCERS: usize = 100_000;

/// Bytes of records in one answer to Fetch. What all answers take together is bounded by [`COORDINATOR_HELD`]: with less room
/// left an answer carries fewer records, or none.
pub const FETCH_BYTES: usize = 4 * 1024 * 1024;

/// Partitions that all parked Fetches wait for together. A Fetch that would be above it is answered at once, with what there
/// is.
pub const FETCHES_PARKED: usize = 250_000;

// Faults.

/// Faults waiting to be played.
pub const FAULTS_WAITING: usize = 64;

/// What a fault may be told stands beside the faults: the page and scenario files need it too.
pub use shared::fault::limits as fault;

// The embedded coordinator. What is above one of its bounds is refused with the code that Kafka's clients handle best.

/// Groups it keeps. One more is refused with 15.
pub const COORDINATOR_GROUPS: usize = 20_000;

/// Members of all groups together. One more is refused with 15.
pub const COORDINATOR_MEMBERS: usize = 100_000;

/// Ids handed out (79) and not used yet, of all groups together. One more is refused with 15.
pub const COORDINATOR_PENDING_IDS: usize = 100_000;

/// Committed offsets of all groups together. One more is refused with 28.
pub const COORDINATOR_OFFSETS: usize = 1_000_000;

/// Bytes of ids, metadata, assignments and notes kept for all groups together. More is refused with 15, in a commit with 28.
pub const COORDINATOR_BYTES: usize = 64 * 1024 * 1024;

/// Protocols in one JoinGroup; Kafka's own clients name a handful. More are refused with 42.
pub const COORDINATOR_PROTOCOLS: usize = 256;

/// Bytes of a client id, instance id or protocol type that is kept: a member id begins with one of the first two and must
/// itself fit into 32767. A longer one is refused with 42.
pub const COORDINATOR_NAME_BYTES: usize = 4_096;

/// Bytes that a member id has beside the name it begins with: a dash and a UUID.
pub const MEMBER_ID_SUFFIX: usize = 37;

/// Kinds of refusals (member, API, code) told in the last second. One more is told for itself.
pub const COORDINATOR_REFUSALS: usize = 4_096;

/// How often it is kept where the topics' logs end: as far back may they go on after a process was killed.
pub const ENDS_EVERY: Millis = Millis(1_000);

/// How often progress is measured; a multiple of [`ENDS_EVERY`].
pub const PROGRESS_EVERY: Millis = Millis(5_000);

/// Partitions measured at once, under the machine's lock: a few milliseconds' worth.
pub const PROGRESS_ROWS: usize = 20_000;

/// Connections at once; one more is closed at once.
pub const COORDINATOR_CONNECTIONS: usize = 20_000;

/// Bytes of a SyncGroup, which carries the assignments of a whole group (a Kafka broker must fit them into a record of 1 MiB),
/// and of a Produce, which carries a batch for each of several partitions.
pub const COORDINATOR_FRAME: usize = 4 * 1024 * 1024;

/// Bytes of any other request.
pub const COORDINATOR_REQUEST: usize = 1024 * 1024;

/// Groups, keys, topics or members one request may ask about: a name of one byte costs a hundred to answer.
pub const COORDINATOR_ASKED: usize = 20_000;

/// Bytes that a connection may hold of requests not all there yet and of answers not taken yet, without asking.
pub const COORDINATOR_HELD_FREE: usize = 16 * 1024;

/// Bytes held beyond [`COORDINATOR_HELD_FREE`] by all connections together.
pub const COORDINATOR_HELD: usize = 128 * 1024 * 1024;

/// How long a request that has begun to come may take to be all there.
pub const COORDINATOR_FRAME_WAIT: Duration = Duration::from_secs(30);

/// How long a client may take to accept its answers before its connection is cut.
pub const COORDINATOR_SEND: Duration = Duration::from_secs(30);

/// Answers written together at most, in bytes, before the next request is looked at.
pub const COORDINATOR_ANSWERS: usize = 64 * 1024;

/// Events waiting to be reported. While there are more, no further request is handled.
pub const COORDINATOR_EVENTS: usize = 16_384;

/// Appends waiting for the disk: a second's worth of a busy group. One more is refused as if replicas were too slow.
pub const STORE_QUEUE: usize = 4_096;

/// Appends that go to disk in one transaction, so that the first of many does not wait for all.
pub const STORE_BATCH: usize = 1_024;

/// How often a bad connection is complained of in the log at most; the others are counted.
pub const COMPLAINT_EVERY: Millis = Millis(10_000);

/// Members a refused fault names as those there are.
pub const FAULT_CHOICES: usize = 20;

// The end.

/// How long leaving the group and closing may take before the process ends anyway.
pub const SHUTDOWN: Duration = Duration::from_secs(5);

// Scenarios.

/// Parts that a scenario may have in all: each may hold a connection, and is looked at with every event.
pub const SCENARIO_PARTS: usize = 2_000;

/// How many times faster than life a scenario may be played: beyond this a heartbeat of 3 s would come every 3 ms, and
/// what the machine takes for it would look like a slow coordinator.
pub const SCENARIO_SPEED: NonZeroU32 = NonZeroU32::new(1_000).expect("not 0");
