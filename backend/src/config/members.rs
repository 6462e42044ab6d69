//! How many members of ours, in which group, with which timeouts.

use shared::ids::GroupId;
use shared::time::Millis;

use crate::cli::{MemberRules, Refusal, ServeArgs};
use crate::limits;

/// What the members of ours are and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembersConfig {
    pub group: GroupId,
    /// How many; with 0 nothing is ever written to the cluster.
    pub count: u32,
    pub rules: MemberRules,
    pub heartbeat_interval: Millis,
    pub session_timeout: Millis,
    pub rebalance_timeout: Millis,
    pub topics: Vec<String>,
}

/// Heartbeat interval, session timeout and rebalance timeout where none is given, in milliseconds.
struct Defaults(u32, u32, u32);

/// Today's consumer, but for a rebalance timeout that an operator can watch.
const MODERN: Defaults = Defaults(3_000, 45_000, 60_000);
/// Kafka 0.10.0's consumer (protocol.md 1.3).
const V0_10: Defaults = Defaults(3_000, 30_000, 60_000);
/// Quick enough to see a session end while looking; 6000 is the shortest session that Kafka allows by default.
const DEMO: Defaults = Defaults(1_000, 6_000, 10_000);

/// `request.timeout.ms` of Kafka 0.10.0; its consumer refuses a session that is not shorter (KAFKA-2428).
const V0_10_REQUEST_TIMEOUT: u32 = 40_000;

/// The group and the topic of the embedded demo.
const DEMO_NAME: &str = "demo";

impl MembersConfig {
    pub(super) fn from_args(args: &ServeArgs, embedded: bool) -> Result<Self, Refusal> {
        let defaults = match (embedded, args.member_rules) {
            (true, _) => DEMO,
            (false, MemberRules::Modern) => MODERN,
            (false, MemberRules::V0_10) => V0_10,
        };
        let interval = args.heartbeat_interval.unwrap_or(defaults.0);
        let session = args.session_timeout.unwrap_or(defaults.1);
        if interval >= session {
            return Err(Refusal::usage(format!(
                "--heartbeat-interval {interval} must be below --session-timeout {session}, as Kafka demands: \
                 else the session ends before its first heartbeat"
            )));
        }
        if args.member_rules == MemberRules::V0_10 && session >= V0_10_REQUEST_TIMEOUT {
            return Err(Refusal::usage(format!(
                "--session-timeout {session} must be below {V0_10_REQUEST_TIMEOUT} with --member-rules v0.10: \
                 its request timeout, as Kafka 0.10.0 demands"
            )));
        }
        Ok(Self {
            group: group(args.probe_group.as_deref(), embedded)?,
            count: args.members,
            rules: args.member_rules,
            heartbeat_interval: Millis(interval.into()),
            session_timeout: Millis(session.into()),
            rebalance_timeout: Millis(args.rebalance_timeout.unwrap_or(defaults.2).into()),
            topics: if embedded {
                vec![DEMO_NAME.to_owned()]
            } else {
                Vec::new()
            },
        })
    }
}

fn group(given: Option<&str>, embedded: bool) -> Result<GroupId, Refusal> {
    match given {
        Some("") => Err(Refusal::usage(
            "--probe-group \"\": a group that members join needs a name of at least one character",
        )),
        Some(name) if name.len() > limits::GROUP_ID_BYTES => Err(Refusal::usage(format!(
            "--probe-group of {} bytes: at most {} are allowed",
            name.len(),
            limits::GROUP_ID_BYTES
        ))),
        Some(name) => Ok(GroupId::from(name)),
        None if embedded => Ok(GroupId::from(DEMO_NAME)),
        // Two servers must not share a group by accident: they would rebalance each other.
        None => Ok(GroupId::from(format!(
            "heartline-probe-{}-{}",
            gethostname::gethostname().to_string_lossy(),
            std::process::id()
        ))),
    }
}
