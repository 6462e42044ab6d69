//! An hour in which nothing is wrong: ordinary joins, leaves and deploys alarm nobody.

use super::stage::*;
use crate::event::{Change, RebalanceCause};

const HOSTS: [&str; 10] = [
    "/10.0.0.1",
    "/10.0.0.2",
    "/10.0.0.3",
    "/10.0.0.4",
    "/10.0.0.5",
    "/10.0.0.6",
    "/10.0.0.7",
    "/10.0.0.8",
    "/10.0.0.9",
    "/10.0.0.10",
];

/// Ten members, each of its own host or all of one, and the stage on which they beat every three seconds.
struct Ten {
    stage: Stage,
    members: Vec<(String, Client)>,
    named: usize,
}

impl Ten {
    fn new(one_host: bool) -> Self {
        let members = HOSTS
            .iter()
            .enumerate()
            .map(|(n, host)| {
                (
                    format!("app-{n}"),
                    client("app", if one_host { HOSTS[0] } else { host }),
                )
            })
            .collect();
        let mut ten = Self {
            stage: Stage::default(),
            members,
            named: 10,
        };
        ten.rebalance(RebalanceCause::MemberJoined, "app-0", 3002);
        ten
    }

    fn rebalance(&mut self, cause: RebalanceCause, by: &str, took: u64) {
        let members: Vec<(&str, Client)> = self
            .members
            .iter()
            .map(|(id, client)| (id.as_str(), *client))
            .collect();
        self.stage.rebalance(cause, by, &members, took);
        self.stage.is_calm();
    }

    fn beats_for(&mut self, ms: u64) {
        let until = self.stage.now + ms;
        while self.stage.now < until {
            let next = self.stage.now + 3000;
            self.stage.at(next);
            for (id, _) in &self.members {
                self.stage.beat(id, 0);
            }
            self.stage.is_calm();
        }
    }

    /// One leaves, is started again 8 s later under a new id, and a cooperative assignor's second rebalance follows each.
    fn restarts(&mut self, which: usize) {
        let (old, client) = self.members.remove(which);
        self.stage.of(
            &old,
            Change::MemberLeft {
                cause: "LeaveGroup".into(),
            },
        );
        self.rebalance(RebalanceCause::MemberLeft, &old, 900);
        let leader = self.members[0].0.clone();
        self.rebalance(RebalanceCause::LeaderRejoined, &leader, 400);
        self.beats_for(8000);
        let new = format!("app-{}", self.named);
        self.named += 1;
        self.members.push((new.clone(), client));
        self.rebalance(RebalanceCause::MemberJoined, &new, 1200);
        let follower = self.members[1].0.clone();
        self.rebalance(RebalanceCause::SubscriptionChanged, &follower, 400);
        self.beats_for(9000);
    }
}

#[test]
fn a_rolling_restart_of_ten_members_is_one_story() {
    for one_host in [false, true] {
        let mut ten = Ten::new(one_host);
        ten.beats_for(60_000);
        for _ in 0..10 {
            ten.restarts(0);
        }
        ten.beats_for(300_000);
    }
}

#[test]
fn an_hour_with_a_deploy_a_scale_up_and_a_new_topic_is_calm() {
    let mut ten = Ten::new(false);
    ten.beats_for(300_000);
    for _ in 0..10 {
        ten.restarts(0);
    }
    ten.beats_for(900_000);
    for host in &HOSTS[..4] {
        let id = format!("more-{host}");
        ten.members.push((id.clone(), client("more", host)));
        ten.rebalance(RebalanceCause::MemberJoined, &id, 1500);
    }
    ten.beats_for(600_000);
    let leader = ten.members[0].0.clone();
    ten.rebalance(RebalanceCause::MetadataChanged, &leader, 2000);
    ten.beats_for(600_000);
    for _ in 0..4 {
        let (id, _) = ten.members.pop().unwrap();
        ten.stage.of(
            &id,
            Change::MemberLeft {
                cause: "LeaveGroup".into(),
            },
        );
        ten.rebalance(RebalanceCause::MemberLeft, &id, 1500);
    }
    for _ in 0..10 {
        ten.restarts(0);
    }
    ten.beats_for(300_000);
}

#[test]
fn a09_a_rebalance_after_a_join_is_information() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 3000);
    stage
        .at(10_000)
        .started(RebalanceCause::MemberJoined, "two-1")
        .join("two-1", two);
    stage.at(11_000).beat("one-1", 27);
    stage.is_calm();
    stage.at(11_100).join("one-1", one).formed("one-1", 2);
    stage.in_group("one-1", one).in_group("two-1", two);
    stage.finished(RebalanceCause::MemberJoined, "two-1", 1100);
    stage.at(12_000).is_calm();
    has(
        &stage.says(crate::health::Verdict::Stable),
        &["generation 1 to 2", "two joined; done in 1.1 s."],
    );
}
