//! Where a group's coordinator sits, whether it answers, and how fast.

use std::sync::Arc;

use serde::Serialize;

use super::{Group, News};
use crate::board::member::Member;
use crate::board::text::{clipped, shortened};
use crate::event::{Change, DeathCause, LinkFault, Source};
use crate::histogram::Histogram;
use crate::ids::NodeId;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// Where a group's coordinator sits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Seat {
    /// Its broker.
    pub node: NodeId,
    /// As advertised; none until it was found.
    pub host: Option<String>,
    /// As advertised; none until it was found.
    pub port: Option<u16>,
    /// Since when it is this broker.
    pub since: UnixMs,
    /// Since when, and why, a member takes it for dead.
    pub dead: Option<Box<Death>>,
    /// How often the lookup named it though it had just answered 16, since it last answered otherwise.
    #[serde(default)]
    pub contradicted: u32,
    /// Since when it does.
    #[serde(default)]
    pub contradicted_since: Option<UnixMs>,
    /// How often it was taken for dead since it last answered.
    #[serde(default)]
    pub lost: u32,
    /// When first.
    #[serde(default)]
    pub lost_since: Option<UnixMs>,
    /// Since when no look of a survey at the group was answered though brokers answer, and with which code the last was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Box<NotFound>>,
}

/// That a coordinator was taken for dead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Death {
    /// When a member did so first.
    pub since: UnixMs,
    /// What it concluded it from.
    pub cause: DeathCause,
    /// The link's own words.
    pub detail: Option<String>,
    /// How many waiting requests were failed, over all members that took it for dead.
    pub unsent: u64,
}

/// Latency to one coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct NodeLatency {
    /// The coordinator's broker; -1 where it was not known.
    pub node: NodeId,
    /// Microseconds of the heartbeats that waited behind no other request.
    pub latency: Histogram,
}

/// That FindCoordinator fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct NotFound {
    /// Since when it fails this way.
    pub at: UnixMs,
    /// The answer's code, where there was an answer.
    pub error: Option<i16>,
    /// How the request failed, where there was none.
    pub cause: Option<LinkFault>,
    /// The link's own words.
    pub detail: Option<String>,
}

impl NotFound {
    pub(in crate::board) fn new(
        at: UnixMs,
        error: Option<i16>,
        cause: Option<LinkFault>,
        detail: Option<&String>,
    ) -> Self {
        let detail = detail.map(|detail| shortened(detail));
        Self {
            at,
            error,
            cause,
            detail,
        }
    }

    /// That nobody has told of a group since the run before this one ended.
    pub(in crate::board) fn of_the_run_before(ended: UnixMs) -> Self {
        Self::new(
            ended,
            None,
            None,
            Some(&"before Heartline was restarted".to_owned()),
        )
    }

    /// Whether it says that.
    pub(crate) const fn is_of_the_run_before(&self) -> bool {
        self.error.is_none() && self.cause.is_none() && self.detail.is_some()
    }
}

impl Group {
    /// That it was found, is not found, or is taken for dead.
    pub(super) fn apply_coordinator(&mut self, news: &News<'_>) {
        let (change, at) = (news.change, news.at);
        match change {
            Change::CoordinatorNotFound { error, cause, detail } if news.source == Source::Survey => {
                if let Some(seat) = &mut self.coordinator {
                    let since = news.at_earliest.unwrap_or(at);
                    let failure = NotFound::new(since, *error, *cause, detail.as_ref());
                    seat.unanswered = Some(Box::new(failure));
                }
            }
            Change::CoordinatorFound { node, host, port } => {
                self.not_found = None;
                // One member that lost it and finds it again says nothing of those that never did.
                let was_dead = self.death().is_some();
                let (contradicted, contradicted_since) = self.contradiction(*node, at);
                let same = self.coordinator.as_ref().filter(|seat| seat.node == *node);
                let (lost, lost_since) = same.map_or((0, None), |seat| (seat.lost, seat.lost_since));
                // That a member of ours finds it does not mean that it is answered for.
                let unanswered = same.filter(|_| news.source != Source::Survey);
                let unanswered = unanswered.and_then(|seat| seat.unanswered.clone());
                let since = self
                    .coordinator
                    .as_ref()
                    .filter(|seat| seat.node == *node && !was_dead)
                    .map_or(at, |seat| seat.since);
                self.coordinator = Some(Seat {
                    node: *node,
                    host: Some(clipped(host)),
                    port: Some(*port),
                    since,
                    dead: None,
                    contradicted,
                    contradicted_since,
                    lost,
                    lost_since,
                    unanswered,
                });
            }
            Change::CoordinatorNotFound { error, cause, detail } => {
                let failure = NotFound::new(at, *error, *cause, detail.as_ref());
                self.not_found = Some(Box::new(failure));
            }
            Change::CoordinatorDead {
                node,
                cause,
                detail,
                unsent,
                again,
            } => self.coordinator_dead(*node, (*cause, detail.as_ref()), *unsent, *again, at),
            _ => {}
        }
    }

