//! How a file is to be read.

use std::fmt;
use std::str::FromStr;

/// The kinds of files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Separated values: CSV, TSV and the like.
    Csv,
    /// LIBSVM, also called svmlight.
    Libsvm,
    /// One array of `NumPy`.
    Npy,
    /// Several arrays of `NumPy` in a zip archive.
    Npz,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC: file, stream or Feather V2.
    Arrow,
}

/// All formats, by name.
const FORMATS: [(&str, Format); 6] = [
    ("csv", Format::Csv),
    ("libsvm", Format::Libsvm),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
];

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORMATS.iter().find(|(_, format)| format == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || FORMATS.map(|(name, _)| name).join(", ");
        let found = FORMATS.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format).ok_or_else(|| format!("no format `{name}`; formats are {}", names()))
    }
}

/// Whether the first line of a CSV file names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It is told from the lines below, or the file is refused.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not: columns are called by their numbers, from 1.
    No,
}

/// What becomes of a row with a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// The file is refused.
    #[default]
    Error,
    /// The row is dropped and counted. Which rows are dropped depends on the data.
    Drop,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Finite numbers.
    Number,
    /// Truth values.
    Boolean,
    /// Text.
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Text => "text",
        })
    }
}

/// How to read a file. The default finds out what it can, and refuses what it cannot tell.
///
/// | field | for | default | meaning |
/// |---|---|---|---|
/// | `format` | all | found by content, then by name | the format |
/// | `separator` | CSV | found | a byte of ASCII between fields |
/// | `decimal` | CSV | `.` | the decimal mark, `.` or `,` |
/// | `header` | CSV | found | whether the first line names the columns |
/// | `comment` | CSV | none | lines that start with this byte say nothing |
/// | `missing` | all but LIBSVM, which has none | refuse | what becomes of rows with missing values |
/// | `na` | CSV | [`Options::NA`] | the cells that mean "missing" |
/// | `kinds` | CSV | found | columns that are of this kind, whatever they look like |
/// | `only` | CSV, Parquet, Arrow, NPY, NPZ | all | the columns to read; the others are not looked at |
/// | `drop` | the same | none | columns that are not looked at |
/// | `index_base` | LIBSVM | 1 | the index of the first feature: 0 or 1 |
/// | `features` | LIBSVM | largest index found | the number of features |
/// | `unlabelled` | LIBSVM | no | whether lines may lack the label, if all do |
/// | `limit` | all | 8 GiB | most bytes of a file, packed and unpacked |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The format.
    pub format: Option<Format>,
    /// The separator of fields.
    pub separator: Option<u8>,
    /// The decimal mark.
    pub decimal: u8,
    /// Whether there is a header.
    pub header: Header,
    /// The first byte of a comment line.
    pub comment: Option<u8>,
    /// The policy for missing values.
    pub missing: Missing,
    /// Cells that mean "missing".
    pub na: Vec<String>,
    /// Declared kinds, by name of column.
    pub kinds: Vec<(String, Kind)>,
    /// The columns to read, by name or number.
    pub only: Option<Vec<String>>,
    /// The columns not to read, by name or number.
    pub drop: Vec<String>,
    /// The index of the first feature.
    pub index_base: u8,
    /// The number of features.
    pub features: Option<usize>,
    /// Whether the lines of a LIBSVM file may lack the label, if all of them do.
    pub unlabelled: bool,
    /// Most bytes.
    pub limit: u64,
}

impl Options {
    /// What means "missing" by itself.
    pub const NA: [&str; 6] = ["", "NA", "?", "nan", "NaN", "NULL"];

    /// Most bytes by itself: 8 GiB.
    pub const LIMIT: u64 = 8 << 30;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            separator: None,
            decimal: b'.',
            header: Header::Auto,
            comment: None,
            missing: Missing::Error,
            na: Self::NA.map(str::to_owned).to_vec(),
            kinds: vec![],
            only: None,
            drop: vec![],
            index_base: 1,
            features: None,
            unlabelled: false,
            limit: Self::LIMIT,
        }
    }
}

impl Options {
    /// Refuses what makes no sense.
    pub(crate) fn check(&self) -> Result<(), crate::Fault> {
        let refuse = |what: String| Err(crate::Fault::Option(what));
        let mark = |byte: u8| byte.is_ascii() && !matches!(byte, 0 | b'\r' | b'\n' | b'"');
        if let Some(separator) = self.separator.filter(|byte| !mark(*byte)) {
            return refuse(format!(
                "the separator must be a character of ASCII, no quote or line break, got byte {separator}"
            ));
        }
        if let Some(comment) = self.comment.filter(|byte| !mark(*byte) || Some(*byte) == self.separator) {
            return refuse(format!("comments cannot start with byte {comment}"));
        }
        if !matches!(self.decimal, b'.' | b',') {
            return refuse("the decimal mark must be . or ,".to_owned());
        }
        if self.index_base > 1 {
            return refuse(format!("the index base must be 0 or 1, got {}", self.index_base));
        }
        match self.features {
            Some(0) => refuse("there must be at least one feature".to_owned()),
            Some(features) if features as u64 > crate::libsvm::LARGEST => {
                refuse(format!("{features} features; at most {} are read", crate::libsvm::LARGEST))
            }
            _ => Ok(()),
        }
    }
}
