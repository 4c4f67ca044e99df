#![doc = include_str!("../README.md")]
//!
//! # Contents
//! * [`Shard`], [`RecordBounds`]: the records of one party and the public bounds they meet;
//! * [`Objective`]: what an algorithm asks of a loss; [`loss`]: the losses;
//! * [`StrongMinimum`]: the minimiser of every node's own objective, to a tolerance known beforehand;
//! * [`regulariser`]: the part of the objective that looks at no data, and the steps with it in closed form;
//! * [`Set`] and its kinds: the sets on which points are projected;
//! * [`table`]: public declarations of columns, and the loader of CSV files that encodes them;
//! * [`partition`]: who holds which record, and which are held out;
//! * [`mod@reference`]: optima and scores against which a run is judged;
//! * `strategies`, with the feature `proptest`: records drawn at random, for property tests;
//! * [`ProblemError`]: all that can be wrong.

#![allow(clippy::needless_pass_by_value, reason = "views are passed by value, as ndarray does")]

mod error;
mod features;
mod gram;
pub mod loss;
mod objective;
pub mod partition;
pub mod reference;
pub mod regulariser;
mod shard;
#[cfg(feature = "proptest")]
pub mod strategies;
mod strong_minimum;
pub mod table;

pub use dido_geometry::{Affine, Box, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};
pub use error::ProblemError;
pub use features::Features;
pub use loss::{LeastSquares, LinearModel, Loss, Weighting};
pub use objective::Objective;
pub use regulariser::{Distance, DualStep, Regulariser};
pub use shard::{RecordBounds, Shard};
pub use strong_minimum::StrongMinimum;
