//! Spectra known by formula.

use std::f64::consts::PI;

use crate::TopologyError;

/// The Laplacian spectrum of a known family and its Metropolis weight, the same on every edge.
///
/// On these families the Metropolis matrix is `I - w L`, so one spectrum gives everything. Any size is a formula: no
/// matrix is built.
///
/// ```
/// use dido_topology::spectra::ClosedForm;
///
/// // Metropolis on a ring: lambda = 1/3 + 2/3 cos(2 pi / n).
/// assert!((ClosedForm::ring(16)?.lambda() - 0.949_253).abs() < 5e-7);
/// assert!((ClosedForm::torus(&[2, 2])?.lambda() - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedForm {
    /// Ascending, with multiplicities; the first is 0.
    laplacian: Vec<f64>,
    weight: f64,
}

impl ClosedForm {
    /// Ring of `n`: `mu_k = 2 - 2 cos(2 pi k / n)`, weight 1/3 (two nodes: one edge, weight 1/2).
    ///
    /// # Errors
    /// If `n` is 0.
    pub fn ring(n: usize) -> Result<Self, TopologyError> {
        Self::torus(&[n])
    }

    /// Path of `n`: `mu_k = 2 - 2 cos(pi k / n)`, weight 1/3 (two nodes: 1/2).
    ///
    /// # Errors
    /// If `n` is 0.
    pub fn path(n: usize) -> Result<Self, TopologyError> {
        let mu = (0..n).map(|k| chord(PI * k as f64 / n as f64)).collect();
        Self::new(mu, if n > 2 { 1.0 / 3.0 } else { 0.5 })
    }

    /// Complete graph on `n`: `mu = n`, weight `1/n`.
    ///
    /// # Errors
    /// If `n` is 0.
    pub fn complete(n: usize) -> Result<Self, TopologyError> {
        Self::new((0..n).map(|k| if k == 0 { 0.0 } else { n as f64 }).collect(), 1.0 / n as f64)
    }

    /// Star on `n`: `mu = 1` for `n - 2` vectors and `n` for one, weight `1/n`.
    ///
    /// # Errors
    /// If `n` is 0.
    pub fn star(n: usize) -> Result<Self, TopologyError> {
        let mu = |k| match k {
            0 => 0.0,
            _ if k + 1 == n => n as f64,
            _ => 1.0,
        };
        Self::new((0..n).map(mu).collect(), 1.0 / n as f64)
    }

    /// Hypercube of `2^dimension` nodes: `mu = 2 k` with multiplicity `dimension` choose `k`, weight
    /// `1 / (dimension + 1)`.
    ///
    /// # Errors
    /// If it has too many nodes.
    pub fn hypercube(dimension: usize) -> Result<Self, TopologyError> {
        Self::torus(&vec![2; dimension])
    }

    /// Torus with the given sides, any number of them: sums of ring eigenvalues, weight `1 / (d + 1)` where a side of
    /// one node adds 0 to the degree `d`, one of two adds 1, every other adds 2.
    ///
    /// # Errors
    /// If a side is 0, or the product of the sides has too many nodes.
    pub fn torus(sides: &[usize]) -> Result<Self, TopologyError> {
        let nodes = sides.iter().try_fold(1_usize, |n, side| n.checked_mul(*side)).unwrap_or(usize::MAX);
        if nodes >= u32::MAX as usize {
            return Err(TopologyError::TooManyNodes { nodes });
        }
        let mut mu = vec![0.0];
        for &side in sides {
            // Two nodes share one edge, where the formula counts one in each direction.
            let edges = if side == 2 { 0.5 } else { 1.0 };
            let ring = (0..side).map(|k| edges * chord(2.0 * PI * k as f64 / side as f64));
            mu = ring.flat_map(|r| mu.iter().map(move |m| m + r)).collect();
        }
        let degree: usize = sides.iter().map(|side| side.saturating_sub(1).min(2)).sum();
        Self::new(mu, 1.0 / (degree + 1) as f64)
    }

    fn new(mut laplacian: Vec<f64>, weight: f64) -> Result<Self, TopologyError> {
        if laplacian.is_empty() {
            return Err(TopologyError::NoNodes);
        }
        laplacian.sort_by(f64::total_cmp);
        Ok(Self { laplacian, weight })
    }

    /// The eigenvalues of the Laplacian, ascending, with multiplicities.
    pub fn laplacian(&self) -> &[f64] {
        &self.laplacian
    }

    /// The Metropolis weight of every edge.
    pub fn metropolis_weight(&self) -> f64 {
        self.weight
    }

    /// The eigenvalues of the Metropolis matrix, descending, with multiplicities.
    pub fn metropolis(&self) -> Vec<f64> {
        self.laplacian.iter().map(|mu| 1.0 - self.weight * mu).collect()
    }

