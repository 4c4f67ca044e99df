//! Graphs of parties and the doubly stochastic matrices with which they average.
//!
//! * [`Graph`]: who talks to whom: connected, simple, undirected;
//! * [`families`]: from the ring to random regular graphs and expanders, and files (edge list, `GraphML`, DOT);
//! * [`weights`]: rules that turn a graph into mixing weights;
//! * [`MixingMatrix`]: a checked doubly stochastic matrix, its spectrum and the averaging kernel;
//! * [`sequence`]: weights that change from round to round: nodes that sleep, links that fail, gossip, recordings.
//!
//! The crate knows nothing of privacy, data or optimisation.
#![doc = include_str!("../README.md")]

mod error;
pub mod families;
mod graph;
mod matrix;
pub mod sequence;
pub mod weights;

pub use error::{Components, TopologyError};
pub use graph::Graph;
pub use matrix::{MixingMatrix, TOLERANCE, weighted_rows};
pub use sequence::{RoundMatrix, Sequence};
