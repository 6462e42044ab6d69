//! What happened in a group, by when it happened: a lane for each process with its lives under one member id after another, and
//! the rebalances across all lanes. Laid out from the board alone, so that a moment of the past is drawn by the same code.

use std::sync::Arc;

use shared::board::{Cell, Departed, Group, Member, MemberState, Phase, Rebalance, Rejoin, limits};
use shared::event::LinkFault;
use shared::ids::{Generation, MemberId};
use shared::time::{Millis, UnixMs};

use crate::views::words::cut_tail;

/// A group's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By host, then by name.
    pub lanes: Vec<Lane>,
    /// Oldest first; the last may still run.
    pub bands: Vec<Band>,
}

/// One process, as far as it can be told from others: by its host, and by its instance id or client id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Where it runs; none where that is not visible.
    pub host: Option<String>,
    /// What it is called.
    pub name: String,
    /// What it was in the group as, oldest first; none begins before the last one's silence.
    pub lives: Vec<Life>,
}

/// A membership under one id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The member id.
    pub member: MemberId,
    /// When it was first seen; none where it was first heard of when it was gone.
    pub from: Option<UnixMs>,
    /// Whether it ever was in the group: one that only asks to come in, or was refused, is not.
    pub joined: bool,
    /// How it ended; none while it is in the group, or asks to come in.
    pub end: Option<End>,
    /// Its row of the board.
    row: Row,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    Here(Arc<Member>),
    Gone(Arc<Departed>),
}

/// An end of a membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// When, at the latest.
    pub at: UnixMs,
    /// How.
    pub state: MemberState,
    /// Since when no heartbeat of it was heard, where they are seen and it did not go by itself.
    pub silent_since: Option<UnixMs>,
    /// Its last sign of life, a commit perhaps, where it did not go by itself: whoever comes after that may be the same process.
    last_sign: Option<UnixMs>,
}

/// A moment of a member's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// When.
    pub at: UnixMs,
    /// What was seen.
    pub what: Seen,
}

/// What shows that a member lives, or what was wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Heartbeats: one, or those of a second.
    Beats {
        /// How many.
        count: u32,
        /// Of the slowest, in microseconds; none where only the member can know it.
        latency_us: Option<u64>,
        /// What it was answered with, or the most frequent error.
        error: i16,
    },
    /// The last answer or heartbeat that renewed the session of a member that is gone; what came before is not kept.
    Renewed,
    /// A heartbeat of ours without an answer.
    Unanswered(LinkFault),
    /// A commit.
    Commit,
    /// It came into a generation.
    Rejoined {
        /// Which, where that is known.
        generation: Option<Generation>,
        /// How long that took.
        took: Option<Millis>,
    },
}

/// A rebalance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// When it began, at the latest; where that is not known, when it ended.
    pub from: UnixMs,
    /// When it began, at the earliest, where that is not the same.
    pub earliest: Option<UnixMs>,
    /// When its join phase was over.
    pub joined: Option<UnixMs>,
    /// When it was over; none while it runs.
    pub until: Option<UnixMs>,
    /// All that is known of it.
    pub row: Arc<Rebalance>,
}

impl Timeline {
    /// Of a group as its board has it.
    #[must_use]
    pub fn of(group: &Group) -> Self {
        let here = group.members.values().map(living);
        let mut lives: Vec<(Who, Life)> = group.departed.iter().map(gone).chain(here).collect();
        lives.sort_by_key(|(who, life)| (who.clone(), life.begins()));
        let mut lanes: Vec<Lane> = Vec::new();
        let mut first_of_who = 0;
        for (who, life) in lives {
            if lanes.get(first_of_who).is_some_and(|lane| !who.is_of(lane)) {
                first_of_who = lanes.len();
            }
            let free = |lane: &&mut Lane| lane.lives.last().is_some_and(|last| last.is_over_before(&life));
            match lanes.iter_mut().skip(first_of_who).find(free) {
                Some(lane) => lane.lives.push(life),
                None => lanes.push(who.lane(life)),
            }
        }
        let finished = group.rebalances.iter().rev().chain(&group.open);
        Self {
            lanes,
            bands: finished.filter_map(band).collect(),
        }
    }

