//! What DescribeGroups and ListGroups say of a group (protocol.md 2.6, 4.7).

use shared::protocol::{DescribedGroup, DescribedGroupMember, ListedGroup};

use super::member::Member;
use super::{Group, State};

/// Its type by Kafka's name.
const TYPE: &str = "classic";

impl Group {
    /// Whether it is told at all: from its first JoinGroup or committed offset on.
    pub(crate) const fn is_listed(&self) -> bool {
        self.established
    }

    /// As DescribeGroups has it: subscriptions only while it is stable; assignments as they are kept, which is until the
    /// leader brings new ones, or a rebalance starts before it did.
    pub(crate) fn describe(&self) -> DescribedGroup {
        let stable = self.state == State::Stable;
        let protocol = self.protocol.as_deref().filter(|_| stable).unwrap_or_default();
        let row = |member: &Member| DescribedGroupMember {
            member_id: member.id.as_str().into(),
            group_instance_id: member.instance.as_ref().map(|id| id.as_str().into()),
            client_id: member.client_id.as_ref().into(),
            client_host: member.host.as_ref().into(),
            member_metadata: member.protocols.metadata(protocol).unwrap_or_default().into(),
            member_assignment: member.assignment.clone(),
        };
        DescribedGroup {
            group_id: self.id.as_str().into(),
            group_state: self.state.name().into(),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            protocol_data: protocol.into(),
            members: self.in_order().into_iter().map(row).collect(),
            ..DescribedGroup::default()
        }
    }

    /// As ListGroups has it, where both filters let it through. They know no case, and an empty one lets all through.
    pub(crate) fn listed(&self, states: &[String], types: &[String]) -> Option<ListedGroup> {
        let passes = |filter: &[String], name: &str| {
            filter.is_empty() || filter.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
        };
        (self.is_listed() && passes(states, self.state.name()) && passes(types, TYPE)).then(|| ListedGroup {
            group_id: self.id.as_str().into(),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            group_state: self.state.name().into(),
            group_type: TYPE.into(),
        })
    }
}
