//! Records and their physical lines.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

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
    reader: Reader,
    dialect: Dialect,
    bytes: &'a [u8],
    /// Where the next record, or an empty line or comment before it, starts.
    at: usize,
    /// The line of that place.
    line: u64,
    cells: String,
    ends: Vec<usize>,
    buffer: Vec<u8>,
}

/// A record.
pub(super) struct Record<'r> {
    /// The line on which it starts, from 1.
    pub(super) line: u64,
    cells: &'r str,
    ends: &'r [usize],
    separator: u8,
}

impl<'r> Record<'r> {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A cell, trimmed of blanks.
    pub(super) fn cell(&self, position: usize) -> &'r str {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        let cell = &self.cells[start..self.ends[position]];
        // A tab that separates is no part of a cell, and one inside of quotes is kept with it.
        if self.separator == b'\t' { cell.trim_matches(' ') } else { cell.trim_matches([' ', '\t']) }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &'r str> {
        (0..self.len()).map(|position| self.cell(position))
    }
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(dialect.separator).build(),
            dialect,
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            cells: String::new(),
            ends: vec![],
            buffer: vec![],
        }
    }

    /// The next record, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, At> {
        self.skip();
        let (start, line) = (self.at, self.line);
        if start == self.bytes.len() || !self.split() {
            return Ok(None);
        }
        let raw = &self.bytes[start..self.at];
        if memchr::memchr(b'"', raw).is_some() {
            check_quotes(raw, self.dialect.separator).map_err(|fault| At::line(line, fault))?;
        }
        Ok(Some(Record { line, cells: &self.cells, ends: &self.ends, separator: self.dialect.separator }))
    }

    /// Goes over empty lines and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.bytes[self.at..];
            let skip = match rest.first() {
                Some(b'\n' | b'\r') => 1,
                Some(first) if Some(*first) == self.dialect.comment => {
                    memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
                }
                _ => return,
            };
            self.advance(skip);
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.line += line_breaks(self.bytes, self.at, self.at + bytes);
        self.at += bytes;
    }

    /// Splits the record that starts here; whether there is one.
    fn split(&mut self) -> bool {
        const ROOM: usize = 64;
        let mut buffer = std::mem::take(&mut self.buffer);
        let (mut len, mut fields) = (0, 0);
        let found = loop {
            if buffer.len() - len < ROOM {
                buffer.resize(2 * buffer.len() + ROOM, 0);
            }
            if self.ends.len() - fields < ROOM {
                self.ends.resize(2 * self.ends.len() + ROOM, 0);
            }
            let rest = &self.bytes[self.at..];
            let (result, read, written, ended) =
                self.reader.read_record(rest, &mut buffer[len..], &mut self.ends[fields..]);
            self.advance(read);
            len += written;
            fields += ended;
            match result {
                ReadRecordResult::Record => break true,
                ReadRecordResult::End => break false,
                _ => {}
            }
        };
        self.ends.truncate(fields);
        self.cells.clear();
        // Separators and quotes are ASCII: what is between them in UTF-8 is UTF-8.
        self.cells.push_str(std::str::from_utf8(&buffer[..len]).unwrap_or_default());
        self.buffer = buffer;
        found
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
