//! What a fault may be told at most, so that each ends by itself and none costs more than the server has.

/// Answers, joins or records that one fault touches.
pub const TIMES: u32 = 100_000;

/// How long a fault may last or hold an answer back, in milliseconds: an hour, longer than any timeout that Kafka accepts
/// by default (30 min).
pub const MS: u64 = 3_600_000;

/// How long a fault lasts where nothing is said, in milliseconds: longer than a session and a rebalance of the demo, short
/// enough to wait for its end.
pub const MS_DEFAULT: u64 = 60_000;

/// How long the node a group has moved to reads its log where nothing is said, in milliseconds.
pub const LOADING_MS: u64 = 2_000;

/// How far the server's time of day may be set, in milliseconds either way: a day, as a wrong time zone does at most.
pub const STEP_MS: i64 = 86_400_000;

/// Members that `add` starts at once.
pub const ADDED: u32 = 100;

/// Rejoins where nothing is said: a storm that can be seen, and ends.
pub const REJOINS: u32 = 20;

/// Groups that `groups` starts at once. With their members they count against the members of ours (10,000 in all).
pub const GROUPS: u32 = 5_000;

/// Members in each of them.
pub const GROUP_MEMBERS: u32 = 100;

/// Ids that `unused_id` asks for at once.
pub const IDS: u32 = 1_000;

/// Bytes of a host name, as in DNS.
pub const HOST_BYTES: usize = 255;
