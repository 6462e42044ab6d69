//! Each fault for people: what it does, what to watch for, what its fields take.

use serde::Serialize;

use super::limits;

/// A fault as people are told of it: a row of `GET /api/faults`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// What goes wrong, in a sentence.
    pub does: &'static str,
    /// Where to see it: events, states.
    pub watch: &'static str,
    /// The fields that can stand beside `fault`; those not required have a default or mean "any".
    pub fields: &'static [Field],
}

/// A field of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes, in words.
    pub takes: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// The same for machines.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// A member id, or the client id of a member of ours.
    Member,
    /// A group id.
    Group,
    /// Kafka's name of a request.
    Api,
    /// An error code, by number or by Kafka's name, or "disconnect".
    Answer,
    /// One of these error codes, by number or by Kafka's name.
    Code {
        /// Which.
        codes: &'static [i16],
    },
    /// A whole number.
    Number {
        /// The least.
        least: i64,
        /// The most.
        most: i64,
        /// What stands for it where it is left out.
        default: Option<i64>,
    },
    /// One of these words.
    Word {
        /// Which; the first is the default.
        words: &'static [&'static str],
    },
    /// Any text of 1 to so many bytes.
    Text {
        /// How many.
        most: usize,
    },
}

/// What a log that cannot be written says to who would store a group (Kafka's append errors, protocol.md 3.4).
const STORAGE_CODES: &[i16] = &[19, 20, 7, 3, 6, 56, 10];

/// What a broker answers that does not coordinate the group now.
const REFUSALS: &[i16] = &[14, 15, 16];

const fn field(name: &'static str, kind: Kind, required: bool, takes: &'static str) -> Field {
    Field {
        name,
        takes,
        required,
        kind,
    }
}

const fn number(
    name: &'static str,
    (least, most): (i64, i64),
    default: Option<i64>,
    takes: &'static str,
) -> Field {
    let kind = Kind::Number { least, most, default };
    field(name, kind, false, takes)
}

const fn needed(field: Field) -> Field {
    Field {
        required: true,
        ..field
    }
}

// All fit: the largest is an hour in milliseconds.
const MS: i64 = limits::MS as i64;
const MS_DEFAULT: Option<i64> = Some(limits::MS_DEFAULT as i64);
const TIMES_MOST: (i64, i64) = (1, limits::TIMES as i64);

const MEMBER: Field = field(
    "member",
    Kind::Member,
    true,
    "a member id, or the client id of a member of ours",
);
const OUR_MEMBER: Field = field(
    "member",
    Kind::Member,
    true,
    "the client id or member id of a member of ours",
);
const ANY_MEMBER: Field = field(
    "member",
    Kind::Member,
    false,
    "a member id, or the client id of a member of ours; default any",
);
const GROUP: Field = field("group", Kind::Group, true, "a group id");
const ANY_GROUP: Field = field("group", Kind::Group, false, "a group id; default any");
const API: Field = field("api", Kind::Api, true, "Kafka's name of a request: Heartbeat");
const ANY_API: Field = field(
    "api",
    Kind::Api,
    false,
    "Kafka's name of a request: Heartbeat; default any",
);
const TIMES: Field = number("times", TIMES_MOST, Some(1), "how many answers; default 1");
const LASTS: Field = number(
    "ms",
    (1, MS),
    MS_DEFAULT,
    "how long it lasts, in milliseconds; default 60000",
);
const HOW_LONG: Field = needed(number("ms", (0, MS), None, "how long, in milliseconds"));

macro_rules! shapes {
    ($($name:literal: $does:literal, watch $watch:literal, $fields:expr;)+) => {
        &[$(Shape { name: $name, does: $does, watch: $watch, fields: $fields },)+]
    };
}

