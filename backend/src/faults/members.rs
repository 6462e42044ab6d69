//! The faults that members of ours play, and clients that come for a fault only.

use std::time::Duration;

use shared::fault::Fault;
use shared::health::words::many;
use shared::ids::GroupId;
use shared::time::Millis;
use tokio::time::timeout;

use super::Refused;
use super::odd_ids::odd_ids;
use crate::embedded::{EmbeddedHandle, FaultError};
use crate::probe::Probes;

/// How long a client that came for a fault may take: the next fault waits meanwhile.
const STRANGER: Duration = Duration::from_secs(10);

/// Plays a fault where it is one of ours and says what it does; none where the coordinator must play it.
pub(super) async fn play(
    fault: &Fault,
    coordinator: &EmbeddedHandle,
    members: Option<&Probes>,
) -> Result<Option<String>, Refused> {
    if matches!(fault, Fault::Calm)
        && let Some(members) = members
    {
        members.calm().await;
    }
    if !is_of_members(fault) {
        return Ok(None);
    }
    let nobody = "this server runs no members of its own";
    let ours = members.ok_or_else(|| Refused::Now(nobody.to_owned()))?;
    match order(fault, coordinator, ours)? {
        Some(sentence) => Ok(Some(sentence)),
        None => come(fault, coordinator, ours).await,
    }
}

const fn is_of_members(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Kill { .. }
            | Fault::Leave { .. }
            | Fault::Add { .. }
            | Fault::IgnoreRebalance { .. }
            | Fault::JoinWithoutSync { .. }
            | Fault::Rejoin { .. }
            | Fault::QueueBehind { .. }
            | Fault::DuplicateInstance { .. }
            | Fault::UnusedId { .. }
            | Fault::Groups { .. }
            | Fault::OddIds { .. }
    )
}

/// One that a member which is there plays.
fn order(fault: &Fault, coordinator: &EmbeddedHandle, ours: &Probes) -> Result<Option<String>, Refused> {
    let sentence = match fault {
        Fault::Kill { member } => {
            ours.kill(member.as_str()).map_err(Refused::now)?;
            format!("the socket of {member} is cut; it does not leave and does not come back")
        }
        Fault::Leave { member } => {
            ours.leave(member.as_str()).map_err(Refused::now)?;
            format!("{member} leaves the group and ends")
        }
        Fault::IgnoreRebalance { member, ms } => {
            let ignored = ours.ignore_rebalance(member.as_str(), Millis(*ms));
            ignored.map_err(Refused::now)?;
            format!("{member} beats on and ignores rebalances for {ms} ms")
        }
        Fault::JoinWithoutSync { member, times } => {
            let told = ours.join_without_sync(member.as_str(), *times);
            let kept = match times {
                1 => "SyncGroup".to_owned(),
                times => format!("{times} SyncGroups"),
            };
            if told.map_err(Refused::now)? {
                format!("{member} keeps its next {kept}, and the leader of its group rejoins")
            } else {
                format!("{member} keeps its next {kept}, from the next rebalance on")
            }
        }
        Fault::Rejoin {
            member,
            times,
            every_ms,
        } => {
            let told = ours.rejoin(member.as_str(), *times, Millis(*every_ms));
            told.map_err(Refused::now)?;
            let often = many(u64::from(*times), "time", "times");
            format!("{member} joins again {often}, {every_ms} ms after it is in")
        }
        Fault::QueueBehind { member, ms } => {
            queue_behind(ours, coordinator, fault)?;
            format!(
                "{member} rejoins, and the answer to its SyncGroup takes {ms} ms: what it sends meanwhile waits behind it"
            )
        }
        _ => return Ok(None),
    };
    Ok(Some(sentence))
}

/// One for which somebody comes.
async fn come(fault: &Fault, coordinator: &EmbeddedHandle, ours: &Probes) -> Result<Option<String>, Refused> {
    let sentence = match fault {
        Fault::Add { count } => {
            let names = ours.add(*count).await.map_err(Refused::now)?;
            format!("joining the group: {}", names.join(", "))
        }
        Fault::DuplicateInstance { member } => {
            let name = member.as_ref().map(|member| member.as_str());
            let names = ours.duplicate(name).await.map_err(Refused::now)?;
            format!("joining under one group.instance.id: {}", names.join(", "))
        }
        Fault::UnusedId { group, count } => {
            // Whoever asks to join a group that is not there makes it.
            if !coordinator.has_group(group) {
                let group = group.clone();
                return Err(FaultError::Group { group }.into());
            }
            within(ours.ask_for_ids(group, *count)).await?;
            let ids = many(u64::from(*count), "member id", "member ids");
            let were = if *count == 1 { "was" } else { "were" };
            format!("{ids} of {group} {were} handed out and will not be used")
        }
        Fault::Groups {
            count,
            members: each,
            ms,
        } => {
            let prefix = ours.group();
            let groups = (1..=*count).map(|n| GroupId::from(format!("{prefix}-{n:04}")));
            let joining = ours
                .visit(groups, *each, Millis(*ms))
                .await
                .map_err(Refused::now)?;
            let join = if joining == 1 {
                "member joins"
            } else {
                "members join"
            };
            let joined = match count {
                1 => format!("the group {prefix}-0001"),
                count => format!("{count} groups, {prefix}-0001 and so on,"),
            };
            format!("{joining} {join} {joined} and will leave after {ms} ms")
        }
        Fault::OddIds { ms } => {
            let ids = odd_ids();
            let count = ids.len();
            let with_empty = ids.into_iter().chain([GroupId::default()]);
            ours.visit(with_empty, 1, Millis(*ms))
                .await
                .map_err(Refused::now)?;
            within(ours.commit(&GroupId::default())).await?;
            format!(
                "a member joins each of {count} groups with odd ids and leaves after {ms} ms; the empty id takes commits only"
            )
        }
        _ => return Ok(None),
    };
    Ok(Some(sentence))
}

/// The member is in, so its rejoin is answered at once, or when all have rejoined where it leads; what is late is the answer
/// to its SyncGroup.
fn queue_behind(ours: &Probes, coordinator: &EmbeddedHandle, fault: &Fault) -> Result<(), Refused> {
    let Fault::QueueBehind { member, ms } = fault else {
        return Ok(());
    };
    coordinator.plan(&Fault::Delay {
        api: "SyncGroup".to_owned(),
        ms: *ms,
        member: Some(member.clone()),
        group: None,
        times: 1,
    })?;
    ours.rejoin(member.as_str(), 1, Millis(0)).map_err(Refused::now)
}

async fn within<E: std::fmt::Display>(asked: impl Future<Output = Result<(), E>>) -> Result<(), Refused> {
    match timeout(STRANGER, asked).await {
        Ok(done) => done.map_err(Refused::now),
        Err(_elapsed) => Err(Refused::Now(format!(
            "the coordinator did not answer within {} s",
            STRANGER.as_secs()
        ))),
    }
}
