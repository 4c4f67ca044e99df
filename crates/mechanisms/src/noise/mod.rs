//! Noise. A sampler draws; what the draw is worth is an [`Event`](crate::Event), which accountants interpret.
//!
//! * [`Laplace`], [`Gaussian`]: independent noise in each coordinate, fast floating point, for simulations.

mod blocks;
mod circle;
mod gaussian;
mod laplace;
mod log;

pub use gaussian::Gaussian;
pub use laplace::Laplace;
