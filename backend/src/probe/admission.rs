//! Whether a group is one that our members may join: they would make a group of others rebalance, so it is looked at first.

use std::sync::Arc;

use shared::backoff::{Backoff, Jitter};
use shared::error_code;
use shared::event::{Change, Evidence, GroupType, Observation, Source};
use shared::ids::{ClusterId, GroupId};
use shared::member::Config;
use shared::protocol::{ApiKey, ListGroupsRequest, ListedGroup};
use shared::time::Millis;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::cluster::{Cluster, NoCoordinator};
use crate::kafka::connection::Opened;
use crate::survey::look::{self, Describe, Seen};

/// Why our members stay out of their group, once that is known: a sentence. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct KeptOut {
    why: Arc<watch::Sender<Option<String>>>,
    /// Whether another name will do as well.
    is_placed: bool,
}

impl KeptOut {
    /// Of a group for which another name will do as well: there is no need to tell an operator.
    #[must_use]
    pub fn placed() -> Self {
        Self {
            is_placed: true,
            ..Self::default()
        }
    }

    /// The sentence; none while nothing is known that keeps them out.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        self.why.borrow().clone()
    }

    /// The same, as soon as it is known.
    #[must_use]
    pub fn watched(&self) -> watch::Receiver<Option<String>> {
        self.why.subscribe()
    }

    pub(super) fn because(&self, taken: String) {
        let why = if self.is_placed {
            taken
        } else {
            let why = format!(
                "--probe-group {taken}; give a name that no group has, or that of an empty classic group"
            );
            tracing::error!("{why}");
            why
        };
        self.why.send_replace(Some(why));
    }
}

/// Why nobody joins yet, or ever.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Barred {
    /// It is a group of others: a sentence.
    Taken(String),
    /// A right is missing without which that cannot be seen. A member that tries is told which, and comes no further.
    Unseen,
}

/// Looks at the group, again and again until its coordinator tells.
pub(super) struct Admission {
    cluster: Arc<Cluster>,
    group: GroupId,
    client_id: Arc<str>,
    timeout: Millis,
    pauses: Backoff,
    clock: Clock,
    reporter: Reporter,
}

/// Why a look told nothing.
enum Untold {
    /// A right is missing.
    Denied,
    /// Nothing yet.
    NotYet(String),
}

impl Admission {
    pub(super) fn new(cluster: Arc<Cluster>, config: &Config, clock: Clock, reporter: Reporter) -> Self {
        Self {
            cluster,
            group: config.group.clone(),
            client_id: Arc::from(super::client_id_prefix(&config.client_id)),
            timeout: config.request_timeout,
            pauses: Backoff::exponential(config.retry_backoff, config.retry_backoff_max, Jitter::Fixed(0.5)),
            clock,
            reporter,
        }
    }

    /// That the group is for us.
    ///
    /// # Errors
    /// Why it is not, or not yet.
    pub(super) async fn learn(mut self, cluster: &ClusterId) -> Result<(), Barred> {
        let mut failed = None;
        loop {
            match self.look().await {
                Ok(taken) => return taken.map_or(Ok(()), |why| Err(Barred::Taken(why))),
                Err(Untold::Denied) => return Err(Barred::Unseen),
                Err(Untold::NotYet(why)) => {
                    if failed.as_ref() != Some(&why) {
                        self.report(cluster, why.clone()).await;
                        failed = Some(why);
                    }
                    self.clock.wait(self.pauses.delay()).await;
                }
            }
        }
    }

    async fn look(&self) -> Result<Option<String>, Untold> {
        let opened = self.cluster.open_coordinator(&self.client_id, &self.group).await;
        let (_, mut opened) = opened.map_err(|none| match none {
            NoCoordinator::Refused { code, .. } if is_denied(code) => Untold::Denied,
            none => Untold::NotYet(none.to_string()),
        })?;
        // Who is on no list is not there, or not ours to see: then it is not ours to join either.
        let Some(listed) = self.listed(&mut opened).await? else {
            return Ok(None);
        };
        let group_type = look::listed_type(&listed.group_type);
        let members = self.members(&mut opened, &group_type).await?;
        let others = |members: Vec<Seen>| members.iter().filter(|member| !self.is_ours(member)).count();
        Ok(taken(&self.group, &group_type, members.map(others)))
    }

