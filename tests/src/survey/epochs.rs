//! The rebalances of a group of one of the newer types beside what the broker's log says of its epochs, "Bumped group epoch" and through
//! whom, and beside its records, when each began and ended. The log has no line of the end; and the record of an epoch is written, all
//! of a batch at one time, only after its line and after the assignment is computed, for which the first group has classes loaded (120 to
//! 790 ms later).

use std::collections::BTreeMap;

use shared::event::{Change, RebalanceCause};
use shared::ids::{Generation, MemberId};

use super::log::APART;
use crate::heartline::Heartline;
use crate::kafka::{Broker, Written};
use crate::wait::wait_until;

/// What a broker's log says of one new epoch of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bump {
    epoch: i32,
    /// Unix milliseconds.
    at: u64,
    /// Who came, or who went, as the lines before it say.
    came: Option<String>,
    went: Option<String>,
}

/// What a record tells, by its type's number (Kafka's `CoordinatorRecordType`), of KIP-848, share and streams groups each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tells {
    /// That the group is in an epoch.
    Epoch,
    /// Who is in it.
    Member,
    /// How far one has come; the number of the state of who has arrived.
    Stands(i32),
}

impl Tells {
    fn of(record: &str) -> Option<Self> {
        match record {
            "3" | "11" | "17" => Some(Self::Epoch),
            "5" | "10" | "19" => Some(Self::Member),
            "8" | "14" => Some(Self::Stands(0)),
            "22" => Some(Self::Stands(1)),
            _ => None,
        }
    }
}

/// An epoch, as its records have it. Times are in Unix milliseconds.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began_at: u64,
    /// When the last member had what it is to have in it; in one without members, when it began.
    settled_at: Option<u64>,
}

/// A rebalance, as Heartline tells it; its times in Unix milliseconds.
#[derive(Clone, Debug)]
struct Told {
    /// When it began, at the earliest and by its first record.
    began_from: u64,
    began_at: u64,
    ended_at: u64,
    /// The epoch it left, and that it ended with.
    left: Option<i32>,
    to: i32,
    cause: RebalanceCause,
    member: Option<MemberId>,
    missed: u32,
    /// Whether all members came into that epoch; where not, it gave way to the next.
    over: bool,
}

/// Waits until every epoch that the brokers' logs say a group of a newer type was given, at least `least`, is that of a rebalance that is
/// over or gave way to the next, and compares each rebalance with the log: that there is none besides, when it began and ended, and through whom.
///
/// # Panics
///
/// Where they differ.
pub async fn epochs_are_those_of_the_log(
    heartline: &Heartline,
    brokers: &[&Broker],
    group: &str,
    least: usize,
) {
    let (told, logged) = wait_until("each epoch of the log", async || {
        let (told, runs) = told(heartline, group).await;
        let logged = epochs_in_the_logs(brokers, group);
        let over: Vec<i32> = told.iter().flat_map(epochs_of).collect();
        let all = logged.iter().map(|bump| bump.epoch).eq(over);
        if all && !runs && logged.len() >= least {
            Ok((told, logged))
        } else {
            Err((told, logged))
        }
    })
    .await;
    let mut written = BTreeMap::new();
    for broker in brokers {
        written.extend(epochs_written(broker, group).await);
    }
    for told in &told {
        let first = epochs_of(told).next();
        let bump = logged.iter().find(|bump| Some(bump.epoch) == first);
        let bump = bump.expect("compared above");
        let times = [told.began_at, told.ended_at];
        let began_at = |epoch: i32| Some(written.get(&epoch)?.began_at);
        let settled_at = |epoch: i32| written.get(&epoch)?.settled_at;
        let ended_at = if told.over {
            settled_at(told.to)
        } else {
            began_at(told.to + 1)
        };
        assert_eq!(times.map(Some), [began_at(bump.epoch), ended_at], "{told:?}");
        let span = told.began_from.saturating_sub(APART)..=told.began_at + APART;
        assert!(span.contains(&bump.at), "{told:?} did not begin with {bump:?}");
        assert_eq!(told.missed, 0, "{told:?}");
        let member = told.member.as_ref().map(|member| member.as_str().to_owned());
        match (&bump.came, &bump.went) {
            (Some(came), None) => {
                assert_eq!(
                    (told.cause, member),
                    (RebalanceCause::MemberJoined, Some(came.clone()))
                );
            }
            // Who it was can be told; whether it left or its session was over cannot.
            (None, Some(went)) => {
                assert_eq!(
                    (told.cause, member),
                    (RebalanceCause::NotVisible, Some(went.clone()))
                );
            }
            _ => assert_ne!(told.cause, RebalanceCause::MemberJoined, "{told:?}: {bump:?}"),
        }
    }
}

