//! Data files as raw tables.
#![doc = include_str!("../README.md")]
//!
//! [`read`] takes a [`Source`] and [`Options`] and returns [`Data`]: a [`Table`] of named columns, or [`Sparse`] rows.

#[cfg(feature = "parquet")]
mod columnar;
mod csv;
mod detect;
mod error;
mod libsvm;
mod near;
mod npy;
mod number;
mod options;
mod rows;
mod select;
mod source;
mod table;

pub use error::{DataError, Fault, Place};
pub use number::{NotANumber, number};
pub use options::{Format, Header, Kind, Missing, Options};
pub use source::Source;
pub use table::{Column, Data, MissingValues, Places, Sparse, Table, Texts, Values};

use std::borrow::Cow;

use error::At;

/// Reads a file.
///
/// # Errors
/// In one line, with the file and the place in it: whatever is not certain to mean what it seems to. Nothing is guessed,
/// filled up or skipped but what the options say.
pub fn read(source: &Source, options: &Options) -> Result<Data, DataError> {
    let bytes = source.read(options.limit)?;
    interpret(bytes, &source.extension(), options).map_err(|At { place, fault }| DataError {
        file: source.name().to_owned(),
        place,
        fault,
    })
}

#[cfg_attr(
    not(feature = "parquet"),
    allow(clippy::needless_pass_by_value, reason = "the bytes are given to Parquet and Arrow")
)]
fn interpret(bytes: Cow<'_, [u8]>, extension: &str, options: &Options) -> Result<Data, At> {
    options.check()?;
    detect::refuse(&bytes)?;
    match detect::format(&bytes, extension, options.format)? {
        Format::Csv => csv::read(&bytes, extension, options).map(Data::Table),
        Format::Libsvm => libsvm::read(&bytes, options).map(Data::Sparse),
        Format::Npy => npy::read(&bytes, options).map(Data::Table),
        Format::Npz => npy::read_archive(&bytes, options).map(Data::Table),
        #[cfg(feature = "parquet")]
        Format::Parquet => columnar::parquet::read(bytes.into_owned(), options).map(Data::Table),
        #[cfg(feature = "parquet")]
        Format::Arrow => columnar::arrow::read(bytes.into_owned(), options).map(Data::Table),
        #[cfg(not(feature = "parquet"))]
        format @ (Format::Parquet | Format::Arrow) => {
            Err(Fault::Unsupported(format!("built without the feature `parquet`, which reads {format} files")).into())
        }
    }
}
