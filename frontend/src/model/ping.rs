//! A heartbeat by nobody to a group's coordinator, which the viewer asked for: what is on its way, and what came of it.

use std::sync::Arc;

use shared::board::GroupKey;
use shared::ids::NodeId;
use shared::time::UnixMs;
use shared::tree::FromNode;

use super::address::Query;

/// What `POST /api/ping` answers.
#[derive(Clone, Debug, PartialEq, Eq, FromNode)]
pub struct Pong {
    /// The coordinator.
    pub node: NodeId,
    /// Kafka's name of the heartbeat.
    pub api: String,
    /// Its round trip, in microseconds.
    pub latency_us: u64,
    /// How it was answered.
    pub error: i16,
    /// The right that is missing, where that is why.
    pub right: Option<String>,
    /// Round trips of other requests on the same connection.
    pub beside: Beside,
}

/// Those of them that stand beside the heartbeat, in microseconds, where they were asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromNode)]
pub struct Beside {
    /// Touches no coordinator.
    #[serde(default, rename = "ApiVersions")]
    pub api_versions: Option<u64>,
    /// Asks the coordinator of a classic group.
    #[serde(default, rename = "DescribeGroups")]
    pub describe_groups: Option<u64>,
    /// Asks the coordinator of a group of the type consumer.
    #[serde(default, rename = "ConsumerGroupDescribe")]
    pub consumer_group_describe: Option<u64>,
}

/// An answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// When it came, by the server's clock.
    pub at: UnixMs,
    /// What it says.
    pub what: Result<Pong, String>,
}

/// The last one that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ping {
    of: Option<GroupKey>,
    told: Option<Arc<Told>>,
}

impl Ping {
    /// One is asked for: the path to POST to.
    pub(super) fn ask(&mut self, group: GroupKey) -> String {
        let mut query = Query::default();
        query.add("group", group.group.as_str());
        query.add("cluster", group.cluster.as_str());
        self.told = None;
        self.of = Some(group);
        format!("/api/ping{}", query.finish())
    }

    /// Takes what came of the one for a group; of an earlier one for another group it is of no use.
    pub(super) fn take(&mut self, group: &GroupKey, told: Told) {
        if self.of.as_ref() == Some(group) {
            self.told = Some(Arc::new(told));
        }
    }

    /// Whether one for this group is on its way.
    #[must_use]
    pub fn is_out(&self, group: &GroupKey) -> bool {
        self.of.as_ref() == Some(group) && self.told.is_none()
    }

    /// What came of the one for this group.
    #[must_use]
    pub fn told(&self, group: &GroupKey) -> Option<&Told> {
        self.told.as_deref().filter(|_| self.of.as_ref() == Some(group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_heartbeat_to_one_group_is_not_shown_at_another() {
        let (one, two) = (
            GroupKey::new(&"c".into(), &"one &".into()),
            GroupKey::new(&"c".into(), &"two".into()),
        );
        let told = Told {
            at: UnixMs(1),
            what: Err("no answer".to_owned()),
        };
        let mut ping = Ping::default();
        assert_eq!(ping.ask(one.clone()), "/api/ping?group=one%20%26&cluster=c");
        assert!(ping.is_out(&one) && !ping.is_out(&two));
        ping.ask(two.clone());
        ping.take(&one, told.clone());
        assert!(ping.is_out(&two) && ping.told(&one).is_none());
        ping.take(&two, told.clone());
        assert_eq!(ping.told(&two), Some(&told));
        assert!(ping.told(&one).is_none() && !ping.is_out(&two));
    }
}
