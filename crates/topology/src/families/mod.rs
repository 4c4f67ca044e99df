//! Families of graphs, one file each.
//!
//! | family | edges | diameter |
//! |---|---|---|
//! | [`ring`] | each node and the next, in a circle | `n / 2`, rounded down |
//! | [`path`] | each node and the next | `n - 1` |
//! | [`star`] | node 0 and every other | 2 (from three nodes) |
//! | [`complete`] | all pairs | 1 (from two nodes) |
//! | [`erdos_renyi`] | every pair with probability `p`, given that the graph is connected | random |
//! | [`edge_list`] | from a text file | any |
//!
//! Every family takes any number of nodes from one; zero is an error.

mod complete;
pub mod edge_list;
mod erdos_renyi;
mod path;
mod ring;
mod star;

pub use complete::complete;
pub use erdos_renyi::{ConnectedSample, MAX_ATTEMPTS, erdos_renyi};
pub use path::path;
pub use ring::ring;
pub use star::star;
