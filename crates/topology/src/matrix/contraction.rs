//! Whether averaging shrinks every deviation from the mean: `||W - J||_2 < 1`.

use petgraph::unionfind::UnionFind;

use super::MixingMatrix;
use crate::TopologyError;

impl MixingMatrix {
    pub(super) fn check_contraction(&self) -> Result<(), TopologyError> {
        if self.nodes() == 1 {
            return Ok(());
        }
        if self.is_nonnegative() {
            return if self.is_primitive() { Ok(()) } else { Err(TopologyError::NoContraction { lambda: 1.0 }) };
        }
        let extremes = self.extreme_eigenvalues()?;
        let lambda = extremes.magnitude();
        if lambda + extremes.error < 1.0 { Ok(()) } else { Err(TopologyError::NoContraction { lambda }) }
    }

    /// Whether some power of a matrix without negative weights is positive, which for a symmetric doubly stochastic one
    /// means `||W - J||_2 < 1` (Perron and Frobenius): the nodes are connected by positive weights along walks of even
    /// as well as odd length. Put two copies of every node side by side and let each weight join one copy of its row to
    /// the other copy of its column: the doubled graph is connected exactly then.
    fn is_primitive(&self) -> bool {
        let n = self.nodes();
        let mut sets = UnionFind::new(2 * n);
        let mut parts = 2 * n;
        for i in 0..n {
            let (columns, weights) = self.row(i);
            for (&j, _) in columns.iter().zip(weights).filter(|&(_, &w)| w > 0.0) {
                parts -= usize::from(sets.union(i, n + j));
            }
        }
        parts == 1
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::families::{complete, path, ring, star};

    fn refused(result: Result<MixingMatrix, TopologyError>) -> f64 {
        match result {
            Err(TopologyError::NoContraction { lambda }) => lambda,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn weights_that_never_average_are_refused() {
        for n in [2, 3, 8, 600] {
            let identity = MixingMatrix::from_edge_weights(&path(n).unwrap(), |_, _| 0.0);
            assert!((refused(identity) - 1.0).abs() < 1e-15);
        }
        assert!(MixingMatrix::from_dense(&complete(3).unwrap(), Array2::eye(3).view()).is_err());
        // Two pairs that average among themselves only.
        let halves = MixingMatrix::from_edge_weights(&path(4).unwrap(), |i, _| if i == 1 { 0.0 } else { 0.5 });
        refused(halves);
    }

    /// Values on a ring of even length that only swap sides never settle; on an odd ring they do, and one node that
    /// keeps something is enough.
    #[test]
    fn a_bipartite_matrix_without_self_weights_is_refused_and_no_other() {
        let half = |n| MixingMatrix::from_edge_weights(&ring(n).unwrap(), |_, _| 0.5);
        for n in [4, 6, 38] {
            refused(half(n));
            assert!(half(n + 1).unwrap().second_largest_singular_value().unwrap() < 1.0);
        }
        refused(MixingMatrix::from_dense(&path(2).unwrap(), array![[0.0, 1.0], [1.0, 0.0]].view()));
        let loops = MixingMatrix::from_edge_weights(&path(6).unwrap(), |_, _| 0.5).unwrap();
        assert!(loops.row(0).1[0] > 0.0 && loops.second_largest_singular_value().unwrap() < 1.0);
    }

    /// On a star of 6 with weight w on each edge the eigenvalues are 1 - w and 1 - 6w.
    #[test]
    fn negative_weights_are_judged_by_the_spectrum() {
        let weight = |w| MixingMatrix::from_edge_weights(&star(6).unwrap(), move |_, _| w);
        assert!(weight(0.33).unwrap().second_largest_singular_value().unwrap() < 1.0);
        assert!((refused(weight(0.4)) - 1.4).abs() < 1e-12);
        assert!((refused(weight(-0.1)) - 1.6).abs() < 1e-12);
        // Exactly 1: accepted by no rounding.
        assert!((refused(weight(1.0 / 3.0)) - 1.0).abs() < 1e-12);
        // The same beyond dense sizes.
        let large = |w| MixingMatrix::from_edge_weights(&star(600).unwrap(), move |_, _| w);
        assert!(large(0.003).is_ok());
        assert!((refused(large(0.005)) - 2.0).abs() < 1e-9);
    }
}
