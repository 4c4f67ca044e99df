//! Columns of a file, declared in public, and the loader that encodes them.
//!
//! * [`Schema`]: the declarations, and what follows from them alone: the norm of a row, the size of a target;
//! * [`Feature`]: the kinds of column: [`Numeric`], [`TwoLevel`], [`OneHot`] and the intercept;
//! * [`Target`]: what is predicted, a [`Numeric`] or one of two [`Classes`];
//! * [`Source`], [`load`], [`Table`]: from a CSV file to numbers;
//! * [`Svmlight`], [`load_svmlight`], [`SparseTable`]: the same for the sparse files of svmlight and LIBSVM.
//! * [`Unlabelled`], [`load_unlabelled`], [`load_svmlight_unlabelled`]: files to predict for, with or without the target.
//!
//! Ranges, centres, scales and levels are never read off the data, which is private.

mod csv;
mod feature;
mod schema;
mod svmlight;
mod target;

pub use self::csv::{Source, Table, Unlabelled, load, load_unlabelled};
pub use feature::{Classes, Feature, Numeric, OneHot, TwoLevel};
pub use schema::Schema;
pub use svmlight::{SparseTable, Svmlight, load_svmlight, load_svmlight_unlabelled};
pub use target::Target;
