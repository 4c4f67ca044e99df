//! The spectrum of the graph Laplacian `L = D - A`: degrees on the diagonal, -1 for neighbours.

use ndarray::{Array1, Array2};

use super::lanczos::{self, MAX_STEPS, Wanted};
use super::{DENSE, Extremes, check_dense};
use crate::{Graph, TopologyError};

impl Graph {
    /// `L x`: `out_i = d_i x_i - sum_j x_j` over the neighbours `j` of `i`.
    ///
    /// # Panics
    /// If the arrays do not have one number per node.
    pub fn apply_laplacian(&self, x: &[f64], out: &mut [f64]) {
        assert!(x.len() == self.nodes() && out.len() == self.nodes(), "one number per node");
        for (i, out) in out.iter_mut().enumerate() {
            let neighbours = self.neighbours(i);
            *out = neighbours.len() as f64 * x[i] - neighbours.iter().map(|&j| x[j]).sum::<f64>();
        }
    }

    /// All `n` eigenvalues of the Laplacian, ascending; the first is 0, the second the algebraic connectivity.
    ///
    /// # Errors
    /// If there are more than [`MAX_DENSE`](super::MAX_DENSE) nodes, or the factorisation fails.
    ///
    /// # Complexity
    /// `O(n^3)` time, `8 n^2` bytes.
    pub fn laplacian_eigenvalues(&self) -> Result<Array1<f64>, TopologyError> {
        check_dense(self.nodes())?;
        let mut dense = Array2::zeros((self.nodes(), self.nodes()));
        for i in 0..self.nodes() {
            dense[[i, i]] = self.degree(i) as f64;
            for &j in self.neighbours(i) {
                dense[[i, j]] = -1.0;
            }
        }
        Ok(dido_linalg::symmetric_eigenvalues(dense.view())?)
    }

    /// The smallest non-zero and the largest eigenvalue of the Laplacian, with a bound of their error; both 0 for a
    /// single node.
    ///
    /// # Errors
    /// If the Lanczos iteration, beyond 512 nodes, has not converged after 20 000 steps (a path of several ten thousand
    /// nodes), or a dense factorisation fails.
    ///
    /// # Complexity
    /// `O(n^3)` up to 512 nodes, beyond that `O((n + edges) / sqrt(gap))`, `gap` being the relative distance of the
    /// extremes to their next eigenvalues.
    pub fn laplacian_extremes(&self) -> Result<Extremes, TopologyError> {
        if self.nodes() <= DENSE {
            return Ok(Extremes::from_dense(self.laplacian_eigenvalues()?.to_vec()));
        }
        // Gershgorin.
        let norm = 2.0 * (0..self.nodes()).map(|i| self.degree(i)).max().unwrap_or(0) as f64;
        lanczos::extremes(self.nodes(), norm, Wanted::Both, MAX_STEPS, |x, out| self.apply_laplacian(x, out))
    }

    /// The second smallest eigenvalue of the Laplacian (Fiedler, *Algebraic connectivity of graphs*, 1973); 0 for a
    /// single node, positive for every other graph here, since they are connected.
    ///
    /// # Errors
    /// As for [`laplacian_extremes`](Self::laplacian_extremes), which also states the error.
    pub fn algebraic_connectivity(&self) -> Result<f64, TopologyError> {
        Ok(self.laplacian_extremes()?.smallest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;

    #[test]
    fn both_methods_agree() {
        let graphs = [
            families::path(80).unwrap(),
            families::star(40).unwrap(),
            families::erdos_renyi(200, 0.05, 3).unwrap().graph,
        ];
        for graph in graphs {
            let dense = graph.laplacian_extremes().unwrap();
            let all = graph.laplacian_eigenvalues().unwrap();
            assert!((dense.smallest - all[1]).abs() < 1e-12 && (dense.largest - all[all.len() - 1]).abs() < 1e-12);
            let found =
                lanczos::extremes(graph.nodes(), 80.0, Wanted::Both, MAX_STEPS, |x, out| graph.apply_laplacian(x, out))
                    .unwrap();
            assert!(
                (found.smallest - dense.smallest).abs() <= found.error + dense.error && found.error < 1e-8,
                "{found:?} {dense:?}"
            );
            assert!((found.largest - dense.largest).abs() <= found.error + dense.error, "{found:?} {dense:?}");
        }
    }
}
