//! Members of ours in a scenario: what a file says of them, and what each is told.

use std::net::IpAddr;

use serde::Deserialize;
use shared::ids::{GroupId, InstanceId};
use shared::member::Config;
use shared::rules::Rules;
use shared::time::Timestamp;

use super::length::Length;
use crate::probe::ProbeConfig;

/// Members that start together; what is not said is as their rules have it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    /// What client ids begin with; a number from 1 on follows: `orders-1`.
    pub(super) client_id: String,
    pub(super) group: GroupId,
    #[serde(default)]
    topics: Vec<String>,
    /// How many.
    #[serde(default = "one")]
    count: u32,
    /// Where their connections come from.
    host: Option<IpAddr>,
    /// Static members: what instance ids begin with; the same number follows.
    instance: Option<InstanceId>,
    #[serde(default)]
    rules: RulesName,
    session_ms: Option<Length>,
    rebalance_ms: Option<Length>,
    heartbeat_ms: Option<Length>,
    request_ms: Option<Length>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
enum RulesName {
    #[default]
    #[serde(rename = "modern")]
    Modern,
    #[serde(rename = "v0.10")]
    V0_10,
}

const fn one() -> u32 {
    1
}

impl Members {
    /// What each is told; where to ask first, and from where, is the stage's to say.
    pub(super) fn config(&self) -> ProbeConfig {
        let rules = match self.rules {
            RulesName::Modern => Rules::MODERN,
            RulesName::V0_10 => Rules::V0_10,
        };
        let mut member = Config::new(self.group.clone(), self.client_id.clone(), rules);
        member.instance.clone_from(&self.instance);
        member.topics.clone_from(&self.topics);
        for (given, value) in [
            (self.session_ms, &mut member.session_timeout),
            (self.rebalance_ms, &mut member.rebalance_timeout),
            (self.heartbeat_ms, &mut member.heartbeat_interval),
            (self.request_ms, &mut member.request_timeout),
        ] {
            if let Some(Length(given)) = given {
                *value = given;
            }
        }
        ProbeConfig {
            bootstrap: Vec::new(),
            member,
            members: self.count,
            connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
            host: self.host,
            security: crate::kafka::security::Security::default(),
        }
    }

    /// Whether they can be started at all.
    pub(super) fn check(&self) -> Result<(), String> {
        let told = self.config();
        let checked = shared::member::Member::new(told.member, 0, Timestamp::default());
        checked.map(|_| ()).map_err(|error| error.to_string())
    }
}
