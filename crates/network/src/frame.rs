//! What a party sends in one exchange: a row of numbers, in a layout without freedom, so that equal numbers are equal bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `DIDO` |
//! | 2 | version of the layout, 1 |
//! | 2 | kind, 0: a row to be averaged |
//! | 16 | run |
//! | 4 | sender |
//! | 4 | receiver; all ones: every neighbour |
//! | 8 | exchange, from 0 |
//! | 1 | type of a number, 1: `f64` |
//! | 1 | signature, 0: none; other values are kept for signatures, which would follow the hash |
//! | 8 | count of numbers |
//! | 8 each | the numbers |
//! | 32 | BLAKE3 of all bytes before |
//!
//! All numbers are little-endian. A frame is hashed, written down, sent and sent again as these bytes; nothing is ever encoded twice.

use std::ops::Range;

use crate::{Hash, PartyId, RunId};

const MAGIC: &[u8; 4] = b"DIDO";
const VERSION: u16 = 1;
const ROW: u16 = 0;
const EVERYBODY: u32 = u32::MAX;
const F64: u8 = 1;
const UNSIGNED: u8 = 0;

const HEADER: usize = 50;
const HASH: usize = 32;

/// Where things are.
mod at {
    use super::{HEADER, Range};

    pub const MAGIC: Range<usize> = 0..4;
    pub const VERSION: Range<usize> = 4..6;
    pub const KIND: Range<usize> = 6..8;
    pub const RUN: Range<usize> = 8..24;
    pub const FROM: Range<usize> = 24..28;
    pub const TO: Range<usize> = 28..32;
    pub const STEP: Range<usize> = 32..40;
    pub const TYPE: usize = 40;
    pub const SIGNATURE: usize = 41;
    pub const COUNT: Range<usize> = 42..HEADER;
}

/// Bytes of a frame of so many numbers, if memory can hold them.
pub const fn length(count: usize) -> Option<usize> {
    match count.checked_mul(8) {
        Some(payload) => payload.checked_add(HEADER + HASH),
        None => None,
    }
}

/// A frame that has been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Who sent it.
    pub from: PartyId,
    /// In which exchange of the run.
    pub step: u64,
    /// Of its bytes but for the hash itself.
    pub hash: Hash,
    /// The numbers.
    pub row: Vec<f64>,
}

/// Why bytes are no frame of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Before anything is read.
    #[error("{found} bytes where a frame of {count} numbers has {expected}")]
    Length {
        /// What came.
        found: usize,
        /// Numbers of a row.
        count: usize,
        /// Bytes of such a frame.
        expected: usize,
    },
    /// A part of the header.
    #[error("{field} is {found}, not {expected}")]
    Header {
        /// Its name.
        field: &'static str,
        /// What came.
        found: String,
        /// What should have come.
        expected: String,
    },
    /// The hash is that of other bytes.
    #[error("its hash does not fit: the bytes have changed on the way")]
    Hash,
    /// A number that is none.
    #[error("number {index} is not finite")]
    NonFinite {
        /// Its place, from 0.
        index: usize,
    },
}

impl Frame {
    /// The bytes of a frame.
    pub fn encode(run: RunId, from: PartyId, step: u64, row: &[f64]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 8 * row.len() + HASH);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(ROW.to_le_bytes());
        bytes.extend(run.0);
        bytes.extend(from.0.to_le_bytes());
        bytes.extend(EVERYBODY.to_le_bytes());
        bytes.extend(step.to_le_bytes());
        bytes.extend([F64, UNSIGNED]);
        bytes.extend((row.len() as u64).to_le_bytes());
        for number in row {
            bytes.extend(number.to_le_bytes());
        }
        let hash = Hash::of(&bytes);
        bytes.extend(hash.0);
        bytes
    }

    /// Reads a frame of `count` numbers that `from`, whose certificate has been seen, sent in `run`.
    ///
    /// The length is checked first: nothing is allocated for what cannot be a frame.
    ///
    /// # Errors
    /// Names what is wrong first, in this order: length, header, hash, numbers.
    pub fn decode(bytes: &[u8], run: RunId, from: PartyId, count: usize) -> Result<Self, FrameError> {
        let expected = length(count).unwrap_or(usize::MAX);
        if bytes.len() != expected {
            return Err(FrameError::Length { found: bytes.len(), count, expected });
        }
        check("the start", &bytes[at::MAGIC], MAGIC)?;
        number("the version of the layout", &u16::from_le_bytes(array(bytes, at::VERSION)), &VERSION)?;
        number("the kind", &u16::from_le_bytes(array(bytes, at::KIND)), &ROW)?;
        check("the run", &bytes[at::RUN], &run.0)?;
        number("the sender", &u32::from_le_bytes(array(bytes, at::FROM)), &from.0)?;
        number("the receiver", &u32::from_le_bytes(array(bytes, at::TO)), &EVERYBODY)?;
        number("the type of the numbers", &bytes[at::TYPE], &F64)?;
        number("the kind of signature", &bytes[at::SIGNATURE], &UNSIGNED)?;
        number("the count of numbers", &u64::from_le_bytes(array(bytes, at::COUNT)), &(count as u64))?;
        let (signed, hash) = bytes.split_at(bytes.len() - HASH);
        let found = Hash::of(signed);
        if hash != found.0 {
            return Err(FrameError::Hash);
        }
        let row: Vec<f64> =
            signed[HEADER..].as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
        match row.iter().position(|number| !number.is_finite()) {
            None => Ok(Self { from, step: u64::from_le_bytes(array(bytes, at::STEP)), hash: found, row }),
            Some(index) => Err(FrameError::NonFinite { index }),
        }
    }
}

