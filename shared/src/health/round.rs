//! One look at the whole board at a moment: what one group's row alone cannot tell.

use std::cell::OnceCell;

use super::thresholds::{AFTERMATH_MS, TOGETHER_MS};
use super::{
    Finding, coordinator, flapping, group, loading, member, own_word, partitions, refused, slow, storm,
    unseen, waiting,
};
use crate::board::{Board, Departed, Group, Member, MemberState, OffsetsLog};
use crate::event::Source;
use crate::fault::Fault;
use crate::ids::{ClusterId, NodeId};
use crate::sorted::SortedMap;
use crate::time::UnixMs;

/// The verdicts on all groups of one board at one moment.
///
/// What compares groups is gathered once, when the first group needs it: a round over all groups takes time in
/// proportion to the rows.
#[derive(Debug)]
pub struct Round<'a> {
    board: &'a Board,
    now: UnixMs,
    silences: OnceCell<SortedMap<(&'a ClusterId, &'a str), Vec<Silence<'a>>>>,
    nodes: OnceCell<SortedMap<(&'a ClusterId, NodeId), Node>>,
}

/// A member that is not heard any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence<'a> {
    pub(super) group: &'a Group,
    /// When it was heard last.
    pub(super) since: UnixMs,
}

/// What is known of one coordinator over all groups.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// Groups that it coordinates.
    pub(super) groups: usize,
    /// Groups whose members all lost it, or that it tells a survey nothing of.
    pub(super) lost: usize,
    /// When the first of these lost it, and the last.
    pub(super) between: Option<(UnixMs, UnixMs)>,
    /// The median latency of the group that is answered fastest.
    pub(super) usual_us: Option<u64>,
    /// When it last answered one of ours that is on time.
    heard: Option<UnixMs>,
}

impl<'a> Round<'a> {
    /// A look at `board` at `now`.
    #[must_use]
    pub const fn new(board: &'a Board, now: UnixMs) -> Self {
        Self {
            board,
            now,
            silences: OnceCell::new(),
            nodes: OnceCell::new(),
        }
    }

    /// All that is to be said of a group, the worst first, and last what cannot be judged; never empty.
    #[must_use]
    pub fn verdicts(&self, group: &'a Group) -> Vec<Finding> {
        let now = self.now;
        let mut found: Vec<Finding> = [
            coordinator::not_authorized(group, now).or_else(|| refused::not_authorized(group, now)),
            coordinator::gone(self, group, now).or_else(|| loading::unloaded(group, now)),
            storm::storm(group, now),
            member::silent(self, group, now),
            flapping::flapping(group, now),
            refused::refused(group, now),
            waiting::waiting(group, now),
            loading::loading(group, now),
            slow::slow(self, group, now),
            member::late(self, group, now),
            partitions::unowned(group, now),
            partitions::not_progressing(group, now),
            Some(group::at_work_or_at_rest(self, group, now)),
        ]
        .into_iter()
        .flatten()
        .collect();
        found.sort_by_key(|finding| std::cmp::Reverse(finding.verdict.severity()));
        found.extend(unseen::unseen(self, group, now));
        found
    }

    /// The worst of [`Self::verdicts`].
    #[must_use]
    pub fn verdict(&self, group: &'a Group) -> Finding {
        // Never out of range: there is always one.
        self.verdicts(group).swap_remove(0)
    }

    /// Whether our own coordinator, which would hear that group, was stopped and does not serve again.
    pub(super) fn is_stopped(&self, group: &Group) -> bool {
        let mut faults = self.board.faults.iter().map(|played| &played.fault);
        let last = faults.find(|fault| matches!(fault, Fault::Stop | Fault::Restart));
        group.sources.contains(Source::Embedded) && matches!(last, Some(Fault::Stop))
    }

