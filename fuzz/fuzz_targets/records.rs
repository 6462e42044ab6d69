//! The target `records` under libFuzzer: `cargo xtask fuzz records`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::records(data));
