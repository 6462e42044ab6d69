//! Two programs share one group: what the survivor's member sees when the other is killed.

use shared::event::{Change, Departure, Event, RejoinCause, Source};
use shared::ids::{Generation, MemberId};
use tests::chrome::{self, Page};
use tests::heartline::Heartline;
use tests::kafka;

const GROUP: &str = "shared-group";

#[tokio::test]
async fn a_killed_neighbour_shows_as_27_a_rejoin_a_new_generation_and_a_member_gone() {
    if !crate::ready() || !chrome::is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    let address = broker.address();
    let arguments = [
        "--bootstrap-servers",
        &address,
        "--probe-group",
        GROUP,
        "--members",
        "1",
    ];
    let timing = ["--session-timeout", "6000", "--heartbeat-interval", "1000"];
    let arguments = [&arguments[..], &timing[..]].concat();

    // The survivor first: its member leads, and a leader sees the list of members before and after.
    let survivor = Heartline::start(&arguments).await;
    let (first, _) = survivor.event_after(0, "the survivor's member", joined).await;
    let mut neighbour = Heartline::start(&arguments).await;
    let (_, (neighbours_id, _)) = neighbour.event_after(0, "the neighbour's member", joined).await;
    let (together, generation) = survivor
        .event_after(first, "the rebalance that lets the neighbour in", finished)
        .await;

    neighbour.process().kill();

    let (told, ()) = survivor
        .event_after(together, "a heartbeat answered 27", |event| {
            match event.what.change {
                Change::HeartbeatAnswered { error: 27, .. } => Some(()),
                _ => None,
            }
        })
        .await;
    rejoins(&survivor, told, generation).await;

    let (_, (gone, possible, why)) = survivor
        .event_after(told, "the member that is gone", |event| {
            match &event.what.change {
                Change::MemberGone { possible, why } if is_of_group(event) => {
                    Some((event.what.member.clone(), possible.clone(), why.clone()))
                }
                _ => None,
            }
        })
        .await;
    assert_eq!(gone.as_ref(), Some(&neighbours_id));
    assert!(
        possible.contains(&Departure::Left) && possible.contains(&Departure::TimedOut),
        "{possible:?}"
    );
    assert!(!why.is_empty());
    the_page_says_how_little_is_visible(&survivor, &neighbours_id).await;
}

/// After it was told 27 the survivor rejoins, in a generation above the one before.
async fn rejoins(survivor: &Heartline, told: u64, generation: Generation) {
    let (_, cause) = survivor
        .event_after(told, "the need to rejoin", |event| match event.what.change {
            Change::RejoinNeeded {
                cause,
                error: Some(27),
                member_id_cleared: false,
                ..
            } => Some(cause),
            _ => None,
        })
        .await;
    assert_eq!(cause, RejoinCause::RebalanceInProgress);
    let (_, again) = survivor
        .event_after(told, "the rejoin", |event| match &event.what.change {
            Change::MemberRejoined(joined) => joined.generation,
            _ => None,
        })
        .await;
    assert!(again > generation, "{again} after {generation}");
    let (_, after) = survivor
        .event_after(told, "the end of the rebalance", finished)
        .await;
    assert_eq!(after, again);
}

/// On the page: the member is gone, and which way it went is not visible.
async fn the_page_says_how_little_is_visible(survivor: &Heartline, neighbours_id: &MemberId) {
    // Other tests have groups on the same broker: the page would open on all of them.
    let page = Page::open(&format!("{}/?group={GROUP}", survivor.address())).await;
    page.wait_for("the row of the member that is gone", "member-row", |rows| {
        rows.iter()
            .find(|row| row.data("member") == neighbours_id.as_str() && row.data("state") == "gone")?;
        Some(())
    })
    .await;
    let told = page
        .wait_for("the event, as inferred", "event-row", |rows| {
            let row = rows
                .iter()
                .find(|row| row.data("kind") == "member_gone" && row.data("evidence") == "inferred")?;
            Some(row.text.clone())
        })
        .await;
    for words in ["left", "timed out", "not visible"] {
        assert!(told.contains(words), "{told}");
    }
}

/// Other tests have groups on the same broker, and the survey tells of them all.
fn is_of_group(event: &Event) -> bool {
    event
        .what
        .group
        .as_ref()
        .is_some_and(|group| group.as_str() == GROUP)
}

/// The member's id and generation, where it joined for the first time.
fn joined(event: &Event) -> Option<(MemberId, Option<Generation>)> {
    match &event.what.change {
        Change::MemberJoined(joined) if is_of_group(event) && event.what.source == Source::Probe => {
            Some((event.what.member.clone()?, joined.generation))
        }
        _ => None,
    }
}

/// The generation of a finished rebalance.
fn finished(event: &Event) -> Option<Generation> {
    match &event.what.change {
        Change::RebalanceFinished(rebalanced) if is_of_group(event) => Some(rebalanced.generation),
        _ => None,
    }
}
