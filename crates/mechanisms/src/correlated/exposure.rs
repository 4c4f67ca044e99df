//! What correlated noise is worth: the diagonal of the inverse of its covariance.

use ndarray::Array2;

use super::PairwiseNoise;
use crate::{Adversary, ClassLedger, Entry, Event, Ledger, MechanismError, Sensitivity};

/// How well each node is hidden from somebody who sees all messages, and knows the keys of some nodes or of none.
#[derive(Clone, Debug, PartialEq)]
pub struct Exposure {
    /// From whom.
    pub adversary: Adversary,
    /// The nodes that do not collude, ascending, each with the effective standard deviation `1 / sqrt([S^-1]_ii)` of its
    /// noise, rounded down by more than the error of its computation. At least one.
    pub sigmas: Vec<(usize, f64)>,
}

/// Nodes whose effective noise differs by less than this, relatively, share a class of the ledger, at the smaller one.
const SAME_CLASS: f64 = 1e-9;

impl PairwiseNoise {
    /// The exposure to somebody who sees all messages and has the keys of `colluders`, in any order; nobody's, if there
    /// are none. The colluders' own data are not protected from them.
    ///
    /// # Errors
    /// If a colluder is no node, or no other node is left.
    ///
    /// # Complexity
    /// One Cholesky factorisation and inverse of the other nodes: `O(nodes^3)` operations, `O(nodes^2)` memory.
    ///
    /// # Precision
    /// With `M = S / sigma^2` and its inverse `X` as computed, `[M^-1]_ii <= X_ii + max_k |(I - M X)_ki|`, since the
    /// entries of `M^-1` are not negative and its rows sum to 1. That bound is used, including the rounding of `M X`, and
    /// never more than 1: where nothing can be computed, the own noise of a node is what counts.
    pub fn exposure(&self, colluders: &[usize]) -> Result<Exposure, MechanismError> {
        let mut honest = vec![true; self.nodes()];
        for &node in colluders {
            *honest.get_mut(node).ok_or(MechanismError::NoSuchNode { node, nodes: self.nodes() })? = false;
        }
        let nodes: Vec<usize> = (0..self.nodes()).filter(|&i| honest[i]).collect();
        if nodes.is_empty() {
            return Err(MechanismError::NoNodes);
        }
        let count = self.nodes() - nodes.len();
        let adversary = if count == 0 { Adversary::AllMessages } else { Adversary::Colluders(count) };
        let graph = self.among(&nodes);
        let own = self.own.sigma();
        let diagonal = inverse_diagonal(&graph, (self.pair.sigma() / own).powi(2))?;
        // Division and square root are off by less than the four last places taken off.
        let sigma = |x: f64| own / x.sqrt() * (1.0 - 4.0 * f64::EPSILON);
        Ok(Exposure { adversary, sigmas: nodes.into_iter().zip(diagonal.into_iter().map(sigma)).collect() })
    }

    /// The neighbours of `nodes` among themselves, by their places there.
    fn among(&self, nodes: &[usize]) -> Vec<Vec<usize>> {
        nodes.iter().map(|&i| self.neighbours[i].iter().filter_map(|j| nodes.binary_search(j).ok()).collect()).collect()
    }
}

/// Upper bounds on the diagonal of `(I + ratio L)^-1`.
fn inverse_diagonal(graph: &[Vec<usize>], ratio: f64) -> Result<Vec<f64>, MechanismError> {
    let n = graph.len();
    let degree = graph.iter().map(Vec::len).max().unwrap_or(0) as f64;
    // Relative to the largest entry of X: of what one entry of M X adds up, with the roundings of M itself.
    let rounding = (degree + 8.0) * f64::EPSILON * (1.0 + 2.0 * ratio * degree);
    if degree <= 0.0 || rounding.is_nan() || rounding >= 1.0 {
        return Ok(vec![1.0; n]);
    }
    let own = |i: usize| 1.0 + ratio * graph[i].len() as f64;
    let mut matrix = Array2::zeros((n, n));
    for (i, neighbours) in graph.iter().enumerate() {
        matrix[[i, i]] = own(i);
        for &j in neighbours {
            matrix[[i, j]] = -ratio;
        }
    }
    let inverse = dido_linalg::inverse_positive_definite(matrix.view()).map_err(MechanismError::Linalg)?;
    let (mut residual, mut largest) = (vec![0.0_f64; n], vec![0.0_f64; n]);
    for (k, neighbours) in graph.iter().enumerate() {
        for i in 0..n {
            let shared: f64 = neighbours.iter().map(|&j| inverse[[j, i]]).sum();
            let unit = if k == i { 1.0 } else { 0.0 };
            residual[i] = residual[i].max((unit - own(k) * inverse[[k, i]] + ratio * shared).abs());
            largest[i] = largest[i].max(inverse[[k, i]].abs());
        }
    }
    Ok((0..n).map(|i| (inverse[[i, i]] + residual[i] + rounding * largest[i]).min(1.0)).collect())
}

impl Exposure {
    /// The node that is hidden least, and its effective standard deviation.
    pub fn worst(&self) -> (usize, f64) {
        let least = self.sigmas.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        // Never without a node; a caller who has emptied the public list has no noise.
        least.unwrap_or((0, 0.0))
    }

    /// What one release of each node costs the worst of them.
    pub fn event(&self, sensitivity: Sensitivity) -> Event {
        Event::Gaussian { sensitivity, sigma: self.worst().1 }
    }

    /// The slope in the order of the Rényi divergence of one release, `D^2 / 2 sigma^2`, at the worst node.
    pub fn renyi_slope(&self, sensitivity: Sensitivity) -> f64 {
        0.5 * (sensitivity.l2() / self.worst().1).powi(2)
    }

    /// The ledger of so many releases of every node, rounds 0, 1, ..., each with fresh noise.
    pub fn ledger(&self, sensitivity: Sensitivity, releases: u32) -> Ledger {
        let mut ascending = self.sigmas.clone();
        ascending.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut ledger = Ledger::new(sensitivity.adjacency, self.adversary, &[]);
        let mut least = f64::NEG_INFINITY;
        for (node, sigma) in ascending {
            match ledger.classes.last_mut() {
                Some(class) if sigma <= least * (1.0 + SAME_CLASS) => class.nodes.push(node),
                _ => {
                    least = sigma;
                    let event = Event::Gaussian { sensitivity, sigma };
                    let entry = Entry { first: 0, last: releases.saturating_sub(1), releases: releases.into(), event };
                    let entries = if releases == 0 { vec![] } else { vec![entry] };
                    ledger.classes.push(ClassLedger { nodes: vec![node], entries });
                }
            }
        }
        for class in &mut ledger.classes {
            class.nodes.sort_unstable();
        }
        ledger
    }
}
