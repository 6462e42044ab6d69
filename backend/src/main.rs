//! The binary `heartline`.
fn main() {}
