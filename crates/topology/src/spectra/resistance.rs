//! Effective resistance: the graph as a network of unit resistors.

use crate::{Graph, TopologyError};

/// The residual, relative to the current, at which the potentials are good.
const RESIDUAL: f64 = 1e-13;

impl Graph {
    /// The resistance between nodes `i` and `j` when every edge is a resistor of 1: the potential difference that drives
    /// a unit current. The Laplacian system is solved by conjugate gradients, preconditioned by the degrees, to a
    /// relative residual of `1e-13`.
    ///
    /// ```
    /// // Round a ring of 8 from 0 to 3: a branch of 3 beside a branch of 5.
    /// let resistance = dido_topology::families::ring(8)?.effective_resistance(0, 3)?;
    /// assert!((resistance - 15.0 / 8.0).abs() < 1e-12);
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// If a node does not exist, or the iteration does not converge in `20 n + 100` steps.
    ///
    /// # Complexity
    /// `O((n + edges) sqrt(condition))`, in exact arithmetic at most `n` steps of `O(n + edges)`.
    pub fn effective_resistance(&self, i: usize, j: usize) -> Result<f64, TopologyError> {
        let nodes = self.nodes();
        if let Some(&node) = [i, j].iter().find(|&&node| node >= nodes) {
            return Err(TopologyError::NoSuchNode { node, nodes });
        }
        if i == j {
            return Ok(0.0);
        }
        let mut current = vec![0.0; nodes];
        (current[i], current[j]) = (1.0, -1.0);
        let potentials = self.potentials(current, 20 * nodes + 100)?;
        Ok(potentials[i] - potentials[j])
    }

    /// The sum of the effective resistances of all pairs, `n sum_k 1 / mu_k` over the non-zero eigenvalues of the
    /// Laplacian (Klein and Randić, *Resistance distance*, 1993).
    ///
    /// # Errors
    /// If there are more than [`MAX_DENSE`](crate::spectra::MAX_DENSE) nodes, or the factorisation fails.
    ///
    /// # Complexity
    /// `O(n^3)` time, `8 n^2` bytes.
    pub fn kirchhoff_index(&self) -> Result<f64, TopologyError> {
        let eigenvalues = self.laplacian_eigenvalues()?;
        Ok(self.nodes() as f64 * eigenvalues.iter().skip(1).map(|mu| 1.0 / mu).sum::<f64>())
    }

    /// Conjugate gradients for `L x = current`, whose entries sum to 0. The Laplacian is singular, but on the currents
    /// that sum to 0 it is positive definite, and the solution is unique up to a constant. Without rounding `n - 1` steps
    /// are enough; `limit` is where it gives up.
    fn potentials(&self, current: Vec<f64>, limit: usize) -> Result<Vec<f64>, TopologyError> {
        let n = self.nodes();
        let scale = dot(&current, &current).sqrt();
        let preconditioned =
            |r: &[f64]| -> Vec<f64> { r.iter().enumerate().map(|(i, r)| r / self.degree(i) as f64).collect() };
        let (mut x, mut image, mut r) = (vec![0.0; n], vec![0.0; n], current);
        let mut z = preconditioned(&r);
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        for _ in 0..limit {
            self.apply_laplacian(&p, &mut image);
            let step = rz / dot(&p, &image);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
            r.iter_mut().zip(&image).for_each(|(r, image)| *r -= step * image);
            if dot(&r, &r).sqrt() <= RESIDUAL * scale {
                return Ok(x);
            }
            z = preconditioned(&r);
            let before = std::mem::replace(&mut rz, dot(&r, &z));
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + rz / before * *p);
        }
        Err(TopologyError::PotentialsNotConverged { steps: limit, residual: dot(&r, &r).sqrt() / scale })
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{complete, erdos_renyi, path, ring, star};

    #[test]
    fn resistances_have_their_closed_forms() {
        for n in [2_usize, 5, 17, 40] {
            for i in 0..n {
                for j in 0..n {
                    let apart = i.abs_diff(j) as f64;
                    let nf = n as f64;
                    let of = |graph: Graph| graph.effective_resistance(i, j).unwrap();
                    assert!((of(path(n).unwrap()) - apart).abs() < 1e-10);
                    let ring_value = if n == 2 { apart } else { apart * (nf - apart) / nf };
                    assert!((of(ring(n).unwrap()) - ring_value).abs() < 1e-11);
                    assert!((of(complete(n).unwrap()) - if i == j { 0.0 } else { 2.0 / nf }).abs() < 1e-13);
                }
            }
        }
        // A large tree: series resistors only.
        let long = path(3000).unwrap().effective_resistance(10, 2990).unwrap();
        assert!((long - 2980.0).abs() < 1e-6, "{long}");
    }

    /// The sum over pairs is the spectral formula; the sum over edges of any graph is n - 1 (Foster).
    #[test]
    fn the_kirchhoff_index_is_the_sum_and_fosters_theorem_holds() {
        let graph = erdos_renyi(25, 0.2, 1).unwrap().graph;
        let pairs = (0..25).flat_map(|j| (0..j).map(move |i| (i, j)));
        let sum: f64 = pairs.map(|(i, j)| graph.effective_resistance(i, j).unwrap()).sum();
        assert!((sum - graph.kirchhoff_index().unwrap()).abs() < 1e-9);
        let foster: f64 = graph.edges().map(|(i, j)| graph.effective_resistance(i, j).unwrap()).sum();
        assert!((foster - 24.0).abs() < 1e-10);
        for n in [1_u32, 2, 9, 40] {
            let (nodes, n) = (n as usize, f64::from(n));
            let close = |graph: Graph, expected: f64| {
                (graph.kirchhoff_index().unwrap() - expected).abs() < 1e-9 * (1.0 + expected)
            };
            assert!(close(path(nodes).unwrap(), (n.powi(3) - n) / 6.0));
            assert!(close(star(nodes).unwrap(), (n - 1.0).powi(2)) && close(complete(nodes).unwrap(), n - 1.0));
            assert!(n < 3.0 || close(ring(nodes).unwrap(), (n.powi(3) - n) / 12.0));
        }
    }

    /// From end to end of a path of 40 the current has to reach all 39 edges, one per step.
    #[test]
    fn too_few_steps_are_an_error_that_says_how_far_they_came() {
        let long = path(40).unwrap();
        let current = || (0..40).map(|i| f64::from(i8::from(i == 0) - i8::from(i == 39))).collect();
        let refused = long.potentials(current(), 10).unwrap_err();
        assert!(
            matches!(refused, TopologyError::PotentialsNotConverged { steps: 10, residual } if residual > 1e-3),
            "{refused}"
        );
        assert!(refused.to_string().ends_with("after 10 steps"), "{refused}");
        let potentials = long.potentials(current(), 39).unwrap();
        assert!((potentials[0] - potentials[39] - 39.0).abs() < 1e-10);
    }

    #[test]
    fn nodes_that_do_not_exist_are_refused() {
        let refused = path(3).unwrap().effective_resistance(0, 3).unwrap_err();
        assert!(matches!(refused, TopologyError::NoSuchNode { node: 3, nodes: 3 }));
    }
}
