//! What an algorithm asks of a loss.

use std::ops::Range;

use ndarray::{Array1, Array2};

/// The local objectives `f_0, ..., f_{n-1}` of all nodes of a process, evaluated over contiguous ranges of nodes.
///
/// One object holds all nodes (struct of arrays), so a pass over them is one virtual call and one sweep of memory.
/// Every operation is local to a row: the result for one node and lane depends on that row and that node's records
/// alone, and its bits do not depend on the range it was computed in, on threads or on the instruction set.
pub trait Objective: Send + Sync {
    /// Number of nodes, `n`.
    fn nodes(&self) -> usize;

    /// Number of coordinates of a point, `m`.
    fn dim(&self) -> usize;

    /// Number of lanes: independent repetitions on the same data, side by side.
    fn lanes(&self) -> usize;

    /// Writes `grad f_i(x_i)` for every node of the range and every lane.
    ///
    /// `x` and `out` are `nodes.len() x lanes x dim`, row-major; `out` is overwritten whatever it holds.
    ///
    /// # Panics
    /// If the range goes beyond the last node or a slice has another length.
    fn gradient(&self, nodes: Range<usize>, x: &[f64], out: &mut [f64]);

    /// The value `f_i(x)` of one node at one point of `dim` coordinates. It is computed from the records: private.
    ///
    /// # Panics
    /// If there is no such node or the point has another dimension.
    fn value(&self, node: usize, x: &[f64]) -> f64;

    /// The factor `s_i` of a node.
    ///
    /// # Panics
    /// If there is no such node.
    fn scale(&self, node: usize) -> f64;

    /// The number of records of a node.
    ///
    /// # Panics
    /// If there is no such node.
    fn records(&self, node: usize) -> usize;

    /// Writes `n_i s_i grad l(x; record)`, of which `grad f_i(x)` is the mean over the `n_i` records of the node: what a
    /// node computes that looks at one record only.
    ///
    /// # Panics
    /// If there is no such node or record, or the point has another dimension.
    fn record_gradient(&self, node: usize, record: usize, x: &[f64], out: &mut [f64]);

    /// Adds `weight s_i` times the sum of `grad l(x; record)` over some records of a node, each of these gradients scaled
    /// down to the length `clip` first if it is longer: what a node computes that looks at a sample, or bounds what a record
    /// can contribute. An infinite `clip` changes nothing.
    ///
    /// Records are added one after the other. A clipped gradient ends below its bound by a relative `(m + 8) 2^-52`, so that
    /// rounding does not put it above.
    ///
    /// # Panics
    /// If there is no such node or record, or the point has another dimension.
    fn add_record_gradients(
        &self,
        node: usize,
        records: &mut dyn Iterator<Item = usize>,
        weight: f64,
        clip: f64,
        x: &[f64],
        out: &mut [f64],
    );

    /// `(G_i, c_i)`, dim x dim and dim, if the gradient of every node is `G_i x - c_i`: then they are all there is to know
    /// of its records. They are computed from the records: private.
    ///
    /// # Panics
    /// If there is no such node.
    fn normal_equations(&self, _node: usize) -> Option<(Array2<f64>, Array1<f64>)> {
        None
    }
}
