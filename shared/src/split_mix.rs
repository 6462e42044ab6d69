//! SplitMix64 (Steele, Lea and Flood 2014): numbers without a pattern, the same for the same seed. Not for secrets.

/// What the state grows by from one number to the next; it is odd, so every state is visited once.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number; `state` begins as the seed.
pub const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(STEP);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
