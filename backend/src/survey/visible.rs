//! What each source of a survey can say of a rebalance, and what none of its answers holds: one table. Its tests play a rebalance
//! before each source alone, and look at each cell.
//!
//! Whoever says that something is not visible takes the reason from here.

/// What a survey learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// ListGroups, of a group that may not be described.
    List,
    /// The describe call of the group's type, without the offsets log.
    Description,
    /// The offsets log beside lists, of a group that may not be described.
    Log,
    /// Both of them.
    Both,
}

/// How a group counts its rebalances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By generations, which its members are called to join.
    Classic,
    /// By epochs, which its members take over (KIP-848, KIP-932, KIP-1071).
    Epochs,
}

/// What there is to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// When it began, if only as an interval.
    Start,
    /// When it began, to the moment.
    ExactStart,
    /// When it was over, if only as an interval.
    End,
    /// When it was over, by the broker's clock.
    ExactEnd,
    /// The generation or epoch it ended with.
    Number,
    /// How long its join phase was.
    JoinPhase,
    /// How long its sync phase was.
    SyncPhase,
    /// Why it began, where a member came.
    Cause,
    /// Who caused it, where a member went.
    Culprit,
    /// Who came.
    Joined,
    /// Who went.
    Left,
    /// In which way.
    Way,
    /// That its session was not over, where it had just committed.
    NoTimeout,
    /// How long each member took until it was in it.
    Rejoined,
    /// How many rebalances were never seen before it.
    Missed,
    /// That a group which was deleted and made anew between two looks is another one.
    Anew,
}

/// Whether a source tells a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It does, and must be told.
    Must,
    /// It cannot, and nobody may say that it did.
    Cannot(&'static str),
}

use Cell::{Cannot, Must};

const NO_MEMBERS: Cell = Cannot("lists name groups and their states, and no member");
const NO_NUMBER: Cell = Cannot("neither lists nor descriptions of classic groups hold a generation");
const LIST_NUMBER: Cell = Cannot("lists name groups and their states, and no epoch");
const SEEN: Cell =
    Cannot("what is asked for now and then shows that something has happened since, and not when");
const DECIDED: Cell =
    Cannot("a record tells when the new epoch was written, and its coordinator made up its mind before that");
const AFTERWARDS: Cell =
    Cannot("a classic group's record is written when a rebalance is over, and does not tell when it began");
const NO_PHASES: Cell = Cannot("members of such a group take its epoch over one by one: there are no phases");
const JOIN_PHASE: Cell =
    Cannot("the record tells when the join phase was over, and nothing tells exactly when it began");
const SYNC_PHASE: Cell = Cannot("only the group's record tells when the join phase was over");
const SAME_WAY: Cell = Cannot(
    "leaving, a session that is over and a removal at a deadline have the same consequences in every answer and record",
);
const NO_COMMITS: Cell = Cannot("commits, which renew a classic member's session, stand in the offsets log");
const NO_RENEWAL: Cell =
    Cannot("commits renew no session in groups of this type: they prove only that the process ran");
const NO_LEAVING: Cell =
    Cannot("who is gone is noticed by a description: a record names who is there when a rebalance is over");
const NO_REJOINING: Cell = Cannot("no answer and no record tells when each member's JoinGroup came");
const NO_EPOCHS_OF_MEMBERS: Cell = Cannot("descriptions tell which epoch a member is in, and not since when");
const SAME_NAME: Cell = Cannot(
    "a group that is made anew between two lists or looks has the name and the state of the one before it",
);

/// The table: a row a fact; of each source the classic group's cell and then that of one with epochs, in the order of [`Source`].
#[rustfmt::skip]
pub const TABLE: &[(Fact, [[Cell; 2]; 4])] = &[
    (Fact::Start,      [[Must, Must],                 [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::ExactStart, [[SEEN, SEEN],                 [SEEN, SEEN],                         [AFTERWARDS, DECIDED],   [AFTERWARDS, DECIDED]]),
    (Fact::End,        [[Must, Must],                 [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::ExactEnd,   [[SEEN, SEEN],                 [SEEN, SEEN],                         [Must, Must],            [Must, Must]]),
    (Fact::Number,     [[NO_NUMBER, LIST_NUMBER],     [NO_NUMBER, Must],                    [Must, Must],            [Must, Must]]),
    (Fact::JoinPhase,  [[SEEN, NO_PHASES],            [SEEN, NO_PHASES],                    [JOIN_PHASE, NO_PHASES], [JOIN_PHASE, NO_PHASES]]),
    (Fact::SyncPhase,  [[SYNC_PHASE, NO_PHASES],      [SYNC_PHASE, NO_PHASES],              [Must, NO_PHASES],       [Must, NO_PHASES]]),
    (Fact::Cause,      [[NO_MEMBERS, NO_MEMBERS],     [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::Culprit,    [[NO_MEMBERS, NO_MEMBERS],     [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::Joined,     [[NO_MEMBERS, NO_MEMBERS],     [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::Left,       [[NO_MEMBERS, NO_MEMBERS],     [Must, Must],                         [Must, Must],            [Must, Must]]),
    (Fact::Way,        [[NO_MEMBERS, NO_MEMBERS],     [SAME_WAY, SAME_WAY],                 [SAME_WAY, SAME_WAY],    [SAME_WAY, SAME_WAY]]),
    (Fact::NoTimeout,  [[NO_MEMBERS, NO_MEMBERS],     [NO_COMMITS, NO_COMMITS],             [NO_LEAVING, NO_RENEWAL],[Must, NO_RENEWAL]]),
    (Fact::Rejoined,   [[NO_MEMBERS, NO_MEMBERS],     [NO_REJOINING, NO_EPOCHS_OF_MEMBERS], [NO_REJOINING, Must],    [NO_REJOINING, Must]]),
    (Fact::Missed,     [[NO_NUMBER, LIST_NUMBER],     [NO_NUMBER, Must],                    [Must, Must],            [Must, Must]]),
    (Fact::Anew,       [[SAME_NAME, SAME_NAME],       [SAME_NAME, Must],                    [Must, Must],            [Must, Must]]),
];

/// Whether `source` tells `fact` of a group of that kind; none where the table has no such row.
#[must_use]
pub fn cell(fact: Fact, source: Source, kind: Kind) -> Option<Cell> {
    let (_, row) = TABLE.iter().find(|(told, _)| *told == fact)?;
    let [list, description, log, both] = row;
    let [classic, epochs] = match source {
        Source::List => *list,
        Source::Description => *description,
        Source::Log => *log,
        Source::Both => *both,
    };
    Some(match kind {
        Kind::Classic => classic,
        Kind::Epochs => epochs,
    })
}

/// Why it does not; nothing where it does.
#[must_use]
pub fn why_not(fact: Fact, source: Source, kind: Kind) -> &'static str {
    match cell(fact, source, kind) {
        Some(Cannot(why)) => why,
        Some(Must) | None => "",
    }
}

#[cfg(test)]
mod tests;
