//! From a fault asked for to one in force, or why not.

use std::sync::Arc;
use std::time::Duration;

use shared::error_code as code;
use shared::fault::{AnswerWith, AnswerWord, Fault};
use shared::ids::{GroupId, MemberId};
use shared::protocol::ApiKey;
use tokio::sync::watch;

use super::{Broker, Clients, Deed, FaultError, Faults, Plan, Played, Silence};
use crate::coordinator::Coordinator;
use crate::limits;

impl Faults {
    /// Takes a fault into force, or says why not.
    pub(in crate::embedded) fn plan(
        &mut self,
        fault: &Fault,
        coordinator: &Coordinator,
        clients: &Clients,
    ) -> Result<Played, FaultError> {
        let there = There { coordinator, clients };
        if self.count() >= limits::FAULTS_WAITING {
            return Err(FaultError::TooMany);
        }
        match fault {
            Fault::Silence { member } => self.silence(member, &there),
            Fault::Delay {
                api,
                ms,
                member,
                group,
                times,
            } => {
                if *ms > limits::fault::MS {
                    return Err(FaultError::Delay { ms: *ms });
                }
                let deed = Deed::Delay(Duration::from_millis(*ms));
                self.add(&there, (api, *times), (member.as_ref(), group.as_ref()), deed)
            }
            Fault::Drop {
                api,
                times,
                member,
                group,
            } => self.add(
                &there,
                (api, *times),
                (member.as_ref(), group.as_ref()),
                Deed::Drop,
            ),
            Fault::Answer {
                api,
                error,
                times,
                member,
                group,
            } => {
                let deed = Deed::Answer(*error);
                self.add(&there, (api, *times), (member.as_ref(), group.as_ref()), deed)
            }
            Fault::Kill { .. } => Err(FaultError::OfMembers { fault: "kill" }),
            Fault::Leave { .. } => Err(FaultError::OfMembers { fault: "leave" }),
            Fault::Add { .. } => Err(FaultError::OfMembers { fault: "add" }),
            Fault::Stop | Fault::Restart => Err(FaultError::OfTheWhole),
            _ => Err(FaultError::NotYet { fault: fault.name() }),
        }
    }

    fn silence(&mut self, name: &MemberId, there: &There<'_>) -> Result<Played, FaultError> {
        let named = there.coordinator.members_named(name.as_str());
        if named.is_empty() {
            return Err(there.unknown_member(name));
        }
        let (over, _) = watch::channel(());
        let silence = Silence {
            members: named.iter().map(|member| member.id.clone()).collect(),
            clients: named.iter().map(|member| Arc::clone(member.client_id)).collect(),
            over,
        };
        self.silences.push(silence);
        Ok(Played::new(format!(
            "what {name} sends is swallowed until the coordinator has expired it"
        )))
    }

    fn add(
        &mut self,
        there: &There<'_>,
        (api, times): (&str, u32),
        (member, group): (Option<&MemberId>, Option<&GroupId>),
        deed: Deed,
    ) -> Result<Played, FaultError> {
        let served = |key: &&ApiKey| Broker::versions(**key).is_some();
        let api = *ApiKey::ALL
            .iter()
            .filter(served)
            .find(|key| key.name() == api)
            .ok_or_else(|| FaultError::Api { api: api.into() })?;
        if !(1..=limits::fault::TIMES).contains(&times) {
            return Err(FaultError::Times { times });
        }
        if let Deed::Answer(AnswerWith::Code(error)) = deed {
            if error == code::NONE && api != ApiKey::Heartbeat {
                return Err(FaultError::NoError { api });
            }
            if code::find(error).is_none() {
                return Err(FaultError::Code { error });
            }
        }
        if let Some(group) = group
            && !there.coordinator.has_group(group.as_str())
        {
            return Err(FaultError::Group { group: group.clone() });
        }
        if let Some(member) = member
            && !there.knows_member(member)
        {
            return Err(there.unknown_member(member));
        }
        let whose = member.map_or_else(|| "any member".to_owned(), MemberId::to_string);
        let what = match deed {
            Deed::Delay(wait) => format!("held back for {} ms", wait.as_millis()),
            Deed::Drop => "never sent".to_owned(),
            Deed::Answer(AnswerWith::Code(error)) => format!("replaced by {}", code::label(error)),
            Deed::Answer(AnswerWith::Word(AnswerWord::Disconnect)) => "replaced by a disconnect".to_owned(),
        };
        self.plans.push(Plan {
            api,
            group: group.cloned(),
            member: member.cloned(),
            times,
            deed,
        });
        Ok(Played::new(format!(
            "the next {times} {api} answers to {whose} are {what}"
        )))
    }
}

/// What there is to play faults on.
struct There<'a> {
    coordinator: &'a Coordinator,
    clients: &'a Clients,
}

impl There<'_> {
    /// By member id or client id; a client between two memberships is known by its connection.
    fn knows_member(&self, name: &MemberId) -> bool {
        self.clients.contains_key(name.as_str()) || !self.coordinator.members_named(name.as_str()).is_empty()
    }

    fn unknown_member(&self, member: &MemberId) -> FaultError {
        let mut known: Vec<String> = self
            .coordinator
            .member_ids()
            .take(limits::FAULT_CHOICES + 1)
            .map(MemberId::to_string)
            .collect();
        let more = known.len() > limits::FAULT_CHOICES;
        known.truncate(limits::FAULT_CHOICES);
        FaultError::Member {
            member: member.clone(),
            known,
            more,
        }
    }
}
