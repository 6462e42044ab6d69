//! The target `wire` under libFuzzer: `cargo xtask fuzz wire`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::wire(data));
