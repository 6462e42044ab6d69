//! Tests of the whole coordinator through its inputs and outputs.
