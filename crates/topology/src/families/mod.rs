//! Families of graphs, one file each.
//!
//! | family | edges | diameter |
//! |---|---|---|
//! | [`ring`] | each node and the next, in a circle | `n / 2`, rounded down |
//! | [`path`] | each node and the next | `n - 1` |
//! | [`star`] | node 0 and every other | 2 (from three nodes) |
//! | [`complete`] | all pairs | 1 (from two nodes) |
//! | [`binary_tree`] | each node and its parent `(i - 1) / 2` | about `2 log2 n` |
//! | [`grid`] | points of a box that differ by 1 in one coordinate | sum of `side - 1` |
//! | [`torus`] | a grid with its lines closed to rings | sum of `side / 2`, rounded down |
//! | [`hypercube`] | numbers that differ in one binary digit | `log2 n` |
//! | [`barbell`] | two cliques joined by a path | path and 3 |
//! | [`lollipop`] | a clique with a path on it | path and 1 |
//! | [`exponential`] | `i` and `i +- base^k` modulo `n` | logarithmic |
//! | [`one_peer_exponential`] | the union of a sequence's rounds: `exponential` with base 2 | logarithmic |
//! | [`margulis`] | the expander of Margulis, Gabber and Galil on `Z_m x Z_m` | logarithmic |
//! | [`erdos_renyi`] | every pair with probability `p` | random |
//! | [`erdos_renyi_edges`] | a uniform set of `M` pairs | random |
//! | [`random_regular`] | random, the same degree at every node | random |
//! | [`watts_strogatz`] | nearest neighbours on a ring, some edges rewired | random |
//! | [`barabasi_albert`] | each new node joins earlier ones of high degree | random |
//! | [`random_geometric`] | points of a square that are near | random |
//! | [`stochastic_block_model`] | pairs with a probability that depends on their blocks | random |
//! | [`edge_list`], [`graphml`], [`dot`] | from a file | any |
//!
//! A parameter outside a family's definition is an error that names it. [`ALL`] lists the families by name with their
//! options, and [`build`] makes a graph from these.
//!
//! # Random families
//! Each has a seed and is drawn again until it is connected: the law is that of the family given connectivity, the
//! number of draws is in the [`ConnectedSample`], and after [`MAX_ATTEMPTS`] the search ends with an error. (Graphs of
//! [`barabasi_albert`] are always connected.) A seed gives the same graph on every platform and in every version: each
//! family documents its algorithm over `ChaCha8`, which uses integers and correctly rounded operations only.
//!
//! # Complexity
//! All families take `O(n + edges log edges)`, the logarithm for sorting the edges into a [`Graph`](crate::Graph), but
//! for the lists of neighbours that [`random_regular`], [`watts_strogatz`] and [`barabasi_albert`] look through
//! (`O(n degree^2)`).

mod barabasi_albert;
mod binary_tree;
mod catalogue;
mod clique_path;
mod closed_form;
mod complete;
pub mod dot;
mod dot_tokens;
pub mod edge_list;
mod erdos_renyi;
mod erdos_renyi_edges;
mod exponential;
pub mod graphml;
mod hypercube;
mod lattice;
mod margulis;
mod named;
mod options;
mod path;
mod random_geometric;
mod random_regular;
mod ring;
mod sampling;
mod skips;
mod star;
mod stochastic_block_model;
mod watts_strogatz;

pub use barabasi_albert::barabasi_albert;
pub use binary_tree::binary_tree;
pub use catalogue::{ALL, FamilyInfo, MOST_EDGES, build};
pub use clique_path::{barbell, lollipop};
pub use closed_form::closed_form;
pub use complete::complete;
pub use erdos_renyi::erdos_renyi;
pub use erdos_renyi_edges::erdos_renyi_edges;
pub use exponential::{exponential, one_peer_exponential};
pub use hypercube::{hypercube, hypercube_of};
pub use lattice::{grid, torus};
pub use margulis::{margulis, margulis_of};
pub use named::NamedGraph;
pub use options::Options;
pub use path::path;
pub use random_geometric::{geometric_points, random_geometric};
pub use random_regular::random_regular;
pub use ring::ring;
pub use sampling::{ConnectedSample, MAX_ATTEMPTS};
pub use star::star;
pub use stochastic_block_model::{stochastic_block_model, stochastic_block_model_with};
pub use watts_strogatz::watts_strogatz;
