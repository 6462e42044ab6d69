//! What was reported, taken apart: a test asks for what happened, not with what else it was told.

use std::sync::Arc;

use shared::board::{Board, Group};
use shared::event::{Change, Event, Observation, Source};
use shared::health::{Finding, verdict};
use shared::ids::{ClusterId, GroupId};
use shared::time::{Timestamp, UnixMs};

use super::Cluster;
use crate::survey::before::BEFORE;
use crate::survey::port::{Report, When};

/// The time of day at the brokers, of a moment of ours.
pub(super) const fn unix(at: Timestamp) -> UnixMs {
    UnixMs(1_700_000_000_000 + at.as_millis())
}

/// Adds a report; after one that tells several things at once, left empty, each of them.
pub(super) fn add(report: Report, reports: &mut Vec<Report>) {
    let mut whole = report;
    let Change::GroupDescribed { told } = &mut whole.change else {
        return reports.push(whole);
    };
    let told = std::mem::take(told);
    let parts = told.into_iter().map(|part| Report {
        at: part.at.map_or(whole.at, When::There),
        member: part.member,
        change: part.change,
        ..whole.clone()
    });
    let parts: Vec<Report> = parts.collect();
    reports.push(whole);
    reports.extend(parts);
}

impl Cluster {
    /// All that was told of a group.
    pub(in crate::survey) fn of_group(&self, id: &str) -> Vec<Change> {
        let of_it = self
            .reports
            .iter()
            .filter(|report| report.group == Some(GroupId::from(id)));
        of_it.map(|report| report.change.clone()).collect()
    }

    /// What a board shows of a group, by all that was told.
    pub(in crate::survey) fn shown(&self, id: &str) -> Arc<Group> {
        let board = self.board();
        let mut groups = board.groups();
        let of_it = groups.find(|group| group.key.group == GroupId::from(id));
        Arc::clone(of_it.expect("the group has a row"))
    }

    /// What is wrong with a group, as the page says it now.
    pub(in crate::survey) fn verdict(&self, id: &str) -> Finding {
        verdict(&self.board(), &self.shown(id), self.unix())
    }

    pub(super) fn board(&self) -> Board {
        let of_day = |when| match when {
            When::Here(BEFORE) => self.before.seen,
            When::Here(at) => unix(at),
            When::There(at) => at,
        };
        let mut board = self.before.clone();
        for report in &self.reports {
            board.apply(&Event {
                seq: board.seq + 1,
                seen: of_day(report.at),
                what: Observation {
                    at: of_day(report.at),
                    at_earliest: report.at_earliest.map(of_day),
                    source: Source::Survey,
                    evidence: report.evidence,
                    cluster: ClusterId::from("c"),
                    group: report.group.clone(),
                    member: report.member.clone(),
                    change: report.change.clone(),
                },
            });
        }
        board
    }
}
