//! A run of averaging.

use super::{ChebyshevFactors, Method};
use crate::{MixingMatrix, TopologyError};

/// Values of all nodes while they are averaged; each round is one product with the mixing matrix.
#[derive(Clone, Debug)]
pub struct Averaging<'w> {
    weights: &'w MixingMatrix,
    width: usize,
    /// The factors of `W x` in the rounds to come, where the method is Chebyshev's.
    factors: Option<ChebyshevFactors>,
    rounds: u32,
    x: Vec<f64>,
    /// One round ago.
    before: Vec<f64>,
    image: Vec<f64>,
}

impl<'w> Averaging<'w> {
    /// Values `x`, `nodes x width`, about to be averaged. Chebyshev's method computes the second singular value.
    ///
    /// # Errors
    /// If `x` has another size, or the spectrum cannot be computed.
    pub fn new(weights: &'w MixingMatrix, method: Method, width: usize, x: Vec<f64>) -> Result<Self, TopologyError> {
        match method {
            Method::Plain => Self::start(weights, None, width, x),
            Method::Chebyshev => Self::chebyshev(weights, weights.second_largest_singular_value()?, width, x),
        }
    }

    /// Chebyshev's method for a known bound `lambda >= ||W - J||_2`. A looser bound costs rounds; one that is too small
    /// may let the disagreement grow.
    ///
    /// # Errors
    /// If `lambda` is not in `[0, 1)` or `x` is not `nodes x width`.
    pub fn chebyshev(weights: &'w MixingMatrix, lambda: f64, width: usize, x: Vec<f64>) -> Result<Self, TopologyError> {
        Self::start(weights, Some(ChebyshevFactors::new(lambda)?), width, x)
    }

    fn start(
        weights: &'w MixingMatrix,
        factors: Option<ChebyshevFactors>,
        width: usize,
        x: Vec<f64>,
    ) -> Result<Self, TopologyError> {
        let nodes = weights.nodes();
        if nodes.checked_mul(width) != Some(x.len()) {
            return Err(TopologyError::ValueCount { len: x.len(), nodes, width });
        }
        let (before, image) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        Ok(Self { weights, width, factors, rounds: 0, x, before, image })
    }

    /// One round: `x <- W x`, or `x(t) = omega_t W x(t-1) + (1 - omega_t) x(t-2)` with the [`ChebyshevFactors`]. The two
    /// factors sum to 1, which keeps the mean.
    ///
    /// # Complexity
    /// `O((n + edges) width)`, no allocation.
    pub fn step(&mut self) {
        self.weights.mix(self.width, &self.x, &mut self.image);
        if let Some(omega) = self.factors.as_mut().and_then(Iterator::next) {
            if self.rounds > 0 {
                for (image, before) in self.image.iter_mut().zip(&self.before) {
                    *image = omega * *image + (1.0 - omega) * before;
                }
            }
            std::mem::swap(&mut self.before, &mut self.x);
        }
        std::mem::swap(&mut self.x, &mut self.image);
        self.rounds += 1;
    }

    /// Averages until the disagreement is at most `tolerance`, and says how many rounds have been taken in all.
    ///
    /// # Errors
    /// If it is still larger, or not a number, after `max_rounds` rounds in all.
    pub fn run_to(&mut self, tolerance: f64, max_rounds: u32) -> Result<u32, TopologyError> {
        loop {
            let disagreement = self.disagreement();
            if disagreement <= tolerance {
                return Ok(self.rounds);
            }
            if self.rounds >= max_rounds {
                return Err(TopologyError::NoConsensus { rounds: self.rounds, disagreement, wanted: tolerance });
            }
            self.step();
        }
    }

    /// The values, `nodes x width`.
    pub fn values(&self) -> &[f64] {
        &self.x
    }

    /// Gives the values back.
    pub fn into_values(self) -> Vec<f64> {
        self.x
    }

