//! What can be told about a dialect from the first records.

use super::column::kind;
use super::records::{Dialect, Records};
use crate::error::At;
use crate::{Fault, Kind, Options};

/// Records looked at.
const LOOK: usize = 1000;

/// The separators that are tried.
const SEPARATORS: [(u8, &str); 4] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab"), (b'|', "bar")];

/// The separator: the only one that splits the first record, or the only one that splits all of them alike.
pub(super) fn separator(text: &str, options: &Options) -> Result<u8, At> {
    let mut splitting = vec![];
    for (separator, name) in SEPARATORS {
        let lengths = lengths(text, Dialect { separator, comment: options.comment });
        if lengths.first().is_some_and(|first| *first > 1) {
            splitting.push((separator, name, lengths.iter().all(|length| *length == lengths[0])));
        }
    }
    // A comma that is a decimal mark separates only if nothing else can.
    if options.decimal == b',' && splitting.len() > 1 {
        splitting.retain(|(separator, ..)| *separator != b',');
    }
    let even: Vec<_> = splitting.iter().filter(|(.., even)| *even).collect();
    match (splitting.as_slice(), even.as_slice()) {
        ([(separator, ..)], _) | (_, [(separator, ..)]) => Ok(*separator),
        ([], _) => one_column(text, options),
        (all, _) => {
            let names: Vec<&str> = all.iter().map(|(_, name, _)| *name).collect();
            let how = if even.is_empty() { "none of them evenly" } else { "each of them evenly" };
            Err(Fault::SeparatorUnknown(format!("{} split the records, {how}", names.join(" and "))).into())
        }
    }
}

/// Nothing splits the first record: there is one column, unless blanks separate.
fn one_column(text: &str, options: &Options) -> Result<u8, At> {
    let comma = Dialect { separator: b',', comment: options.comment };
    let mut records = Records::new(text, comma);
    match records.next() {
        Ok(Some(first)) if first.cell(0).contains([' ', ':']) => {
            let tried = "no comma, semicolon, tab or bar in the first record, but blanks or colons";
            Err(Fault::SeparatorUnknown(tried.to_owned()).into())
        }
        _ => Ok(b','),
    }
}

fn lengths(text: &str, dialect: Dialect) -> Vec<usize> {
    let mut records = Records::new(text, dialect);
    // A quote that makes no sense with a wrong separator ends the look; with the right one it is named later.
    std::iter::from_fn(|| records.next().ok().flatten().map(|record| record.len())).take(LOOK).collect()
}

/// Whether the first record names the columns.
///
/// A column speaks for a header if its first cell is text and all cells below are numbers, or truth values; it speaks against
/// one if its first cell is a number. Cells that mean "missing" say nothing.
pub(super) fn header(text: &str, dialect: Dialect, options: &Options) -> Result<bool, At> {
    let look =
        |cell: &str| if options.na.iter().any(|na| na == cell) { None } else { Some(looks(cell, options.decimal)) };
    let mut records = Records::new(text, dialect);
    let first: Vec<_> = match records.next()? {
        Some(first) => first.cells().map(look).collect(),
        None => return Err(Fault::NoRows.into()),
    };
    let mut below: Vec<Below> = vec![Below::Nothing; first.len()];
    let mut rows = 0;
    while rows < LOOK
        && let Some(record) = records.next()?
    {
        rows += 1;
        for (below, cell) in below.iter_mut().zip(record.cells()) {
            below.see(look(cell));
        }
    }
    let against = first.iter().any(|cell| *cell == Some(Kind::Number) || *cell == Some(Kind::Boolean));
    let in_favour = |(first, below): (&Option<Kind>, &Below)| {
        *first == Some(Kind::Text) && matches!(below, Below::All(Kind::Number | Kind::Boolean))
    };
    match (first.iter().zip(&below).any(in_favour), against) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        (true, true) => Err(Fault::HeaderUnknown("it has numbers, and text where the lines below have numbers").into()),
        // Names without a row below are a header.
        (false, false) if rows == 0 => Ok(true),
        (false, false) => Err(Fault::HeaderUnknown("no column has numbers only below it").into()),
    }
}

/// Like numbers are whatever is no plain text.
fn looks(cell: &str, decimal: u8) -> Kind {
    kind(cell, decimal).unwrap_or(Kind::Number)
}

/// What the cells below the first are.
#[derive(Clone, Copy)]
enum Below {
    Nothing,
    All(Kind),
    Mixed,
}

impl Below {
    fn see(&mut self, cell: Option<Kind>) {
        *self = match (*self, cell) {
            (before, None) => before,
            (Self::Nothing, Some(kind)) => Self::All(kind),
            (Self::All(before), Some(kind)) if before == kind => Self::All(kind),
            _ => Self::Mixed,
        };
    }
}
