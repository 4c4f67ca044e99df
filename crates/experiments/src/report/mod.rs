//! A plan and a result for people: printed text, plots and a page of HTML.
//!
//! Nothing here computes a result; the functions turn [records](crate::records) into strings and write no file.
//!
//! * [`text`]: what the terminal shows;
//! * [`plot`]: SVG pictures of a trace;
//! * [`html`]: the self-contained report.
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a page is put together once; templates read better than writers"
)]

pub mod html;
pub mod plot;
pub mod text;

mod number;
mod planned;
mod wording;

pub(crate) use number::{at_least, bound, significant};
pub(crate) use wording::{Promise, capitalised, caveats, figures, not_covered};

#[cfg(test)]
mod fixture;

/// Why a report could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReportError {
    /// A plot needs at least one observed round.
    #[error("the trace is empty: there is no observed round to plot")]
    EmptyTrace,
    /// A plot shows finite numbers only.
    #[error("round {round} of the trace: {field} is {value}, which cannot be plotted")]
    NotFinite {
        /// Completed rounds at the point.
        round: u32,
        /// Field of the trace point.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A PNG cannot be encoded.
    #[error("a picture cannot be written as PNG: {0}")]
    Png(String),
    /// The trace cannot be encoded.
    #[cfg(feature = "parquet")]
    #[error("the trace cannot be written as Parquet: {0}")]
    Parquet(String),
}
