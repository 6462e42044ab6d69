//! The member on a simulated clock.

mod life;
mod world;
