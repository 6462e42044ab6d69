//! What the other parts of the survey want to know of a group.

use shared::event::{Change, Leaderless, LogAccess};
use shared::ids::{Generation, GroupId, MemberId};
use shared::protocol::offsets_log::partition_of;
use shared::time::{Millis, Timestamp, UnixMs};

use super::book::Entry;
use super::classic::{Classic, Life};
use super::{Access, Ledger};
use crate::survey::look::Timeouts;
use crate::survey::port::When;

/// Why a fact of the log is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum Hidden {
    /// The right to read it is missing.
    Denied,
    /// There is no log yet.
    Absent,
    /// It is not read yet.
    Unread,
}

/// What the log tells of the life of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum Sign {
    /// Nothing can be known.
    Hidden(Hidden),
    /// The group's records do not name it.
    Unnamed,
    /// They do.
    Named {
        /// Its session timeout.
        session: Millis,
        /// Its last commit of what it owned.
        committed: Committed,
    },
}

/// How long ago a member committed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum Committed {
    /// So long ago at most.
    Within(Millis),
    /// Before our start; how long ago is not known.
    Before,
    /// In transactions only, which renews nothing.
    InTransactions,
    /// No commit of it is known.
    Never,
}

/// A classic group as its last record says it is.
#[derive(Clone, Copy, Debug)]
pub(in crate::survey) struct Standing<'a> {
    /// Where in the log that stands: another record, another place.
    pub position: i64,
    /// When it was read, where that is of the end of the log.
    pub heard: Option<Timestamp>,
    classic: &'a Classic,
}

impl Standing<'_> {
    /// The group's generation.
    pub(in crate::survey) const fn generation(&self) -> Generation {
        Generation(self.classic.generation)
    }

    /// That this generation was formed, and when; none where there is none yet.
    pub(in crate::survey) fn formed(&self) -> Option<(When, Change)> {
        if self.classic.is_new() {
            return None;
        }
        let change = Change::GenerationFormed {
            generation: self.generation(),
            leader: self.classic.leader.clone(),
            protocol: self.classic.protocol.clone(),
            members: u32::try_from(self.classic.members().len()).unwrap_or(u32::MAX),
        };
        let at = self.classic.formed_at.unwrap_or(self.classic.written_at);
        Some((When::There(at), change))
    }

    /// When the join phase of this generation was over, and when all of it, by the broker's clock.
    pub(in crate::survey) fn ended(&self) -> (UnixMs, UnixMs) {
        let written_at = self.classic.written_at;
        (self.classic.formed_at.unwrap_or(written_at), written_at)
    }

    /// Whether it has this member.
    pub(in crate::survey) fn has(&self, member: &MemberId) -> bool {
        self.classic.member(member).is_some()
    }
}

/// Where a group with epochs stands, by its records.
#[derive(Clone, Copy, Debug)]
pub(in crate::survey) enum Course {
    /// In a rebalance that began at this epoch, as far as that was read.
    Runs {
        /// The epoch.
        from: Option<Generation>,
    },
    /// All its members are in this epoch.
    Rests {
        /// The epoch.
        epoch: Generation,
    },
}

/// What the log has of a group, as a number: where that has changed, so has what the log says of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum Stamp {
    /// Nothing, or nothing that counts yet.
    Nothing,
    /// Of a classic group: where its record stands.
    At(i64),
    /// Of another one: how many records of members of such groups were read so far.
    After(u64),
}

impl Ledger {
    /// What the log has of a group.
    pub(in crate::survey) fn stamp(&self, group: &GroupId) -> Stamp {
        let book = &self.desk.book;
        match book.entry(group).filter(|_| !self.is_denied()) {
            None => Stamp::Nothing,
            Some(entry) if entry.classic().is_some() => Stamp::At(entry.position()),
            Some(_) => Stamp::After(book.newer_records()),
        }
    }

    /// Whether a record says that there is a group of that name, as far as the log is read.
    pub(in crate::survey) fn names(&self, group: &GroupId) -> bool {
        self.desk.book.entry(group).is_some_and(Entry::is_there)
    }

