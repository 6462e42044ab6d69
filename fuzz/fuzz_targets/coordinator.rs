//! The target `coordinator` under libFuzzer: `cargo xtask fuzz coordinator`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::coordinator(data));
