//! Ends of members and of the coordinator, and what lasts beyond them: the others' membership, committed offsets.

use super::scene::{PARTITIONS, Scene, consumed_since, produce_to_all};
use super::{Records, record_of_each};
use crate::group::Roster;
use crate::peers::Peer;
use crate::peers::said::Said;

/// The end of a process: the coordinator finds out by silence, and nobody else notices before.
pub async fn a_member_killed_by_sigkill_is_out_once_its_session_is_over(scene: Scene) {
    // Long enough to look at the group between the end of the process and that of its session, on a busy machine too.
    let start = |client_id| start_with_session(&scene, client_id, 15_000);
    let (mut a, mut b) = (start("a"), start("b"));
    let two = scene.settled(&mut [&mut a, &mut b]).await;
    produce_and_commit(&mut a, &mut b).await;
    b.kill();
    let mark = a.mark();
    // Accepted in the generation that the dead member belongs to: a new one would refuse it.
    a.commit().await;
    let said = a.said_since(mark);
    assert!(
        !said.iter().any(|said| said.is_rebalance()),
        "told at once: {said:?}"
    );
    let roster = scene.group().roster().await.expect("the coordinator answers");
    assert_eq!(roster, two, "it is a member as long as its session lasts");

    let one = scene.settled(&mut [&mut a]).await;
    assert!(
        one.members().is_subset(&two.members()),
        "the other lost its member id"
    );
    produce_to_all(&mut a, &["after"]).await;
    assert_eq!(news(&mut a, mark, PARTITIONS).await, record_of_each(1, "after"));
    a.leave().await;
}

/// LeaveGroup: no session has to end first, and who takes over goes on where the leaver had committed.
pub async fn a_member_that_leaves_is_out_at_once_and_its_offsets_are_carried_on(scene: Scene) {
    // Far longer than anybody here waits.
    let start = |client_id| start_with_session(&scene, client_id, 600_000);
    let (mut a, mut b) = (start("a"), start("b"));
    let two = scene.settled(&mut [&mut a, &mut b]).await;
    produce_and_commit(&mut a, &mut b).await;
    let mark = a.mark();
    b.leave().await;
    let one = scene.settled(&mut [&mut a]).await;
    assert!(
        one.members().is_subset(&two.members()),
        "the other lost its member id"
    );
    produce_to_all(&mut a, &["after"]).await;
    assert_eq!(news(&mut a, mark, PARTITIONS).await, record_of_each(1, "after"));
    a.leave().await;
    scene.group().empty().await;
}

/// A coordinator that keeps its groups: after its restart the group works on, and what was committed stays committed.
pub async fn all_find_their_way_back_to_a_coordinator_that_was_restarted(mut scene: Scene) {
    // Long enough for the coordinator to be away.
    let start = |client_id| start_with_session(&scene, client_id, 30_000);
    let (mut a, mut b) = (start("a"), start("b"));
    let before = scene.settled(&mut [&mut a, &mut b]).await;
    produce_and_commit(&mut a, &mut b).await;
    let marks = [a.mark(), b.mark()];
    let server = scene.server.as_mut().expect("a coordinator of its own");
    server.restart().await;
    let after = scene.settled(&mut [&mut a, &mut b]).await;
    assert_kept(&after, &before, [(&a, marks[0]), (&b, marks[1])]);
    produce_to_all(&mut a, &["after"]).await;
    for (peer, mark) in [&mut a, &mut b].into_iter().zip(marks) {
        let values = news(peer, mark, PARTITIONS / 2).await;
        assert!(
            values.iter().all(|(_, _, value)| value == "after"),
            "what was committed is not consumed again: {values:?}"
        );
    }
    // A client that knows but one broker forgets its metadata with it, and as leader may rejoin when it has them again.
    let at_last = scene.settled(&mut [&mut a, &mut b]).await;
    assert_kept(&at_last, &before, [(&a, marks[0]), (&b, marks[1])]);
    for peer in [&mut a, &mut b] {
        peer.commit().await;
    }
    a.leave().await;
    b.leave().await;
    scene.group().empty().await;
}

/// Group, members and assignments are as they were, or at least the members that did not give up themselves.
fn assert_kept(roster: &Roster, before: &Roster, peers: [(&Peer, usize); 2]) {
    let gave_up = peers.map(|(peer, mark)| gave_up(peer, mark));
    if gave_up == [false; 2] {
        assert_eq!(roster, before);
    }
    for ((peer, _), gave_up) in peers.into_iter().zip(gave_up) {
        let member = peer.member();
        assert!(roster.seat(&member).is_some(), "{member} is none of {roster:?}");
        assert!(
            gave_up || before.seat(&member).is_some(),
            "{member} was none of {before:?}"
        );
    }
}

/// KafkaJS that fetches at a moment at which it knows no broker gives its membership up, says so, and starts anew with a new member id.
fn gave_up(peer: &Peer, mark: usize) -> bool {
    let is_told = |said: &Said| matches!(said, Said::Error { what, .. } if what.contains("KafkaJSNoBrokerAvailableError"));
    peer.said_since(mark).iter().any(is_told)
}

fn start_with_session(scene: &Scene, client_id: &str, session_timeout_ms: u32) -> Peer {
    let mut role = scene.role(client_id);
    role.session_timeout_ms = session_timeout_ms;
    scene.start_as(role)
}

/// A record of each partition, consumed and committed by its owner.
async fn produce_and_commit(a: &mut Peer, b: &mut Peer) {
    produce_to_all(a, &["before"]).await;
    for peer in [a, b] {
        consumed_since(peer, 0, PARTITIONS / 2).await;
        peer.commit().await;
    }
}

async fn news(peer: &mut Peer, mark: usize, count: usize) -> Records {
    let mut consumed = consumed_since(peer, mark, count).await;
    consumed.sort();
    consumed
}
