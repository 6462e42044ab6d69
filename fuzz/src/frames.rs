//! The frame reader: whatever comes, in whatever pieces, the frames are the same, and no more is held than has come.

use shared::protocol::FrameReader;
use shared::protocol::frame::FrameError;

/// The longest frame: short enough for a fuzzer to exceed.
const LONGEST: usize = 300;

/// The first half is pieces' lengths, one a byte, used again from the start when they are over; the second the stream.
pub fn frames(data: &[u8]) {
    let (lengths, stream) = data.split_at(data.len() / 2);
    let whole = taken(&[stream]);
    assert_eq!(whole, read_directly(stream));
    assert_eq!(taken(&pieces(lengths, stream)), whole, "cut as {lengths:?}");
}

fn pieces<'a>(lengths: &[u8], mut stream: &'a [u8]) -> Vec<&'a [u8]> {
    let mut lengths = lengths.iter().copied().cycle();
    let mut pieces = Vec::new();
    while !stream.is_empty() {
        // A piece of nothing is a piece too, but not for ever.
        let length = usize::from(lengths.next().unwrap_or(1)).min(stream.len());
        let (piece, rest) = stream.split_at(length);
        stream = if length == 0 { &rest[1..] } else { rest };
        pieces.push(piece);
        if length == 0 {
            pieces.push(&rest[..1]);
        }
    }
    pieces
}

/// All frames of a stream, and the error that ends it.
type Taken = (Vec<Vec<u8>>, Option<FrameError>);

/// As a connection takes them: all there are after each piece.
fn taken(pieces: &[&[u8]]) -> Taken {
    let mut reader = FrameReader::new(LONGEST);
    let mut frames = Vec::new();
    for piece in pieces {
        let before = reader.pending();
        reader.push(piece);
        assert!(reader.pending() <= before + piece.len());
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(reader.next_frame(), Err(error), "once broken it stays so");
                    assert_eq!(reader.pending(), 0, "and holds nothing");
                    return (frames, Some(error));
                }
            }
        }
        assert!(reader.pending() < 4 + LONGEST, "a whole frame was left behind");
    }
    (frames, None)
}

/// The same by the protocol's own words: four bytes of length, then so many.
fn read_directly(mut stream: &[u8]) -> Taken {
    let mut frames = Vec::new();
    while let Some((length, rest)) = stream.split_first_chunk() {
        let announced = i32::from_be_bytes(*length);
        let Ok(len) = usize::try_from(announced) else {
            return (frames, Some(FrameError::Negative { len: announced }));
        };
        if len > LONGEST {
            return (frames, Some(FrameError::TooLarge { len, max: LONGEST }));
        }
        let Some((frame, rest)) = rest.split_at_checked(len) else {
            break;
        };
        frames.push(frame.to_vec());
        stream = rest;
    }
    (frames, None)
}
