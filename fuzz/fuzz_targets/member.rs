//! The target `member` under libFuzzer: `cargo xtask fuzz member`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::member(data));
