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
    /// When each group was asked about last, and whether what came last was that it may not be.
    asked: BTreeMap<GroupId, (Timestamp, bool)>,
    /// Those to be asked about in this round, with the word of their type.
    due: VecDeque<(GroupId, &'static str)>,
    /// Those of them that may not be asked about: asked again sooner, a batch of them at most, since all may be asked in vain.
    denied: BTreeSet<GroupId>,
    /// With which code the last of them was refused, and which right was told to be missing.
    code: i16,
    told: Option<String>,
}

impl Settings {
    /// Finds the groups that were never asked about, or not for long.
    pub(super) fn begin(&mut self, now: Timestamp, roll: &Roll, out: &mut VecDeque<Output>) {
        self.asked.retain(|id, _| roll.has(id));
        self.denied.retain(|id| roll.has(id));
        self.tell(now, out);
        self.due.clear();
        for (id, _, group_type) in roll.groups() {
            let asked = self.asked.get(id);
            if let Some(word) = word(group_type)
                && asked.is_none_or(|(asked, _)| *asked + self.pace(id) <= now)
            {
                self.due.push_back((id.clone(), word));
            }
        }
    }

    /// Tells on how many groups the right is missing, where that is another number than was told.
    fn tell(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        let right = self.right();
        if self.told == right {
            return;
        }
        if let Some(right) = std::mem::replace(&mut self.told, right) {
            out.push_back(Output::Report(Report::granted(now, right)));
        }
        let missing = self.told.clone();
        let missing = missing.map(|right| Output::Report(Report::missing(now, self.code, right)));
        out.extend(missing);
    }

    /// The right that is missing, and on what; none where it is on no group.
    fn right(&self) -> Option<String> {
        let mut refused = self.asked.iter().filter(|(_, (_, refused))| *refused);
        let (first, _) = refused.next()?;
        let on = match (1 + refused.count(), self.asked.len()) {
            (1, _) => format!("group {}", first.as_str()),
            (many, all) if many == all => format!("all {many} groups of the newer types"),
            (many, all) => format!("{many} of {all} groups of the newer types"),
        };
        Some(format!(
            "DESCRIBE_CONFIGS on {on}: session timeouts and heartbeat intervals of members are not visible"
        ))
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
        for id in &ids {
            self.asked.entry(id.clone()).or_default().0 = now;
        }
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

    /// Takes in what was answered. That the right is missing is told once for all groups; nothing else depends on it.
    pub(super) fn told(
        &mut self,
        now: Timestamp,
        answer: DescribeConfigsResponse,
        roll: &mut Roll,
        out: &mut VecDeque<Output>,
    ) {
        for result in answer.results {
            let refused = error_code::is_for_want_of_a_right(result.error_code);
            let group = GroupId::from(&*result.resource_name);
            if !refused {
                self.denied.remove(&group);
            } else if self.denied.len() < limits::SURVEY_BATCH {
                self.denied.insert(group.clone());
            }
            if refused {
                self.code = result.error_code;
            }
            if let Some((_, last)) = self.asked.get_mut(&group) {
                *last = refused;
            }
            if result.error_code == error_code::NONE {
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
