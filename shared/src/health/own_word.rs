//! What our own members saw themselves while they were not heard: that tells more than who else is heard meanwhile.

use super::thresholds::SLOW_LEAST_US;
use super::words::{ago, micros, span};
use crate::board::{Departed, Held, Member, OwnWord, Unanswered};
use crate::error_code;
use crate::event::LinkFault;
use crate::time::UnixMs;

/// Of one that is in the group; with a space before it.
pub(super) fn of_member(member: &Member, now: UnixMs) -> Option<String> {
    said(&member.own_word()?, now, Some(now))
}

/// Of one that went.
pub(super) fn of_departed(gone: &Departed) -> Option<String> {
    said(&gone.own_word()?, gone.end.at, None)
}

/// `now` where it is still so.
fn said(seen: &OwnWord<'_>, until: UnixMs, now: Option<UnixMs>) -> Option<String> {
    if let Some((at, lasts)) = seen.throttled
        && until.since(at) <= lasts
    {
        return Some(format!(
            " An answer told it to send nothing for {} (throttle_time_ms, KIP-219): the coordinator throttles it; it is neither its \
             process nor its network.",
            span(lasts)
        ));
    }
    // One given up before is no longer what it waits for; of one that went it is what came before.
    let still =
        |out: &&Unanswered| now.is_none() || out.until.is_none_or(|given_up| until.since(given_up).0 <= 1000);
    if let Some(out) = seen.unanswered.filter(still) {
        let api = if out.sync { "SyncGroup" } else { "JoinGroup" };
        let has = if now.is_some() { "has had" } else { "had" };
        return Some(format!(
            " By its own word its {api} {has} no answer for {}, and what it sends waits behind that on the same connection: the \
             answer is held back, or lost on the way.",
            span(out.until.unwrap_or(until).since(out.since))
        ));
    }
    if let Some(refused) = seen.refused {
        let when = now.map_or_else(String::new, |now| {
            format!(", the last {}", ago(now.since(refused.at)))
        });
        return Some(format!(
            " Its heartbeats were answered{when}, with {}: it is what the coordinator says, neither its process nor its network.",
            error_code::label(refused.error)
        ));
    }
    let has = if now.is_some() { "has had" } else { "had" };
    if let Some(lost) = seen.lost {
        return Some(format!(
            " By its own word its last heartbeat {has} no answer ({}): what it sends, or what it is sent, is held back or lost on the way.",
            match lost.cause {
                LinkFault::Disconnect => "the connection ended",
                LinkFault::Timeout => "none came in time",
                LinkFault::Garbled => "what came cannot be an answer",
                LinkFault::Authentication => "the authentication failed",
            }
        ));
    }
    // One that was paused has read no answer either: of one that went it is said only where its answers had been slow before.
    let slow = |held: &Held| held.last_took_us.is_some_and(|us| us >= SLOW_LEAST_US);
    let held = seen.held.filter(|held| now.is_some() || slow(held))?;
    let took = held.last_took_us.map_or_else(String::new, |us| {
        format!(" (the last one that came took up to {})", micros(us))
    });
    Some(format!(
        " Its heartbeat came to our coordinator, and by its own word it {has} no answer for {}{took}: the answer is held back, or lost \
         on the way.",
        span(until.since(held.since))
    ))
}
