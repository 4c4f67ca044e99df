//! How fast a mixing matrix averages: `||W - J||_2`, `J` the matrix of all `1 / n`.

use chacha20::ChaCha8Rng;
use ndarray::Array1;
use rand::{Rng, SeedableRng};

use super::MixingMatrix;
use crate::TopologyError;

/// Up to so many nodes all eigenvalues are computed, by a dense factorisation.
const DENSE: usize = 512;
/// The residual `||(W - J) v - theta v||` of a unit vector `v` at which the iteration stops: an eigenvalue lies within
/// this distance of the answer.
const RESIDUAL: f64 = 1e-10;
/// Lanczos steps before the iteration gives up.
const MAX_STEPS: usize = 20_000;

impl MixingMatrix {
    /// The second largest singular value `||W - J||_2`: by this factor, at least, every averaging shrinks the
    /// deviations from the mean. 0 for a single node; 1 if some deviation never shrinks.
    ///
    /// Up to 512 nodes from all eigenvalues of `W - J`. Beyond, by a Lanczos iteration without reorthogonalisation from
    /// a fixed random start (Paige, *Error analysis of the Lanczos algorithm for tridiagonalizing a symmetric matrix*,
    /// 1976), where a power iteration would take the square of its steps. It stops when the residual of the answer is
    /// at most `1e-10`: some eigenvalue is within that distance, and it is the extreme one unless the random start is
    /// orthogonal to its eigenvectors.
    ///
    /// # Errors
    /// If the residual is still larger after 20 000 steps (a ring of several ten thousand nodes), or a dense factorisation
    /// fails.
    ///
    /// # Complexity
    /// `O(n^3)` up to 512 nodes, beyond that `O((n + edges) / sqrt(gap))` where `gap` is the relative distance of the
    /// extreme eigenvalue to the next.
    pub fn second_largest_singular_value(&self) -> Result<f64, TopologyError> {
        if self.nodes() <= DENSE { self.dense_norm() } else { self.lanczos_norm(MAX_STEPS) }
    }

    /// `1 - ||W - J||_2`, the spectral gap.
    ///
    /// # Errors
    /// As for [`second_largest_singular_value`](Self::second_largest_singular_value).
    pub fn spectral_gap(&self) -> Result<f64, TopologyError> {
        Ok(1.0 - self.second_largest_singular_value()?)
    }

    fn dense_norm(&self) -> Result<f64, TopologyError> {
        let deviation = self.to_dense() - 1.0 / self.nodes() as f64;
        let eigenvalues = dido_linalg::symmetric_eigenvalues(deviation.view())?;
        Ok(eigenvalues.iter().fold(0.0, |largest, v| largest.max(v.abs())))
    }

    fn lanczos_norm(&self, max_steps: usize) -> Result<f64, TopologyError> {
        let n = self.nodes();
        let mut rng = ChaCha8Rng::from_seed(*b"dido/topology/lanczos/start/0001");
        let mut v: Array1<f64> = (0..n).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5).collect();
        centre(&mut v);
        v /= v.dot(&v).sqrt();
        let (mut before, mut image) = (Array1::zeros(n), Array1::zeros(n));
        let mut t = Tridiagonal { diagonal: Vec::new(), off_diagonal: Vec::new() };
        let (mut beta, mut next_check, mut residual) = (0.0, 8, f64::INFINITY);
        for step in 1..=max_steps {
            // On vectors of mean zero W and W - J are the same.
            self.mix(1, slice(&v), slice_mut(&mut image));
            image.scaled_add(-beta, &before);
            let alpha = image.dot(&v);
            image.scaled_add(-alpha, &v);
            centre(&mut image);
            beta = image.dot(&image).sqrt();
            t.diagonal.push(alpha);
            if step == next_check || beta <= RESIDUAL || step == max_steps {
                let theta = t.largest_magnitude();
                residual = beta * t.last_component(theta);
                if residual <= RESIDUAL {
                    return Ok(theta.abs());
                }
                next_check = step + step / 4;
            }
            t.off_diagonal.push(beta);
            std::mem::swap(&mut before, &mut v);
            std::mem::swap(&mut v, &mut image);
            v /= beta;
        }
        Err(TopologyError::SpectrumNotConverged { nodes: n, steps: max_steps, residual })
    }
}

fn centre(v: &mut Array1<f64>) {
    *v -= v.sum() / v.len() as f64;
}

fn slice(v: &Array1<f64>) -> &[f64] {
    v.as_slice().expect("a vector is contiguous")
}

fn slice_mut(v: &mut Array1<f64>) -> &mut [f64] {
    v.as_slice_mut().expect("a vector is contiguous")
}

