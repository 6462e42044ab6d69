//! From a fault asked for to one in force, or why not.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use shared::error_code as code;
use shared::fault::{AnswerWith, AnswerWord, Fault};
use shared::ids::{GroupId, MemberId};
use shared::protocol::ApiKey;
use shared::time::{Millis, Timestamp};
use tokio::sync::watch;

use super::{Broker, Clients, Deed, Effect, Failure, FaultError, Faults, Lasting, Plan, Played, Silence};
use crate::coordinator::Coordinator;
use crate::limits;

impl Faults {
    /// Takes a fault into force, or says why not.
    pub(in crate::embedded) fn plan(
        &mut self,
        now: Timestamp,
        fault: &Fault,
        connections: u64,
        (coordinator, clients): (&Coordinator, &Clients),
    ) -> Result<Played, FaultError> {
        let there = There { coordinator, clients };
        if self.count() >= limits::FAULTS_WAITING {
            return Err(FaultError::TooMany);
        }
        match fault {
            Fault::Silence { member } => self.silence(member, &there),
            Fault::Delay { .. } | Fault::Drop { .. } | Fault::Answer { .. } | Fault::Throttle { .. } => {
                self.plan_answers(fault, &there)
            }
            Fault::FailStorage { group, error, times } => self.fail_storage(group, error.0, *times, &there),
            Fault::Refuse { .. }
            | Fault::Forbid { .. }
            | Fault::EvictEachOther { .. }
            | Fault::Advertise { .. }
            | Fault::HalfOpen { .. } => self.last(now, fault, connections, &there),
            Fault::Stop
            | Fault::Restart
            | Fault::Move { .. }
            | Fault::Full { .. }
            | Fault::ClockStep { .. }
            | Fault::Calm => Err(FaultError::OfTheWhole),
            _ => Err(FaultError::OfMembers { fault: fault.name() }),
        }
    }

