//! One broker that all its groups lose at once: its own fault, or that of the way to all of them.

use super::stage::*;
use crate::event::{Change, DeathCause, LinkFault, Source};
use crate::health::Verdict;
use crate::ids::NodeId;

/// Three groups that lose broker 7 within 200 ms.
fn lost() -> Stage {
    let mut stage = Stage::default();
    for (n, group) in ["orders", "audit", "mail"].into_iter().enumerate() {
        let found = Change::CoordinatorFound {
            node: NodeId(7),
            host: "b7".into(),
            port: 9092,
        };
        let dead = Change::CoordinatorDead {
            node: NodeId(7),
            cause: DeathCause::Timeout,
            detail: None,
            unsent: 0,
            again: 0,
        };
        stage
            .at(n as u64 * 100)
            .tell(group, Source::Probe, Some("p"), found)
            .tell(group, Source::Probe, Some("p"), dead);
    }
    stage
}

fn answers(node: i32) -> Change {
    Change::BrokerAnswers {
        node: NodeId(node),
        host: None,
        port: None,
    }
}

#[test]
fn c28_all_groups_that_lose_one_broker_point_at_the_broker_while_another_is_heard() {
    let mut stage = lost();
    stage.of_cluster(answers(8));
    has(
        &stage.says(Verdict::CoordinatorGone),
        &["All 3 groups on broker 7 lost it within 200 ms: an outage of the coordinator, not of a client."],
    );
}

#[test]
fn where_no_broker_is_heard_the_network_of_heartline_may_be_the_cause_too() {
    let mut stage = lost();
    let own_network = "All 3 groups on broker 7 lost it within 200 ms: no client's fault. No other broker is heard either, so it may \
                       as well be Heartline's own network as the brokers.";
    has(&stage.says(Verdict::CoordinatorGone), &[own_network]);
    let silent = Change::BrokerSilent {
        node: NodeId(8),
        cause: LinkFault::Timeout,
        detail: None,
    };
    stage.of_cluster(answers(8)).of_cluster(silent);
    has(&stage.says(Verdict::CoordinatorGone), &[own_network]);
    stage.of_cluster(answers(8));
    has(
        &stage.says(Verdict::CoordinatorGone),
        &["an outage of the coordinator, not of a client"],
    );
}
