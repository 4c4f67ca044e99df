//! The space in which the algorithms live.
//!
//! * [`Rows`]: a bundle of `nodes x lanes x dim` numbers, the value every verb of a round works on;
//! * [`Set`]: the closed convex sets on which points are projected, one type each;
//! * [`norm`]: the Euclidean norm of a row;
//! * [`parallel`]: how a pass over rows is split among threads;
//! * [`simd`]: how a plain loop is compiled for each instruction set without `unsafe`.
//!
//! The crate knows nothing of privacy, graphs or data: it is below all of them.
#![doc = include_str!("../README.md")]

mod error;
pub mod parallel;
mod rows;
mod set;
pub mod simd;
mod sums;

pub use error::GeometryError;
pub use rows::{Pool, Rows, Shape};
pub use set::{Affine, Box, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};
pub use sums::norm;
