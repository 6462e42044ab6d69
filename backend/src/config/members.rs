//! How many members of ours, in which group, with which timeouts.

use shared::ids::GroupId;
use shared::member::Config as MemberConfig;
use shared::rules::{RequestTimeout, Rules};
use shared::time::Millis;

use crate::cli::{MemberRules, Refusal, ServeArgs};
use crate::kafka::properties::client::ClientConfig;
use crate::limits;

/// The members of ours.
#[derive(Clone, Debug)]
pub struct MembersConfig {
    /// How many; with 0 nothing is ever written to the cluster.
    pub count: u32,
    /// What each is told; client ids begin with its `client_id`.
    pub member: MemberConfig,
}

/// How many there are where nothing is said.
const MEMBERS: u32 = 3;

/// The group and the topic of the embedded demo.
const DEMO_NAME: &str = "demo";

impl MembersConfig {
    pub(super) fn from_args(
        args: &ServeArgs,
        embedded: bool,
        client: &ClientConfig,
    ) -> Result<Self, Refusal> {
        let group = group(args.probe_group.as_deref(), embedded)?;
        let client_id = client.client_id.as_deref().unwrap_or(group.as_str()).to_owned();
        let rules = match args.member_rules {
            MemberRules::Modern => Rules::MODERN,
            MemberRules::V0_10 => Rules::V0_10,
        };
        let mut member = MemberConfig::new(group, client_id, rules);
        if embedded {
            // Quick enough to watch a session end; 6 s is the shortest session that Kafka allows by default.
            member.heartbeat_interval = Millis(1_000);
            member.session_timeout = Millis(6_000);
            member.rebalance_timeout = Millis(10_000);
            member.topics = vec![DEMO_NAME.to_owned()];
        }
        if let Some(timeout) = client.request_timeout {
            member.request_timeout = timeout;
        }
        for (given, value) in [
            (args.heartbeat_interval, &mut member.heartbeat_interval),
            (args.session_timeout, &mut member.session_timeout),
            (args.rebalance_timeout, &mut member.rebalance_timeout),
        ] {
            if let Some(given) = given {
                *value = Millis(given.into());
            }
        }
        check(&member)?;
        Ok(Self {
            count: args.members.unwrap_or(MEMBERS),
            member,
        })
    }
}

/// What Kafka demands of the times together, said with the flags' names.
fn check(member: &MemberConfig) -> Result<(), Refusal> {
    let (Millis(interval), Millis(session)) = (member.heartbeat_interval, member.session_timeout);
    if interval >= session {
        return Err(Refusal::usage(format!(
            "--heartbeat-interval {interval} must be below --session-timeout {session}, as Kafka demands: else the \
             session ends before its first heartbeat"
        )));
    }
    let Millis(request) = member.request_timeout;
    if member.rules.request_timeout == RequestTimeout::AboveSession && request <= session {
        return Err(Refusal::usage(format!(
            "--session-timeout {session} must be below {request} with --member-rules {}: its request timeout, as \
             Kafka 0.10.0 demands",
            member.rules.name
        )));
    }
    Ok(())
}

fn group(given: Option<&str>, embedded: bool) -> Result<GroupId, Refusal> {
    match given {
        Some("") => Err(Refusal::usage(
            "--probe-group \"\": a group that members join needs a name of at least one character",
        )),
        Some(name) if name.len() > limits::PROBE_GROUP_BYTES => Err(Refusal::usage(format!(
            "--probe-group of {} bytes: at most {} are allowed",
            name.len(),
            limits::PROBE_GROUP_BYTES
        ))),
        Some(name) if name.contains(char::is_control) => Err(Refusal::usage(format!(
            "--probe-group \"{}\": control characters are not allowed",
            name.escape_debug()
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
