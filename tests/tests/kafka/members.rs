//! Heartline's members in a group on Apache Kafka.

use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka;

#[tokio::test]
async fn members_join_heartbeat_and_report_their_latency() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "members-join";
    let arguments = [
        "--bootstrap-servers",
        &broker.address(),
        "--probe-group",
        group,
        "--members",
        "3",
    ];
    let heartline = Heartline::start(&[&arguments[..], &["--heartbeat-interval", "1000"]].concat()).await;

    let (_, found) = heartline
        .event_after(0, "the coordinator", |event| match &event.what.change {
            Change::CoordinatorFound { node, port, .. } => Some((node.0, *port)),
            _ => None,
        })
        .await;
    assert_eq!(found, (broker.node(), broker.port()));

    let members = tests::wait::wait_until(
        "three members in one generation that were each answered 0",
        async || {
            let mut answered: Vec<_> = heartline
                .events_after(0, &format!("&group={group}&kind=heartbeat_answered"))
                .await
                .into_iter()
                .filter_map(|event| match event.what.change {
                    Change::HeartbeatAnswered {
                        generation,
                        error: 0,
                        latency_us: 1..,
                        ..
                    } => Some((generation, event.what.member)),
                    _ => None,
                })
                .collect();
            let newest = answered.iter().map(|(generation, _)| *generation).max();
            answered.retain(|(generation, _)| Some(*generation) == newest);
            answered.sort();
            answered.dedup();
            if answered.len() == 3 {
                Ok(answered)
            } else {
                Err(answered)
            }
        },
    )
    .await;
    assert!(members.iter().all(|(_, member)| member.is_some()), "{members:?}");

    let (status, ready) = heartline.get("/readyz").await;
    assert_eq!(status, 200, "{ready}");
    let metrics = heartline.text("/metrics").await;
    let series = format!(
        "heartline_heartbeat_latency_seconds_count{{cluster=\"{}\",group=\"{group}\"",
        broker.cluster()
    );
    let count = metrics.lines().find_map(|line| {
        line.strip_prefix(&series)?
            .rsplit(' ')
            .next()?
            .parse::<f64>()
            .ok()
    });
    assert!(
        count.is_some_and(|count| count >= 3.0),
        "{series}…}} is {count:?} in\n{metrics}"
    );
}

#[tokio::test]
async fn the_members_leave_before_the_program_ends() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "members-leave";
    let arguments = [
        "--bootstrap-servers",
        &broker.address(),
        "--probe-group",
        group,
        "--members",
        "1",
    ];
    let mut leaving = Heartline::start(&arguments).await;
    let joined =
        |event: &shared::event::Event| matches!(event.what.change, Change::MemberJoined(_)).then_some(());
    leaving.event_after(0, "its member", joined).await;

    leaving.process().signal("TERM");
    let status = leaving.process().ended().await;
    assert_eq!(status.code(), Some(0));

    // A member of a session of 45 s that had not left would hold up the next one's join for as long.
    broker
        .log_line("the coordinator's line about the leave", |line| {
            line.contains(group) && line.to_lowercase().contains("leavegroup")
        })
        .await;
}
