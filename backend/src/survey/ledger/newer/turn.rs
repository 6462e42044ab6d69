//! A rebalance of a group with epochs, from the record that gives the group a new epoch to the one with which its last member
//! has taken that over.

use shared::event::{RebalanceCause, Rebalanced};
use shared::ids::{Generation, InstanceId, MemberId};
use shared::time::UnixMs;

use crate::survey::comings::Comings;

/// One that runs.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) from: Option<i32>,
    /// When the group got its new epoch; none where that was not seen.
    pub(super) since: Option<UnixMs>,
    pub(super) cause: RebalanceCause,
    pub(super) member: Option<MemberId>,
    /// Who came and who went; none where not all of that was seen.
    pub(super) comings: Option<Comings>,
    /// Epochs before it that no record was seen of.
    pub(super) missed: u32,
}

impl Turn {
    /// One whose begin was not seen.
    pub(super) const fn under_way() -> Self {
        Self {
            from: None,
            since: None,
            cause: RebalanceCause::NotVisible,
            member: None,
            comings: None,
            missed: 0,
        }
    }

    /// It is over: every member is in `epoch`.
    pub(super) fn over(self, epoch: i32, at: UnixMs) -> Rebalanced {
        let unnamed = self.comings.as_ref().map_or(0, Comings::unnamed);
        let (joined, left) = self.comings.map(Comings::named).unzip();
        Rebalanced {
            generation: Generation(epoch),
            from_generation: self.from.map(Generation),
            cause: self.cause,
            member: self.member,
            took_ms: None,
            // Its coordinator made up its mind before it wrote that.
            took_between_ms: self.since.map(|since| (at.since(since).0, None)),
            join_ms: None,
            sync_ms: None,
            joined,
            left,
            unnamed,
            abandoned: 0,
            missed: self.missed,
        }
    }
}

/// What records said since the group's last epoch, of which the next one is the consequence: brokers write both at once.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) joined: Vec<(MemberId, Option<InstanceId>)>,
    pub(super) left: Vec<(MemberId, Option<InstanceId>)>,
    /// Who wants something else than before, and what kind of change that is.
    pub(super) changed: Option<(RebalanceCause, MemberId)>,
    /// Whether its topics are not what they were.
    pub(super) topics: bool,
}

impl Pending {
    /// Of a static member that went: who has its instance id now.
    pub(super) fn heir(&self) -> Option<(&MemberId, &MemberId)> {
        let ([(heir, new)], [(gone, old)]) = (&*self.joined, &*self.left) else {
            return None;
        };
        (new.is_some() && new == old).then_some((gone, heir))
    }

    /// Why the group has a new epoch, through whom, and who came and went.
    pub(super) fn tell(self) -> (RebalanceCause, Option<MemberId>, Comings) {
        let heir = self.heir().map(|(_, heir)| heir.clone());
        let ids = |named: Vec<(MemberId, _)>| named.into_iter().map(|(id, _)| id).collect();
        let comings = Comings {
            joined: ids(self.joined),
            left: ids(self.left),
        };
        let (cause, member) = match (heir, self.changed) {
            (Some(heir), _) => (RebalanceCause::MemberReplaced, Some(heir)),
            (None, Some((cause, member))) if comings.joined.is_empty() && comings.left.is_empty() => {
                (cause, Some(member))
            }
            _ if self.topics && comings.joined.is_empty() && comings.left.is_empty() => {
                (RebalanceCause::MetadataChanged, None)
            }
            _ => comings.cause(),
        };
        (cause, member, comings)
    }
}
