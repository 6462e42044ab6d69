//! What the end of the offsets log told of a group: a rebalance that has ended, static members that came back.

use std::collections::{BTreeMap, VecDeque};

use shared::event::Change;
use shared::ids::{Generation, GroupId, MemberId};
use shared::time::{Timestamp, UnixMs};

use super::Roll;
use super::ended::Over;
use super::turn::Turn;
use crate::survey::ledger::{Ledger, News, Turned};
use crate::survey::port::{Output, Report, When};

/// What the offsets log says of a group, as far as it matters to the next look.
#[derive(Debug, Default)]
pub(super) struct InLog {
    /// Where its record stands that was told last.
    pub(super) told: Option<i64>,
    /// The generation it is in.
    pub(super) generation: Option<Generation>,
    /// Of a classic group: in which one the run before this one left it, until its record is read.
    pub(super) before: Option<Generation>,
    /// Whether an earlier generation makes no other group of it: a look has shown a member of that time since, or a member of ours had
    /// told the generation, which is in the log only once its sync phase is over.
    pub(super) lives: bool,
    /// Of a classic group: when its last rebalance was over, by its coordinator's clock, and the time it was at rest at the latest by ours.
    pub(super) over_at: Option<(Timestamp, UnixMs)>,
    /// Whether the log told the end of a rebalance since the last look: a state other than Stable must be told again, since
    /// whoever hears of an end takes the group for stable.
    pub(super) ended: bool,
    /// Of a classic group: how many ends of rebalances looks saw that the log has not told yet.
    pub(super) owes: u32,
    /// Of a group with epochs: whether the log told all that becomes of it when it was asked about last.
    pub(super) followed: bool,
    /// Of a group with epochs: with which one the last rebalance ended whose end was told, by the log or by a look.
    pub(super) over: Option<Generation>,
    /// The same where a look told it, and the log may still tell when that was.
    pub(super) seen: Option<Generation>,
    /// When the log told of its state last.
    pub(super) heard: Option<Timestamp>,
    /// Members that no look has shown yet, the epoch they have taken over, and how many milliseconds that took them.
    pub(super) took: BTreeMap<MemberId, (Generation, u64)>,
}

impl Roll {
    /// Tells what the log told, and looks at the group as soon as may be.
    pub(in crate::survey) fn heard(
        &mut self,
        now: Timestamp,
        news: News,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        match news {
            News::Turned(turned) => {
                if let Some(known) = self.groups.get_mut(&turned.group) {
                    if known.log.owes > 0 {
                        // The one that runs began after it.
                        known.log.owes -= 1;
                    } else {
                        if !known.turn.running {
                            out.extend(unseen_start(known.rested_at, known.log.over_at, &turned));
                        }
                        known.turn = Turn::default();
                    }
                    // At rest when that was written: the next one begins later.
                    known.rested_at[0] = known.rested_at[0].max(Some(turned.since));
                    known.log.over_at = Some((turned.since, turned.at));
                    known.log.ended = true;
                    known.log.generation = Some(turned.rebalanced.generation);
                } else {
                    let over = self.ended.get(&turned.group).and_then(Over::written);
                    out.extend(unseen_start(self.absent_at(&turned.group, ledger), over, &turned));
                }
                let Turned {
                    group,
                    rebalanced,
                    at,
                    ..
                } = turned;
                let report = Report {
                    at: When::There(at),
                    ..Report::seen(now, &group, Change::RebalanceFinished(rebalanced))
                };
                out.push_back(Output::Report(report));
                self.look_soon(now, &group);
            }
            News::Replaced { group, at, heirs } => {
                for (gone, heir) in heirs {
                    let change = Change::MemberReplaced {
                        cause: "A static member came back, and its group did not rebalance.".to_owned(),
                        by: Some(heir),
                    };
                    let report = Report {
                        at: When::There(at),
                        ..Report::seen(now, &group, change).of(&gone)
                    };
                    out.push_back(Output::Report(report));
                    if let Some(known) = self.groups.get_mut(&group) {
                        known.members.remove(&gone);
                    }
                }
                self.look_soon(now, &group);
            }
            News::Ended(ended) => self.ends(now, ended, out),
            News::Stepped { group, at, step } => self.stepped(now, (&group, at), step, ledger, out),
        }
    }

    pub(super) fn look_soon(&mut self, now: Timestamp, group: &GroupId) {
        let Some(known) = self.groups.get_mut(group).filter(|known| !known.asked) else {
            return;
        };
        let Some(seat) = self.seats.get_mut(&known.node) else {
            return;
        };
        seat.unplan(group, known);
        known.due = now;
        seat.plan(group, known);
    }
}

/// The start of a rebalance that no look saw: between the last look at rest, or the last lists without the group, and the end of
/// its join phase. Where the same answer told the end of the one before, `over_at`, it began after that.
fn unseen_start(
    rested_at: [Option<Timestamp>; 2],
    over_at: Option<(Timestamp, UnixMs)>,
    turned: &Turned,
) -> Option<Output> {
    // A later look may already have been one at the rest that followed.
    let mut rests = rested_at.into_iter().flatten();
    let rested = rests.find(|rested| *rested <= turned.since)?;
    let over = over_at.filter(|(since, _)| *since == rested);
    let what = &turned.rebalanced;
    let change = Change::RebalanceStarted {
        cause: what.cause,
        member: what.member.clone(),
        from_generation: what.from_generation,
    };
    let report = Report {
        at: When::There(turned.formed_at.unwrap_or(turned.at)),
        at_earliest: Some(over.map_or(When::Here(rested), |(_, over)| When::There(over))),
        ..Report::seen(Timestamp::default(), &turned.group, change)
    };
    Some(Output::Report(report.inferred()))
}

#[cfg(test)]
mod tests {
    use shared::event::{RebalanceCause, Rebalanced};
    use shared::ids::Generation;

    use super::*;

    fn turned(since: Timestamp, formed_at: UnixMs) -> Turned {
        Turned {
            group: "g".into(),
            rebalanced: Rebalanced {
                generation: Generation(4),
                from_generation: Some(Generation(3)),
                cause: RebalanceCause::NotVisible,
                member: None,
                took_ms: None,
                took_between_ms: None,
                join_ms: None,
                sync_ms: None,
                joined: None,
                left: None,
                unnamed: 0,
                abandoned: 0,
                missed: 0,
            },
            formed_at: Some(formed_at),
            at: UnixMs(formed_at.0 + 2),
            since,
        }
    }

    #[test]
    fn the_second_of_two_that_one_answer_told_began_after_the_first_was_over_and_not_after_that_answer() {
        let asked = Timestamp::from_millis(26_420);
        let (over, formed) = (UnixMs(19_716), UnixMs(24_849));
        let told = |over_at| {
            let start = unseen_start([Some(asked), None], over_at, &turned(asked, formed));
            match start {
                Some(Output::Report(report)) => (report.at, report.at_earliest),
                other => panic!("no start: {other:?}"),
            }
        };
        let first = told(Some((asked, over)));
        assert_eq!(first, (When::There(formed), Some(When::There(over))));
        // A look has shown it at rest since.
        let earlier = Timestamp::from_millis(19_800);
        assert_eq!(told(Some((earlier, over))).1, Some(When::Here(asked)));
    }
}
