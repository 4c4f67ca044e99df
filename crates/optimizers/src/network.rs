//! The one thing an algorithm may ask of other nodes: an average.

use std::sync::Arc;

use dido_geometry::Rows;
use dido_mechanisms::Ledger;
use dido_topology::MixingMatrix;

/// Averaging between the nodes of a run.
///
/// The simulator holds all nodes in one process ([`InProcess`]); a deployed party holds one row and asks its
/// neighbours for theirs.
pub trait Network {
    /// Replaces each row by the weighted sum of the rows of its node and neighbours, `x_i <- sum_j w_ij x_j`,
    /// neighbours in ascending order. `round` and the calls within it are the same for every node.
    ///
    /// # Errors
    /// If neighbours cannot be reached. The rows are then unspecified.
    fn average(&mut self, round: u32, x: &mut Rows) -> Result<(), NetworkError>;

    /// Nodes of this process.
    fn nodes(&self) -> usize;

    /// What these nodes have released: told before every average, and after every round. A deployed party writes it down before a
    /// message leaves.
    fn spent(&mut self, _ledger: &Ledger) {}

    /// Which of these nodes take part in a round; nothing if all do. It follows from public coins alone: everybody knows.
    ///
    /// # Errors
    /// If the network does not reach this round.
    fn awake(&mut self, _round: u32) -> Result<Option<Arc<[bool]>>, NetworkError> {
        Ok(None)
    }

    /// How many messages, along an edge one way, an average of this round takes; by default none, as where nobody talks.
    ///
    /// # Errors
    /// If the network does not reach this round.
    fn messages(&mut self, _round: u32) -> Result<u64, NetworkError> {
        Ok(0)
    }

    /// Whether the weights of an average may differ from round to round.
    fn varies(&self) -> bool {
        false
    }
}

/// What a network says when it fails.
pub type NetworkError = Box<dyn std::error::Error + Send + Sync>;

/// Parties that never talk: an average leaves every value as it is. What each party can do alone, with any algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    nodes: usize,
}

impl Alone {
    /// A network of `nodes` nodes without an edge.
    pub fn new(nodes: usize) -> Self {
        Self { nodes }
    }
}

impl Network for Alone {
    fn average(&mut self, _round: u32, _x: &mut Rows) -> Result<(), NetworkError> {
        Ok(())
    }

    fn nodes(&self) -> usize {
        self.nodes
    }
}

/// All nodes in one process, with a fixed mixing matrix.
#[derive(Clone, Debug)]
pub struct InProcess {
    weights: MixingMatrix,
}

impl InProcess {
    /// A network whose nodes mix with the given weights.
    pub fn new(weights: MixingMatrix) -> Self {
        Self { weights }
    }

    /// The mixing weights.
    pub fn weights(&self) -> &MixingMatrix {
        &self.weights
    }
}

impl Network for InProcess {
    fn average(&mut self, _round: u32, x: &mut Rows) -> Result<(), NetworkError> {
        let shape = x.shape();
        let width = shape.lanes * shape.dim;
        let mut mixed = x.uninitialised_like();
        self.weights.mix_on_threads(width, x.as_slice(), mixed.as_mut_slice());
        std::mem::swap(x, &mut mixed);
        Ok(())
    }

    fn nodes(&self) -> usize {
        self.weights.nodes()
    }

    fn messages(&mut self, _round: u32) -> Result<u64, NetworkError> {
        Ok((0..self.weights.nodes()).map(|i| self.weights.row(i).0.len() as u64 - 1).sum())
    }
}