    /// A classic group, where what is known of it is up to date.
    pub(in crate::survey) fn standing(&self, group: &GroupId) -> Option<Standing<'_>> {
        let entry = self.desk.book.entry(group).filter(|_| !self.is_denied())?;
        Some(Standing {
            position: entry.position(),
            heard: entry.heard(),
            classic: entry.classic()?,
        })
    }

    /// Whether the log tells all that becomes of a group with epochs: all of it is read, and read on.
    pub(in crate::survey) fn follows(&self, group: &GroupId) -> bool {
        let partitions = i32::try_from(self.feeds.len()).unwrap_or(i32::MAX);
        let led = || {
            let feed = self.feeds.get(&partition_of(group.as_str(), partitions))?;
            self.seats.get(&feed.leader?)
        };
        self.access == Access::Open
            && self.desk.book.followed(group).is_some()
            && led().is_some_and(|seat| seat.line.is_up())
    }

    /// Where a group with epochs stands that the log follows; none where it follows none of that name.
    pub(in crate::survey) fn course(&self, group: &GroupId) -> Option<Course> {
        let book = &self.desk.book;
        let epoch = book.followed(group).filter(|_| self.follows(group))?;
        Some(match book.runs_from(group) {
            Some(from) => Course::Runs {
                from: from.map(Generation),
            },
            None => Course::Rests {
                epoch: Generation(epoch),
            },
        })
    }

    /// The timeouts of a group's member, where what is known of it is up to date.
    pub(in crate::survey) fn timeouts(&self, group: &GroupId, member: &MemberId) -> Timeouts {
        let entry = self.desk.book.entry(group);
        entry.and_then(|entry| entry.timeouts(member)).unwrap_or_default()
    }

    /// When a group last committed a partition, where what is known of that is up to date.
    pub(in crate::survey) fn committed_at(
        &self,
        group: &GroupId,
        topic: &str,
        partition: i32,
    ) -> Option<UnixMs> {
        let entry = self.desk.book.entry(group).filter(|_| !self.is_denied())?;
        entry.committed_at(topic, partition)
    }

    /// Whether the right to see it is missing.
    pub(in crate::survey) const fn is_denied(&self) -> bool {
        matches!(self.access, Access::Denied)
    }

    /// How far the log can be read, where that is another than was told last.
    pub(in crate::survey) fn access_news(&mut self) -> Option<LogAccess> {
        let whole = !self.feeds.is_empty() && self.desk.book.wholes() >= self.feeds.len();
        let access = match self.access {
            Access::Unknown => return None,
            Access::Absent => LogAccess::Absent,
            Access::Denied => LogAccess::Denied,
            Access::Open if whole => LogAccess::Read,
            Access::Open => LogAccess::Reading,
        };
        (self.told.replace(access) != Some(access)).then_some(access)
    }

    /// How many of its partitions have no leader, where that is to be told.
    pub(in crate::survey) fn leaderless_news(&mut self, now: Timestamp) -> Option<Leaderless> {
        self.leaders.news(now)
    }

    /// How many groups, and how many committed partitions of all of them, something is known of.
    pub(in crate::survey) fn kept(&self) -> (usize, usize) {
        self.desk.book.kept()
    }

    /// The signs of life at `now` of a classic group's member, which may be gone.
    pub(in crate::survey) fn sign(&self, now: Timestamp, group: &GroupId, member: &MemberId) -> Sign {
        let hidden = match self.access {
            Access::Denied => Some(Hidden::Denied),
            Access::Absent => Some(Hidden::Absent),
            Access::Unknown => Some(Hidden::Unread),
            Access::Open => None,
        };
        if let Some(hidden) = hidden {
            return Sign::Hidden(hidden);
        }
        let entry = self.desk.book.entry(group);
        let partitions = i32::try_from(self.feeds.len()).unwrap_or(i32::MAX);
        let partition = partition_of(group.as_str(), partitions);
        if let Some((session, life)) = entry.and_then(|entry: &Entry| entry.member_life(member)) {
            let committed = self.committed(now, partition, life);
            return Sign::Named { session, committed };
        }
        if entry.is_some() || self.desk.book.is_whole(partition) {
            Sign::Unnamed
        } else {
            Sign::Hidden(Hidden::Unread)
        }
    }

    fn committed(&self, now: Timestamp, partition: i32, life: Life) -> Committed {
        if let Some(since) = life.plain {
            return Committed::Within(Millis(now.micros_since(since).div_ceil(1_000)));
        }
        match life.plain_at {
            Some(at) => {
                let ago = self.desk.ago(now, partition, at);
                ago.map_or(Committed::Before, Committed::Within)
            }
            None if life.in_transaction => Committed::InTransactions,
            None => Committed::Never,
        }
    }
}
