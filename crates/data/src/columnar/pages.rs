//! The sizes that the pages of a Parquet file announce, checked before anything is allocated for them.
//!
//! The decoder makes room for as many bytes as the header of a page says it will unpack to. Here the headers are walked
//! beforehand: no page may announce more than its codec can make of its packed bytes, nor all of them more than the limit.
//! A header is a struct in the compact protocol of Thrift, whose fields 2 and 3 are the two sizes.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

/// Bytes in excess of the ratio of a codec, for its own framing.
const SLACK: u64 = 1 << 10;

/// Walks the pages of a column chunk.
pub(super) fn check(file: &[u8], chunk: &ColumnChunkMetaData, limit: u64) -> Result<(), &'static str> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let outside = "its pages are outside of the file";
    let start = usize::try_from(start).map_err(|_| outside)?;
    let len = usize::try_from(chunk.compressed_size()).map_err(|_| outside)?;
    let end = start.checked_add(len).ok_or(outside)?;
    let mut rest = file.get(start..end).ok_or(outside)?;
    let ratio = ratio(chunk.compression());
    let mut total = 0_u64;
    while !rest.is_empty() {
        let mut header = Compact { rest };
        let (packed, unpacked) = header.sizes().ok_or("a header of a page is damaged")?;
        rest = header.rest.get(packed..).ok_or("a page is outside of its column chunk")?;
        if unpacked > (packed as u64).saturating_mul(ratio).saturating_add(SLACK) {
            return Err("a page announces more bytes than its codec can unpack");
        }
        total = total.saturating_add(unpacked);
        if total > limit {
            return Err("its pages announce more bytes than the limit");
        }
    }
    Ok(())
}

/// The most bytes that one packed byte can become.
fn ratio(codec: Compression) -> u64 {
    match codec {
        Compression::UNCOMPRESSED => 1,
        // A copy of 64 bytes takes 3, or 2 near by.
        Compression::SNAPPY => 32,
        Compression::GZIP(_) => 1032,
        Compression::LZ4 | Compression::LZ4_RAW => 255,
        // A block of 128 kB of one byte takes 4, and a brotli stream can say more; the limit holds for both.
        _ => 1 << 15,
    }
}

/// A reader of the compact protocol.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    /// Reads a header; its packed and unpacked size.
    fn sizes(&mut self) -> Option<(usize, u64)> {
        let (mut packed, mut unpacked) = (None, None);
        let mut id = 0;
        loop {
            match (self.field(&mut id)?, id) {
                (STOP, _) => break,
                (I32, 2) => unpacked = Some(u64::try_from(self.signed()?).ok()?),
                (I32, 3) => packed = Some(usize::try_from(self.signed()?).ok()?),
                (kind, _) => self.skip(kind, DEEPEST)?,
            }
        }
        Some((packed?, unpacked?))
    }

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
    fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// The type of the next field, and its number after that of the one before; [`STOP`] at the end of a struct.
    fn field(&mut self, id: &mut i64) -> Option<u8> {
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

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
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
                // The truth values of a list take a byte each, and every other element at least one.
                let element = if matches!(head & 0xf, TRUE | FALSE) { BYTE } else { head & 0xf };
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
            // The headers of pages have no maps.
            _ => None,
        }
    }
}

/// Structs in structs of a header, at most.
const DEEPEST: usize = 16;

const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_by_hand() {
        // Field 1: i32 0; field 2: i32 600 (zigzag 1200 = 0xb0 0x09); field 3: i32 7; field 5: a struct of an i32; stop.
        let header = [0x15, 0x00, 0x15, 0xb0, 0x09, 0x15, 0x0e, 0x2c, 0x15, 0x02, 0x00, 0x00, 0xaa];
        let mut compact = Compact { rest: &header };
        assert_eq!(compact.sizes(), Some((7, 600)));
        assert_eq!(compact.rest, [0xaa]);
    }

    #[test]
    fn a_damaged_header_ends() {
        // Cut off, a negative size, a list of 2^60 elements, structs without end.
        assert_eq!(Compact { rest: &[0x15, 0x00, 0x15] }.sizes(), None);
        assert_eq!(Compact { rest: &[0x25, 0x01, 0x15, 0x02, 0x00] }.sizes(), None);
        assert_eq!(Compact { rest: &[0x19, 0xf5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10] }.sizes(), None);
        assert_eq!(Compact { rest: &[0x1c; 1000] }.sizes(), None);
    }
}
