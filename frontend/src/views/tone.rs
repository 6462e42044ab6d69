//! What colour and sign a state has: the one place where states meet tones. Colours themselves stand in the stylesheet.

use shared::event::RebalanceCause;

/// The few colours of the page, from calm to alarming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// On time, stable.
    Ok,
    /// Not known, over, of no weight.
    Dim,
    /// On the move: rebalances, rejoins, coordinators.
    Move,
    /// Late or waiting.
    Late,
    /// Expired, refused, lost.
    Bad,
}

impl Tone {
    /// As `data-tone` says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Dim => "dim",
            Self::Move => "move",
            Self::Late => "late",
            Self::Bad => "bad",
        }
    }
}

/// A word of a vocabulary as people write it.
#[must_use]
pub fn plain(word: &str) -> String {
    word.replace(['_', '-'], " ")
}

/// The tone of a rebalance by its cause.
#[must_use]
pub const fn of_cause(cause: RebalanceCause) -> Tone {
    match cause {
        RebalanceCause::MemberTimedOut
        | RebalanceCause::MemberEvicted
        | RebalanceCause::MemberFenced
        | RebalanceCause::StorageFailed => Tone::Bad,
        RebalanceCause::NotVisible => Tone::Dim,
        RebalanceCause::MemberJoined
        | RebalanceCause::MemberLeft
        | RebalanceCause::MemberReplaced
        | RebalanceCause::SubscriptionChanged
        | RebalanceCause::LeaderRejoined
        | RebalanceCause::MetadataChanged
        | RebalanceCause::ProtocolChanged
        | RebalanceCause::CoordinatorMoved => Tone::Move,
    }
}
