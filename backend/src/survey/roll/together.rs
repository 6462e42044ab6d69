//! What one look shows of a group all at once, told as one event: ten thousand groups that are found at the start would be ninety
//! thousand, of which none tells of anything that happens.

use std::collections::VecDeque;

use shared::event::{Change, Detail, Evidence};
use shared::ids::GroupId;
use shared::time::Timestamp;

use crate::survey::port::{Output, Report, When};

/// Puts what was seen of a group at `now`, and as it was seen, into one report, where that is more than one thing. What is a
/// conclusion, or happened at a moment that is not exact, is told alone after it.
pub(super) fn told(now: Timestamp, id: &GroupId, said: VecDeque<Output>, out: &mut VecDeque<Output>) {
    let mut told = Vec::new();
    let mut alone = VecDeque::new();
    for output in said {
        match output {
            Output::Report(report) if is_seen(&report, id) => told.push(report),
            other => alone.push_back(other),
        }
    }
    if told.len() > 1 {
        // Kept for a while: without the room that reports take.
        let mut details = Vec::with_capacity(told.len());
        details.extend(told.into_iter().map(|report| detail(report, now)));
        let change = Change::GroupDescribed { told: details };
        out.push_back(Output::Report(Report::seen(now, id, change)));
    } else {
        out.extend(told.into_iter().map(Output::Report));
    }
    out.append(&mut alone);
}

fn is_seen(report: &Report, id: &GroupId) -> bool {
    report.evidence == Evidence::Observed && report.at_earliest.is_none() && report.group.as_ref() == Some(id)
}

fn detail(report: Report, now: Timestamp) -> Detail {
    Detail {
        at: match report.at {
            When::There(at) => Some(at),
            When::Here(at) => {
                debug_assert_eq!(at, now, "one look has one time");
                None
            }
        },
        member: report.member,
        change: report.change,
    }
}
