//! Whoever looks ends, and another one begins where that left off.

use std::sync::Arc;

use shared::board::Group;
use shared::time::Millis;

use super::Cluster;
use crate::survey::machine::Survey;

impl Cluster {
    /// Nobody looks any more; whoever looks next goes on from the board as it is.
    pub(in crate::survey) fn restart(&mut self) {
        let board = self.board();
        self.before = board.of_a_new_run(board.seq, self.unix());
        self.before.seen = self.unix();
        self.reports.clear();
        self.flying.clear();
        self.parked.clear();
        self.compare.clear();
        self.survey = survey();
        let groups: Vec<Arc<Group>> = self.before.groups().cloned().collect();
        self.survey.goes_on_from(&groups);
    }

    /// Lets time pass in which nobody looks.
    pub(in crate::survey) fn pass(&mut self, millis: Millis) {
        self.now = self.now + millis;
    }
}

pub(super) fn survey() -> Survey {
    Survey::new("heartline").with_probes(&"probe".into())
}
