//! Tests of the whole coordinator through its inputs and outputs.

mod bounds;
mod offset_fetch;
mod property;
