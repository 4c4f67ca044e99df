//! Rules that turn a graph into mixing weights, one file each.
//!
//! | rule | weight of the edge `i - j` | negative weights |
//! |---|---|---|
//! | [`metropolis`] | `1 / (1 + max(d_i, d_j))` | never |
//! | [`lazy_metropolis`] | `1 / (2 + 2 max(d_i, d_j))`, so `(I + W) / 2` | never |
//! | [`olshevsky`] | `1 / (2 max(d_i, d_j))`, also called lazy Metropolis | never |
//! | [`max_degree`] | `1 / (1 + d_max)` | never |
//! | [`uniform`] | `1 / (1 + d)`, regular graphs only | never |
//! | [`best_constant`] | `2 / (mu_2 + mu_n)`, the best of all constants | on the diagonal, maybe |
//! | [`sinkhorn`] | a given pattern `a_ij`, scaled to `s_i a_ij s_j` | never |
//! | [`fdla`] | the fastest of all symmetric weights | maybe |
//! | [`fmmc`] | the fastest of all that are not negative | never |
//!
//! `d_i` is the degree of node `i`, `mu_k` the eigenvalues of the Laplacian; what a row leaves over is the node's own
//! weight. A rule of one's own goes through
//! [`MixingMatrix::from_edge_weights`](crate::MixingMatrix::from_edge_weights). [`ALL`] lists the rules by name.
//! [`read`] reads a matrix of one's own from a file.

mod best_constant;
mod catalogue;
mod fastest;
mod file;
mod lazy_metropolis;
mod max_degree;
mod metropolis;
mod olshevsky;
mod sinkhorn;
mod uniform;

pub use best_constant::{best_constant, best_constant_weight};
pub use catalogue::{ALL, RuleInfo, rule};
pub use fastest::{Fastest, MAX_EDGES, fdla, fmmc};
pub use file::{MOST_ROWS, parse, read};
pub use lazy_metropolis::lazy_metropolis;
pub use max_degree::max_degree;
pub use metropolis::metropolis;
pub use olshevsky::olshevsky;
pub use sinkhorn::sinkhorn;
pub use uniform::uniform;
