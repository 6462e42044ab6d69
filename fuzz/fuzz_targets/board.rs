//! The target `board` under libFuzzer: `cargo xtask fuzz board`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::board(data));
