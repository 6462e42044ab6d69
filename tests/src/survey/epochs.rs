//! The rebalances of a KIP-848 group beside what the broker's log says of its epochs.

use shared::event::{Change, RebalanceCause, Rebalanced};

use super::log::APART;
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

/// How long after its line a broker may write the record, in milliseconds: with its first group it loads classes in between, which took
/// 120 to 790 on a loaded machine.
const RECORD_AFTER: u64 = 1_000;

/// What a broker's log says of one new epoch of a KIP-848 group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bump {
    epoch: i32,
    /// Unix milliseconds.
    at: u64,
    /// Who came, or who went, as the lines before it say.
    came: Option<String>,
    went: Option<String>,
}

/// Waits until every epoch that the brokers' logs say a KIP-848 group was given, at least `least`, is part of a rebalance that is
/// over, and compares each rebalance with the log: that there is none besides, when it began, and through whom.
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
    let (told, begun, logged) = wait_until("each epoch of the log", async || {
        let query = format!("&kind=rebalance_finished&kind=rebalance_started&group={group}");
        let events = heartline.events_after(0, &query).await;
        let mut told = Vec::new();
        let mut begun = Vec::new();
        for event in events {
            match event.what.change {
                Change::RebalanceFinished(what) => told.push(what),
                Change::RebalanceStarted { .. } => begun.push((event.what.at.0, event.what.at_earliest)),
                _ => {}
            }
        }
        let logged = epochs_in_the_logs(brokers, group);
        let over: Vec<i32> = told.iter().flat_map(epochs_of).collect();
        let all = logged.iter().map(|bump| bump.epoch).eq(over);
        if all && logged.len() >= least {
            Ok((told, begun, logged))
        } else {
            Err((told, begun, logged))
        }
    })
    .await;
    assert_eq!(
        begun.len(),
        told.len(),
        "each begins once and ends once: {told:?}"
    );
    for (what, (began, earliest)) in told.iter().zip(begun) {
        let first = epochs_of(what).next();
        let bump = logged
            .iter()
            .find(|bump| Some(bump.epoch) == first)
            .expect("compared above");
        let within = bump.at.saturating_sub(APART)..=bump.at + RECORD_AFTER;
        assert!(
            within.contains(&began) && earliest.is_none(),
            "{what:?} began at {began}, {earliest:?}; {bump:?}"
        );
        assert_eq!(what.missed, 0, "{what:?}");
        let member = what.member.as_ref().map(|member| member.as_str().to_owned());
        match (&bump.came, &bump.went) {
            (Some(came), None) => {
                assert_eq!(
                    (what.cause, member),
                    (RebalanceCause::MemberJoined, Some(came.clone()))
                );
            }
            // Who it was can be told; whether it left or its session was over cannot.
            (None, Some(went)) => {
                assert_eq!(
                    (what.cause, member),
                    (RebalanceCause::NotVisible, Some(went.clone()))
                );
            }
            _ => assert_ne!(what.cause, RebalanceCause::MemberJoined, "{what:?}: {bump:?}"),
        }
    }
}

/// The epochs that a rebalance ran through.
fn epochs_of(what: &Rebalanced) -> impl Iterator<Item = i32> + use<> {
    let last = what.generation.0;
    what.from_generation.map_or(last, |from| from.0 + 1)..=last
}

/// Every epoch that the brokers' logs say the group was given, in order.
fn epochs_in_the_logs(brokers: &[&Broker], group: &str) -> Vec<Bump> {
    enum Line {
        Came(String),
        Went(String),
        Bumped(i32, u64),
    }
    let mark = format!("[GroupId {group}] ");
    let pick = |line: &str| {
        let (_, said) = line.split_once(&mark)?;
        let (at, _) = line.split_once(' ')?;
        if let Some(epoch) = said.strip_prefix("Bumped group epoch to ") {
            let digits: String = epoch.chars().take_while(char::is_ascii_digit).collect();
            return Some(Line::Bumped(digits.parse().ok()?, at.parse().ok()?));
        }
        let (member, how) = said.strip_prefix("Member ")?.split_once(' ')?;
        if how.starts_with("joins the consumer group") {
            Some(Line::Came(member.to_owned()))
        } else if how.starts_with("left the consumer group") || how.starts_with("fenced from the group") {
            Some(Line::Went(member.to_owned()))
        } else {
            None
        }
    };
    let mut bumps = Vec::new();
    let (mut came, mut went) = (None, None);
    for line in brokers.iter().flat_map(|broker| broker.log_lines(pick)) {
        match line {
            Line::Came(member) => came = Some(member),
            Line::Went(member) => went = Some(member),
            Line::Bumped(epoch, at) => bumps.push(Bump {
                epoch,
                at,
                came: came.take(),
                went: went.take(),
            }),
        }
    }
    bumps
}
