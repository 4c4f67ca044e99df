//! The compact protocol of Thrift, as far as it is needed to walk over its values.

/// A reader of the compact protocol.
pub(super) struct Compact<'a> {
    pub(super) rest: &'a [u8],
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number: its sign is its last bit.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// The type of the next field, and its number after that of the one before; [`STOP`] at the end of a struct.
    pub(super) fn field(&mut self, id: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        if byte != STOP {
            // A type that there is not.
            (byte & 0xf != STOP).then_some(())?;
            *id = if byte >> 4 == 0 { self.signed()? } else { id.checked_add(i64::from(byte >> 4))? };
        }
        Some(byte & 0xf)
    }

    fn bytes(&mut self, len: usize) -> Option<()> {
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// Goes over a value, or says that it is damaged.
    pub(super) fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // The truth value of a field is in its type.
            TRUE | FALSE => Some(()),
            BYTE => self.bytes(1),
            I16 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.bytes(8),
            BINARY => {
                let len = self.varint()?;
                self.bytes(usize::try_from(len).ok()?)
            }
            LIST | SET => {
                let head = self.byte()?;
                let len = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                let element = head & 0xf;
                // Every element takes at least a byte. Readers disagree on truth values in lists, which Parquet does not have here.
                if matches!(element, TRUE | FALSE) {
                    return None;
                }
                (0..len).try_for_each(|_| self.skip(element, depth))
            }
            STRUCT => {
                let mut id = 0;
                loop {
                    match self.field(&mut id)? {
                        STOP => return Some(()),
                        kind => self.skip(kind, depth)?,
                    }
                }
            }
            // There are no maps in Parquet.
            _ => None,
        }
    }
}

/// Lists and structs in one another, at most.
pub(super) const DEEPEST: usize = 32;

pub(super) const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
pub(super) const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
pub(super) const STRUCT: u8 = 12;