/// A symmetric tridiagonal matrix of order `diagonal.len()`.
struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
}

impl Tridiagonal {
    /// The eigenvalue of largest magnitude, by bisection on the number of eigenvalues below a point.
    fn largest_magnitude(&self) -> f64 {
        let order = self.diagonal.len();
        let off = |k: usize| self.off_diagonal.get(k).copied().unwrap_or(0.0);
        let radius = (0..order)
            .map(|k| self.diagonal[k].abs() + if k == 0 { 0.0 } else { off(k - 1) } + off(k))
            .fold(0.0, f64::max);
        let (mut smallest, mut largest) = ((-radius, radius), (-radius, radius));
        for _ in 0..64 {
            halve(&mut smallest, |x| self.below(x) >= 1);
            halve(&mut largest, |x| self.below(x) >= order);
        }
        let (smallest, largest) = (midpoint(smallest), midpoint(largest));
        if smallest.abs() > largest.abs() { smallest } else { largest }
    }

    /// How many eigenvalues are below `x`: the negative pivots of `T - x` (Sylvester's law of inertia).
    fn below(&self, x: f64) -> usize {
        self.pivots(x).into_iter().filter(|&d| d < 0.0).count()
    }

    /// The pivots of the factorisation of `T - x` from the top.
    fn pivots(&self, x: f64) -> Vec<f64> {
        let mut pivots: Vec<f64> = Vec::with_capacity(self.diagonal.len());
        for (k, a) in self.diagonal.iter().enumerate() {
            let coupling = pivots.last().map_or(0.0, |d| self.off_diagonal[k - 1].powi(2) / d);
            pivots.push(nonzero(a - x - coupling));
        }
        pivots
    }

    /// The last component of the unit eigenvector of `theta`, in absolute value, by a twisted factorisation: the
    /// pivots from both ends meet where the vector is largest, and it is unrolled from there.
    fn last_component(&self, theta: f64) -> f64 {
        let order = self.diagonal.len();
        let down = self.pivots(theta);
        let mut up = vec![0.0; order];
        for k in (0..order).rev() {
            let coupling = if k + 1 == order { 0.0 } else { self.off_diagonal[k].powi(2) / up[k + 1] };
            up[k] = nonzero(self.diagonal[k] - theta - coupling);
        }
        let gamma = |k: usize| (down[k] + up[k] - (self.diagonal[k] - theta)).abs();
        let twist = (0..order).min_by(|&a, &b| gamma(a).total_cmp(&gamma(b))).unwrap_or(0);
        let (mut z, mut square) = (1.0_f64, 1.0);
        for (off, pivot) in self.off_diagonal.iter().zip(&down).take(twist).rev() {
            z *= off / pivot;
            square += z * z;
        }
        z = 1.0;
        for (off, pivot) in self.off_diagonal.iter().zip(&up[1..]).skip(twist) {
            z *= off / pivot;
            square += z * z;
        }
        z.abs() / square.sqrt()
    }
}

/// A pivot that may be divided by.
fn nonzero(pivot: f64) -> f64 {
    if pivot.abs() < f64::MIN_POSITIVE.sqrt() { f64::MIN_POSITIVE.sqrt() } else { pivot }
}

fn midpoint((low, high): (f64, f64)) -> f64 {
    low + (high - low) / 2.0
}

/// Halves the interval around the point from which on `reached` is true.
fn halve(interval: &mut (f64, f64), reached: impl Fn(f64) -> bool) {
    let middle = midpoint(*interval);
    if reached(middle) { interval.1 = middle } else { interval.0 = middle }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

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
            let (dense, lanczos) = (w.dense_norm().unwrap(), w.lanczos_norm(MAX_STEPS).unwrap());
            assert!((dense - lanczos).abs() < 1e-9, "{} nodes: {dense} and {lanczos}", w.nodes());
        }
    }

    /// On a bipartite graph with little self weight the extreme eigenvalue is the negative one.
    #[test]
    fn a_negative_extreme_eigenvalue_is_found() {
        let w = MixingMatrix::from_edge_weights(&families::ring(20).unwrap(), |_, _| 0.49).unwrap();
        let expected: f64 = 0.02 - 0.98;
        assert!((w.dense_norm().unwrap() - expected.abs()).abs() < 1e-13);
        assert!((w.lanczos_norm(MAX_STEPS).unwrap() - expected.abs()).abs() < 1e-9);
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
        let refused = weights::metropolis(&families::ring(10_000).unwrap()).lanczos_norm(200).unwrap_err();
        assert!(
            matches!(refused, TopologyError::SpectrumNotConverged { nodes: 10_000, steps: 200, residual } if residual > RESIDUAL),
            "{refused}"
        );
    }
}
