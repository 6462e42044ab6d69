//! What a change is called: the closed vocabulary of docs/contract.md's table, and which kinds are single heartbeats.

use super::Change;

macro_rules! kinds {
    ($($variant:ident $name:literal,)*) => {
        impl Change {
            /// Every kind, in the order of docs/contract.md.
            pub const KINDS: &[&str] = &[$($name),*];

            /// Its kind, as `kind` in JSON, `?kind=` of `/api/events` and the label of `heartline_events_total`.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)*
                }
            }
        }
    };
}

kinds! {
    CoordinatorFound "coordinator_found",
    CoordinatorNotFound "coordinator_not_found",
    CoordinatorDead "coordinator_dead",
    HeartbeatAnswered "heartbeat_answered",
    HeartbeatFailed "heartbeat_failed",
    HeartbeatWithheld "heartbeat_withheld",
    HeartbeatReceived "heartbeat_received",
    HeartbeatsSummarised "heartbeats_summarised",
    RejoinNeeded "rejoin_needed",
    MemberMoved "member_moved",
    MemberFailed "member_failed",
    NotAuthorized "not_authorized",
    Authorized "authorized",
    MemberJoined "member_joined",
    MemberRejoined "member_rejoined",
    MemberLeft "member_left",
    MemberExpired "member_expired",
    MemberFenced "member_fenced",
    MemberReplaced "member_replaced",
    MemberEvicted "member_evicted",
    MemberGone "member_gone",
    RebalanceStarted "rebalance_started",
    RebalanceFinished "rebalance_finished",
    GroupState "group_state",
    GroupFound "group_found",
    GroupGone "group_gone",
    GroupDescribed "group_described",
    MemberIdIssued "member_id_issued",
    MemberIdExpired "member_id_expired",
    JoinReceived "join_received",
    JoinAbandoned "join_abandoned",
    GenerationFormed "generation_formed",
    SyncReceived "sync_received",
    MemberAssigned "member_assigned",
    MemberDescribed "member_described",
    MemberReconciling "member_reconciling",
    CommitReceived "commit_received",
    GroupProgress "group_progress",
    RequestRefused "request_refused",
    AppendFailed "append_failed",
    GroupUnloaded "group_unloaded",
    GroupLoading "group_loading",
    GroupLoaded "group_loaded",
    FaultPlayed "fault_played",
    BrokerSilent "broker_silent",
    BrokerAnswers "broker_answers",
    BrokerGone "broker_gone",
    BrokerLatency "broker_latency",
    OffsetsLog "offsets_log",
    OffsetsLogLeaderless "offsets_log_leaderless",
    Gap "gap",
}

impl Change {
    /// Whether it is one heartbeat or commit of many, which its second's summary replaces; all other changes are
    /// transitions (or summaries) and are never left out.
    #[must_use]
    pub const fn is_single_beat(&self) -> bool {
        matches!(
            self,
            Self::HeartbeatAnswered { .. } | Self::HeartbeatReceived { .. } | Self::CommitReceived { .. }
        )
    }

    /// The client host that it tells of its member, where it tells one.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::MemberJoined(joined) | Self::MemberRejoined(joined) => joined.host.as_deref(),
            Self::MemberIdIssued { host, .. }
            | Self::JoinReceived { host, .. }
            | Self::RequestRefused { host, .. } => Some(host),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Generation;

    #[test]
    fn the_kind_is_the_one_that_stands_in_the_json() {
        let changes = [
            Change::HeartbeatReceived {
                generation: Generation(1),
                error: 0,
            },
            Change::MemberLeft {
                cause: "LeaveGroup".into(),
            },
            Change::FaultPlayed {
                fault: crate::fault::Fault::Stop,
            },
        ];
        for change in changes {
            let json = serde_json::to_value(&change).unwrap();
            assert_eq!(json["kind"], change.kind());
        }
    }

    #[test]
    fn serde_knows_exactly_these_kinds() {
        let unknown = serde_json::from_str::<Change>(r#"{"kind": "no such kind"}"#)
            .unwrap_err()
            .to_string();
        let known = unknown.split('`').skip(3).step_by(2).collect::<Vec<_>>();
        assert_eq!(known, Change::KINDS);
    }
}