/// Every fault and its fields, in the order of docs/contract.md.
pub const SHAPES: &[Shape] = shapes! {
    "silence": "What the member sends is swallowed until it has expired: a stopped process, a long pause.",
        watch "late, overdue, then member_expired and a rebalance; it is answered 25 when it comes back.",
        &[MEMBER];
    "kill": "Its socket is cut; it does not leave and does not come back.",
        watch "member_expired one session later, then a rebalance.",
        &[OUR_MEMBER];
    "leave": "It says LeaveGroup and ends.",
        watch "member_left and a rebalance at once.",
        &[OUR_MEMBER];
    "add": "More members of ours join.",
        watch "member_joined and a rebalance; partitions move.",
        &[number("count", (1, limits::ADDED as i64), Some(1), "how many members; default 1")];
    "delay": "Answers of one API are held back.",
        watch "the latency of heartbeat_answered; an answer later than its session is the end of it.",
        &[API, HOW_LONG, TIMES, ANY_MEMBER, ANY_GROUP];
    "drop": "Answers of one API are never sent.",
        watch "heartbeat_failed after the request timeout or the session, and coordinator_dead.",
        &[API, TIMES, ANY_MEMBER, ANY_GROUP];
    "stop": "The coordinator's sockets are closed, its timers stand still, its state is kept.",
        watch "coordinator_dead and coordinator_not_found; nobody expires, since nobody is there to expire it.",
        &[];
    "restart": "The coordinator serves again; every member gets a full session.",
        watch "coordinator_found, then heartbeats in the same generation.",
        &[];
    "answer": "The next answers of one API carry a code, or are a disconnect.",
        watch "heartbeat_answered with the code, and what the member makes of it.",
        &[
            API,
            field("error", Kind::Answer, true,
                "an error code (-32768 to 32767), Kafka's name of one, or \"disconnect\""),
            TIMES, ANY_MEMBER, ANY_GROUP,
        ];
    "ignore_rebalance": "A member heartbeats on and does not obey 27: a handler that does not return.",
        watch "27 to each of its heartbeats while the others wait; member_evicted at the rebalance timeout.",
        &[OUR_MEMBER, LASTS];
    "join_without_sync": "A member joins and does not send its SyncGroup: a leader that computes for ever, a follower that hangs.",
        watch "the group in CompletingRebalance, all waiting where it leads; member_evicted (sync_timeout).",
        &[OUR_MEMBER, number("times", TIMES_MOST, Some(1), "how many SyncGroups; default 1")];
    "queue_behind": "A member rejoins, and the answer to its SyncGroup comes so late that its heartbeats queue behind it.",
        watch "heartbeat_answered with behind SyncGroup; beyond a session, member_expired though it sent on.",
        &[OUR_MEMBER, HOW_LONG];
    "refuse": "Requests about groups are answered 14, 15 or 16 while FindCoordinator goes on to name this broker.",
        watch "coordinator_dead and coordinator_found in turns (15, 16); joins refused again and again (14), heartbeats answered as ever.",
        &[
            field("error", Kind::Code { codes: REFUSALS }, true,
                "14, 15 or 16, or Kafka's name: COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR"),
            LASTS, ANY_GROUP,
        ];
    "move": "The group's partition of __consumer_offsets goes to the cluster's other node, which reads it from the log.",
        watch "group_unloaded, 16, coordinator_found with the other node, group_loading, group_loaded.",
        &[
            GROUP,
            field("reload", Kind::Word { words: &["newest", "none", "older"] }, false,
                "what the node finds in its log: newest, none or older (a generation ago); default newest"),
            number("ms", (0, MS), Some(limits::LOADING_MS as i64), "how long it reads, in milliseconds; default 2000"),
        ];
    "fail_storage": "What the coordinator would store of the group cannot be stored.",
        watch "nothing before the next rebalance or commit; then append_failed, and after a sync storage_failed as a cause.",
        &[
            GROUP,
            field("error", Kind::Code { codes: STORAGE_CODES }, false,
                "what the log says: 19 NOT_ENOUGH_REPLICAS (the default), 20, 7, 3, 6, 56 or 10, or Kafka's name"),
            number("times", TIMES_MOST, Some(1), "how many records; default 1"),
        ];
    "unused_id": "A client asks to join, is given a member id (79) and never uses it.",
        watch "member_id_issued, a rebalance that waits for nobody, member_id_expired one session later.",
        &[GROUP, number("count", (1, limits::IDS as i64), Some(1), "how many ids; default 1")];
    "rejoin": "A member joins again whenever it is in; where it leads, the group rebalances without end.",
        watch "one rebalance after the other with the cause leader_rejoined.",
        &[
            OUR_MEMBER,
            number("times", TIMES_MOST, Some(limits::REJOINS as i64), "how often; default 20"),
            number("every_ms", (0, MS), Some(0), "how long it stays in between, in milliseconds; default 0"),
        ];
    "evict_each_other": "The coordinator forgets all others whenever somebody new joins.",
        watch "25 to the others' heartbeats; each generation has one member, which leads it and is displaced in turn.",
        &[GROUP, LASTS];
    "duplicate_instance": "A second member of ours starts under the group.instance.id of another.",
        watch "member_replaced, then 82 and member_fenced for one of the two.",
        &[field("member", Kind::Member, false,
            "the client id or member id of a static member of ours; default a new one")];
    "full": "group.max.size is lowered: whoever is too many is refused.",
        watch "81 to new members; at the next rebalance member_evicted (group_full) for those beyond it.",
        &[needed(number("max", (1, limits::TIMES as i64), None, "to how many members")), LASTS];
    "forbid": "Every request about the group is answered 30, its lookup too.",
        watch "not_authorized with the right that is missing; members of ours end and come back later.",
        &[GROUP, LASTS];
    "advertise": "Metadata and FindCoordinator name an address at which nobody reaches the broker.",
        watch "coordinator_found with that address, then coordinator_dead, since it cannot be resolved or reached.",
        &[
            field("host", Kind::Text { most: limits::HOST_BYTES }, false, "a host name; default the true one, where a port is given"),
            number("port", (1, 65_535), None, "a port; default the true one"),
            LASTS,
        ];
    "throttle": "Answers carry throttle_time_ms and the connection is not read for as long.",
        watch "heartbeats that come later than their interval; beyond a session, member_expired.",
        &[HOW_LONG, ANY_API, TIMES, ANY_MEMBER, ANY_GROUP];
    "half_open": "The member's connection stays open and nothing passes on it any more.",
        watch "heartbeats without an answer, the session over on both sides, a new connection.",
        &[MEMBER, LASTS];
    "clock_step": "The coordinator's time of day is set; deadlines do not notice.",
        watch "a gap that says by how much; its events go on with the time they came at, and nobody is late by it.",
        &[needed(number("ms", (-limits::STEP_MS, limits::STEP_MS), None,
            "by how many milliseconds; negative is back"))];
    "groups": "More groups, each with members of ours, which leave again.",
        watch "the overview: every group found, formed, stable, and empty at the end.",
        &[
            needed(number("count", (1, limits::GROUPS as i64), None, "how many groups")),
            number("members", (1, limits::GROUP_MEMBERS as i64), Some(1), "members in each; default 1"),
            LASTS,
        ];
    "odd_ids": "Groups whose ids are trouble elsewhere: '#', space, emoji, no id, 249 characters and more.",
        watch "each id exactly as it is, on the page, in addresses and in the API.",
        &[LASTS];
    "calm": "Whatever fault lasts ends now.",
        watch "the group comes to rest.",
        &[];
};
