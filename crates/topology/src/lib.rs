//! Graphs of parties and the doubly stochastic matrices with which they average.
//!
//! * [`Graph`]: who talks to whom: connected, simple, undirected; its distances, Laplacian and node orders;
//! * [`families`]: ring, path, star, complete, Erdős–Rényi, edge lists from files;
//! * [`weights`]: rules that turn a graph into mixing weights;
//! * [`MixingMatrix`]: a checked doubly stochastic matrix and the averaging kernel;
//! * [`spectra`]: gaps, mixing times, connectivity, resistances, closed forms;
//! * [`consensus`]: plain and Chebyshev-accelerated averaging, and how many rounds they take.
//!
//! The crate knows nothing of privacy, data or optimisation.
#![doc = include_str!("../README.md")]

pub mod consensus;
mod error;
pub mod families;
mod graph;
mod matrix;
mod reordering;
pub mod spectra;
pub mod weights;

pub use error::{Components, TopologyError};
pub use graph::Graph;
pub use matrix::{MixingMatrix, TOLERANCE, weighted_rows};
