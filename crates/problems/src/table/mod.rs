//! Columns of a file, declared in public, and the loader that encodes them.
//!
//! * [`Schema`]: the declarations, and what follows from them alone: the norm of a row, the size of a target;
//! * [`Feature`]: the kinds of column: [`Numeric`], [`TwoLevel`], [`OneHot`] and the intercept;
//! * [`Target`]: what is predicted, a [`Numeric`] or one of two [`Classes`];
//! * [`Source`], [`load`], [`Table`]: from a file with columns to numbers; [`load_unlabelled`], [`Unlabelled`]: without a target;
//! * [`Svmlight`], [`load_svmlight`], [`load_svmlight_unlabelled`], [`SparseTable`]: the same for the sparse files of svmlight
//!   and LIBSVM.
//!
//! Files are read by `dido_data`, whose formats and options [`Source`] takes. Ranges, centres, scales and levels are never read off
//! the data, which is private.

mod feature;
mod load;
mod schema;
mod source;
mod svmlight;
mod target;

pub use feature::{Classes, Feature, Numeric, OneHot, TwoLevel};
pub use load::{Table, Unlabelled, load, load_unlabelled};
pub use schema::Schema;
pub use source::Source;
pub use svmlight::{SparseTable, Svmlight, load_svmlight, load_svmlight_unlabelled};
pub use target::Target;

use crate::ProblemError;
use feature::{Encode, Fault};

/// What is wrong with a cell, and where.
fn fault(file: &str, place: String, encoder: &dyn Encode, cell: &str, why: &Fault) -> ProblemError {
    let (file, place) = (file.to_owned(), place.into_boxed_str());
    let (column, value) = (encoder.column().to_owned(), excerpt(cell));
    match why {
        Fault::Empty => ProblemError::EmptyCell { file, place, column },
        Fault::NotANumber => ProblemError::NotANumber { file, place, column, value },
        Fault::Ambiguous => ProblemError::AmbiguousNumber { file, place, column, value },
        Fault::NonFinite => ProblemError::NonFiniteCell { file, place, column, value },
        Fault::UndeclaredLevel => {
            let declared = encoder.levels().join(", ").into_boxed_str();
            ProblemError::UndeclaredLevel { file, place, column, value, declared }
        }
    }
}

/// The beginning of a cell, for a message.
fn excerpt(cell: &str) -> String {
    const SHOWN: usize = 60;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}
