//! What every client lives through, as stories that know nothing but a coordinator's address, and never ask which client or
//! which coordinator it is.
//!
//! What a coordinator must have: no initial rebalance delay, and for each scene a topic of its own ([`Scene::name`]) with
//! [`PARTITIONS`] partitions.

mod lasting;
mod scene;
mod statics;

pub use lasting::{
    a_member_killed_by_sigkill_is_out_once_its_session_is_over,
    a_member_that_leaves_is_out_at_once_and_its_offsets_are_carried_on,
    all_find_their_way_back_to_a_coordinator_that_was_restarted,
};
pub(crate) use scene::produce_to_all;
pub use scene::{PARTITIONS, Scene, commits_two_of_three, consumed_since, lags_by_one};
pub use statics::{
    a_second_holder_of_an_instance_id_fences_the_first,
    a_static_member_restarts_within_its_session_without_a_rebalance,
};

use std::collections::BTreeSet;

use super::said::Said;
use super::{Assignor, Peer};

/// Partition, offset and value of each.
type Records = Vec<(i32, i64, String)>;

/// Group, log and offsets: what is produced is consumed once, by who owns it, and never again after a commit.
pub async fn two_members_share_the_partitions_and_commit_what_they_consume(scene: Scene) {
    let (mut a, mut b) = (scene.start("a"), scene.start("b"));
    let roster = scene.settled(&mut [&mut a, &mut b]).await;
    assert_eq!(roster.shares(), [3, 3]);
    produce_to_all(&mut a, &["first", "second", "third"]).await;
    for peer in [&mut a, &mut b] {
        let consumed = consumed_since(peer, 0, 9).await;
        for partition in peer.owned() {
            let in_order: Records = (0..)
                .zip(["first", "second", "third"])
                .map(|(offset, value)| (partition, offset, value.to_owned()))
                .collect();
            let of_this: Records = consumed
                .iter()
                .filter(|record| record.0 == partition)
                .cloned()
                .collect();
            assert_eq!(of_this, in_order);
        }
        assert_eq!(consumed.len(), 9, "and nothing else: {consumed:?}");
        let mut committed = peer.commit().await;
        committed.sort_unstable();
        let all: Vec<_> = peer.owned().into_iter().map(|partition| (partition, 3)).collect();
        assert_eq!(committed, all);
    }
    a.leave().await;
    b.leave().await;
    scene.group().empty().await;

    // `earliest` is for where nothing is committed: who comes later goes on behind the commits.
    let mut successor = scene.start("successor");
    scene.settled(&mut [&mut successor]).await;
    produce_to_all(&mut successor, &["fourth"]).await;
    let mut consumed = consumed_since(&mut successor, 0, PARTITIONS).await;
    consumed.sort();
    assert_eq!(consumed, record_of_each(3, "fourth"));
    successor.leave().await;
}

/// An eager rebalance: everybody gives up everything and keeps its member id.
pub async fn a_third_member_joins_and_everybody_gives_up_everything_first(scene: Scene) {
    let (mut a, mut b) = (scene.start("a"), scene.start("b"));
    let two = scene.settled(&mut [&mut a, &mut b]).await;
    let state = |peer: &Peer| (peer.mark(), peer.owned(), peer.membership());
    let before = [state(&a), state(&b)];
    let mut c = scene.start("c");
    let three = scene.settled(&mut [&mut a, &mut b, &mut c]).await;
    assert_eq!(three.shares(), [2, 2, 2]);
    assert!(
        two.members().is_subset(&three.members()),
        "nobody lost its member id"
    );
    for (peer, (mark, owned_before, membership)) in [&a, &b].into_iter().zip(before) {
        let said = peer.said_since(mark);
        // Whatever it was assigned came when it had nothing.
        let mut owned_now = owned_before;
        for said in said.iter().filter(|said| said.is_rebalance()) {
            match said {
                Said::Assigned { partitions, .. } => {
                    assert!(owned_now.is_empty(), "kept {owned_now:?} through a rebalance");
                    owned_now.extend(partitions);
                }
                Said::Revoked { partitions } => owned_now.retain(|partition| !partitions.contains(partition)),
                other => panic!("{other:?} in an orderly rebalance"),
            }
        }
        let (member, generation) = peer.membership().expect("it was assigned partitions");
        let (member_before, generation_before) = membership.expect("it was assigned partitions");
        assert_eq!(member, member_before);
        assert!(
            generation.is_none() || generation > generation_before,
            "{generation:?}"
        );
    }
    for peer in [a, b, c] {
        peer.leave().await;
    }
}

/// KIP-429: a newcomer costs the others only what it gets.
pub async fn cooperative_members_keep_what_stays_theirs_when_a_third_joins(scene: Scene) {
    let start = |client_id| {
        let mut role = scene.role(client_id);
        role.assignor = Assignor::CooperativeSticky;
        scene.start_as(role)
    };
    let (mut a, mut b) = (start("a"), start("b"));
    let two = scene.settled(&mut [&mut a, &mut b]).await;
    assert_eq!((&*two.protocol, two.shares()), ("cooperative-sticky", vec![3, 3]));
    let before = [(a.mark(), a.owned()), (b.mark(), b.owned())];
    let mut c = start("c");
    let three = scene.settled(&mut [&mut a, &mut b, &mut c]).await;
    assert_eq!(three.shares(), [2, 2, 2]);
    assert!(
        two.members().is_subset(&three.members()),
        "nobody lost its member id"
    );
    for (peer, (mark, owned_before)) in [&a, &b].into_iter().zip(before) {
        let said = peer.said_since(mark);
        let revoked: BTreeSet<i32> = said
            .iter()
            .flat_map(|said| match said {
                Said::Revoked { partitions } => partitions.clone(),
                Said::Lost { partitions } => panic!("{partitions:?} were lost in an orderly rebalance"),
                _ => Vec::new(),
            })
            .collect();
        let kept: BTreeSet<i32> = owned_before.intersection(&peer.owned()).copied().collect();
        assert_eq!(kept.len(), 2, "{said:?}");
        assert!(
            revoked.is_disjoint(&kept),
            "{kept:?} were revoked on the way: {said:?}"
        );
    }
    for peer in [a, b, c] {
        peer.leave().await;
    }
}

fn all_partitions() -> impl Iterator<Item = i32> {
    (0..).take(PARTITIONS)
}

/// The same record in every partition.
fn record_of_each(offset: i64, value: &str) -> Records {
    all_partitions()
        .map(|partition| (partition, offset, value.to_owned()))
        .collect()
}
