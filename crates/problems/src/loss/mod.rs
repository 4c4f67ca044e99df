//! The losses. One file each, and its line here.
//!
//! * [`LeastSquares`]: squared error of a linear prediction.

mod least_squares;
mod weighting;

pub use least_squares::LeastSquares;
pub use weighting::Weighting;
