//! What a part of the server stands in: its clock, its network, its chance. A test hands out others than life does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shared::split_mix;

use crate::clock::Clock;
use crate::network::{MemoryNetwork, Network};

/// Clock, network and chance. Cheap to clone.
#[derive(Clone, Debug)]
pub struct World {
    pub clock: Clock,
    pub network: Network,
    pub chance: Chance,
}

impl World {
    /// A world without surprises, for tests: in memory, every number that chance gives follows from `seed`.
    #[must_use]
    pub fn in_memory(clock: Clock, seed: u64) -> Self {
        Self {
            clock,
            network: Network::Memory(MemoryNetwork::default()),
            chance: Chance::Seeded(Arc::new(AtomicU64::new(seed))),
        }
    }
}

/// Life, by this clock.
impl From<Clock> for World {
    fn from(clock: Clock) -> Self {
        Self {
            clock,
            network: Network::Tcp,
            chance: Chance::System,
        }
    }
}

/// Where numbers that nobody should foresee come from.
#[derive(Clone, Debug)]
pub enum Chance {
    /// The system's.
    System,
    /// A sequence: the same from every start.
    Seeded(Arc<AtomicU64>),
}

impl Chance {
    /// The next number.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self {
            Self::System => uuid::Uuid::new_v4().as_u64_pair().1,
            Self::Seeded(state) => {
                let mut taken = state.fetch_add(split_mix::STEP, Ordering::Relaxed);
                split_mix::next(&mut taken)
            }
        }
    }

    /// 128 bits, as an id.
    #[must_use]
    pub fn uuid(&self) -> [u8; 16] {
        match self {
            Self::System => uuid::Uuid::new_v4().into_bytes(),
            Self::Seeded(_) => uuid::Uuid::from_u64_pair(self.number(), self.number()).into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_another_seed_others() {
        let numbers = |seed| {
            let chance = Chance::Seeded(Arc::new(AtomicU64::new(seed)));
            (chance.number(), chance.number(), chance.uuid())
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert_ne!(numbers(7).0, numbers(7).1);
        assert_ne!(Chance::System.uuid(), Chance::System.uuid());
    }
}
