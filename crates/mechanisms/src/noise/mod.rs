//! Noise. A sampler draws; what the draw is worth is an [`Event`](crate::Event), which accountants interpret.
//!
//! * [`Laplace`]: independent Laplace noise in each coordinate.

mod laplace;
mod log;

pub use laplace::Laplace;
