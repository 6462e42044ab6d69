//! Whether a client that went is in its group again, under another member id: after it went, or before.
//!
//! A client that starts anew, or joins again after a freeze, does not wait for its old id to go: that one stays until its
//! session is over, or until the rebalance that its return began gives it up.

use super::flapping::is_of;
use super::words::{escaped, span};
use crate::board::{Departed, Group, Identity, Member, MemberState};
use crate::event::Departure;
use crate::ids::MemberId;
use crate::time::{Millis, UnixMs};

/// Kafka's `session.timeout.ms` where a client sets none (KIP-735).
const USUAL_SESSION: Millis = Millis(45_000);
/// How much later than its session the end of a membership may be seen: by the next look.
const SEEN_LATE: Millis = Millis(2_000);

/// A member id of the same client: since when it was there, and until when it was if it went.
type Like<'a> = (UnixMs, Option<UnixMs>, &'a MemberId);

/// What came of a client that went.
enum Return<'a> {
    /// It was back before its old id went.
    Before(UnixMs, &'a MemberId),
    /// It was back afterwards.
    After(UnixMs, &'a MemberId),
    /// Somebody of its client id, instance id and host came before it went, and that can have been another client.
    Unclear,
    /// It is not there again.
    Never,
}

/// When its like were in the group again for the first time since it went, and under which id: what each sentence on a return
/// is told of.
pub(super) fn back<'a>(group: &'a Group, gone: &Departed) -> Option<(UnixMs, &'a MemberId)> {
    let party = group.parties.iter().find(|party| is_of(gone, &party.identity))?;
    let mut oldest_first = party.comings.iter().rev();
    let went = gone.disowned.unwrap_or(gone.end.at);
    let (at, id) = oldest_first.find(|(at, id)| *at >= went && *id != gone.id)?;
    Some((*at, id))
}

/// Its last sign of life, as far as one was seen.
fn heard(gone: &Departed) -> Option<UnixMs> {
    gone.renewed.get().copied().max(gone.committed)
}

/// All others of its client id, host and instance id that are known.
fn likes<'a>(group: &'a Group, gone: &Departed) -> Vec<Like<'a>> {
    let identity = gone.identity();
    let live = group.members.values().filter(|row| Identity::of(row) == identity);
    let live = live.map(|row| (row.since, None, &row.id));
    let went = group.departed.iter().filter(|other| is_of(other, &identity));
    let went = went.filter_map(|other| Some((other.since?, Some(other.end.at), &other.id)));
    live.chain(went).filter(|(.., id)| **id != gone.id).collect()
}

/// What came of it. It can have come back from its last sign of life on, and no earlier than a session before its old id went:
/// until then that one's session was renewed. One that left said so itself and was no longer there.
fn of<'a>(group: &'a Group, gone: &Departed) -> Return<'a> {
    let after = back(group, gone).map_or(Return::Never, |(at, id)| Return::After(at, id));
    let Some(since) = gone
        .since
        .filter(|_| gone.identity().is_known() && gone.disowned.is_none())
    else {
        return after;
    };
    if gone.end.state == MemberState::Left {
        return after;
    }
    let session = gone.session_timeout.unwrap_or(USUAL_SESSION).0 + SEEN_LATE.0;
    let listed = gone.end.at_earliest.unwrap_or(gone.end.at);
    let from = UnixMs(listed.0.saturating_sub(session)).max(heard(gone).unwrap_or_default());
    let likes = likes(group, gone);
    let came = |at: UnixMs| from < at && at < gone.end.at;
    let first = likes.iter().filter(|(at, ..)| *at > since && came(*at)).min();
    let Some((at, _, id)) = first.copied() else {
        // Which of those that were there when it was seen first came before the others is not visible.
        let together = likes.iter().any(|(at, ..)| *at == since && came(*at));
        return match after {
            Return::Never if together => Return::Unclear,
            after => after,
        };
    };
    // One that outlived it is a client of its own, and one that went shortly before may be the one that came.
    let another = likes.iter().any(|(came, went, _)| {
        *came < at && went.is_none_or(|went| went > gone.end.at || (from < went && went <= at))
    });
    if another {
        Return::Unclear
    } else {
        Return::Before(at, id)
    }
}

/// Whether its like are there again, as the end of a sentence.
pub(super) fn whether_it_is_back(group: &Group, gone: &Departed) -> String {
    match of(group, gone) {
        Return::Before(at, id) => format!(
            " and had come back as {} {} before.",
            escaped(id.as_str()),
            span(gone.end.at.since(at))
        ),
        Return::After(at, id) => format!(" and came back as {}{}.", escaped(id.as_str()), after(gone, at)),
        Return::Unclear => {
            "; whether it has come back is not visible: its client id and host are another's too.".to_owned()
        }
        Return::Never if asks_again(group, gone) => " and asks to join again.".to_owned(),
        Return::Never => " and has not come back.".to_owned(),
    }
}

/// Whether its like has come since, and is not in the group yet.
fn asks_again(group: &Group, gone: &Departed) -> bool {
    let identity = gone.identity();
    let like = |member: &Member| member.since >= gone.end.at && Identity::of(member) == identity;
    identity.is_known() && group.members.values().any(|member| like(member))
}

/// After how long it was back: since it went, and since it was last heard. That a static member was replaced says nothing of
/// the first: the old id went because it was back.
fn after(gone: &Departed, back: UnixMs) -> String {
    let replaced = gone.instance_id.is_some() && gone.end.possible == [Departure::Replaced];
    let since = match gone.end.at_earliest {
        _ if replaced => String::new(),
        Some(earliest) if earliest < gone.end.at => format!(" within {}", span(back.since(earliest))),
        _ => format!(" after {}", span(back.since(gone.end.at))),
    };
    let sure = gone.end.state == MemberState::Expired;
    match (gone.renewed.get(), heard(gone)) {
        (Some(_), Some(heard)) if sure || replaced => {
            format!("{since}, {} after it was last heard", span(back.since(heard)))
        }
        (None, Some(heard)) => format!("{since}, {} after its last commit", span(back.since(heard))),
        _ if replaced => "; how long it was away is not visible".to_owned(),
        _ => since,
    }
}
