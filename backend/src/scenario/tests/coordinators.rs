//! Coordinators that moved or cannot be reached.

use shared::event::Change;
use shared::health::Verdict;
use shared::health::words::span;
use shared::ids::NodeId;
use shared::time::Millis;

use super::play::{Play, Scene};

#[tokio::test(start_paused = true)]
async fn requests_to_the_former_coordinator_name_who_does_not_look_it_up_again() {
    for (group, client, witnesses, beat_ms, retry_ms, move_ms) in [
        ("notify", "kafka_ex", 2, 3_000, 1_000, 30_000),
        ("no tify", "ex\u{e9}", 4, 1_000, 400, 15_000),
    ] {
        let mut play = Play::of("unheeded-move")
            .set("group", group)
            .set("client", client)
            .set("witnesses", witnesses)
            .set("beat_ms", beat_ms)
            .set("retry_ms", retry_ms)
            .set("move_ms", move_ms)
            .start()
            .await;
        let late =
            |scene: &Scene| scene.has(group, Verdict::MemberLate) && scene.has(group, Verdict::Refused);
        let scene = play.until(late).await;
        let moved = scene.events(group, "group_unloaded").next_back().unwrap();
        assert!(
            matches!(moved.what.change, Change::GroupUnloaded { node: NodeId(1), .. }),
            "{scene}"
        );
        assert_eq!(
            scene.group(group).unwrap().coordinator.as_ref().unwrap().node,
            NodeId(2),
            "{scene}"
        );
        let refused = scene.events(group, "request_refused").next_back().unwrap();
        assert_eq!(
            scene.finding(group, Verdict::Refused).sentence,
            format!(
                "Requests still reach the former coordinator, broker 1, {} after the move: {client} of /10.0.6.9 did not look it up \
                 again.",
                span(refused.what.at.since(moved.what.at))
            )
        );
        // It is late at its new coordinator, and yet nothing is wrong with its process or its network.
        let finding = scene.finding(group, Verdict::MemberLate);
        let speaks = "It is not silent: its JoinGroup was answered 16 NOT_COORDINATOR";
        assert!(finding.sentence.starts_with(client), "{scene}");
        assert!(finding.sentence.contains(speaks), "{scene}");
        assert!(!finding.sentence.contains("GC"), "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_advertised_host_that_does_not_resolve_is_named_with_how_long_nobody_was_answered() {
    for (group, members, host, request_ms) in [
        ("mailer", 2, "1b34de8e9eaa", 30_000),
        ("mail er", 1, "c0ffee", 10_000),
    ] {
        let mut play = Play::of("container-address")
            .set("group", group)
            .set("members", members)
            .set("host", host)
            .set("request_ms", request_ms)
            .start()
            .await;
        play.at(Millis(20_000)).await;
        let scene = play
            .until(|scene| scene.has(group, Verdict::CoordinatorGone))
            .await;
        let lost = scene.events(group, "coordinator_dead").next().unwrap().what.at;
        let sentence = scene.finding(group, Verdict::CoordinatorGone).sentence;
        let length = span(scene.now.since(lost));
        let begins = format!(
            "The coordinator, broker 1 ({host}:9092), has not answered for {length}: the connection to it ended"
        );
        assert!(sentence.starts_with(&begins), "{scene}");
        let unresolved = format!("Its advertised host {host} does not resolve here");
        assert!(sentence.contains(&unresolved), "{scene}");
        assert!(
            sentence.contains(" meanwhile and lost again each time."),
            "{scene}"
        );
        let rest = scene.finding(group, Verdict::NotVisible).sentence;
        assert_eq!(rest, "The group's state is not visible from here.");
    }
}
