//! Bytes from anywhere, read as everything they could be. Run by `cargo +nightly fuzz run wire`.
//!
//! The first two bytes pick a message and a version for the rest; the rest is also read as a stream of frames and
//! as what consumers put into JoinGroup and SyncGroup. The same code runs on spoilt recordings in the tests
//! of `shared`.

#![no_main]

#[path = "../../shared/tests/wire/everything.rs"]
mod everything;
#[path = "../../shared/tests/wire/messages.rs"]
mod messages;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first_chunk() else {
        return;
    };
    everything::read_as_chosen(u16::from_be_bytes(*choice), bytes);
    everything::read_as_stream(bytes);
    everything::read_as_consumer_protocol(bytes);
});
