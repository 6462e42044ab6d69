//! While a broker is down a member of ours finds it and loses it again, once a second: that is told once, and then counted.

use shared::event::{Change, DeathCause, WithheldReason};
use shared::ids::{MemberId, NodeId};
use shared::member::{LinkId, Output, Peer};
use shared::time::Timestamp;

use crate::limits;

/// Something that happened to a member.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) at: Timestamp,
    pub(super) member: MemberId,
    pub(super) change: Change,
}

/// What of one member's events says nothing new.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// The connection to its coordinator, and whether it is there and that has not been taken up yet.
    link: Option<LinkId>,
    reached: bool,
    /// The coordinator that was found last, and where it sits.
    seat: Option<(NodeId, String, u16)>,
    /// That this one was lost, as long as it has not been reached since.
    down: Option<Down>,
}

/// A coordinator that was lost.
#[derive(Debug)]
struct Down {
    cause: DeathCause,
    /// When that was told last.
    told: Timestamp,
    /// That it was lost again since, the last time, with how often and how many requests failed.
    again: Option<Told>,
    /// That it was found again, and is not reached yet.
    found: Option<Told>,
    /// Whether it was told since that no heartbeats are sent.
    withheld: bool,
}

impl Repeats {
    /// Takes note of a connection that is to be made.
    pub(super) fn asked(&mut self, output: &Output) {
        if let Output::Connect {
            link,
            to: Peer::Coordinator { .. },
        } = output
        {
            (self.link, self.reached) = (Some(*link), false);
        }
    }

    /// Takes note of a connection that is there.
    pub(super) fn connected(&mut self, link: LinkId) {
        self.reached |= self.link == Some(link);
    }

    /// What is to be told of a coordinator that is reached: how often it was lost until then, and that it was found.
    pub(super) fn reached(&mut self) -> Vec<Told> {
        if std::mem::take(&mut self.reached) {
            self.over()
        } else {
            Vec::new()
        }
    }

    /// What is left to be told of a coordinator that was lost.
    pub(super) fn over(&mut self) -> Vec<Told> {
        let down = self.down.take();
        down.into_iter()
            .flat_map(|down| [down.again, down.found])
            .flatten()
            .collect()
    }

    /// What is to be told when something has happened: nothing where that repeats itself.
    pub(super) fn pass(&mut self, mut told: Told) -> Vec<Told> {
        let news = match &mut told.change {
            Change::CoordinatorFound { node, host, port } => {
                let seat = Some((*node, host.clone(), *port));
                let same = self.seat == seat;
                self.seat = seat;
                match self.down.as_mut().filter(|_| same) {
                    Some(down) => {
                        down.found = Some(told);
                        return Vec::new();
                    }
                    None => self.over(),
                }
            }
            // What a coordinator answers is counted by whoever is told each of these.
            Change::CoordinatorDead { cause, .. } if cause.is_answer() => self.over(),
            Change::CoordinatorDead {
                cause, unsent, again, ..
            } => {
                let (cause, at) = (*cause, told.at);
                let Some(down) = &mut self.down else {
                    self.down = Some(Down::new(cause, at));
                    return vec![told];
                };
                // That it was found is part of it now.
                down.found = None;
                let (times, failed) = down.again.take().map_or((0, 0), |before| before.counted());
                *again = times.saturating_add(1);
                *unsent = unsent.saturating_add(failed);
                if cause == down.cause && at < down.told + limits::DEATH_TOLD_AGAIN {
                    down.again = Some(told);
                    return Vec::new();
                }
                (down.cause, down.told) = (cause, at);
                Vec::new()
            }
            Change::HeartbeatWithheld {
                reason: WithheldReason::CoordinatorUnknown,
                ..
            } => {
                let told = self.down.as_mut().map(|down| &mut down.withheld);
                if told.is_some_and(|told| std::mem::replace(told, true)) {
                    return Vec::new();
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        news.into_iter().chain([told]).collect()
    }
}

impl Down {
    const fn new(cause: DeathCause, told: Timestamp) -> Self {
        Self {
            cause,
            told,
            again: None,
            found: None,
            withheld: false,
        }
    }
}

impl Told {
    /// How often a coordinator was lost, and how many requests failed with it.
    const fn counted(&self) -> (u32, u32) {
        match self.change {
            Change::CoordinatorDead { again, unsent, .. } => (again, unsent),
            _ => (0, 0),
        }
    }
}

#[cfg(test)]
mod tests;
