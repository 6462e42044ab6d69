//! What was reported, taken apart: a test asks for what happened, not with what else it was told.

use shared::event::Change;
use shared::ids::GroupId;

use super::Cluster;
use crate::survey::port::{Report, When};

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
}
