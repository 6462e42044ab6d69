//! A group that is in use is not joined: against our own coordinator, over loopback.

use std::time::Duration;

use shared::event::{Change, Observation};
use shared::fault::Fault;
use shared::member::Config;
use shared::rules::Rules;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::coordinator::config::Config as Settings;
use crate::coordinator::topics::Topics;
use crate::embedded::{Embedded, EmbeddedConfig, EmbeddedHandle};
use crate::kafka::address::Address;

use crate::probe::{ProbeConfig, Probes};
use crate::world::World;

/// How long a test waits for what it expects: far longer than it ever takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn coordinator(clock: Clock) -> EmbeddedHandle {
    let config = EmbeddedConfig {
        listen: "127.0.0.1:0".parse().expect("an address"),
        topics: Topics::parse("demo:6").expect("topics"),
        coordinator: Settings::from_settings(["group.initial.rebalance.delay.ms=0"]).expect("settings"),
    };
    Embedded::start(config, clock, Reporter::channel(4_096).0).expect("a free port")
}

/// A member called so of the group `orders`.
fn config(at: &EmbeddedHandle, name: &str) -> ProbeConfig {
    let mut member = Config::new(GroupId::from("orders"), name, Rules::MODERN);
    member.retry_backoff = Millis(5);
    member.retry_backoff_max = Millis(20);
    ProbeConfig {
        bootstrap: vec![Address::from(at.local_addr())],
        member,
        members: 1,
        connect_timeout: Millis(5_000),
        host: None,
        security: crate::kafka::security::Security::default(),
    }
}

/// Members that look first, and what they report.
fn looking(config: ProbeConfig, clock: Clock) -> (Probes, mpsc::Receiver<Observation>, KeptOut) {
    let (reporter, reports) = Reporter::channel(4_096);
    let probes = Probes::idle(clock, reporter);
    let kept_out = KeptOut::default();
    probes
        .hire_where_free(config, kept_out.clone())
        .expect("a good configuration");
    (probes, reports, kept_out)
}

async fn joins(reports: &mut mpsc::Receiver<Observation>) {
    let joined = async {
        while let Some(report) = reports.recv().await {
            if matches!(report.change, Change::MemberJoined(_)) {
                return;
            }
        }
        panic!("the members ended");
    };
    timeout(PATIENCE, joined).await.expect("it joins");
}

#[tokio::test]
async fn a_group_with_members_of_others_is_refused_in_one_line_and_nothing_joins_it() {
    let clock = Clock::start();
    let coordinator = coordinator(clock);
    let (_theirs, mut reports, none) = looking(config(&coordinator, "billing"), clock);
    joins(&mut reports).await;
    assert_eq!(none.why(), None, "a group that nobody had is free");

    let (ours, mut reports, kept_out) = looking(config(&coordinator, "heartline"), clock);
    let refused = async {
        while kept_out.why().is_none() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, refused).await.expect("it is refused");
    assert_eq!(
        kept_out.why().as_deref(),
        Some(
            "--probe-group orders is a group of type classic, with 1 member that is not Heartline's: nothing of ours joins it; give a name \
             that no group has, or that of an empty classic group"
        )
    );
    // They are asked to leave, have nothing to leave, and have told nothing of themselves.
    let farewell = ours.shutdown(PATIENCE).await;
    assert_eq!(farewell.remaining, 0);
    drop(ours);
    let mut told = Vec::new();
    while let Some(report) = reports.recv().await {
        told.push(report.change);
    }
    let joins = |change: &Change| matches!(change, Change::MemberMoved { .. } | Change::MemberJoined(_));
    assert!(!told.iter().any(joins), "{told:?}");
}

#[tokio::test]
async fn a_group_with_members_of_ours_of_before_is_joined() {
    let clock = Clock::start();
    let coordinator = coordinator(clock);
    let (_before, mut reports, _) = looking(config(&coordinator, "heartline"), clock);
    joins(&mut reports).await;
    let (_after, mut reports, kept_out) = looking(config(&coordinator, "heartline"), clock);
    joins(&mut reports).await;
    assert_eq!(kept_out.why(), None);
}

#[tokio::test(start_paused = true)]
async fn a_group_that_may_not_be_looked_at_is_looked_at_again_when_the_right_is_there() {
    for (theirs, name) in [(true, "a group of others"), (false, "a free one")] {
        let world = World::in_memory(Clock::start(), 7);
        let told = EmbeddedConfig {
            listen: "127.0.0.1:9092".parse().expect("an address"),
            topics: Topics::parse("demo:6").expect("topics"),
            coordinator: Settings::from_settings(["group.initial.rebalance.delay.ms=0"]).expect("settings"),
        };
        let coordinator =
            Embedded::start(told, world.clone(), Reporter::channel(65_536).0).expect("a free port");
        let (reporter, mut others_reports) = Reporter::channel(65_536);
        let others = Probes::idle(world.clone(), reporter);
        others
            .hire(config(&coordinator, "billing"))
            .expect("a good configuration");
        joins(&mut others_reports).await;
        if !theirs {
            others.shutdown(PATIENCE).await;
        }
        let forbid = Fault::Forbid {
            group: GroupId::from("orders"),
            ms: 5_000,
        };
        coordinator.play(forbid).await.expect("it is played");

        let (reporter, mut reports) = Reporter::channel(65_536);
        let ours = Probes::idle(world, reporter);
        let kept_out = KeptOut::default();
        ours.hire_where_free(config(&coordinator, "heartline"), kept_out.clone())
            .expect("a good configuration");
        let refused = async {
            while let Some(report) = reports.recv().await {
                if matches!(report.change, Change::NotAuthorized { .. }) {
                    return;
                }
            }
        };
        timeout(PATIENCE, refused).await.expect("it is refused");
        if theirs {
            let mut why = kept_out.watched();
            let found = timeout(2 * PATIENCE, why.wait_for(Option::is_some)).await;
            found.expect("it is looked at again").expect("it is known");
        } else {
            timeout(2 * PATIENCE, joins(&mut reports)).await.expect(name);
            assert_eq!(kept_out.why(), None);
        }
    }
}

#[test]
fn a_group_of_another_type_is_refused_with_or_without_members() {
    let group = GroupId::from("orders");
    for (group_type, others, said) in [
        (GroupType::Classic, Some(0), None),
        (
            GroupType::Classic,
            None,
            Some("classic, whose members are not visible"),
        ),
        (GroupType::Share, Some(2), Some("share, with 2 members that")),
        (GroupType::Streams, Some(0), Some("streams, with 0 members that")),
        (GroupType::Consumer, Some(1), Some("consumer, with 1 member that")),
        (
            GroupType::from("odd"),
            None,
            Some("odd, whose members are not visible"),
        ),
    ] {
        let told = taken(&group, &group_type, others);
        assert_eq!(told.is_some(), said.is_some(), "{told:?}");
        let told = told.unwrap_or_default();
        assert!(told.contains(said.unwrap_or_default()), "{told}");
    }
}
