//! Graphs of parties and the doubly stochastic matrices with which they average.
//!
//! * [`Graph`]: who talks to whom: connected, simple, undirected; its distances, Laplacian and node orders;
//! * [`families`]: from the ring to random regular graphs and expanders, and files (edge list, `GraphML`, DOT);
//! * [`weights`]: rules that turn a graph into mixing weights;
//! * [`MixingMatrix`]: a checked doubly stochastic matrix and the averaging kernel;
//! * [`spectra`]: gaps, mixing times, connectivity, resistances, closed forms;
//! * [`consensus`]: plain and Chebyshev-accelerated averaging, and how many rounds they take;
//! * [`sequence`]: weights that change from round to round: nodes that sleep, links that fail, gossip, recordings;
//! * `strategies`, with the feature `proptest`: graphs and weights drawn at random, for property tests.
//!
//! The crate knows nothing of privacy, data or optimisation.
#![doc = include_str!("../README.md")]

mod components;
pub mod consensus;
mod error;
pub mod families;
mod graph;
mod matrix;
mod randomness;
mod reordering;
pub mod sequence;
pub mod spectra;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod weights;

pub use components::Components;
pub use error::TopologyError;
pub use graph::Graph;
pub use matrix::{MixingMatrix, TOLERANCE, weighted_rows};
pub use sequence::{RoundMatrix, Sequence};
