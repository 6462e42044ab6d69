//! New member ids: a prefix the client chose and a random UUID, as Kafka makes them.

use shared::ids::{InstanceId, MemberId};
use shared::split_mix;
use uuid::Uuid;

/// Makes member ids. The randomness is given once, so that a coordinator with the same seed and the same inputs names
/// the same members: nothing in the core reads a random source.
#[derive(Debug)]
pub(crate) struct MemberIds {
    state: u64,
}

impl MemberIds {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// `(instance id or client id)-UUID` (Kafka's `ClassicGroup.generateMemberId`).
    pub(crate) fn next(&mut self, client_id: &str, instance: Option<&InstanceId>) -> MemberId {
        let prefix = instance.map_or(client_id, InstanceId::as_str);
        MemberId::from(format!("{prefix}-{}", self.uuid()))
    }

    fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.word().to_be_bytes());
        bytes[8..].copy_from_slice(&self.word().to_be_bytes());
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// Every state is visited once, so no id comes twice.
    const fn word(&mut self) -> u64 {
        split_mix::next(&mut self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_ids_and_no_id_twice() {
        let (mut one, mut two) = (MemberIds::new(7), MemberIds::new(7));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1_000 {
            let id = one.next("c", None);
            assert_eq!(id, two.next("c", None));
            assert!(seen.insert(id));
        }
    }

    #[test]
    fn a_static_members_id_starts_with_its_instance_id() {
        let mut ids = MemberIds::new(1);
        assert!(ids.next("client", None).as_str().starts_with("client-"));
        assert!(ids.next("client", Some(&"i".into())).as_str().starts_with("i-"));
    }
}
