//! The space in which the algorithms live.
//!
//! * [`Rows`]: a bundle of `nodes x lanes x dim` numbers, the value every verb of a round works on;
//! * [`Set`]: the closed convex sets on which points are projected;
//! * [`parallel`]: how a pass over rows is split among threads;
//! * [`simd`]: how a plain loop is compiled for each instruction set without `unsafe`.
//!
//! The crate knows nothing of privacy, graphs or data: it is below all of them.
#![doc = include_str!("../README.md")]

pub mod parallel;
mod rows;
mod set;
pub mod simd;

pub use rows::{Pool, Rows, Shape};
pub use set::{Box, GeometryError, L2Ball, Set};
