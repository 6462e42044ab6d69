//! The member on a simulated clock.

mod life;
mod modern_heartbeats;
mod modern_joins;
mod seed_coordinator;
mod seed_timing;
mod unsent;
mod world;
