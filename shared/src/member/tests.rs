//! The member on a simulated clock.

mod answers;
mod brokers;
mod cases;
mod leaders;
mod life;
mod modern_heartbeats;
mod modern_joins;
mod modern_leaves;
mod opposites;
mod orders;
mod random;
mod rebalances;
mod seed_coordinator;
mod seed_timing;
mod unsent;
mod world;