    /// Those about the next answers.
    fn plan_answers(&mut self, fault: &Fault, there: &There<'_>) -> Result<Played, FaultError> {
        match fault {
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
                self.add(
                    there,
                    (Some(api), *times),
                    (member.as_ref(), group.as_ref()),
                    deed,
                )
            }
            Fault::Drop {
                api,
                times,
                member,
                group,
            } => self.add(
                there,
                (Some(api), *times),
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
                self.add(
                    there,
                    (Some(api), *times),
                    (member.as_ref(), group.as_ref()),
                    deed,
                )
            }
            Fault::Throttle {
                ms,
                api,
                times,
                member,
                group,
            } => {
                let deed = Deed::Throttle(Millis(*ms));
                let api = api.as_deref();
                self.add(there, (api, *times), (member.as_ref(), group.as_ref()), deed)
            }
            _ => Err(FaultError::OfTheWhole),
        }
    }

    /// `group.max.size` is lower for a while; `before` is what it is after that.
    pub(in crate::embedded) fn fill(&mut self, now: Timestamp, before: usize, ms: u64) {
        // Filled twice, it is once more as it was before the first.
        let first = self.lasting.iter().find_map(|lasting| match lasting.effect {
            Effect::Full { before } => Some(before),
            _ => None,
        });
        self.lasting
            .retain(|lasting| !matches!(lasting.effect, Effect::Full { .. }));
        self.lasting.push(Lasting {
            until: now + Millis(ms),
            effect: Effect::Full {
                before: first.unwrap_or(before),
            },
        });
    }

    fn fail_storage(
        &mut self,
        group: &GroupId,
        error: i16,
        times: u32,
        there: &There<'_>,
    ) -> Result<Played, FaultError> {
        there.group(group)?;
        self.failures.push(Failure {
            group: group.clone(),
            error,
            times,
        });
        let records = match times {
            1 => "record".to_owned(),
            times => format!("{times} records"),
        };
        let label = code::label(error);
        Ok(Played::new(format!(
            "the next {records} of {group} cannot be stored: {label}; it writes one at the end of each rebalance and at \
             each commit, so nothing is to be seen before that"
        )))
    }

    /// Those that go on until their time is over.
    fn last(
        &mut self,
        now: Timestamp,
        fault: &Fault,
        connections: u64,
        there: &There<'_>,
    ) -> Result<Played, FaultError> {
        let (ms, effect, sentence) = match fault {
            Fault::Refuse { error, ms, group } => {
                if let Some(group) = group {
                    there.group(group)?;
                }
                let (group, error) = (group.clone(), error.0);
                let whose = group
                    .as_ref()
                    .map_or("every group".to_owned(), GroupId::to_string);
                let sentence = format!("requests about {whose} are answered {}", code::label(error));
                (*ms, Effect::Refuse { group, error }, sentence)
            }
            Fault::Forbid { group, ms } => {
                there.group(group)?;
                let (group, sentence) = (group.clone(), format!("{group} is forbidden to everybody"));
                (*ms, Effect::Forbid { group }, sentence)
            }
            Fault::EvictEachOther { group, ms } => {
                there.group(group)?;
                let sentence = format!("whoever joins {group} displaces the others");
                let group = group.clone();
                (*ms, Effect::Displace { group }, sentence)
            }
            Fault::Advertise { host, port, ms } => {
                self.lasting
                    .retain(|lasting| !matches!(lasting.effect, Effect::Advertise { .. }));
                let (host, port) = (host.clone(), *port);
                let named = match (&host, port) {
                    (Some(host), Some(port)) => format!("{host}:{port} as its own address"),
                    (Some(host), None) => format!("{host} as its own host"),
                    (None, Some(port)) => format!("{port} as its own port"),
                    // Nobody is let ask for it.
                    (None, None) => "its true address".to_owned(),
                };
                let sentence = format!("the broker names {named}");
                (*ms, Effect::Advertise { host, port }, sentence)
            }
            Fault::HalfOpen { member, ms } => {
                let clients = there.clients_of(member)?;
                let (over, _) = watch::channel(());
                let before = connections;
                let sentence = format!("nothing passes on the connections that {member} has now");
                (
                    *ms,
                    Effect::HalfOpen {
                        clients,
                        before,
                        over,
                    },
                    sentence,
                )
            }
            _ => return Err(FaultError::OfTheWhole),
        };
        let until = now + Millis(ms);
        self.lasting.push(Lasting { until, effect });
        Ok(Played::new(format!("{sentence}, for {ms} ms")))
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
        (api, times): (Option<&str>, u32),
        (member, group): (Option<&MemberId>, Option<&GroupId>),
        deed: Deed,
    ) -> Result<Played, FaultError> {
        let served = |key: &&ApiKey| Broker::versions(**key).is_some();
        let find = |api: &str| {
            let found = ApiKey::ALL.iter().filter(served).find(|key| key.name() == api);
            found.copied().ok_or_else(|| FaultError::Api { api: api.into() })
        };
        let api = api.map(find).transpose()?;
        if !(1..=limits::fault::TIMES).contains(&times) {
            return Err(FaultError::Times { times });
        }
        if let Deed::Answer(AnswerWith::Code(error)) = deed {
            if let (code::NONE, Some(api)) = (error, api)
                && api != ApiKey::Heartbeat
            {
                return Err(FaultError::NoError { api });
            }
            if code::find(error).is_none() {
                return Err(FaultError::Code { error });
            }
        }
        if let Some(group) = group {
            there.group(group)?;
        }
        if let Some(member) = member
            && !there.knows_member(member)
        {
            return Err(there.unknown_member(member));
        }
        let whose = member.map_or_else(|| "any member".to_owned(), MemberId::to_string);
        let what = match deed {
            Deed::Delay(wait) => format!("held back for {} ms", wait.as_millis()),
            Deed::Throttle(wait) => format!("throttled for {} ms", wait.0),
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
        let api = api.map_or_else(String::new, |api| format!("{api} "));
        let answers = match times {
            1 => format!("{api}answer to {whose} is"),
            times => format!("{times} {api}answers to {whose} are"),
        };
        Ok(Played::new(format!("the next {answers} {what}")))
    }
}

/// What there is to play faults on.
struct There<'a> {
    coordinator: &'a Coordinator,
    clients: &'a Clients,
}

impl There<'_> {
    fn group(&self, group: &GroupId) -> Result<(), FaultError> {
        if self.coordinator.has_group(group.as_str()) {
            Ok(())
        } else {
            Err(FaultError::Group { group: group.clone() })
        }
    }

    /// The clients behind a name.
    fn clients_of(&self, name: &MemberId) -> Result<BTreeSet<Arc<str>>, FaultError> {
        let named = self.coordinator.members_named(name.as_str());
        let known = self.clients.get_key_value(name.as_str());
        let all = named
            .iter()
            .map(|member| member.client_id)
            .chain(known.map(|(id, _)| id));
        let clients: BTreeSet<Arc<str>> = all.cloned().collect();
        if clients.is_empty() {
            return Err(self.unknown_member(name));
        }
        Ok(clients)
    }

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
