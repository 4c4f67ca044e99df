//! How fast a mixing matrix averages: its eigenvalues on the vectors of mean zero.

use ndarray::Array1;

use super::lanczos::{self, MAX_STEPS, Wanted};
use super::{DENSE, Extremes, check_dense, drop_nearest_to_zero};
use crate::{MixingMatrix, TopologyError};

impl MixingMatrix {
    /// The second largest singular value `lambda = ||W - J||_2`, `J` the matrix of all `1 / n`: by this factor, at
    /// least, every averaging shrinks the deviations from the mean. 0 for a single node, below 1 always.
    ///
    /// Up to 512 nodes from all eigenvalues, beyond by a Lanczos iteration that stops when the residual of the answer
    /// is at most `1e-10`: some eigenvalue is within that distance, and it is the extreme one unless the random start
    /// is orthogonal to its eigenvectors. [`extreme_eigenvalues`](Self::extreme_eigenvalues) states the error.
    ///
    /// # Errors
    /// If the residual is still larger after 20 000 steps (a ring of several ten thousand nodes), or a dense factorisation
    /// fails.
    ///
    /// # Complexity
    /// `O(n^3)` up to 512 nodes, beyond that `O((n + edges) / sqrt(gap))` where `gap` is the relative distance of the
    /// extreme eigenvalue to the next.
    pub fn second_largest_singular_value(&self) -> Result<f64, TopologyError> {
        Ok(self.extremes(Wanted::Magnitude)?.magnitude())
    }

    /// `1 - ||W - J||_2`, the spectral gap.
    ///
    /// # Errors
    /// As for [`second_largest_singular_value`](Self::second_largest_singular_value).
    pub fn spectral_gap(&self) -> Result<f64, TopologyError> {
        Ok(1.0 - self.second_largest_singular_value()?)
    }