    /// Rounds taken.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The mean over the nodes, `width` numbers.
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.width];
        for row in self.x.chunks_exact(self.width.max(1)) {
            for (mean, x) in mean.iter_mut().zip(row) {
                *mean += x;
            }
        }
        for mean in &mut mean {
            *mean /= self.weights.nodes() as f64;
        }
        mean
    }

    /// The root mean square deviation of all values from the mean of their column; 0 when there are none.
    pub fn disagreement(&self) -> f64 {
        let mean = self.mean();
        let rows = self.x.chunks_exact(self.width.max(1));
        let squares: f64 = rows.flat_map(|row| row.iter().zip(&mean).map(|(x, mean)| (x - mean).powi(2))).sum();
        (squares / self.x.len().max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, families, weights};

    fn cube(dimension: usize) -> Graph {
        let n = 1_usize << dimension;
        let edges = (0..n).flat_map(|i| (0..dimension).map(move |k| (i, i ^ (1 << k)))).filter(|(i, j)| i < j);
        Graph::from_edges(n, edges).unwrap()
    }

    fn start(n: usize, width: usize) -> Vec<f64> {
        (0..n * width).map(|k| ((k * 7919 + 13) % 1009) as f64 / 100.0).collect()
    }

    /// A public accelerated averaging started from x(-1) = 0: its mean became 2.734 times as large on a ring of 16 and
    /// 1.333 times on a cube of 4 dimensions.
    #[test]
    fn the_mean_is_kept_at_every_step() {
        for graph in [families::ring(16).unwrap(), cube(4)] {
            let w = weights::metropolis(&graph);
            for method in [Method::Plain, Method::Chebyshev] {
                let mut averaging = Averaging::new(&w, method, 3, start(16, 3)).unwrap();
                let mean = averaging.mean();
                for _ in 0..500 {
                    averaging.step();
                    assert!(averaging.mean().iter().zip(&mean).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs()));
                }
                assert!(averaging.disagreement() < 1e-7);
            }
        }
    }

    /// The eigenvectors of a ring are cosines: one of them is multiplied by `T_t(theta / lambda) / T_t(1 / lambda)`.
    #[test]
    fn an_eigenvector_is_multiplied_by_the_polynomial() {
        let (n, k) = (12_u8, 3.0);
        let w = weights::metropolis(&families::ring(n.into()).unwrap());
        let lambda = w.second_largest_singular_value().unwrap();
        let angle = std::f64::consts::TAU * k / f64::from(n);
        let theta = (1.0 + 2.0 * angle.cos()) / 3.0;
        let wave: Vec<f64> = (0..n).map(|i| (angle * f64::from(i)).cos()).collect();
        let mut averaging = Averaging::new(&w, Method::Chebyshev, 1, wave.clone()).unwrap();
        // T_t by its own recurrence.
        let (mut t, mut bound) = ([1.0, theta / lambda], [1.0, 1.0 / lambda]);
        for _ in 0..30 {
            averaging.step();
            let factor = t[1] / bound[1];
            assert!(averaging.values().iter().zip(&wave).all(|(x, wave)| (x - factor * wave).abs() < 1e-13));
            t = [t[1], 2.0 * theta / lambda * t[1] - t[0]];
            bound = [bound[1], 2.0 / lambda * bound[1] - bound[0]];
        }
    }

    /// The slowest eigenvector takes exactly the predicted rounds, and any start no more.
    #[test]
    fn predictions_hold_and_are_tight() {
        let graphs = [families::ring(16).unwrap(), families::path(23).unwrap(), families::star(9).unwrap(), cube(4)];
        for graph in graphs {
            let (w, n) = (weights::metropolis(&graph), graph.nodes());
            let lambda = w.second_largest_singular_value().unwrap();
            for method in [Method::Plain, Method::Chebyshev] {
                for factor in [0.5, 1e-2, 1e-6] {
                    let predicted = u32::try_from(method.rounds(&w, factor).unwrap()).unwrap();
                    assert!(method.factor(lambda, predicted) <= factor * (1.0 + 1e-9));
                    assert!(method.factor(lambda, predicted - 1) > factor * (1.0 - 1e-9));
                    let mut averaging = Averaging::new(&w, method, 2, start(n, 2)).unwrap();
                    let goal = factor * averaging.disagreement() * (1.0 + 1e-9);
                    assert!(averaging.run_to(goal, predicted).unwrap() <= predicted);
                }
            }
        }
        let n = 16;
        let w = weights::metropolis(&families::ring(n).unwrap());
        let slow: Vec<f64> = (0..n).map(|i| (std::f64::consts::TAU * i as f64 / n as f64).cos()).collect();
        for method in [Method::Plain, Method::Chebyshev] {
            let mut averaging = Averaging::new(&w, method, 1, slow.clone()).unwrap();
            let goal = 1e-5 * averaging.disagreement();
            let measured = averaging.run_to(goal, 1000).unwrap();
            assert_eq!(u64::from(measured), method.rounds(&w, 1e-5).unwrap(), "{method:?}");
        }
    }

    #[test]
    fn complete_graphs_and_single_nodes_agree_at_once() {
        for (n, rounds) in [(1, 0), (7, 1)] {
            let w = weights::metropolis(&families::complete(n).unwrap());
            for method in [Method::Plain, Method::Chebyshev] {
                assert_eq!(method.rounds(&w, 1e-3).unwrap(), 1);
                let mut averaging = Averaging::new(&w, method, 1, start(n, 1)).unwrap();
                assert_eq!(averaging.run_to(1e-12, 1).unwrap(), rounds);
            }
        }
    }

    #[test]
    fn wrong_sizes_bounds_and_endless_runs_are_refused() {
        let w = weights::metropolis(&families::ring(4).unwrap());
        let refused = Averaging::new(&w, Method::Plain, 2, vec![0.0; 7]).unwrap_err();
        assert!(matches!(refused, TopologyError::ValueCount { len: 7, nodes: 4, width: 2 }));
        for lambda in [1.0, -0.1, f64::NAN] {
            assert!(matches!(Averaging::chebyshev(&w, lambda, 1, vec![0.0; 4]), Err(TopologyError::Lambda { .. })));
        }
        let mut averaging = Averaging::new(&w, Method::Plain, 1, vec![0.0, 1.0, 0.0, 0.0]).unwrap();
        assert!(matches!(averaging.run_to(1e-9, 3), Err(TopologyError::NoConsensus { rounds: 3, .. })));
        assert!(matches!(Method::Plain.rounds(&w, 0.0), Err(TopologyError::Factor { .. })));
        let none = Averaging::new(&w, Method::Chebyshev, 0, Vec::new()).unwrap();
        assert!(none.disagreement() < f64::MIN_POSITIVE && none.mean().is_empty());
    }
}
