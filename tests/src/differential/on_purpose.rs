//! Where the embedded coordinator is not as Apache Kafka, on purpose.

use std::fmt;

/// A difference that is not a fault, and what a comparison makes of it.
#[derive(Clone, Copy, Debug)]
pub struct OnPurpose {
    pub ours: &'static str,
    pub kafkas: &'static str,
    pub reason: &'static str,
    pub compared: &'static str,
}

/// Every one of them; whatever else differs is a fault.
pub const ON_PURPOSE: [OnPurpose; 8] = [
    OnPurpose {
        ours: "Among equals the first by order of arrival leads.",
        kafkas: "Among equals the first of a hash map by random member ids leads: where the leader has gone, or has not rejoined.",
        reason: "It is chance there; here the same requests bring the same answers, so that a test can rely on them.",
        compared: "All but who leads; then the sequence is played again, until Kafka chooses as we do, a few times at most.",
    },
    OnPurpose {
        ours: "Among protocols with the same votes the first by name is chosen.",
        kafkas: "The first of a hash map by names.",
        reason: "As above. Of one-letter names, as the sequences have, the order of the hash map is that of the letters.",
        compared: "As it is.",
    },
    OnPurpose {
        ours: "Of a protocol that a JoinGroup names twice the first counts.",
        kafkas: "It counts as spoken by two members: nobody can choose it, and where there is no other the rebalance fails with an exception.",
        reason: "No client does so, and a group should not be stuck for it.",
        compared: "No sequence does so.",
    },
    OnPurpose {
        ours: "A JoinGroup or SyncGroup that waits is answered 27 when another of the same member takes its place.",
        kafkas: "The first is never answered.",
        reason: "Its connection would never be answered again, since answers keep the order of requests; 27 says what to do: join again.",
        compared: "Nothing is expected of the first from there on.",
    },
    OnPurpose {
        ours: "A SyncGroup that waits is answered 25 when its member leaves or is removed.",
        kafkas: "It is never answered (a JoinGroup that waits is, with 25).",
        reason: "As above.",
        compared: "Nothing is expected of it from there on.",
    },
    OnPurpose {
        ours: "What is kept is bounded: 15 where there are too many groups, members or bytes, 42 where a name is too long or there are too many protocols.",
        kafkas: "It is bounded by the memory of the broker.",
        reason: "Whoever reaches the port could fill the memory of the program that shows the page.",
        compared: "No sequence gets there; the bounds are far above what clients send (`backend/src/limits.rs`).",
    },
    OnPurpose {
        ours: "After generation 2147483647 comes 1.",
        kafkas: "It turns negative, which means \"no generation\".",
        reason: "Its members could not say in which generation they are.",
        compared: "No sequence gets there.",
    },
    OnPurpose {
        ours: "A SyncGroup while the group's partition loads is answered 27.",
        kafkas: "14, which the Java client takes for an unexpected error that no retry mends; the coordinator before Kafka 4.0 answered 27.",
        reason: "A client must get over a coordinator that loads.",
        compared: "Nothing is asked while it loads; what it has loaded is compared.",
    },
];

impl fmt::Display for OnPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ours,
            kafkas,
            reason,
            compared,
        } = self;
        write!(
            f,
            "ours: {ours}\n  Kafka: {kafkas}\n  why: {reason}\n  compared: {compared}"
        )
    }
}
