//! Records and their physical lines.

use ::csv::{ByteRecord, Reader, ReaderBuilder};

use crate::Fault;
use crate::error::At;

/// What splits a text into records and cells.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    pub(super) separator: u8,
    pub(super) comment: Option<u8>,
}

/// The records of a text, one at a time.
pub(super) struct Records<'a> {
    reader: Reader<&'a [u8]>,
    lines: Lines<'a>,
    dialect: Dialect,
    fields: ByteRecord,
}

/// A record.
pub(super) struct Record<'r> {
    /// The line on which it starts, from 1.
    pub(super) line: u64,
    fields: &'r ByteRecord,
    separator: u8,
}

impl Record<'_> {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A cell, trimmed of blanks.
    pub(super) fn cell(&self, position: usize) -> &str {
        let cell = std::str::from_utf8(&self.fields[position]).unwrap_or_default();
        // A tab that separates is no part of a cell, and one inside of quotes is kept with it.
        if self.separator == b'\t' { cell.trim_matches(' ') } else { cell.trim_matches([' ', '\t']) }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|position| self.cell(position))
    }
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(dialect.separator).comment(dialect.comment).has_headers(false).flexible(true);
        Self {
            reader: builder.from_reader(text.as_bytes()),
            lines: Lines { bytes: text.as_bytes(), at: 0, line: 1 },
            dialect,
            fields: ByteRecord::new(),
        }
    }

    /// The next record, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, At> {
        let read = self.reader.read_byte_record(&mut self.fields);
        // The text is in memory and has no fixed number of fields: nothing is left that could go wrong.
        if !read.map_err(|error| Fault::Damaged(error.to_string()))? {
            return Ok(None);
        }
        let start = self.fields.position().map_or(0, ::csv::Position::byte);
        let start = self.lines.record_from(usize::try_from(start).unwrap_or(usize::MAX), self.dialect.comment);
        let line = self.lines.line;
        let end = usize::try_from(self.reader.position().byte()).unwrap_or(usize::MAX).min(self.lines.bytes.len());
        let raw = self.lines.bytes.get(start..end).unwrap_or_default();
        if memchr::memchr(b'"', raw).is_some() {
            check_quotes(raw, self.dialect.separator).map_err(|fault| At::line(line, fault))?;
        }
        Ok(Some(Record { line, fields: &self.fields, separator: self.dialect.separator }))
    }
}

/// Counts lines up to a place that only moves forward.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn advance(&mut self, to: usize) {
        let to = to.clamp(self.at, self.bytes.len());
        self.line += line_breaks(self.bytes, self.at, to);
        self.at = to;
    }

    /// Goes to where the record starts that was found from `from` on: the reader counts empty lines and comments before it in.
    fn record_from(&mut self, from: usize, comment: Option<u8>) -> usize {
        self.advance(from);
        loop {
            let rest = &self.bytes[self.at..];
            let skip = match rest.first() {
                Some(b'\n' | b'\r') => 1,
                Some(first) if Some(*first) == comment => memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
                _ => return self.at,
            };
            self.advance(self.at + skip);
        }
    }
}

/// The line breaks that end in a range: `\n`, `\r\n` or `\r`.
pub(super) fn line_breaks(bytes: &[u8], from: usize, to: usize) -> u64 {
    let ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[from..to]);
    let counts = |at: &usize| bytes[from + at] == b'\n' || bytes.get(from + at + 1) != Some(&b'\n');
    ends.filter(counts).count() as u64
}

/// Refuses a quote that is never closed, and text after a closing one, which the reader would let through.
fn check_quotes(record: &[u8], separator: u8) -> Result<(), Fault> {
    let mut rest = record;
    loop {
        if let Some(quoted) = rest.strip_prefix(b"\"") {
            rest = after_quote(quoted).ok_or(Fault::Quote("a quote is opened and never closed"))?;
            if !matches!(rest.first(), None | Some(b'\r' | b'\n')) && rest.first() != Some(&separator) {
                return Err(Fault::Quote(
                    "there is text after a closing quote; a quote inside of quotes is written twice",
                ));
            }
        }
        match memchr::memchr3(separator, b'\r', b'\n', rest) {
            Some(end) if rest[end] == separator => rest = &rest[end + 1..],
            _ => return Ok(()),
        }
    }
}

/// What follows the closing quote.
fn after_quote(mut quoted: &[u8]) -> Option<&[u8]> {
    loop {
        let quote = memchr::memchr(b'"', quoted)?;
        quoted = &quoted[quote + 1..];
        match quoted.strip_prefix(b"\"") {
            Some(rest) => quoted = rest,
            None => return Some(quoted),
        }
    }
}
