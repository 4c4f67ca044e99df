//! The weights of one round.

mod build;

use std::ops::Range;

use ndarray::Array2;

use crate::weighted_rows;

/// The mixing weights of one round, in compressed sparse rows: symmetric and doubly stochastic within
/// [`TOLERANCE`](crate::TOLERANCE), not necessarily connected.
///
/// Row `i` is what node `i` takes in, as in a [`MixingMatrix`](crate::MixingMatrix): its own weight and those of its
/// peers of this round, columns ascending. Peers and weights come from one value, so they cannot belong to different
/// rounds. A node that is not awake has the row `e_i`: it keeps what it holds. Mirrored weights are equal to the last
/// bit.
///
/// A value of this type is always valid; whatever changes it keeps it so.
#[derive(Clone, Debug)]
pub struct RoundMatrix {
    /// Ascending.
    awake: Vec<usize>,
    /// Row `i` is `[offsets[i]..offsets[i + 1]]` of the two arrays below.
    offsets: Vec<usize>,
    columns: Vec<usize>,
    weights: Vec<f64>,
    /// Scratch: the edges of a round that is being built.
    edges: Vec<(usize, usize, f64)>,
    /// Scratch: one number per node.
    per_node: Vec<usize>,
}

impl RoundMatrix {
    /// A round in which everyone is awake and nobody talks.
    pub fn identity(nodes: usize) -> Self {
        Self {
            awake: (0..nodes).collect(),
            offsets: (0..=nodes).collect(),
            columns: (0..nodes).collect(),
            weights: vec![1.0; nodes],
            edges: Vec::new(),
            per_node: Vec::new(),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The nodes that take part in the round, ascending. A node may be awake and have no peer.
    pub fn awake(&self) -> &[usize] {
        &self.awake
    }

    /// Stored weights: one per node and two per edge.
    pub fn nonzeros(&self) -> usize {
        self.columns.len()
    }

    /// Row `i`: the nodes it takes from, itself included, ascending, and their weights.
    ///
    /// # Panics
    /// If there is no node `i`.
    pub fn row(&self, i: usize) -> (&[usize], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.columns[range.clone()], &self.weights[range])
    }

    /// The edges of the round and their weights, `(i, j, w_ij)` with `i < j`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.nodes()).flat_map(|i| {
            let (columns, weights) = self.row(i);
            let row = columns.iter().zip(weights).filter(move |&(&j, _)| i < j);
            row.map(move |(&j, &w)| (i, j, w))
        })
    }

    /// All entries, `nodes x nodes`.
    pub fn to_dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.nodes(), self.nodes()));
        for i in 0..self.nodes() {
            let (columns, weights) = self.row(i);
            for (&j, &w) in columns.iter().zip(weights) {
                dense[[i, j]] = w;
            }
        }
        dense
    }

    /// Averages rows of `width` numbers (lanes x dim): `out_i = sum_j w_ij x_j`; both arrays are `nodes x width`. The
    /// bits are those of [`MixingMatrix::mix`](crate::MixingMatrix::mix) with the same weights.
    ///
    /// # Panics
    /// If the arrays do not have that size.
    ///
    /// # Complexity
    /// `O((nodes + 2 edges) width)`.
    pub fn mix(&self, width: usize, x: &[f64], out: &mut [f64]) {
        self.mix_range(0..self.nodes(), width, x, out);
    }

    /// The rows `nodes` of [`mix`](Self::mix) only, `out` being `nodes.len() x width`: so threads can share the work.
    ///
    /// # Panics
    /// If the range leaves the matrix or an array has the wrong size.
    pub fn mix_range(&self, nodes: Range<usize>, width: usize, x: &[f64], out: &mut [f64]) {
        assert!(nodes.start <= nodes.end && nodes.end <= self.nodes(), "{nodes:?} of {} nodes", self.nodes());
        assert_eq!(x.len(), self.nodes() * width, "input of {} nodes, width {width}", self.nodes());
        assert_eq!(out.len(), nodes.len() * width, "output of {} nodes, width {width}", nodes.len());
        let first = nodes.start;
        for i in nodes {
            let (columns, weights) = self.row(i);
            let start = (i - first) * width;
            weighted_rows(columns, weights, x, &mut out[start..start + width]);
        }
    }
}

/// Equal awake nodes and equal rows; what is left in buffers does not count.
impl PartialEq for RoundMatrix {
    fn eq(&self, other: &Self) -> bool {
        self.awake == other.awake
            && self.offsets == other.offsets
            && self.columns == other.columns
            && self.weights == other.weights
    }
}
