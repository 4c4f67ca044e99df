//! The sizes that the pages of a Parquet file announce, checked before anything is allocated for them.
//!
//! The decoder makes room for as many bytes as the header of a page says it will unpack to. Here the headers are walked
//! beforehand: no page may announce more than its codec can make of its packed bytes, nor all of them more than the limit.
//! A header is a struct in the compact protocol of Thrift, whose fields 2 and 3 are the two sizes. The footer is walked as well:
//! the decoder would go on for hours in a list that announces more elements than there are bytes.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

use super::thrift::{Compact, DEEPEST, I32, STOP, STRUCT};

/// Bytes in excess of the ratio of a codec, for its own framing.
const SLACK: u64 = 1 << 10;

/// Walks the footer of a file, whose length is before its last four bytes.
pub(super) fn check_footer(file: &[u8]) -> Result<(), &'static str> {
    let outside = "the footer is outside of the file";
    let (rest, _) = file.split_last_chunk::<4>().ok_or(outside)?;
    let (rest, len) = rest.split_last_chunk::<4>().ok_or(outside)?;
    let len = usize::try_from(u32::from_le_bytes(*len)).map_err(|_| outside)?;
    let footer = rest.len().checked_sub(len).map(|start| &rest[start..]).ok_or(outside)?;
    Compact { rest: footer }.skip(STRUCT, DEEPEST).ok_or("the footer is damaged")
}

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
        let (packed, unpacked) = sizes(&mut header).ok_or("a header of a page is damaged")?;
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

/// Reads a header; its packed and unpacked size.
fn sizes(header: &mut Compact) -> Option<(usize, u64)> {
    let (mut packed, mut unpacked) = (None, None);
    let mut id = 0;
    loop {
        match (header.field(&mut id)?, id) {
            (STOP, _) => return Some((packed?, unpacked?)),
            (I32, 2) => unpacked = Some(u64::try_from(header.signed()?).ok()?),
            (I32, 3) => packed = Some(usize::try_from(header.signed()?).ok()?),
            (kind, _) => header.skip(kind, DEEPEST)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    use super::*;

    #[test]
    fn a_header_by_hand() {
        // Field 1: i32 0; field 2: i32 600 (zigzag 1200 = 0xb0 0x09); field 3: i32 7; field 5: a struct of an i32; stop.
        let header = [0x15, 0x00, 0x15, 0xb0, 0x09, 0x15, 0x0e, 0x2c, 0x15, 0x02, 0x00, 0x00, 0xaa];
        let mut compact = Compact { rest: &header };
        assert_eq!(sizes(&mut compact), Some((7, 600)));
        assert_eq!(compact.rest, [0xaa]);
    }

    #[test]
    fn a_damaged_header_ends() {
        // Cut off, a negative size, a list of 2^60 elements, structs without end.
        assert_eq!(sizes(&mut Compact { rest: &[0x15, 0x00, 0x15] }), None);
        assert_eq!(sizes(&mut Compact { rest: &[0x25, 0x01, 0x15, 0x02, 0x00] }), None);
        assert_eq!(
            sizes(&mut Compact { rest: &[0x19, 0xf5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10] }),
            None
        );
        assert_eq!(sizes(&mut Compact { rest: &[0x1c; 1000] }), None);
    }

    /// A page of type 0 that announces so many bytes, and has `packed` of them.
    fn page(unpacked: u8, packed: u8) -> Vec<u8> {
        // Numbers below 64 take a byte, twice as large.
        let mut bytes = vec![0x15, 0x00, 0x15, 2 * unpacked, 0x15, 2 * packed, 0x00];
        bytes.extend(vec![0xaa; usize::from(packed)]);
        bytes
    }

    fn checked(file: &[u8], len: i64, limit: u64) -> Result<(), &'static str> {
        let schema = parse_message_type("message m { required double x; }").unwrap();
        let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
        let chunk = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::UNCOMPRESSED)
            .set_data_page_offset(0)
            .set_total_compressed_size(len)
            .build();
        check(file, &chunk.unwrap(), limit)
    }

    #[test]
    fn pages_that_lie_are_refused() {
        let honest = [page(9, 9), page(5, 5)].concat();
        let len = i64::try_from(honest.len()).unwrap();
        assert_eq!(checked(&honest, len, 14), Ok(()));
        assert_eq!(checked(&honest, len, 13), Err("its pages announce more bytes than the limit"));
        assert_eq!(checked(&honest, len + 1, 14), Err("its pages are outside of the file"));
        assert_eq!(checked(&honest, -1, 14), Err("its pages are outside of the file"));
        assert_eq!(checked(&honest, len - 1, 14), Err("a page is outside of its column chunk"));
        // 2000 bytes from one: zigzag 4000 = 0xa0 0x1f.
        let lie = [0x15, 0x00, 0x15, 0xa0, 0x1f, 0x15, 0x02, 0x00, 0xaa];
        assert_eq!(checked(&lie, 9, 1 << 20), Err("a page announces more bytes than its codec can unpack"));
    }
}
