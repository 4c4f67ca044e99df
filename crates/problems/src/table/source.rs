//! Where a table comes from, and how its file is to be read.

use std::fmt;
use std::path::Path;

use dido_data::{Data, DataError, Fault, Header, Options, read};

use crate::ProblemError;

/// A file, or bytes with a name for the messages, and how to read them. `Debug` shows the name.
///
/// By itself the format and the separator are found, the first line is a header, and a missing value is an error; the kinds
/// of columns are those that are declared, whatever the options say.
#[derive(Clone)]
pub struct Source {
    source: dido_data::Source,
    options: Options,
}

impl Source {
    /// A file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { source: dido_data::Source::file(path), options: by_itself() }
    }

    /// The content of a file.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { source: dido_data::Source::bytes(name, bytes), options: by_itself() }
    }

    /// The same with this separator, such as `b';'` or `b'\t'`.
    #[must_use]
    pub fn separated_by(mut self, separator: u8) -> Self {
        self.options.separator = Some(separator);
        self
    }

    /// The same, read in this way.
    #[must_use]
    pub fn read_with(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        self.source.name()
    }

    /// How it is read.
    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// Reads it in this way.
    pub(super) fn data(&self, options: &Options) -> Result<Data, ProblemError> {
        Ok(read(&self.source, options)?)
    }

    /// What it is not.
    pub(super) fn refuse(&self, what: &str) -> ProblemError {
        DataError::whole(self.name(), Fault::WrongFormat(what.to_owned())).into()
    }
}

fn by_itself() -> Options {
    Options { header: Header::Yes, ..Options::default() }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name()).finish_non_exhaustive()
    }
}