    async fn listed(&self, opened: &mut Opened) -> Result<Option<ListedGroup>, Untold> {
        let version = opened.versions.highest_common(ApiKey::ListGroups);
        let version = version.map_err(|none| Untold::NotYet(none.to_string()))?;
        let asked = opened
            .connection
            .ask(version, ListGroupsRequest::default(), self.timeout);
        let answer = asked.await.map_err(|end| Untold::NotYet(end.to_string()))?;
        answered(ApiKey::ListGroups, answer.error_code)?;
        let mut groups = answer.groups.into_iter();
        Ok(groups.find(|listed| listed.group_id == self.group.as_str()))
    }

    /// Its members; none where its type has no call that tells of them.
    async fn members(&self, opened: &mut Opened, of: &GroupType) -> Result<Option<Vec<Seen>>, Untold> {
        let not_yet = |why: &dyn std::fmt::Display| Untold::NotYet(why.to_string());
        let call = Describe::of(of).map(|call| (call, opened.versions.highest_common(call.api())));
        let Some((call, Ok(version))) = call else {
            return Ok(None);
        };
        let question = call.request(std::slice::from_ref(&self.group));
        let asked = opened.connection.ask_any(version, &question, self.timeout);
        let answer = asked.await.map_err(|end| not_yet(&end))?;
        let looks = look::looks(answer).unwrap_or_default();
        let Some(look) = looks.into_iter().next() else {
            return Err(not_yet(&format!("{} told of no group", call.api())));
        };
        match look.told {
            Ok(told) => Ok(Some(told.members)),
            Err((code, _)) => answered(call.api(), code).map(|()| None),
        }
    }

    /// Whether it is a member of ours, of a run before this one or of a Heartline beside it: named as ours are, and without
    /// anything to read.
    fn is_ours(&self, member: &Seen) -> bool {
        let client = member.client.as_ref();
        let number = client
            .and_then(|client| client.id.strip_prefix(&*self.client_id))
            .and_then(|rest| rest.strip_prefix('-'));
        let idle = member
            .owned
            .iter()
            .flatten()
            .all(|topic| topic.partitions.is_empty());
        idle && number.is_some_and(|number| number.parse::<u64>().is_ok())
    }

    /// On change only.
    async fn report(&self, cluster: &ClusterId, why: String) {
        let observation = Observation {
            at: self.clock.now_unix(),
            at_earliest: None,
            source: Source::Probe,
            evidence: Evidence::Observed,
            cluster: cluster.clone(),
            group: Some(self.group.clone()),
            member: None,
            change: Change::CoordinatorNotFound {
                error: None,
                cause: None,
                detail: Some(why),
            },
        };
        self.reporter.report(observation).await;
    }
}

/// Why our members may not join a group of that type, with so many members that are none of ours; none where they may.
fn taken(group: &GroupId, group_type: &GroupType, others: Option<usize>) -> Option<String> {
    let how_many = match others {
        Some(0) if *group_type == GroupType::Classic => return None,
        None => "whose members are not visible".to_owned(),
        Some(1) => "with 1 member that is not Heartline's".to_owned(),
        Some(others) => format!("with {others} members that are not Heartline's"),
    };
    Some(format!(
        "{} is a group of type {}, {how_many}: nothing of ours joins it",
        group.as_str().escape_debug(),
        group_type.as_str().escape_debug()
    ))
}

/// Nothing, where that is no error.
fn answered(api: ApiKey, code: i16) -> Result<(), Untold> {
    match code {
        error_code::NONE => Ok(()),
        code if is_denied(code) => Err(Untold::Denied),
        code => Err(Untold::NotYet(format!(
            "{api} was answered {}",
            error_code::label(code)
        ))),
    }
}

const fn is_denied(code: i16) -> bool {
    matches!(
        code,
        error_code::GROUP_AUTHORIZATION_FAILED | error_code::CLUSTER_AUTHORIZATION_FAILED
    )
}

#[cfg(test)]
mod tests;
