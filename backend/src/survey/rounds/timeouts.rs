//! How groups of the newer types are set: DescribeConfigs on the GROUP resource, from any broker (KIP-848).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::error_code;
use shared::event::GroupType;
use shared::ids::GroupId;
use shared::protocol::{
    ApiKey, DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
    DescribeConfigsResponse, DescribeConfigsResult,
};
use shared::time::{Millis, Timestamp};

use super::desk::{Asked, Desk, Question, What};
use crate::limits;
use crate::survey::port::{Output, Report};
use crate::survey::roll::{Configured, Roll};

/// DescribeConfigs: the resource is a group.
const GROUP: i8 = 32;

/// What is asked of each group, after the word of its type.
const SESSION: &str = "session.timeout.ms";
const HEARTBEAT: &str = "heartbeat.interval.ms";

/// What is to be asked, and what was told.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// When each group was asked about last.
    asked: BTreeMap<GroupId, Timestamp>,
    /// Those to be asked about in this round, with the word of their type.
    due: VecDeque<(GroupId, &'static str)>,
    /// Those of them that may not be asked about: asked again sooner, a batch of them at most, since all may be asked in vain.
    denied: BTreeSet<GroupId>,
    /// Of which group it was told that the right to ask is missing.
    refused: Option<(GroupId, String)>,
}

impl Settings {
    /// Finds the groups that were never asked about, or not for long.
    pub(super) fn begin(&mut self, now: Timestamp, roll: &Roll, out: &mut VecDeque<Output>) {
        self.asked.retain(|id, _| roll.has(id));
        self.denied.retain(|id| roll.has(id));
        if let Some((_, right)) = self.refused.take_if(|(group, _)| !roll.has(group)) {
            // Of a group that is no more nothing is missing. Another one that may not be read will say so of itself.
            out.push_back(Output::Report(Report::granted(now, right)));
        }
        self.due.clear();
        for (id, _, group_type) in roll.groups() {
            let asked = self.asked.get(id);
            if let Some(word) = word(group_type)
                && asked.is_none_or(|asked| *asked + self.pace(id) <= now)
            {
                self.due.push_back((id.clone(), word));
            }
        }
    }

    /// How long what was answered of a group stands.
    fn pace(&self, id: &GroupId) -> Millis {
        if self.denied.contains(id) {
            limits::ROUND_SETTINGS_DENIED
        } else {
            limits::ROUND_SETTINGS
        }
    }

    pub(super) fn wants(&self) -> bool {
        !self.due.is_empty()
    }

    /// The next groups to ask about.
    pub(super) fn next(&mut self, now: Timestamp, desk: &Desk) -> Option<Question> {
        let Some(version) = desk.line.version(ApiKey::DescribeConfigs) else {
            self.due.clear();
            return None;
        };
        let many = limits::SURVEY_BATCH.min(self.due.len());
        let batch: Vec<_> = self.due.drain(..many).collect();
        if batch.is_empty() {
            return None;
        }
        let resources = batch.iter().map(|(id, word)| DescribeConfigsResource {
            resource_type: GROUP,
            resource_name: id.as_str().to_owned(),
            configuration_keys: Some([SESSION, HEARTBEAT].map(|key| format!("{word}.{key}")).to_vec()),
        });
        let request = DescribeConfigsRequest {
            resources: resources.collect(),
            ..Default::default()
        };
        let ids: Vec<GroupId> = batch.into_iter().map(|(id, _)| id).collect();
        self.asked.extend(ids.iter().map(|id| (id.clone(), now)));
        Some((What::Settings(ids), version, request.into()))
    }

    /// That what was asked on a connection is not answered.
    pub(super) fn lost(&mut self, asked: BTreeMap<u64, Asked>) {
        for asked in asked.into_values() {
            if let What::Settings(groups) = asked.what {
                self.asked.retain(|id, _| !groups.contains(id));
            }
        }
    }

    /// Takes in what was answered. That the right is missing is told once, by the first group; nothing else depends on it.
    pub(super) fn told(
        &mut self,
        now: Timestamp,
        answer: DescribeConfigsResponse,
        roll: &mut Roll,
        out: &mut VecDeque<Output>,
    ) {
        for result in answer.results {
            let refused = matches!(
                result.error_code,
                error_code::GROUP_AUTHORIZATION_FAILED
                    | error_code::CLUSTER_AUTHORIZATION_FAILED
                    | error_code::TOPIC_AUTHORIZATION_FAILED
            );
            let group = GroupId::from(&*result.resource_name);
            if !refused {
                self.denied.remove(&group);
            } else if self.denied.len() < limits::SURVEY_BATCH {
                self.denied.insert(group.clone());
            }
            if refused && self.refused.is_none() {
                let right = format!(
                    "DESCRIBE_CONFIGS on group {}: session timeouts and heartbeat intervals of members are not visible",
                    group.as_str()
                );
                self.refused = Some((group.clone(), right.clone()));
                out.push_back(Output::Report(Report::missing(now, result.error_code, right)));
            }
            if result.error_code == error_code::NONE {
                if let Some((_, right)) = self.refused.take_if(|(refused, _)| *refused == group) {
                    out.push_back(Output::Report(Report::granted(now, right)));
                }
                roll.configure(now, &group, configured(&result), out);
            } else if !refused {
                // A broker that is just starting, say: in the next round again.
                self.asked.remove(&group);
            }
        }
    }
}

/// What the names of a type's settings begin with.
const fn word(group_type: &GroupType) -> Option<&'static str> {
    match group_type {
        GroupType::Consumer => Some("consumer"),
        GroupType::Share => Some("share"),
        GroupType::Streams => Some("streams"),
        GroupType::Classic | GroupType::Other(_) => None,
    }
}

fn configured(told: &DescribeConfigsResult) -> Configured {
    let value = |key: &str| {
        let named = |config: &&DescribeConfigsResourceResult| {
            config.name.split_once('.').is_some_and(|(_, name)| name == key)
        };
        let config = told.configs.iter().find(named)?;
        Some(Millis(config.value.as_ref()?.parse().ok()?))
    };
    Configured {
        session: value(SESSION),
        heartbeat: value(HEARTBEAT),
    }
}
