//! What members of ours can be told to do: to come, to go, and to do it wrong.

use shared::ids::{GroupId, InstanceId};
use shared::time::Millis;
use thiserror::Error;

use super::defects::Deed;
use super::guests::Guest;
use super::roster::{Order, Place};
use super::{AddError, Command, NoSuchMember, Probes, Set, TooManyMembers, client_ids, places};

/// Why members were not told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// Nobody goes by that name.
    #[error(transparent)]
    NoSuchMember(#[from] NoSuchMember),
    /// There would be too many.
    #[error(transparent)]
    TooMany(#[from] TooManyMembers),
    /// It has not taken up what it was told before.
    #[error("{member} has too many orders waiting")]
    Busy {
        /// Who.
        member: String,
    },
    /// It has no group.instance.id that another could use.
    #[error("{member} is no static member; where no member is named, a static one is started first")]
    NotStatic {
        /// Who.
        member: String,
    },
    /// The cluster did not do what was asked of it.
    #[error("{0}")]
    Refused(String),
}

impl Probes {
    /// Cuts the member's socket: it does not leave the group and does not come back.
    ///
    /// # Errors
    /// None of our members goes by `name`, a client id or a member id.
    pub fn kill(&self, name: &str) -> Result<(), NoSuchMember> {
        self.roster.order(name, Order::Die)
    }

    /// Lets the member leave the group and end.
    ///
    /// # Errors
    /// None of our members goes by `name`, a client id or a member id.
    pub fn leave(&self, name: &str) -> Result<(), NoSuchMember> {
        self.roster.order(name, Order::Leave)
    }

    /// Starts more members, told as those hired last, and gives their client ids.
    ///
    /// # Errors
    /// There would be too many, or there is nobody to be told as.
    pub async fn add(&self, count: u32) -> Result<Vec<String>, AddError> {
        let set = self.last_set().ok_or(AddError::Nobody)?;
        let places = places(&set.roster, &set.prefix, count)?;
        let names = client_ids(&places);
        // Only a supervisor that was told to end takes no command any more; then its members are ending too.
        let _ending = set.commands.send(Command::Start(places)).await;
        Ok(names)
    }

    /// The member beats on and does not obey 27, for so long.
    ///
    /// # Errors
    /// There is no such member, or it is too busy.
    pub fn ignore_rebalance(&self, name: &str, lasts: Millis) -> Result<(), OrderError> {
        self.tell(name, Deed::IgnoreRebalance { lasts })
    }

    /// The member keeps its next SyncGroups. Whichever of our members leads its group rejoins, so that there is one at once;
    /// false where none of ours leads it.
    ///
    /// # Errors
    /// There is no such member, or it is too busy.
    pub fn join_without_sync(&self, name: &str, times: u32) -> Result<bool, OrderError> {
        let group = self.roster.seat(name)?.group;
        self.tell(name, Deed::WithholdSync { times })?;
        let (times, every) = (1, Millis(0));
        Ok(self.roster.tell_leader(&group, Deed::Rejoin { times, every }))
    }

    /// The member joins again as often as it is told, each time so long after it is in.
    ///
    /// # Errors
    /// There is no such member, or it is too busy.
    pub fn rejoin(&self, name: &str, times: u32, every: Millis) -> Result<(), OrderError> {
        self.tell(name, Deed::Rejoin { times, every })
    }

    /// Starts a second member under the instance id of the one named, or, where none is, a static member and then its
    /// double. Gives the client ids of those that were started.
    ///
    /// # Errors
    /// The member is none of ours or no static one, or its rules know none; there would be too many.
    pub async fn duplicate(&self, name: Option<&str>) -> Result<Vec<String>, OrderError> {
        let set = self.last_set().ok_or_else(nobody)?;
        if !set.config.rules.static_members {
            let rules = set.config.rules.name;
            return Err(OrderError::Refused(format!(
                "the rules {rules} know no static members"
            )));
        }
        let Some(name) = name else {
            let mut places = places(&set.roster, &set.prefix, 2)?.into_iter();
            let (Some(first), Some(double)) = (places.next(), places.next()) else {
                return Ok(Vec::new());
            };
            let instance = InstanceId::from(format!("{}-static", first.client_id));
            let after = Some(first.client_id.to_string());
            let group = set.config.group.clone();
            let guests = vec![
                guest(first, group.clone(), Some(instance.clone()), None),
                guest(double, group, Some(instance), after),
            ];
            return Ok(set.host(guests, None).await);
        };
        let seat = self.roster.seat(name)?;
        let Some(instance) = seat.instance else {
            let member = name.to_owned();
            return Err(OrderError::NotStatic { member });
        };
        let places = places(&set.roster, &set.prefix, 1)?;
        let double = |place| guest(place, seat.group.clone(), Some(instance.clone()), None);
        Ok(set.host(places.into_iter().map(double).collect(), None).await)
    }

    /// Starts so many members in each of some groups; they leave after `stay`. Gives how many.
    ///
    /// # Errors
    /// There would be too many.
    pub async fn visit(
        &self,
        groups: impl IntoIterator<Item = GroupId>,
        members: u32,
        stay: Millis,
    ) -> Result<usize, OrderError> {
        let set = self.last_set().ok_or_else(nobody)?;
        let groups: Vec<GroupId> = groups.into_iter().collect();
        let count = u32::try_from(groups.len())
            .unwrap_or(u32::MAX)
            .saturating_mul(members);
        let mut places = places(&set.roster, &set.prefix, count)?.into_iter();
        let mut guests = Vec::new();
        for group in groups {
            let of_group = places.by_ref().take(members as usize);
            guests.extend(of_group.map(|place| guest(place, group.clone(), None, None)));
        }
        Ok(set.host(guests, Some(stay)).await.len())
    }

    /// A client that is no member asks for member ids and uses none.
    ///
    /// # Errors
    /// [`OrderError::Refused`]: who could not be reached, or what was answered.
    pub async fn ask_for_ids(&self, group: &GroupId, count: u32) -> Result<(), OrderError> {
        let set = self.last_set().ok_or_else(nobody)?;
        let asked = set.stranger.ask_for_ids(group, count);
        asked.await.map_err(OrderError::Refused)
    }

    /// A client that is no member commits an offset for a group: of the first topic that members of ours subscribe to.
    ///
    /// # Errors
    /// [`OrderError::Refused`]: who could not be reached, or what was answered.
    pub async fn commit(&self, group: &GroupId) -> Result<(), OrderError> {
        let set = self.last_set().ok_or_else(nobody)?;
        let topic = set.config.topics.first().map_or("", String::as_str);
        set.stranger
            .commit(group, topic)
            .await
            .map_err(OrderError::Refused)
    }

    /// All are good members again, and those that came for a fault leave.
    pub async fn calm(&self) {
        let sets = self.crew().as_ref().map(|crew| crew.sets.clone());
        for set in sets.unwrap_or_default() {
            let _ending = set.commands.send(Command::Calm).await;
        }
    }

    /// The group that the members hired last form.
    #[must_use]
    pub fn group(&self) -> GroupId {
        self.last_set()
            .map_or_else(GroupId::default, |set| set.config.group.clone())
    }

    fn last_set(&self) -> Option<Set> {
        self.crew().as_ref()?.sets.last().cloned()
    }

    fn tell(&self, name: &str, deed: Deed) -> Result<(), OrderError> {
        if self.roster.tell(name, deed)? {
            Ok(())
        } else {
            let member = name.to_owned();
            Err(OrderError::Busy { member })
        }
    }
}

impl Set {
    async fn host(&self, guests: Vec<Guest>, stay: Option<Millis>) -> Vec<String> {
        let names = guests
            .iter()
            .map(|guest| guest.place.client_id.to_string())
            .collect();
        let _ending = self.commands.send(Command::Host { guests, stay }).await;
        names
    }
}

fn nobody() -> OrderError {
    OrderError::Refused(AddError::Nobody.to_string())
}

fn guest(place: Place, group: GroupId, instance: Option<InstanceId>, after: Option<String>) -> Guest {
    Guest {
        place,
        group,
        instance,
        after,
    }
}
