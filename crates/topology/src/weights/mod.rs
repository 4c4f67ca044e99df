//! Rules that turn a graph into mixing weights, one file each.
//!
//! | rule | weight of the edge `i - j` |
//! |---|---|
//! | [`metropolis`] | `1 / (1 + max(d_i, d_j))` |
//!
//! `d_i` is the degree of node `i`; what a row leaves over is the node's own weight. A rule of one's own goes through
//! [`MixingMatrix::from_edge_weights`](crate::MixingMatrix::from_edge_weights).

mod metropolis;

pub use metropolis::metropolis;