/// The hash at the end of a frame; nothing of what is too short for one.
pub(crate) fn hash_of(bytes: &[u8]) -> Option<Hash> {
    bytes.last_chunk().map(|hash| Hash(*hash))
}

fn array<const N: usize>(bytes: &[u8], range: Range<usize>) -> [u8; N] {
    bytes[range].try_into().expect("the range is as long as the number")
}

fn check(field: &'static str, found: &[u8], expected: &[u8]) -> Result<(), FrameError> {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    if found == expected {
        Ok(())
    } else {
        Err(FrameError::Header { field, found: hex(found), expected: hex(expected) })
    }
}

fn number<T: PartialEq + ToString>(field: &'static str, found: &T, expected: &T) -> Result<(), FrameError> {
    if found == expected {
        Ok(())
    } else {
        Err(FrameError::Header { field, found: found.to_string(), expected: expected.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RUN: RunId = RunId(*b"a run of a test.");

    fn frame() -> Vec<u8> {
        Frame::encode(RUN, PartyId(3), 70_000, &[1.5, -0.0, f64::MIN_POSITIVE])
    }

    #[test]
    fn a_frame_is_read_to_the_bit() {
        let bytes = frame();
        assert_eq!(Some(bytes.len()), length(3));
        let read = Frame::decode(&bytes, RUN, PartyId(3), 3).unwrap();
        assert_eq!((read.from, read.step, Some(read.hash)), (PartyId(3), 70_000, hash_of(&bytes)));
        assert_eq!(Frame::encode(RUN, PartyId(3), read.step, &read.row), bytes);
    }

    /// The layout is a promise to programs that are older or not ours.
    #[test]
    fn the_layout_does_not_change() {
        let header = "4449444f01000000612072756e206f66206120746573742e03000000ffffffff7011010000000000010003000000000000\
                      00000000000000f83f00000000000000800000000000001000";
        let hex = frame()[..HEADER + 24].iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(hex, header);
    }

    #[test]
    fn frames_of_others_are_refused_by_name() {
        let bytes = frame();
        let refused = |run, from, count| Frame::decode(&bytes, run, from, count).unwrap_err().to_string();
        assert!(refused(RunId([0; 16]), PartyId(3), 3).starts_with("the run is 6120"));
        assert_eq!(refused(RUN, PartyId(4), 3), "the sender is 3, not 4");
        assert_eq!(refused(RUN, PartyId(3), 2), "106 bytes where a frame of 2 numbers has 98");
        // No length is so large that it is computed wrongly or allocated.
        assert!(Frame::decode(&bytes, RUN, PartyId(3), usize::MAX).is_err());
        for (number, index) in [(f64::NAN, 1), (f64::INFINITY, 1), (f64::NEG_INFINITY, 1)] {
            let bytes = Frame::encode(RUN, PartyId(3), 0, &[1.0, number]);
            assert_eq!(Frame::decode(&bytes, RUN, PartyId(3), 2), Err(FrameError::NonFinite { index }));
        }
    }

    /// Every bit and every byte of the length counts: all of them, not a sample.
    #[test]
    fn no_bit_can_flip_and_no_byte_can_be_missing() {
        let bytes = frame();
        for length in 0..bytes.len() {
            assert!(Frame::decode(&bytes[..length], RUN, PartyId(3), 3).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Frame::decode(&bytes, RUN, PartyId(3), 3).is_err(), "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_are_the_frame_of_their_numbers(
            mut bytes in proptest::collection::vec(any::<u8>(), 106..107), keep in 0_usize..60,
        ) {
            bytes[..keep].copy_from_slice(&frame()[..keep]);
            if let Ok(read) = Frame::decode(&bytes, RUN, PartyId(3), 3) {
                prop_assert_eq!(Frame::encode(RUN, PartyId(3), read.step, &read.row), bytes);
            }
        }
    }
}