    /// The second largest singular value of the Metropolis matrix; 0 for a single node.
    pub fn lambda(&self) -> f64 {
        self.laplacian[1..].iter().map(|mu| (1.0 - self.weight * mu).abs()).fold(0.0, f64::max)
    }

    /// `1 - ||W - J||_2` for `W = I - weight L`, the same weight on every edge; 1 for a single node. Computed without the
    /// cancellation of `1 - lambda`: a gap of 1e-12 keeps its digits.
    pub fn gap(&self, weight: f64) -> f64 {
        match self.laplacian[1..] {
            [] => 1.0,
            [smallest, ..] => (weight * smallest).min(2.0 - weight * self.laplacian[self.laplacian.len() - 1]),
        }
    }

    /// The second smallest eigenvalue of the Laplacian; 0 for a single node.
    pub fn algebraic_connectivity(&self) -> f64 {
        self.laplacian.get(1).copied().unwrap_or(0.0)
    }

    /// The sum of the effective resistances of all pairs.
    pub fn kirchhoff_index(&self) -> f64 {
        self.laplacian.len() as f64 * self.laplacian[1..].iter().map(|mu| 1.0 / mu).sum::<f64>()
    }
}

/// `2 - 2 cos(angle)`, without cancellation for small angles.
fn chord(angle: f64) -> f64 {
    4.0 * (angle / 2.0).sin().powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, families, weights};

    fn agrees(form: &ClosedForm, graph: &Graph) {
        let w = weights::metropolis(graph);
        let close = |a: &[f64], b: &[f64]| {
            assert_eq!(a.len(), b.len());
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * graph.nodes() as f64), "{a:?} {b:?}");
        };
        close(&form.metropolis(), w.eigenvalues().unwrap().as_slice().unwrap());
        close(form.laplacian(), graph.laplacian_eigenvalues().unwrap().as_slice().unwrap());
        let lambda = w.second_largest_singular_value().unwrap();
        assert!((form.lambda() - lambda).abs() < 1e-13, "{} {lambda}", form.lambda());
        assert!((form.gap(form.metropolis_weight()) - w.spectral_gap().unwrap()).abs() < 1e-13);
        assert!((form.algebraic_connectivity() - graph.algebraic_connectivity().unwrap()).abs() < 1e-12);
        let kirchhoff = graph.kirchhoff_index().unwrap();
        assert!((form.kirchhoff_index() - kirchhoff).abs() < 1e-9 * (1.0 + kirchhoff));
    }

    #[test]
    fn formulas_agree_with_factorisations() {
        for n in 1..=40 {
            agrees(&ClosedForm::ring(n).unwrap(), &families::ring(n).unwrap());
            agrees(&ClosedForm::path(n).unwrap(), &families::path(n).unwrap());
            agrees(&ClosedForm::complete(n).unwrap(), &families::complete(n).unwrap());
            agrees(&ClosedForm::star(n).unwrap(), &families::star(n).unwrap());
        }
    }

    /// Built here edge by edge, apart from the families of the crate.
    #[test]
    fn tori_and_cubes_agree_with_factorisations() {
        for (a, b) in [(1, 1), (1, 4), (2, 2), (2, 3), (3, 3), (4, 6), (5, 2)] {
            let mut edges = std::collections::BTreeSet::new();
            for (r, c) in (0..a).flat_map(|r| (0..b).map(move |c| (r, c))) {
                for (s, d) in [((r + 1) % a, c), (r, (c + 1) % b)] {
                    let (i, j): (usize, usize) = (r * b + c, s * b + d);
                    if i != j {
                        edges.insert((i.min(j), i.max(j)));
                    }
                }
            }
            agrees(&ClosedForm::torus(&[a, b]).unwrap(), &Graph::from_edges(a * b, edges).unwrap());
        }
        for dimension in 0..=6 {
            let n = 1_usize << dimension;
            let edges = (0..n).flat_map(|i| (0..dimension).map(move |k| (i, i ^ (1 << k)))).filter(|(i, j)| i < j);
            agrees(&ClosedForm::hypercube(dimension).unwrap(), &Graph::from_edges(n, edges).unwrap());
        }
    }

    #[test]
    fn sizes_without_a_graph_are_refused() {
        assert!(matches!(ClosedForm::ring(0), Err(TopologyError::NoNodes)));
        assert!(matches!(ClosedForm::torus(&[3, 0]), Err(TopologyError::NoNodes)));
        assert!(matches!(ClosedForm::complete(0), Err(TopologyError::NoNodes)));
        assert!(matches!(ClosedForm::hypercube(40), Err(TopologyError::TooManyNodes { .. })));
    }
}
