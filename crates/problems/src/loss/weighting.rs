//! How the records of a node are weighed against those of the others.

/// The factor `s_i` of the sum over the records of node `i`; `n` nodes, `n_i` records there, `N` in all.
///
/// It decides what the parties agree on: the optimum of `sum_i f_i` under `Pooled` and `Sum` is that of all records
/// together, under `NodeMean` every node counts the same however many records it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weighting {
    /// `s_i = n / N`: every record counts the same, at the scale of a mean per node.
    Pooled,
    /// `s_i = 1 / n_i`: every node counts the same.
    NodeMean,
    /// `s_i = 1`: plain sums.
    Sum,
}

impl Weighting {
    /// `s_i` of a node with `records` records, among `nodes` nodes with `total` records in all.
    pub fn scale(self, records: usize, nodes: usize, total: usize) -> f64 {
        match self {
            Self::Pooled => nodes as f64 / total as f64,
            Self::NodeMean => 1.0 / records as f64,
            Self::Sum => 1.0,
        }
    }
}
