//! A step of a part: when, how often, and the one thing that is done.

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::event::{Change, Event, Source};
use shared::fault::Fault;
use shared::time::Millis;

use super::super::frames::{
    DescribeGroups, Fetch, FindCoordinator, Frame, Heartbeat, JoinGroup, LeaveGroup, OffsetCommit, Produce,
    SyncGroup,
};
use super::super::length::Length;
use super::super::members::Members;
use crate::faults;

/// One step.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Step {
    /// What is awaited first.
    pub(in crate::scenario) when: Option<When>,
    /// Then this long.
    pub(in crate::scenario) wait: Millis,
    /// Then this is done.
    pub(in crate::scenario) action: Action,
    /// And again.
    pub(in crate::scenario) repeat: Option<Repeat>,
}

/// What is done.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum Action {
    /// Nothing: it only waited.
    Pass,
    /// Members of ours start.
    Start(Box<Members>),
    /// A fault is played.
    Fault(Fault),
    /// The client sends a request.
    Ask(Box<Asking>),
    /// The client closes its connection.
    Disconnect,
}

/// A request to send.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Asking {
    pub(in crate::scenario) frame: Frame,
    /// How long its answer is waited for; then the client closes its connection.
    pub(in crate::scenario) within: Millis,
    /// Whether the answer is waited for at all.
    pub(in crate::scenario) answer: bool,
}

/// How an action is repeated: from one start to the next, until one of the ends is reached; for ever where none is given.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Repeat {
    pub(in crate::scenario) every: Millis,
    /// How often in all.
    pub(in crate::scenario) times: Option<u32>,
    /// For how long.
    pub(in crate::scenario) lasts: Option<Millis>,
    /// Until an answer says so.
    pub(in crate::scenario) until: Option<Until>,
    /// Until something happens.
    pub(in crate::scenario) until_event: Option<When>,
}

/// An answer that ends a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "\"error\" (any error code, or no answer) or an error code from -32768 to 32767"
)]
pub(in crate::scenario) enum Until {
    /// This code.
    Code(i16),
    /// Any error.
    Error(ErrorWord),
}

/// The word "error".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum ErrorWord {
    Error,
}

/// An event to wait for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct When {
    kind: String,
    group: Option<String>,
    /// A member id, or a client id: what member ids begin with.
    member: Option<String>,
    source: Option<Source>,
    /// Fields of the event and their values.
    #[serde(default)]
    with: Map<String, Value>,
    /// The how-manieth.
    #[serde(default = "one")]
    pub(in crate::scenario) times: u32,
}

const fn one() -> u32 {
    1
}

impl When {
    fn check(&self) -> Result<(), String> {
        if Change::KINDS.contains(&self.kind.as_str()) {
            return Ok(());
        }
        let known = Change::KINDS.join(", ");
        Err(format!(
            "no event is of the kind {:?}: {known} are allowed",
            self.kind
        ))
    }

    /// Whether an event is one of those awaited.
    pub(in crate::scenario) fn is(&self, event: &Event) -> bool {
        let what = &event.what;
        let is_of_member = |name: &String| {
            let member = what.member.as_ref().map_or("", |member| member.as_str());
            member
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        what.change.kind() == self.kind
            && self
                .group
                .as_ref()
                .is_none_or(|group| what.group.as_ref().is_some_and(|of| of.as_str() == group))
            && self.member.as_ref().is_none_or(is_of_member)
            && self.source.is_none_or(|source| source == what.source)
            && (self.with.is_empty() || self.has_fields(&what.change))
    }

    fn has_fields(&self, change: &Change) -> bool {
        // Every change can be put into JSON: viewers get it so.
        let Ok(Value::Object(fields)) = serde_json::to_value(change) else {
            return false;
        };
        let mut wanted = self.with.iter();
        wanted.all(|(name, value)| fields.get(name) == Some(value))
    }
}

/// A step as a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StepRow {
    when: Option<When>,
    wait_ms: Length,
    every_ms: Option<Length>,
    times: Option<u32>,
    for_ms: Option<Length>,
    until: Option<Until>,
    until_event: Option<When>,
    within_ms: Option<Length>,
    answer: Option<bool>,
    start: Option<Members>,
    fault: Option<toml::Table>,
    join_group: Option<JoinGroup>,
    sync_group: Option<SyncGroup>,
    heartbeat: Option<Heartbeat>,
    leave_group: Option<LeaveGroup>,
    offset_commit: Option<OffsetCommit>,
    produce: Option<Produce>,
    fetch: Option<Fetch>,
    find_coordinator: Option<FindCoordinator>,
    list_groups: Option<Nothing>,
    describe_groups: Option<DescribeGroups>,
    disconnect: Option<Nothing>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// How long an answer is waited for where nothing is said: an hour, longer than any join is held.
const PATIENCE: Millis = Millis(3_600_000);

impl StepRow {
    /// Judges it.
    pub(super) fn read(self, has_client: bool) -> Result<Step, String> {
        for when in [&self.when, &self.until_event].into_iter().flatten() {
            when.check()?;
        }
        let Length(wait) = self.wait_ms;
        let (every, when) = (self.every_ms, self.when);
        let (times, lasts) = (self.times, self.for_ms.map(|Length(lasts)| lasts));
        let (until, until_event) = (self.until, self.until_event);
        let within = self.within_ms.map_or(PATIENCE, |Length(within)| within);
        let answer = self.answer.unwrap_or(true);
        let frames = [
            self.join_group.map(Frame::JoinGroup),
            self.sync_group.map(Frame::SyncGroup),
            self.heartbeat.map(Frame::Heartbeat),
            self.leave_group.map(Frame::LeaveGroup),
            self.offset_commit.map(Frame::OffsetCommit),
            self.produce.map(Frame::Produce),
            self.fetch.map(Frame::Fetch),
            self.find_coordinator.map(Frame::FindCoordinator),
            self.list_groups.map(|Nothing {}| Frame::ListGroups),
            self.describe_groups.map(Frame::DescribeGroups),
        ];
        let asks = frames.into_iter().flatten().map(|frame| {
            Action::Ask(Box::new(Asking {
                frame,
                within,
                answer,
            }))
        });
        let mut actions: Vec<Action> = asks.collect();
        actions.extend(self.disconnect.map(|Nothing {}| Action::Disconnect));
        if !actions.is_empty() && !has_client {
            return Err("only a part with a client can do that".to_owned());
        }
        if let Some(members) = self.start {
            members.check()?;
            actions.push(Action::Start(Box::new(members)));
        }
        if let Some(told) = self.fault {
            actions.push(Action::Fault(fault(&told)?));
        }
        if actions.len() > 1 {
            return Err("a step does one thing; make several steps of it".to_owned());
        }
        let repeat = match every {
            Some(Length(Millis(0))) => return Err("every_ms 0: from 1 on is allowed".to_owned()),
            Some(Length(every)) => Some(Repeat {
                every,
                times,
                lasts,
                until,
                until_event,
            }),
            None if times.is_some() || lasts.is_some() || until.is_some() || until_event.is_some() => {
                return Err("times, for_ms, until and until_event need every_ms".to_owned());
            }
            None => None,
        };
        Ok(Step {
            when,
            wait,
            action: actions.pop().unwrap_or(Action::Pass),
            repeat,
        })
    }
}

/// A fault as POST /api/faults takes it, judged in the same words.
fn fault(told: &toml::Table) -> Result<Fault, String> {
    let body = serde_json::to_vec(told).map_err(|error| error.to_string())?;
    faults::read(&body)
}
