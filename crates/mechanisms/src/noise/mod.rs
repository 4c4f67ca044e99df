//! Noise. A sampler draws; what the draw is worth is an [`Event`](crate::Event), which accountants interpret.
//!
//! * [`Laplace`], [`Gaussian`]: independent noise in each coordinate, fast floating point, for simulations.
//! * [`DiscreteLaplace`], [`DiscreteGaussian`]: the same on a [`Grid`], exact, for deployed parties; see [`exact`].

mod blocks;
mod circle;
pub mod exact;
mod gaussian;
mod laplace;
mod log;

pub use exact::{DiscreteGaussian, DiscreteLaplace, ExactNoise, Grid, RecordSum};
pub use gaussian::Gaussian;
pub use laplace::Laplace;
