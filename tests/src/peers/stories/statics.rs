//! KIP-345: members with an instance id.

use super::scene::{Scene, consumed_since, produce_to_all};
use crate::peers::said::consumed;
use crate::peers::{Peer, Role};

/// Kafka's FENCED_INSTANCE_ID.
const FENCED: i16 = 82;

/// It closes as an application does that is deployed anew, comes back with a new member id and finds its partitions.
pub async fn a_static_member_restarts_within_its_session_without_a_rebalance(scene: Scene) {
    let (mut lasting, first) = two(&scene).await;
    let before = scene.group().roster().await.expect("the coordinator answers");
    let seat = before.seat(&first.member()).expect("it is a member").clone();
    assert_eq!(seat.instance.as_deref(), Some("fixed"));
    let (_, generation) = first.membership().expect("it was assigned partitions");
    let mark = lasting.mark();
    first.leave().await;
    let while_away = scene.group().roster().await.expect("the coordinator answers");
    assert_eq!(
        while_away, before,
        "a static member does not leave when it closes"
    );

    let mut second = scene.start_as(fixed(&scene, "second"));
    let after = scene.settled(&mut [&mut lasting, &mut second]).await;
    let back = after.seat(&second.member()).expect("it is a member again");
    assert_eq!(
        (&back.partitions, &back.instance),
        (&seat.partitions, &seat.instance)
    );
    assert_ne!(
        back.member, seat.member,
        "the coordinator gave it a new member id"
    );
    assert_eq!(
        second.membership().expect("it was assigned partitions").1,
        generation
    );
    undisturbed(&mut lasting, mark).await;
    carries_on(&mut lasting, &mut second).await;
    second.leave().await;
    lasting.leave().await;
}

/// Whoever joins last with an instance id has it; who had it before learns so by code 82, and the others notice nothing.
pub async fn a_second_holder_of_an_instance_id_fences_the_first(scene: Scene) {
    let (mut lasting, mut first) = two(&scene).await;
    let before = scene.group().roster().await.expect("the coordinator answers");
    let marks = (lasting.mark(), first.mark());
    let mut second = scene.start_as(fixed(&scene, "second"));
    let after = scene.settled(&mut [&mut lasting, &mut second]).await;
    assert_eq!(
        after.seat(&second.member()).map(|seat| &seat.partitions),
        before.seat(&first.member()).map(|seat| &seat.partitions)
    );
    // Some clients stop and say so by themselves, others only when asked to do something.
    first.try_to_commit();
    first
        .until(marks.1, "being told 82", |said| {
            said.iter().any(|said| said.code() == Some(FENCED)).then_some(())
        })
        .await;
    undisturbed(&mut lasting, marks.0).await;
    carries_on(&mut lasting, &mut second).await;
    first.kill();
    second.leave().await;
    lasting.leave().await;
}

/// The role of a member with an instance id. Its session is long enough to come back in, also where many start at once.
fn fixed(scene: &Scene, client_id: &str) -> Role {
    let mut role = scene.role(client_id);
    role.instance_id = Some("fixed".to_owned());
    role.session_timeout_ms = 600_000;
    role
}

/// A dynamic member and a static one that share the partitions and have consumed and committed a record of each.
async fn two(scene: &Scene) -> (Peer, Peer) {
    let mut lasting = scene.start("lasting");
    scene.settled(&mut [&mut lasting]).await;
    let mut first = scene.start_as(fixed(scene, "first"));
    scene.settled(&mut [&mut lasting, &mut first]).await;
    produce_to_all(&mut lasting, &["before"]).await;
    for peer in [&mut lasting, &mut first] {
        consumed_since(peer, 0, peer.owned().len()).await;
        peer.commit().await;
    }
    (lasting, first)
}

/// A peer has noticed nothing since a mark: a commit is refused in any generation but the group's own.
async fn undisturbed(peer: &mut Peer, mark: usize) {
    peer.commit().await;
    let said = peer.said_since(mark);
    assert!(
        !said.iter().any(|said| said.is_rebalance()),
        "rebalanced: {said:?}"
    );
}

/// The new holder of the instance id goes on behind what the former had committed.
async fn carries_on(lasting: &mut Peer, second: &mut Peer) {
    produce_to_all(lasting, &["after"]).await;
    let owned = second.owned();
    let news = second
        .until(0, "a record of each of its partitions", |said| {
            let consumed = consumed(said);
            (consumed.len() >= owned.len()).then_some(consumed)
        })
        .await;
    assert!(
        news.iter().all(
            |(partition, offset, value)| owned.contains(partition) && (*offset, &**value) == (1, "after")
        ),
        "{news:?}"
    );
}
