//! What a part of the server stands in: its clock, its network, its chance. A test hands out others than life does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
                // SplitMix64 (Steele, Lea and Flood 2014): a counter whose steps are scrambled.
                const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
                let z = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
                let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
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
