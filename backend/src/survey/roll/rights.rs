//! Whether lists of groups are whole. Without DESCRIBE on the cluster a broker leaves out every group without a DESCRIBE of
//! its own, and answers 0 (protocol.md 4.7): that this is so is in no list, only in what DescribeCluster says of our rights.

use std::collections::VecDeque;

use shared::error_code;
use shared::protocol::{ApiKey, DescribeClusterRequest, DescribeClusterResponse};
use shared::time::Timestamp;

use super::broker::{Asked, Seat};
use super::{Roll, ask};
use crate::limits;
use crate::survey::port::{Output, Report};

/// DESCRIBE among the bits of authorized operations: Kafka's `AclOperation`.
pub(in crate::survey) const DESCRIBE: i32 = 1 << 8;

/// The right, and what is not visible without it.
const RIGHT: &str = "DESCRIBE on the cluster: groups without a DESCRIBE of their own are not listed";

/// What is known of our own rights on the cluster.
#[derive(Debug, Default)]
pub(super) struct Rights {
    due: Timestamp,
    asked: bool,
    asked_at: Timestamp,
    /// When lists were whole, as DescribeCluster told: when it was asked what told so last.
    whole_at: Option<Timestamp>,
    /// Whether DESCRIBE is missing, as DescribeCluster tells.
    denied: bool,
    /// The same, as brokers tell that refuse the list itself, as those before 2.0 do.
    no_list: bool,
    /// Whether it has been told that it is missing.
    told: bool,
}

impl Rights {
    /// The question will not be answered any more.
    pub(super) const fn lost(&mut self) {
        self.asked = false;
    }

    /// Takes in what a broker answered.
    pub(super) fn answered(
        &mut self,
        now: Timestamp,
        answer: &DescribeClusterResponse,
        out: &mut VecDeque<Output>,
    ) {
        self.asked = false;
        self.due = now + limits::SURVEY_RIGHTS_PACE;
        let operations = answer.cluster_authorized_operations;
        if answer.error_code != error_code::NONE || operations == i32::MIN {
            return;
        }
        self.denied = operations & DESCRIBE == 0;
        if !self.denied {
            self.whole_at = Some(self.asked_at);
        }
        self.tell(now, out);
    }

    /// Whether a list of `at` lacked nothing for want of a right. What was said of our rights before that may be over by then.
    pub(super) fn are_whole_since(&self, at: Timestamp) -> bool {
        self.whole_at.is_some_and(|whole| whole >= at)
    }

    /// Whether the cluster tells them.
    pub(super) const fn are_told(&self) -> bool {
        self.denied || self.whole_at.is_some()
    }

    /// A group is on no list: it matters now whether lists are whole.
    pub(super) fn matter(&mut self, now: Timestamp) {
        self.due = self.due.min(self.asked_at + limits::SURVEY_MISSING).max(now);
    }

    /// Takes in with which code a broker answered when it was asked for its groups.
    pub(super) fn listed(&mut self, now: Timestamp, error: i16, out: &mut VecDeque<Output>) {
        match error {
            error_code::NONE => self.no_list = false,
            code if error_code::is_for_want_of_a_right(code) => self.no_list = true,
            _ => return,
        }
        self.tell(now, out);
    }

    /// On change.
    fn tell(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        let missing = self.denied || self.no_list;
        if std::mem::replace(&mut self.told, missing) != missing {
            let right = RIGHT.to_owned();
            out.push_back(Output::Report(if missing {
                Report::missing(now, error_code::CLUSTER_AUTHORIZATION_FAILED, right)
            } else {
                Report::granted(now, right)
            }));
        }
    }
}

impl Roll {
    /// Asks a broker that has room what we may do.
    pub(super) fn ask_for_rights(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        if self.rights.asked || self.rights.due > now {
            return;
        }
        let Some((node, seat)) = self.seats.iter_mut().find(|(_, seat)| can_tell(seat)) else {
            return;
        };
        let request = DescribeClusterRequest {
            include_cluster_authorized_operations: true,
            ..Default::default()
        };
        self.tokens += 1;
        if let Some(asked) = ask(seat, *node, self.tokens, request, Asked::Rights, None) {
            self.rights.asked = true;
            self.rights.asked_at = now;
            out.push_back(asked);
        }
    }

    /// When that is due; none while nobody can be asked: the next answer makes room.
    pub(super) fn rights_deadline(&self) -> Option<Timestamp> {
        let ready = !self.rights.asked && self.seats.values().any(can_tell);
        ready.then_some(self.rights.due)
    }
}

/// Whether a broker can be asked now: those before 2.8 (KIP-700) do not know the question.
fn can_tell(seat: &Seat) -> bool {
    seat.has_room() && seat.version(ApiKey::DescribeCluster).is_some()
}