    /// Members of that host that fell silent at about that time, in all groups of the cluster.
    pub(super) fn silent_together(&self, cluster: &ClusterId, host: &str, since: UnixMs) -> Vec<Silence<'a>> {
        let all = self.silences.get_or_init(|| self.gather_silences());
        let near = |silence: &&Silence<'_>| {
            silence.since.since(since).0.max(since.since(silence.since).0) <= TOGETHER_MS
        };
        all.get(&(cluster, host))
            .into_iter()
            .flatten()
            .filter(near)
            .copied()
            .collect()
    }

    fn gather_silences(&self) -> SortedMap<(&'a ClusterId, &'a str), Vec<Silence<'a>>> {
        let mut all: SortedMap<_, Vec<Silence<'a>>> = SortedMap::new();
        for group in self.board.groups() {
            let mut note = |host: Option<&'a String>, since: Option<UnixMs>| {
                if let (Some(host), Some(since)) = (host, since) {
                    let place = all.get_or_default((&group.key.cluster, host.as_str()));
                    place.push(Silence { group, since });
                }
            };
            // What ours tell of themselves says more than that others of their host are not heard either.
            let silent = |member: &&std::sync::Arc<Member>| {
                member.is_late(self.now)
                    && !member.is_given_up()
                    && own_word::of_member(member, self.now).is_none()
            };
            for member in group.members.values().filter(silent) {
                note(member.host.get(), member.last_renewed());
            }
            let lately = |at: UnixMs| self.now.since(at).0 <= AFTERMATH_MS;
            for gone in group.departed.iter().filter(|gone| lately(gone.end.at)) {
                if gone.end.state == MemberState::Expired
                    && was_silent(gone)
                    && own_word::of_departed(gone).is_none()
                {
                    note(gone.host.as_ref(), gone.renewed.get().copied());
                }
            }
        }
        all
    }

    /// Since when neither a survey is answered about the group nor, if there are some in it, members of ours are: its coordinator is
    /// silent, or answers and tells nothing of the group.
    pub(super) fn unanswered_since(&self, group: &Group) -> Option<UnixMs> {
        let seat = group.coordinator.as_ref()?;
        let row = self.board.coordinator(&group.key.cluster, seat.node);
        let untold = seat.unanswered.as_ref().map(|failure| failure.at);
        let since = [untold, row.and_then(|row| row.silent)];
        let since = since.into_iter().flatten().min()?;
        let answered = group.last_renewed().is_some_and(|renewed| renewed > since);
        (!answered).then_some(since)
    }

    /// Whether another broker of the cluster than that one is known, and was not lost too.
    pub(super) fn hears_other(&self, cluster: &ClusterId, node: NodeId) -> bool {
        let mut others = self
            .board
            .coordinators()
            .filter(|row| row.cluster == *cluster && row.node != node);
        self.board.not_found.is_none()
            && others.any(|row| row.node.0 >= 0 && row.silent.is_none() && row.dead.is_none())
    }

    /// How far the offsets log of the group's cluster can be read.
    pub(super) fn log(&self, group: &Group) -> Option<&'a OffsetsLog> {
        self.board.log(&group.key.cluster)
    }

    /// What is known of a coordinator over all groups.
    pub(super) fn node(&self, cluster: &ClusterId, node: NodeId) -> Node {
        self.all_nodes()
            .get(&(cluster, node))
            .copied()
            .unwrap_or_default()
    }

    /// The coordinator of the cluster, other than `node`, that usually answers fastest.
    pub(super) fn fastest_other(&self, cluster: &ClusterId, node: Option<NodeId>) -> Option<(u64, NodeId)> {
        self.all_nodes()
            .iter()
            .filter(|((of, other), _)| *of == cluster && Some(*other) != node && other.0 >= 0)
            .filter_map(|((_, other), known)| Some((known.usual_us?, *other)))
            .min()
    }

    /// How many coordinators of the cluster, other than `node`, have answered ours since then.
    pub(super) fn others_heard(&self, cluster: &ClusterId, node: NodeId, since: UnixMs) -> usize {
        let others = self
            .all_nodes()
            .iter()
            .filter(|((of, other), known)| *of == cluster && *other != node && known.heard > Some(since));
        others.count()
    }

    fn all_nodes(&self) -> &SortedMap<(&'a ClusterId, NodeId), Node> {
        self.nodes.get_or_init(|| {
            let mut all: SortedMap<_, Node> = SortedMap::new();
            for group in self.board.groups() {
                for measured in &group.latency {
                    let node = all.get_or_default((&group.key.cluster, measured.node));
                    let median = measured.latency.percentile(50.0);
                    node.usual_us = [node.usual_us, median].into_iter().flatten().min();
                }
                let Some(seat) = &group.coordinator else { continue };
                let node = all.get_or_default((&group.key.cluster, seat.node));
                node.groups += 1;
                let ours = group.members.values();
                let ours = ours.filter(|member| member.is_ours() && !member.is_late(self.now));
                node.heard = node
                    .heard
                    .max(ours.filter_map(|member| member.last_renewed()).max());
                let lost = group.death().map(|death| death.since);
                let restarted = seat.unanswered.as_ref();
                if restarted.is_some_and(|untold| untold.is_of_the_run_before()) {
                    continue;
                }
                if let Some(lost) = lost.or_else(|| self.unanswered_since(group)) {
                    node.lost += 1;
                    let (first, last) = node.between.unwrap_or((lost, lost));
                    node.between = Some((first.min(lost), last.max(lost)));
                }
            }
            all
        })
    }
}

/// Whether one that expired had been silent for its session under its own id.
///
/// Not every answer that a member takes for a renewal renews its session at the coordinator, and one of ours whose id was taken
/// from it sends nothing more under that.
pub(super) fn was_silent(gone: &Departed) -> bool {
    let heard = |session| {
        gone.renewed
            .get()
            .is_some_and(|renewed| gone.end.at.since(*renewed) < session)
    };
    gone.disowned.is_none() && !gone.session_timeout.is_some_and(heard)
}
