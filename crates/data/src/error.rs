//! What is wrong with a data file, in one line that names the file and the place.

use std::fmt;
use std::io;

/// Where in a file something is.
///
/// Lines, columns, rows and bytes of a line count from 1; offsets from 0, as hex viewers show them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The physical line, of a text file. A quoted cell may hold line breaks: the line is that on which the record starts.
    pub line: Option<u64>,
    /// The row, of a binary file.
    pub row: Option<u64>,
    /// The column: its number and name.
    pub column: Option<(usize, String)>,
    /// The byte of the line, in a LIBSVM file.
    pub byte: Option<usize>,
    /// The byte of the file, from 0.
    pub offset: Option<u64>,
}

impl Place {
    /// A line of a text file.
    pub fn line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// A row of a binary file.
    pub fn row(row: u64) -> Self {
        Self { row: Some(row), ..Self::default() }
    }

    /// The same, in a column.
    #[must_use]
    pub fn column(self, number: usize, name: impl Into<String>) -> Self {
        Self { column: Some((number, name.into())), ..self }
    }

    /// The same, at a byte of its line.
    #[must_use]
    pub fn byte(self, byte: usize) -> Self {
        Self { byte: Some(byte), ..self }
    }

    /// A byte of the file, from 0.
    pub fn offset(offset: u64) -> Self {
        Self { offset: Some(offset), ..Self::default() }
    }
}

impl fmt::Display for Place {
    /// `line 3, column 2 (b)`; nothing for the file as a whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = |(number, name): &(usize, String)| {
            if name.is_empty() || *name == number.to_string() {
                format!("column {number}")
            } else {
                format!("column {number} ({})", excerpt(name))
            }
        };
        let parts = [
            self.line.map(|line| format!("line {line}")),
            self.row.map(|row| format!("row {row}")),
            self.column.as_ref().map(column),
            self.byte.map(|byte| format!("byte {byte}")),
            self.offset.map(|offset| format!("offset {offset}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A data file was refused: which, where and why. It is displayed in one line.
///
/// Messages quote the cell at fault: they are for the eyes of the owner of the data.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {fault}", after_comma(place))]
pub struct DataError {
    /// What the file is called.
    pub file: String,
    /// Where in it.
    pub place: Box<Place>,
    /// What is wrong.
    pub fault: Fault,
}

impl DataError {
    /// What is wrong with a file as a whole.
    pub fn whole(file: impl Into<String>, fault: Fault) -> Self {
        Self { file: file.into(), place: Box::default(), fault }
    }
}

fn after_comma(place: &Place) -> String {
    let place = place.to_string();
    if place.is_empty() { place } else { format!(", {place}") }
}

/// What can be wrong with a data file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system does not give it out.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// There are no bytes.
    #[error("the file is empty")]
    Empty,
    /// There is a header at most.
    #[error("there are no data rows")]
    NoRows,
    /// Every row has a missing value.
    #[error("every one of the {0} rows has a missing value, so none is left")]
    AllMissing(u64),
    /// It is something else than data in a known format.
    #[error("{0}")]
    NotData(String),
    /// It is not what its name or the option `format` says.
    #[error("{0}")]
    WrongFormat(String),
    /// It is damaged or was cut off.
    #[error("{0}")]
    Damaged(String),
    /// It is valid, but more than is read here.
    #[error("{0}")]
    Unsupported(String),
    /// Unpacked it is over the limit.
    #[error("there are more than {0} bytes when unpacked; raise the limit if that is right")]
    TooLarge(u64),
    /// The text is in another encoding.
    #[error("not UTF-8: byte 0x{0:02X}; save the file as UTF-8")]
    NotUtf8(u8),
    /// A byte 0 in a text.
    #[error("a NUL byte; the file was not written completely, or is not text")]
    Nul,
    /// The separator is anybody's guess.
    #[error("the separator cannot be told ({0}); pass it, as --separator ';' or --separator tab")]
    SeparatorUnknown(String),
    /// The header is anybody's guess.
    #[error("it cannot be told whether the first line is a header ({0}); pass --header yes or --header no")]
    HeaderUnknown(&'static str),
    /// An option does not make sense.
    #[error("{0}")]
    Option(String),
    /// A row of another length than the first.
    #[error("ragged: {got} fields, {expected} expected")]
    Ragged {
        /// Fields of the row.
        got: usize,
        /// Fields of the first row.
        expected: usize,
    },
    /// A quote that is not closed, or text after a closing one.
    #[error("{0}")]
    Quote(&'static str),
    /// A name twice.
    #[error("two columns are called \"{0}\"; rename one")]
    SameName(String),
    /// No column has this name.
    #[error("no column \"{name}\"; columns are {present}{}", meant(near.as_ref()))]
    NoColumn {
        /// The name asked for.
        name: String,
        /// A name like it.
        near: Option<String>,
        /// The names there are.
        present: String,
    },
    /// Text where numbers are.
    #[error("not a number: \"{cell}\"{hint}")]
    NotANumber {
        /// The cell.
        cell: String,
        /// What can be done.
        hint: String,
    },
    /// A number that can be read in several ways.
    #[error("an ambiguous number: \"{cell}\"{hint}")]
    Ambiguous {
        /// The cell.
        cell: String,
        /// What can be done.
        hint: String,
    },
    /// A number beside text, or the like.
    #[error("{0}")]
    Mixed(String),
    /// A number that is none.
    #[error("not finite: \"{0}\"")]
    NotFinite(String),
    /// Nothing in a cell.
    #[error("missing value{}; drop such rows with --missing drop, or the column with --drop", quoted(.0))]
    Missing(String),
    /// A pair of a LIBSVM file, or its label.
    #[error("{0}")]
    Pair(String),
    /// The column holds what is no number, truth value or text.
    #[error("the column is {0}; numbers, booleans or text are needed")]
    ColumnType(String),
    /// An array of the wrong shape.
    #[error("{0}")]
    Shape(String),
}

fn meant(near: Option<&String>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn quoted(cell: &str) -> String {
    if cell.is_empty() { String::new() } else { format!(" \"{cell}\"") }
}

/// A fault and its place; the file is added where its name is known.
#[derive(Debug)]
pub(crate) struct At {
    pub(crate) place: Box<Place>,
    pub(crate) fault: Fault,
}

impl At {
    pub(crate) fn new(place: Place, fault: Fault) -> Self {
        Self { place: Box::new(place), fault }
    }

    pub(crate) fn line(line: u64, fault: Fault) -> Self {
        Self::new(Place::line(line), fault)
    }
}

impl From<Fault> for At {
    fn from(fault: Fault) -> Self {
        Self::new(Place::default(), fault)
    }
}

/// A cell for a message: one short line without control characters.
pub(crate) fn excerpt(cell: &str) -> String {
    shortened(cell, 40)
}

/// The first letters of a text, in one line.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    let mut short = String::new();
    for letter in text.chars().take(letters) {
        if letter.is_control() { short.extend(letter.escape_default()) } else { short.push(letter) }
    }
    if text.chars().nth(letters).is_some() {
        short.push('…');
    }
    short
}
