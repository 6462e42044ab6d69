//! What cannot be judged of a group of others: which facts are not visible, why, and what would make them so.

use super::thresholds::LOG_UNREAD_MS;
use super::words::{escaped, span};
use super::{Finding, Round, Verdict};
use crate::board::Group;
use crate::error_code;
use crate::event::{GroupType, LogAccess, Source};
use crate::time::UnixMs;

/// It, said beside what can be judged; none where every source there is can be read, or sees more than a survey.
pub(super) fn unseen(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    if !group.sources.contains(Source::Survey) || group.sources.contains(Source::Embedded) {
        return None;
    }
    let (sentence, evidence) = hidden(group)
        .or_else(|| undescribed(group))
        .or_else(|| unread(round, group, now))?;
    Some(Finding {
        verdict: Verdict::NotVisible,
        sentence,
        evidence,
        member: None,
    })
}

/// It may not be described.
fn hidden(group: &Group) -> Option<(String, String)> {
    let refused = group.hidden()?;
    let right = escaped(&refused.right);
    Some((
        format!(
            "Who is in the group, and what each member owns and does, is not visible without {right}: with that right it is."
        ),
        format!(
            "Observed: the coordinator's answer, {}.",
            error_code::label(refused.error)
        ),
    ))
}

/// No request describes groups of its type.
fn undescribed(group: &Group) -> Option<(String, String)> {
    let Some(GroupType::Other(word)) = group.group_type.get() else {
        return None;
    };
    let word = escaped(word);
    Some((
        format!(
            "Who is in the group is not visible: it is of the type {word}, which this version of Heartline cannot ask about."
        ),
        "Observed: the type as a broker lists it.".to_owned(),
    ))
}

/// The offsets log, in which more stands than descriptions tell, cannot be read.
fn unread(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<(String, String)> {
    let log = round.log(group)?;
    let why = match log.access {
        LogAccess::Read => return None,
        LogAccess::Reading if now.since(log.since).0 < LOG_UNREAD_MS => return None,
        LogAccess::Reading => format!(
            "the offsets log is still being read, for {} now: once it is, they are",
            span(now.since(log.since))
        ),
        LogAccess::Denied => {
            "READ on topic __consumer_offsets is missing: with that right they are".to_owned()
        }
        LogAccess::Absent => {
            "there is no offsets log yet: the first group that joins on this cluster makes it".to_owned()
        }
    };
    let what = match group.group_type.get() {
        Some(GroupType::Consumer | GroupType::Share | GroupType::Streams) => {
            "When exactly its rebalances begin and end and how long each member takes are not visible"
        }
        _ => {
            "Its generation, its members' timeouts, the phases of its rebalances and whether one who went had timed out are not visible"
        }
    };
    let evidence = if log.access == LogAccess::Reading {
        "From how far the offsets log is read."
    } else {
        "Observed: the brokers' answers."
    };
    Some((format!("{what}: {why}."), evidence.to_owned()))
}