    /// Whose lane a member's life is in.
    #[must_use]
    pub fn lane_of(&self, member: &MemberId) -> Option<usize> {
        let lives = |lane: &Lane| lane.lives.iter().any(|life| life.member == *member);
        self.lanes.iter().position(lives)
    }
}

/// What tells a lane from others. Hosts that are not visible come last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Who {
    host: (bool, String),
    name: String,
}

impl Who {
    fn new(host: Option<&String>, names: [Option<&str>; 2], id: &MemberId) -> Self {
        let name = names.into_iter().flatten().next();
        Self {
            host: (host.is_none(), host.cloned().unwrap_or_default()),
            name: name.unwrap_or_else(|| cut_tail(id.as_str()).0).to_owned(),
        }
    }

    fn is_of(&self, lane: &Lane) -> bool {
        self.name == lane.name
            && self.host.0 == lane.host.is_none()
            && lane.host.as_ref().is_none_or(|host| *host == self.host.1)
    }

    fn lane(self, life: Life) -> Lane {
        Lane {
            host: (!self.host.0).then_some(self.host.1),
            name: self.name,
            lives: vec![life],
        }
    }
}

impl Life {
    /// When it is known to have begun.
    #[must_use]
    pub fn begins(&self) -> UnixMs {
        let ended = self.end.as_ref().map(|end| end.at);
        self.from.or(ended).unwrap_or_default()
    }

    /// The row that has its heartbeats: its own, or that of the member which goes on under another id.
    fn member<'a>(&'a self, group: &'a Group) -> Option<&'a Member> {
        match &self.row {
            Row::Here(member) => Some(member),
            Row::Gone(gone) => group.goes_on_as(gone),
        }
    }

    /// Signs of it as far as they are kept, oldest first; of one that is gone the last ones.
    #[must_use]
    pub fn signs(&self, group: &Group) -> Vec<Sign> {
        let member = self.member(group);
        let committed = match &self.row {
            Row::Here(member) => group.last_commit(member),
            Row::Gone(gone) => gone.committed,
        };
        // A row goes on where its member is given another id: what it holds of the time before is the one before's.
        let mut signs: Vec<Sign> = member.map_or_else(Vec::new, |member| {
            let cells = member.cells.iter().map(of_cell);
            let all = cells.chain(member.rejoins.iter().map(of_rejoin));
            all.filter(|sign| self.was_there(sign.at)).collect()
        });
        if let (Row::Gone(gone), true) = (&self.row, signs.is_empty()) {
            let what = Seen::Renewed;
            signs.extend(gone.renewed.get().map(|at| Sign { at: *at, what }));
        }
        signs.extend(commit(committed));
        signs.sort_by_key(|sign| sign.at);
        signs
    }

    /// Whether it had its id then: what took it away is the last that is told under it.
    fn was_there(&self, at: UnixMs) -> bool {
        let from = self.from.unwrap_or_default();
        match &self.row {
            Row::Here(member) => from < at || from == at && member.named,
            Row::Gone(gone) => from <= at && gone.disowned.is_none_or(|over| at <= over),
        }
    }

    /// The stretch of it whose heartbeats are no longer kept: it is no silence. None where all are kept, or none could be seen.
    #[must_use]
    pub fn forgotten(&self, group: &Group) -> Option<(UnixMs, UnixMs)> {
        let from = self.from?;
        let over = match &self.row {
            Row::Here(_) => None,
            Row::Gone(gone) => gone.renewed.get().copied(),
        };
        let until = match self.member(group) {
            Some(member) if member.cells.len() >= limits::CELLS => {
                let kept = member.cells.first()?.at();
                over.map_or(kept, |over| over.min(kept))
            }
            Some(_) => return None,
            None => over?,
        };
        (from < until).then_some((from, until))
    }

    /// Why it ended, for the operator.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match &self.row {
            Row::Here(member) => self.end.as_ref().map(|end| member.state_reason(end.at)),
            Row::Gone(gone) => Some(gone.reason()),
        }
    }

    /// Whether another life of the same process can follow: a process that was killed and started anew is back before its old
    /// session is over.
    fn is_over_before(&self, other: &Self) -> bool {
        let over = self.end.as_ref().map(|end| end.last_sign.unwrap_or(end.at));
        over.is_some_and(|over| over <= other.begins())
    }
}