    /// The second largest and the smallest eigenvalue, with a bound of their error.
    ///
    /// ```
    /// use dido_topology::{families, weights};
    ///
    /// let ring = weights::metropolis(&families::ring(2000)?).extreme_eigenvalues()?;
    /// let exact = (1.0 + 2.0 * (std::f64::consts::TAU / 2000.0).cos()) / 3.0;
    /// assert!((ring.largest - exact).abs() <= ring.error && ring.error <= 1e-10);
    /// assert!((ring.smallest + 1.0 / 3.0).abs() <= ring.error);
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`second_largest_singular_value`](Self::second_largest_singular_value).
    pub fn extreme_eigenvalues(&self) -> Result<Extremes, TopologyError> {
        self.extremes(Wanted::Both)
    }

    /// The smallest eigenvalue; 1 for a single node. Decentralised gradient descent on `L`-smooth losses takes
    /// constant steps up to `(1 + lambda_min) / L` (Yuan, Ling and Yin, *On the convergence of decentralized gradient
    /// descent*, 2016).
    ///
    /// # Errors
    /// As for [`second_largest_singular_value`](Self::second_largest_singular_value).
    pub fn smallest_eigenvalue(&self) -> Result<f64, TopologyError> {
        Ok(if self.nodes() == 1 { 1.0 } else { self.extreme_eigenvalues()?.smallest })
    }

    /// All `n` eigenvalues, descending; the first is the 1 of the constant vectors.
    ///
    /// # Errors
    /// If there are more than [`MAX_DENSE`](super::MAX_DENSE) nodes, or the factorisation fails.
    ///
    /// # Complexity
    /// `O(n^3)` time, `8 n^2` bytes.
    pub fn eigenvalues(&self) -> Result<Array1<f64>, TopologyError> {
        let mut deviations = self.dense_eigenvalues()?;
        drop_nearest_to_zero(&mut deviations);
        Ok(std::iter::once(1.0).chain(deviations.into_iter().rev()).collect())
    }

    fn extremes(&self, wanted: Wanted) -> Result<Extremes, TopologyError> {
        if self.nodes() <= DENSE {
            Ok(Extremes::from_dense(self.dense_eigenvalues()?))
        } else {
            self.lanczos_extremes(wanted, MAX_STEPS)
        }
    }

    /// Of `W - J`, ascending: 0 for the constant vectors, those of `W` for all others.
    fn dense_eigenvalues(&self) -> Result<Vec<f64>, TopologyError> {
        check_dense(self.nodes())?;
        let deviation = self.to_dense() - 1.0 / self.nodes() as f64;
        Ok(dido_linalg::symmetric_eigenvalues(deviation.view())?.to_vec())
    }

    fn lanczos_extremes(&self, wanted: Wanted, max_steps: usize) -> Result<Extremes, TopologyError> {
        // On vectors of mean zero W and W - J are the same.
        lanczos::extremes(self.nodes(), 1.0, wanted, max_steps, |x, out| self.mix(1, x, out))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::super::lanczos::RESIDUAL;
    use super::*;
    use crate::{families, weights};

    #[test]
    fn both_methods_agree() {
        let graphs = [
            families::ring(150).unwrap(),
            families::path(61).unwrap(),
            families::star(40).unwrap(),
            families::complete(30).unwrap(),
            families::erdos_renyi(200, 0.05, 3).unwrap().graph,
        ];
        for graph in graphs {
            let w = weights::metropolis(&graph);
            let (dense, lanczos) =
                (w.extreme_eigenvalues().unwrap(), w.lanczos_extremes(Wanted::Both, MAX_STEPS).unwrap());
            assert!((dense.smallest - lanczos.smallest).abs() < 1e-9, "{} nodes: {dense:?} {lanczos:?}", w.nodes());
            assert!((dense.largest - lanczos.largest).abs() < 1e-9, "{} nodes: {dense:?} {lanczos:?}", w.nodes());
            assert!(dense.error < 1e-12 && lanczos.error <= RESIDUAL);
        }
    }

    /// On a bipartite graph with little self weight the extreme eigenvalue is the negative one.
    #[test]
    fn a_negative_extreme_eigenvalue_is_found() {
        let w = MixingMatrix::from_edge_weights(&families::ring(20).unwrap(), |_, _| 0.49).unwrap();
        let expected: f64 = 0.02 - 0.98;
        assert!((w.second_largest_singular_value().unwrap() - expected.abs()).abs() < 1e-13);
        assert!((w.smallest_eigenvalue().unwrap() - expected).abs() < 1e-13);
        let lanczos = w.lanczos_extremes(Wanted::Magnitude, MAX_STEPS).unwrap();
        assert!((lanczos.magnitude() - expected.abs()).abs() < 1e-9 && (lanczos.smallest - expected).abs() < 1e-9);
    }

    #[test]
    fn large_graphs_have_their_closed_forms() {
        for n in [513, 3000] {
            let ring = weights::metropolis(&families::ring(n).unwrap()).second_largest_singular_value().unwrap();
            let expected = (1.0 + 2.0 * (2.0 * PI / n as f64).cos()) / 3.0;
            assert!((ring - expected).abs() < 1e-10, "{n}: {ring} instead of {expected}");
        }
        let star = weights::metropolis(&families::star(600).unwrap()).second_largest_singular_value().unwrap();
        assert!((star - 599.0 / 600.0).abs() < 1e-10, "{star}");
        let complete = weights::metropolis(&families::complete(520).unwrap()).second_largest_singular_value().unwrap();
        assert!(complete < 1e-10, "{complete}");
    }

    /// A ring of 10 000 nodes has a relative gap of 4e-7 and needs thousands of steps.
    #[test]
    fn an_iteration_that_does_not_converge_says_so() {
        let refused = weights::metropolis(&families::ring(10_000).unwrap());
        let refused = refused.lanczos_extremes(Wanted::Both, 200).unwrap_err();
        assert!(
            matches!(refused, TopologyError::SpectrumNotConverged { nodes: 10_000, steps: 200, residual } if residual > RESIDUAL),
            "{refused}"
        );
    }
}
