//! Arrow IPC: the file format, which is Feather V2, and the stream.
//!
//! Both are a sequence of messages: a flatbuffer that says what follows, and a body. All lengths are compared with the bytes
//! that are there before the decoder sees them.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{Block, CompressionType, Message, root_as_footer, root_as_message};
use std::sync::Arc;

use super::guard::guarded;
use super::{Gathering, damaged};
use crate::error::At;
use crate::{Fault, Format, Options, Table};

/// At the start and at the end of a file.
const MAGIC: &[u8] = b"ARROW1";

/// Before the length of a message.
const CONTINUED: [u8; 4] = [0xff; 4];

/// Reads the table.
pub(crate) fn read(bytes: Vec<u8>, options: &Options) -> Result<Table, At> {
    guarded("Arrow", || if bytes.starts_with(MAGIC) { file(bytes, options) } else { stream(bytes, options) })
}

fn broken(what: &str) -> Fault {
    damaged("Arrow", &what)
}

fn file(bytes: Vec<u8>, options: &Options) -> Result<Table, At> {
    let Some(body) = bytes.strip_suffix(MAGIC).filter(|body| body.len() >= MAGIC.len() + 4) else {
        let what = "not a complete Arrow file (no ARROW1 at the end: the footer is missing)";
        return Err(Fault::Damaged(what.to_owned()).into());
    };
    let footer = body
        .split_last_chunk::<4>()
        .and_then(|(body, len)| {
            body.len().checked_sub(usize::try_from(i32::from_le_bytes(*len)).ok()?).map(|at| (body, at))
        })
        .map(|(body, at)| root_as_footer(&body[at..]))
        .ok_or_else(|| broken("the footer is outside of the file"))?
        .map_err(|e| damaged("Arrow", &e))?;
    let schema = footer.schema().ok_or_else(|| broken("no schema"))?;
    let schema = Arc::new(try_fb_to_schema(schema).map_err(|e| damaged("Arrow", &e))?);
    let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
    let batches: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    let mut gathering = Gathering::new(&schema, options)?;
    let mut decoder = FileDecoder::new(schema, footer.version()).with_projection(gathering.positions());
    let buffer = Buffer::from_vec(bytes);
    let mut budget = options.limit;
    for block in &dictionaries {
        let message = block_message(&buffer, block, &mut budget)?;
        decoder.read_dictionary(block, &message).map_err(|e| damaged("Arrow", &e))?;
    }
    for block in &batches {
        let message = block_message(&buffer, block, &mut budget)?;
        if let Some(batch) = decoder.read_record_batch(block, &message).map_err(|e| damaged("Arrow", &e))? {
            gathering.add(&batch)?;
        }
    }
    gathering.finish(Format::Arrow, options)
}

/// The message of a block, whose lengths hold.
fn block_message(file: &Buffer, block: &Block, budget: &mut u64) -> Result<Buffer, Fault> {
    let outside = || broken("a block is outside of the file");
    let whole = |length: i64| usize::try_from(length).map_err(|_| outside());
    let (start, metadata, body) =
        (whole(block.offset())?, whole(block.metaDataLength().into())?, whole(block.bodyLength())?);
    let middle = start.checked_add(metadata).ok_or_else(outside)?;
    let end = middle.checked_add(body).filter(|end| *end <= file.len()).ok_or_else(outside)?;
    let (flatbuffer, body) = (&file[start..middle], &file[middle..end]);
    let flatbuffer = flatbuffer.strip_prefix(&CONTINUED).unwrap_or(flatbuffer).get(4..).ok_or_else(outside)?;
    check(&message(flatbuffer)?, body, budget)?;
    Ok(file.slice_with_length(start, end - start))
}

fn message(flatbuffer: &[u8]) -> Result<Message<'_>, Fault> {
    root_as_message(flatbuffer).map_err(|e| damaged("Arrow", &e))
}

fn stream(bytes: Vec<u8>, options: &Options) -> Result<Table, At> {
    let (end, closed) = walk(&bytes, options.limit)?;
    let mut buffer = Buffer::from_vec(bytes).slice_with_length(0, end);
    let mut decoder = StreamDecoder::new();
    let mut gathering = None;
    while let Some(batch) = decoder.decode(&mut buffer).map_err(|e| damaged("Arrow", &e))? {
        let gathering = match &mut gathering {
            Some(gathering) => gathering,
            None => gathering.insert(Gathering::new(&batch.schema(), options)?),
        };
        gathering.add(&projected(&batch, &gathering.positions())?)?;
    }
    decoder.finish().map_err(|e| damaged("Arrow", &e))?;
    let mut table = gathering.ok_or(Fault::NoRows)?.finish(Format::Arrow, options)?;
    if !closed {
        table.notes.push("the stream does not say where it ends: it may have been cut off".to_owned());
    }
    Ok(table)
}

fn projected(batch: &RecordBatch, positions: &[usize]) -> Result<RecordBatch, Fault> {
    batch.project(positions).map_err(|e| damaged("Arrow", &e))
}

/// Where the stream ends, and whether it says so. All lengths of its messages hold.
fn walk(bytes: &[u8], limit: u64) -> Result<(usize, bool), Fault> {
    let cut = || broken("the stream was cut off within a message");
    let mut rest = bytes;
    let mut budget = limit;
    while !rest.is_empty() {
        let after = rest.strip_prefix(&CONTINUED).unwrap_or(rest);
        let (len, after) = after.split_first_chunk().ok_or_else(cut)?;
        let len = usize::try_from(i32::from_le_bytes(*len)).map_err(|_| broken("a message has a negative length"))?;
        if len == 0 {
            return Ok((bytes.len() - after.len(), true));
        }
        let (flatbuffer, after) = after.split_at_checked(len).ok_or_else(cut)?;
        let message = message(flatbuffer)?;
        let body = usize::try_from(message.bodyLength()).map_err(|_| broken("a body has a negative length"))?;
        let (body, after) = after.split_at_checked(body).ok_or_else(cut)?;
        check(&message, body, &mut budget)?;
        rest = after;
    }
    Ok((bytes.len(), false))
}

/// Compares what a batch says of its buffers with its body: they are inside, and do not unpack to more than their codec can
/// make of them, nor than the budget.
fn check(message: &Message, body: &[u8], budget: &mut u64) -> Result<(), Fault> {
    let batch = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
    let Some(batch) = batch else { return Ok(()) };
    if batch.length() < 0 || batch.nodes().iter().flatten().any(|node| node.length() < 0 || node.null_count() < 0) {
        return Err(broken("a batch has less than no rows"));
    }
    // One packed byte becomes at most so many: a block of 128 kB of one byte takes 4 in zstd.
    let ratio = batch.compression().map(|codec| if codec.codec() == CompressionType::ZSTD { 1 << 15 } else { 255 });
    for buffer in batch.buffers().iter().flatten() {
        let inside = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = inside
            .and_then(|(start, len)| body.get(start..start.checked_add(len)?))
            .ok_or_else(|| broken("a buffer is outside of its message"))?;
        let (Some(ratio), Some((announced, packed))) = (ratio, bytes.split_first_chunk()) else { continue };
        // Less than none says that the buffer is not packed.
        let Ok(announced) = u64::try_from(i64::from_le_bytes(*announced)) else { continue };
        if announced > (packed.len() as u64).saturating_mul(ratio) {
            return Err(broken("a buffer announces more bytes than its codec can unpack"));
        }
        *budget =
            budget.checked_sub(announced).ok_or_else(|| broken("its buffers announce more bytes than the limit"))?;
    }
    Ok(())
}