/// A rebalance that is told to have begun.
struct Begun {
    from: u64,
    at: u64,
    left: Option<Generation>,
    cause: RebalanceCause,
    member: Option<MemberId>,
}

/// The rebalances that are told to have ended, and whether one is told to be under way. One that begins before another is over is that
/// of the next epoch, to which that gave way.
///
/// # Panics
///
/// When one ends that did not begin, or one begins that leaves no epoch in which another could have ended.
async fn told(heartline: &Heartline, group: &str) -> (Vec<Told>, bool) {
    let query = format!("&kind=rebalance_finished&kind=rebalance_started&group={group}");
    let mut began = None;
    let mut told = Vec::new();
    for event in heartline.events_after(0, &query).await {
        let at = event.what.at.0;
        match event.what.change {
            Change::RebalanceStarted {
                cause,
                member,
                from_generation,
            } => {
                let from = event.what.at_earliest.map_or(at, |earliest| earliest.0);
                assert!(from <= at, "{from} {at}: {cause:?} {member:?}");
                let begun = Begun {
                    from,
                    at,
                    left: from_generation,
                    cause,
                    member,
                };
                if let Some(before) = began.replace(begun) {
                    let to = from_generation.expect("another runs, in an epoch");
                    told.push(Told {
                        began_from: before.from,
                        began_at: before.at,
                        ended_at: at,
                        left: before.left.map(|left| left.0),
                        to: to.0,
                        cause: before.cause,
                        member: before.member,
                        missed: 0,
                        over: false,
                    });
                }
            }
            Change::RebalanceFinished(what) => {
                let begun = began.take().expect("each begins");
                told.push(Told {
                    began_from: begun.from,
                    began_at: begun.at,
                    ended_at: at,
                    left: what.from_generation.map(|left| left.0),
                    to: what.generation.0,
                    cause: what.cause,
                    member: what.member,
                    missed: what.missed,
                    over: true,
                });
            }
            _ => {}
        }
    }
    (told, began.is_some())
}

/// What the broker wrote of each epoch of a group.
async fn epochs_written(broker: &Broker, group: &str) -> BTreeMap<i32, Epoch> {
    let mut written: BTreeMap<i32, Epoch> = BTreeMap::new();
    // Who is in the group, and in which epoch it has what it is to have there.
    let mut members: BTreeMap<String, Option<i32>> = BTreeMap::new();
    for Written { at, key, value } in broker.offsets_log().await {
        if key["data"]["groupId"] != group {
            continue;
        }
        let number = |name: &str| i32::try_from(value["data"][name].as_i64()?).ok();
        let member = key["data"]["memberId"].to_string();
        match (key["type"].as_str().and_then(Tells::of), value.is_null()) {
            (Some(Tells::Epoch), false) => {
                let (began_at, settled_at) = (at, None);
                // What is written again of it is not its beginning.
                written
                    .entry(number("epoch").unwrap_or(-1))
                    .or_insert(Epoch { began_at, settled_at });
            }
            (Some(Tells::Member), true) => drop(members.remove(&member)),
            (Some(Tells::Member), false) => drop(members.entry(member).or_default()),
            (Some(Tells::Stands(arrived)), false) => {
                let there = number("memberEpoch").filter(|_| number("state") == Some(arrived));
                members.insert(member, there);
            }
            _ => {}
        }
        if let Some((now, epoch)) = written.iter_mut().next_back()
            && members.values().all(|there| there.as_ref() == Some(now))
        {
            epoch.settled_at.get_or_insert(at);
        }
    }
    written
}

