//! Whether a client that went is in its group again, under another member id: after it went, or before.
//!
//! A client that starts anew, or joins again after a freeze, does not wait for its old id to go: that one stays until its
//! session is over, or until the rebalance that its return began gives it up.

use super::flapping::is_of;
use super::words::{escaped, span};
use crate::board::{Departed, Group, Identity, MemberState};
use crate::event::Departure;
use crate::ids::MemberId;
use crate::time::{Millis, UnixMs};

/// Kafka's `session.timeout.ms` where a client sets none (KIP-735).
const USUAL_SESSION: Millis = Millis(45_000);
/// How much later than its session the end of a membership may be seen: by the next look.
const SEEN_LATE: Millis = Millis(2_000);

/// When its like were in the group again for the first time since it went, and under which id: what each sentence on a return
/// is told of.
pub(super) fn back<'a>(group: &'a Group, gone: &Departed) -> Option<(UnixMs, &'a MemberId)> {
    let party = group.parties.iter().find(|party| is_of(gone, &party.identity))?;
    let mut oldest_first = party.comings.iter().rev();
    let went = gone.disowned.unwrap_or(gone.end.at);
    let (at, id) = oldest_first.find(|(at, id)| *at >= went && *id != gone.id)?;
    Some((*at, id))
}

/// What is known of its like.
#[derive(Default)]
struct Likes<'a> {
    /// Who came first of those that came while it can have been back already, and was still listed.
    first: Option<(UnixMs, &'a MemberId)>,
    /// Whether that can have been another client.
    unclear: bool,
    /// Whether one has come since, and is not in the group yet.
    asks: bool,
}

/// Its last sign of life, as far as one was seen.
fn heard(gone: &Departed) -> Option<UnixMs> {
    gone.renewed.get().copied().max(gone.committed)
}

/// Since when each member id of its client id, host and instance id was there, and until when.
fn each<'a>(group: &'a Group, gone: &Departed, told: &mut dyn FnMut(UnixMs, UnixMs, &'a MemberId)) {
    let identity = gone.identity();
    if !identity.is_known() {
        return;
    }
    for member in group.members.values() {
        if Identity::of(member) == identity {
            told(member.since, UnixMs(u64::MAX), &member.id);
        }
    }
    for other in &group.departed {
        if other.id != gone.id && is_of(other, &identity) {
            told(other.since.unwrap_or(other.end.at), other.end.at, &other.id);
        }
    }
}

/// It can have come back from its last sign of life on, and no earlier than a session before its old id went: until then that
/// one's session was renewed. One that left said so itself and was no longer there.
fn likes<'a>(group: &'a Group, gone: &Departed) -> Likes<'a> {
    let end = gone.end.at;
    let session = gone
        .session_timeout
        .unwrap_or(USUAL_SESSION)
        .0
        .saturating_add(SEEN_LATE.0);
    let listed = gone.end.at_earliest.unwrap_or(end);
    let from = UnixMs(listed.0.saturating_sub(session)).max(heard(gone).unwrap_or_default());
    let since = gone.since.unwrap_or(end);
    let said = gone.end.state == MemberState::Left || gone.disowned.is_some();
    let mut likes = Likes::default();
    each(group, gone, &mut |came, _, id| {
        likes.asks |= came >= end;
        if said || came <= from || came >= end {
            return;
        }
        // Which of those came first that were there when it was seen for the first time is not visible.
        likes.unclear |= came == since;
        if came > since && likes.first.is_none_or(|(first, _)| came < first) {
            likes.first = Some((came, id));
        }
    });
    if let Some((first, _)) = likes.first {
        // One that outlived it is a client of its own, and one that went shortly before may be the one that came.
        each(group, gone, &mut |came, went, _| {
            likes.unclear |= came < first && (went > end || (from < went && went <= first));
        });
    }
    likes
}

/// Whether its like are there again, as the end of a sentence.
pub(super) fn whether_it_is_back(group: &Group, gone: &Departed) -> String {
    let likes = likes(group, gone);
    let after = back(group, gone);
    let back = match likes.first {
        Some(_) if likes.unclear => None,
        Some(before) => Some((" and had come back as ", before)),
        None => after.map(|after| (" and came back as ", after)),
    };
    let Some((came, (at, id))) = back else {
        let said = match likes {
            Likes { unclear: true, .. } => {
                "; whether it has come back is not visible: others have its client id and host."
            }
            Likes { asks: true, .. } => " and asks to join again.",
            _ => " and has not come back.",
        };
        return said.to_owned();
    };
    format!("{came}{}{}.", escaped(id.as_str()), how_long(gone, at))
}

/// How long before or after it went it was back, and how long after it was last heard. That a static member was replaced says
/// nothing of the first: the old id went because it was back.
fn how_long(gone: &Departed, back: UnixMs) -> String {
    let end = gone.end.at;
    let earliest = gone.end.at_earliest.unwrap_or(end);
    let replaced = gone.instance_id.is_some() && gone.end.possible == [Departure::Replaced];
    let mut said = match () {
        () if back < end => return format!(" {} before", span(end.since(back))),
        () if replaced => String::new(),
        () if earliest < end => format!(" within {}", span(back.since(earliest))),
        () => format!(" after {}", span(back.since(end))),
    };
    let told = replaced || gone.end.state == MemberState::Expired || gone.committed.is_some();
    match heard(gone) {
        Some(heard) if told => {
            said.push_str(&format!(", {} after it was last heard", span(back.since(heard))));
        }
        _ if replaced => said.push_str("; how long it was away is not visible"),
        _ => {}
    }
    said
}
