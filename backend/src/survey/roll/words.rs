//! What descriptions say of members beside their partitions, where that is news.

use shared::event::Described;

use crate::survey::look::Seen;

/// What is to be told of a member that was `known` before. What is not told now stands.
pub(super) fn news(member: &mut Seen, known: Option<&Seen>) -> Option<Described> {
    if let Some(known) = known {
        member.described = known.described;
        member.rack = member.rack.take().or_else(|| known.rack.clone());
    }
    // Read once, and not kept.
    let words = member.words.take()?;
    let read = words.news(&mut member.described, member.owned.as_deref())?;
    member.rack = read.rack.or_else(|| member.rack.take());
    member.described.tells(&read.described).then_some(read.described)
}