/// The epochs that a rebalance ran through.
fn epochs_of(told: &Told) -> impl Iterator<Item = i32> + use<> {
    told.left.map_or(told.to, |left| left + 1)..=told.to
}

/// A line of the log that tells of an epoch.
enum Line {
    Came(String),
    Went { member: String, at: u64 },
    Bumped { epoch: i32, at: u64 },
}

/// What a line says of the group; none where it says nothing of its epochs.
fn read(line: &str, group: &str) -> Option<Line> {
    let (_, said) = line.split_once(&format!("[GroupId {group}]"))?;
    let at = line.split_once(' ')?.0.parse().ok()?;
    // Lines of streams groups name the member whose heartbeat it was before what they say.
    let (asks, said) = match said
        .strip_prefix("[MemberId ")
        .and_then(|rest| rest.split_once("] "))
    {
        Some((member, said)) => (Some(member), said),
        None => (None, said.strip_prefix(' ')?),
    };
    let bumped = ["Bumped group epoch to ", "Bumped streams group epoch to "];
    if let Some(epoch) = bumped.iter().find_map(|bumped| said.strip_prefix(bumped)) {
        let digits: String = epoch.chars().take_while(char::is_ascii_digit).collect();
        let epoch = digits.parse().ok()?;
        return Some(Line::Bumped { epoch, at });
    }
    if said.starts_with("Member joins the streams group") {
        return asks.map(|member| Line::Came(member.to_owned()));
    }
    let members = ["Member ", "Static member ", "Streams member "];
    let said = members.iter().find_map(|member| said.strip_prefix(member))?;
    let (member, how) = said.split_once(' ')?;
    // A static member may also be said to re-join, and to have left temporarily: neither makes an epoch.
    let (left, joins) = ([" left the ", " fenced from the group"], " joins the ");
    let how = format!(" {how}");
    if how.contains(" temporarily left ") {
        None
    } else if left.iter().any(|left| how.contains(left)) {
        let member = member.to_owned();
        Some(Line::Went { member, at })
    } else if how.contains(joins) {
        Some(Line::Came(member.to_owned()))
    } else {
        None
    }
}

/// Every epoch that the brokers' logs say the group was given, in order. Of one that a share or streams group has because a member went
/// they have no line but that.
fn epochs_in_the_logs(brokers: &[&Broker], group: &str) -> Vec<Bump> {
    let mut bumps: Vec<Bump> = Vec::new();
    let mut came = None;
    // Who has gone since the last epoch that was named, and when.
    let mut gone: Vec<(String, u64)> = Vec::new();
    let lines = brokers
        .iter()
        .flat_map(|broker| broker.log_lines(|line| read(line, group)));
    for line in lines {
        match line {
            Line::Came(member) => came = Some(member),
            Line::Went { member, at } => gone.push((member, at)),
            Line::Bumped { epoch, at } => {
                let unnamed = bumps.last().map_or(0, |last| epoch - last.epoch - 1);
                let unnamed = usize::try_from(unnamed).unwrap_or(0).min(gone.len());
                for one in gone.drain(..unnamed) {
                    bumps.push(of_one_gone(&bumps, one));
                }
                let went = gone.pop().map(|(member, _)| member);
                let came = came.take();
                bumps.push(Bump {
                    epoch,
                    at,
                    came,
                    went,
                });
            }
        }
    }
    for one in gone {
        bumps.push(of_one_gone(&bumps, one));
    }
    bumps
}

/// The epoch behind the last one, which a member that went has brought about.
fn of_one_gone(bumps: &[Bump], (member, at): (String, u64)) -> Bump {
    Bump {
        epoch: bumps.last().map_or(0, |last| last.epoch) + 1,
        at,
        came: None,
        went: Some(member),
    }
}