fn living(member: &Arc<Member>) -> (Who, Life) {
    let instance = member.instance_id.get().map(|id| id.as_str());
    let client = Some(member.name()).filter(|name| *name != member.id.as_str());
    // Of one of ours that an error ended, or that is refused, the row stays until another one replaces it.
    let failed = matches!(member.phase, Phase::Failed { .. }).then_some(member.phase_since);
    let ended = member.refusal().map(|refused| refused.at).or(failed);
    let was_in = member.generation.get().is_some() || !member.rejoins.is_empty();
    let life = Life {
        member: member.id.clone(),
        from: Some(member.since),
        joined: match member.phase {
            Phase::Joining => false,
            Phase::Failed { .. } => was_in,
            _ => true,
        },
        end: ended.map(|at| End {
            at,
            state: member.state(at),
            silent_since: None,
            last_sign: None,
        }),
        row: Row::Here(Arc::clone(member)),
    };
    (Who::new(member.host.get(), [instance, client], &member.id), life)
}

fn gone(gone: &Arc<Departed>) -> (Who, Life) {
    let instance = gone.instance_id.as_ref().map(|id| id.as_str());
    let renewed = gone.renewed.get().copied();
    let by_itself = gone.end.state == MemberState::Left;
    let last = renewed.max(gone.committed);
    let last = last.filter(|at| !by_itself && *at < gone.end.at);
    let life = Life {
        member: gone.id.clone(),
        from: gone.since,
        joined: true,
        end: Some(End {
            at: gone.end.at,
            state: gone.end.state,
            // Who commits nothing may have nothing to commit, and beat on.
            silent_since: last.filter(|_| renewed.is_some()),
            last_sign: last,
        }),
        row: Row::Gone(Arc::clone(gone)),
    };
    let names = [instance, gone.client_id.as_deref()];
    (Who::new(gone.host.as_ref(), names, &gone.id), life)
}

fn commit(at: Option<UnixMs>) -> Option<Sign> {
    at.map(|at| Sign {
        at,
        what: Seen::Commit,
    })
}

fn of_cell(cell: &Cell) -> Sign {
    let what = match cell {
        Cell::Beat(beat) => Seen::Beats {
            count: 1,
            latency_us: beat.latency_us.map(u64::from),
            error: beat.error,
        },
        Cell::Second(second) => Seen::Beats {
            count: second.count,
            latency_us: second.slowest_us,
            error: second.error.unwrap_or_default(),
        },
        Cell::Failed { cause, .. } => Seen::Unanswered(*cause),
    };
    Sign { at: cell.at(), what }
}

fn of_rejoin(rejoin: &Rejoin) -> Sign {
    Sign {
        at: rejoin.at,
        what: Seen::Rejoined {
            generation: rejoin.generation,
            took: rejoin.took_ms.get().copied().map(Millis),
        },
    }
}

/// One of which neither start nor end is known stands nowhere.
fn band(row: &Arc<Rebalance>) -> Option<Band> {
    let until = row.finished.get().copied();
    let from = row.started.get().copied().or(until)?;
    let after_start = row.join_ms.get().map(|ms| UnixMs(from.0.saturating_add(*ms)));
    let before_end = until.zip(row.sync_ms.get());
    let joined = before_end.map(|(until, sync)| UnixMs(until.0.saturating_sub(*sync)));
    Some(Band {
        from,
        earliest: row.started_earliest.filter(|earliest| *earliest < from),
        joined: joined.or(after_start).filter(|at| *at >= from),
        until,
        row: Arc::clone(row),
    })
}

impl Seen {
    /// Whether it is more than life going on.
    pub(super) const fn is_a_turn(self) -> bool {
        match self {
            Self::Beats { error, .. } => error != 0,
            Self::Unanswered(_) | Self::Rejoined { .. } => true,
            Self::Renewed | Self::Commit => false,
        }
    }
}
