//! Rebalances of groups of the newer types on real Kafka, as the survey tells them from the offsets log: each beside the lines that the
//! broker's own log has of it.

use shared::event::{Change, Departure, RebalanceCause};
use shared::ids::Generation;
use tests::heartline::{Heartline, binary};
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::survey::{epochs_are_those_of_the_log, row, stable, watching};

/// A broker, where the parts are here.
async fn broker() -> Option<Broker> {
    let ready = binary().is_some() && kafka::is_resolved() && Client::Java.is_installed();
    if ready {
        Some(Broker::start_with_short_sessions().await)
    } else {
        None
    }
}

#[tokio::test]
async fn every_epoch_in_the_brokers_log_is_in_a_rebalance_that_began_with_it_through_whom_it_says() {
    let Some(broker) = broker().await else {
        return;
    };
    let group = "epochs";
    broker.create_topic(group, 6).await;
    let heartline = watching(&broker.address(), &[]).await;
    let start = |client_id| Newcomer::start(Kind::Consumer, &broker.address(), group, group, client_id);
    let a = start("a");
    over(&heartline, group, 1).await;
    let mut b = start("b");
    over(&heartline, group, 2).await;
    b.kill();
    over(&heartline, group, 1).await;
    let c = start("c");
    over(&heartline, group, 2).await;
    c.leave().await;
    over(&heartline, group, 1).await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
    epochs_are_those_of_the_log(&heartline, &[&broker], group, 6).await;

    let gone = heartline
        .events_after(0, &format!("&kind=member_gone&group={group}"))
        .await;
    assert_eq!(gone.len(), 3, "b, c and a: {gone:?}");
    for event in gone {
        let Change::MemberGone { possible, .. } = &event.what.change else {
            continue;
        };
        assert!(
            possible.contains(&Departure::Left) && possible.contains(&Departure::TimedOut),
            "which of the two is in no record: {event:?}"
        );
    }
    let took = heartline
        .events_after(
            0,
            &format!("&kind=member_joined&kind=member_rejoined&group={group}"),
        )
        .await;
    let took = took.iter().filter(|event| match &event.what.change {
        Change::MemberJoined(joined) | Change::MemberRejoined(joined) => joined.took_ms.is_some(),
        _ => false,
    });
    // Two that join a group with another in it, and that other each time; it alone twice more.
    assert!(
        took.count() >= 6,
        "how long each took to take an epoch over is told"
    );
}

#[tokio::test]
async fn a_new_partition_is_a_rebalance_because_the_topics_changed() {
    let Some(broker) = broker().await else {
        return;
    };
    let group = "epochs-topics";
    broker.create_topic(group, 1).await;
    let heartline = watching(&broker.address(), &[]).await;
    let a = Newcomer::start(Kind::Consumer, &broker.address(), group, group, "a");
    over(&heartline, group, 1).await;
    broker.grow_topic(group, 3).await;
    let query = format!("&kind=rebalance_finished&group={group}");
    tests::wait::wait_until("a rebalance because of the topic", async || {
        let told = heartline.events_after(0, &query).await;
        let topics = told.iter().any(|event| match &event.what.change {
            Change::RebalanceFinished(what) => what.cause == RebalanceCause::MetadataChanged,
            _ => false,
        });
        if topics { Ok(()) } else { Err(told) }
    })
    .await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
    epochs_are_those_of_the_log(&heartline, &[&broker], group, 3).await;
}

#[tokio::test]
async fn share_and_streams_groups_rebalance_from_epoch_to_epoch_without_a_hole() {
    let Some(broker) = broker().await else {
        return;
    };
    let heartline = watching(&broker.address(), &[]).await;
    for kind in [Kind::Share, Kind::Streams] {
        let group = &format!("epochs-{kind}");
        broker.create_topic(group, 4).await;
        let start = |client_id| Newcomer::start(kind, &broker.address(), group, group, client_id);
        let a = start("a");
        over(&heartline, group, 1).await;
        let b = start("b");
        over(&heartline, group, 2).await;
        b.leave().await;
        over(&heartline, group, 1).await;
        a.leave().await;
        row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
        let query = format!("&kind=rebalance_started&kind=rebalance_finished&group={group}");
        let told = heartline.events_after(0, &query).await;
        let (mut left, mut last) = (None, None);
        for event in told {
            match &event.what.change {
                Change::RebalanceStarted { from_generation, .. } => {
                    let next = left.map(|left: Generation| Generation(left.0 + 1));
                    assert!(next.is_none() || *from_generation == next, "{event:?}");
                    left = *from_generation;
                }
                Change::RebalanceFinished(what) => {
                    assert_eq!(what.missed, 0, "{what:?}");
                    // Its record tells when its epoch was written, and not when its coordinator made up its mind.
                    let took = what.took_between_ms.filter(|(_, most)| most.is_some());
                    assert!(what.took_ms.is_none() && took.is_some(), "{what:?}");
                    last = Some(what.generation);
                }
                _ => {}
            }
        }
        assert!(last.is_some_and(|last| last.0 >= 4), "{last:?}");
        epochs_are_those_of_the_log(&heartline, &[&broker], group, 4).await;
    }
}

/// Waits until so many members are in the group's epoch, and no rebalance runs.
async fn over(heartline: &Heartline, group: &str, members: usize) {
    stable(heartline, group, members).await;
    let what = format!("{group}: {members} members in its epoch");
    tests::wait::wait_until(&what, async || {
        let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
        let there = whole["members"].as_array().cloned().unwrap_or_default();
        let epoch = &whole["group"]["generation"];
        let all = there.iter().all(|member| member["generation"] == *epoch);
        if there.len() == members && all && whole["rebalance"].is_null() {
            Ok(())
        } else {
            Err(whole)
        }
    })
    .await;
}