    /// How often, and since when, the lookup names a broker that answers 16 itself.
    fn contradiction(&self, node: NodeId, at: UnixMs) -> (u32, Option<UnixMs>) {
        let Some(seat) = self.coordinator.as_ref().filter(|seat| seat.node == node) else {
            return (0, None);
        };
        let (times, since) = (seat.contradicted, seat.contradicted_since);
        match &seat.dead {
            Some(death) if death.cause == DeathCause::NotCoordinator => {
                (times.saturating_add(1), since.or(Some(death.since)))
            }
            _ => (times, since.or(Some(at)).filter(|_| times > 0)),
        }
    }

    /// An answer renewed a session at `at`: what was counted until then is over.
    ///
    /// Told by joins and by the summaries of a second, never by single beats: a page that is sent no single beats counts the
    /// same.
    pub(super) fn answered(&mut self, at: UnixMs) {
        let Some(seat) = &mut self.coordinator else {
            return;
        };
        if seat.contradicted_since.is_some_and(|since| since < at) {
            (seat.contradicted, seat.contradicted_since) = (0, None);
        }
        if seat.lost_since.is_some_and(|since| since < at) {
            let lost_again = seat
                .dead
                .as_ref()
                .map(|death| death.since)
                .filter(|since| *since >= at);
            (seat.lost, seat.lost_since) = (u32::from(lost_again.is_some()), lost_again);
        }
    }

    /// The first member that takes the coordinator for dead sets since when and why; later ones add their requests.
    fn coordinator_dead(
        &mut self,
        node: NodeId,
        (cause, detail): (DeathCause, Option<&String>),
        unsent: u32,
        again: u32,
        at: UnixMs,
    ) {
        let seat = self.coordinator.get_or_insert(Seat {
            node,
            host: None,
            port: None,
            since: at,
            dead: None,
            contradicted: 0,
            contradicted_since: None,
            lost: 0,
            lost_since: None,
            unanswered: None,
        });
        if seat.node != node {
            return;
        }
        let lost = again.max(u32::from(seat.dead.is_none()));
        if lost > 0 {
            seat.lost = seat.lost.saturating_add(lost);
            seat.lost_since.get_or_insert(at);
        }
        let death = seat.dead.get_or_insert_with(|| {
            Box::new(Death {
                since: at,
                cause,
                detail: detail.map(|detail| shortened(detail)),
                unsent: 0,
            })
        });
        death.unsent = death.unsent.saturating_add(u64::from(unsent));
    }

    /// That its coordinator is not found, unless an answer to any of its members came through after that.
    #[must_use]
    pub fn lookup_failure(&self) -> Option<&NotFound> {
        self.not_found
            .as_deref()
            .filter(|failure| self.last_renewed().is_none_or(|renewed| renewed <= failure.at))
    }

    /// That the coordinator is taken for dead: by every member of ours, or, where none of ours is left to say, since
    /// the last answer that renewed a session.
    ///
    /// One member alone may have lost it by its own fault, a broken connection say, while others are answered.
    #[must_use]
    pub fn death(&self) -> Option<&Death> {
        let death = self.coordinator.as_ref()?.dead.as_deref()?;
        let runs =
            |member: &&Arc<Member>| member.is_ours() && !member.has_failed() && member.killed().is_none();
        let mut ours = self.members.values().filter(runs).peekable();
        let dead = match ours.peek() {
            Some(_) => ours.all(|member| member.coordinator_lost.is_some()),
            None => self.last_renewed().is_none_or(|renewed| renewed <= death.since),
        };
        dead.then_some(death)
    }
}
