//! Separated values.
//!
//! A record may not be shorter or longer than the first. Cells are trimmed of blanks. A line without a single byte says nothing;
//! one of blanks only is a record.

mod column;
mod records;
mod sniff;

use crate::detect::without_bom;
use crate::error::{At, excerpt};
use crate::rows::MOST_COLUMNS;
use crate::select::{position, select};
use crate::{Fault, Format, Header, Missing, MissingValues, Options, Place, Places, Table};
use column::Builder;
use records::{Dialect, Records};

/// Reads the table.
pub(crate) fn read(bytes: &[u8], extension: &str, options: &Options) -> Result<Table, At> {
    let bytes = without_bom(bytes);
    let text = utf8(bytes)?;
    let separator = match options.separator {
        Some(separator) => separator,
        None if matches!(extension, "tsv" | "tab") => b'\t',
        None => sniff::separator(text, options)?,
    };
    refuse_nul(bytes, separator)?;
    let dialect = Dialect { separator, comment: options.comment };
    let mut records = Records::new(text, dialect);
    let header = match options.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => sniff::header(text, dialect, options)?,
    };
    let Some(first) = records.next()? else { return Err(Fault::NoRows.into()) };
    let names: Vec<String> = if header {
        first.cells().map(str::to_owned).collect()
    } else {
        (1..=first.len()).map(|k| k.to_string()).collect()
    };
    let line = first.line;
    if names.len() > MOST_COLUMNS {
        let what = format!("{} columns; at most {MOST_COLUMNS} are read", names.len());
        return Err(At::line(line, Fault::Unsupported(what)));
    }
    let read = select(&names, options).map_err(|fault| At::line(line, fault))?;
    if !header {
        records = Records::new(text, dialect);
    }
    let mut reading = Reading::new(names, &read, options).map_err(|fault| At::line(line, fault))?;
    while let Some(record) = records.next()? {
        reading.take(&record)?;
    }
    let mut table = reading.finish()?;
    if !header && options.header == Header::Auto {
        table.notes.push("the first line was read as data: it has a number where the lines below have one".to_owned());
    }
    Ok(table)
}

fn utf8(bytes: &[u8]) -> Result<&str, At> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let line = records::line_breaks(bytes, 0, at) + 1;
        At::new(Place { line: Some(line), ..Place::offset(at as u64) }, Fault::NotUtf8(bytes[at]))
    })
}

/// Names the line and the column of the first NUL byte.
fn refuse_nul(bytes: &[u8], separator: u8) -> Result<(), At> {
    let Some(at) = memchr::memchr(0, bytes) else { return Ok(()) };
    let start = memchr::memrchr2(b'\n', b'\r', &bytes[..at]).map_or(0, |end| end + 1);
    let column = 1 + memchr::memchr_iter(separator, &bytes[start..at]).count();
    let place = Place::line(records::line_breaks(bytes, 0, at) + 1).column(column, "");
    Err(At::new(place, Fault::Nul))
}

/// A table in the making.
struct Reading<'o> {
    options: &'o Options,
    fields: usize,
    columns: Vec<Builder>,
    missing: Vec<u64>,
    dropped: Vec<u64>,
    lines: Vec<u64>,
    records: u64,
}

impl<'o> Reading<'o> {
    fn new(names: Vec<String>, read: &[bool], options: &'o Options) -> Result<Self, Fault> {
        let fields = names.len();
        let declared = options.kinds.iter().map(|(name, kind)| Ok((position(name, &names)?, *kind)));
        let declared = declared.collect::<Result<Vec<_>, Fault>>()?;
        let kind = |k: usize| declared.iter().find(|(column, _)| *column == k).map(|(_, kind)| *kind);
        let builders = names.into_iter().enumerate().filter(|(k, _)| read[*k]);
        let columns: Vec<_> = builders.map(|(k, name)| Builder::new(k, name, kind(k), options.decimal)).collect();
        let missing = vec![0; columns.len()];
        Ok(Self { options, fields, columns, missing, dropped: vec![], lines: vec![], records: 0 })
    }

    fn take(&mut self, record: &records::Record) -> Result<(), At> {
        self.records += 1;
        if record.len() != self.fields {
            let fault = Fault::Ragged { got: record.len(), expected: self.fields };
            return Err(At::line(record.line, fault));
        }
        let mut whole = true;
        for (column, missing) in self.columns.iter().zip(&mut self.missing) {
            let cell = record.cell(column.position);
            if self.options.na.iter().any(|na| na == cell) {
                whole = false;
                *missing += 1;
                if self.options.missing == Missing::Error {
                    return Err(At::new(column.place(record.line), Fault::Missing(excerpt(cell))));
                }
            }
        }
        if !whole {
            self.dropped.push(self.records);
            return Ok(());
        }
        self.lines.push(record.line);
        for column in &mut self.columns {
            let cell = record.cell(column.position);
            column.push(cell).map_err(|fault| At::new(column.place(record.line), fault))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Table, At> {
        if self.lines.is_empty() {
            return Err(if self.records == 0 { Fault::NoRows } else { Fault::AllMissing(self.records) }.into());
        }
        let counts = self.columns.iter().zip(self.missing).filter(|(_, count)| *count > 0);
        let by_column = counts.map(|(column, count)| (column.name.clone(), count)).collect();
        Ok(Table {
            format: Format::Csv,
            columns: self.columns.into_iter().map(Builder::finish).collect(),
            target: None,
            missing: MissingValues { by_column, dropped: self.dropped },
            notes: vec![],
            places: Places::Lines(self.lines),
        })
    }
}
