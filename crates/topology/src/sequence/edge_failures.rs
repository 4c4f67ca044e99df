//! Links that fail.

use ndarray::Array2;

use super::joint::{check_dense, deviation_norm};
use super::{Constant, RoundMatrix, Sequence, SequenceError};
use crate::randomness::{Streams, heads};
use crate::{MixingMatrix, TopologyError};

/// Every edge of another sequence fails in every round with probability `p`, independently. It fails in both
/// directions, and both ends keep the lost weight: `w_ii + w_ij`. So each round stays symmetric and doubly stochastic,
/// the mean is kept and a consensus stays one.
///
/// ```
/// use dido_topology::{Sequence, families, sequence::EdgeFailures, weights};
///
/// let lossy = EdgeFailures::new(weights::metropolis(&families::ring(6)?), 0.3, 1)?;
/// let round = lossy.round(4)?;
/// assert!(round.edges().count() < 6 && round.awake().len() == 6);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Algorithm
/// Round `t` reads stream `t` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by the 24 bytes
/// `dido/sequence/links/0001`, one coin per edge of the round, ascending.
#[derive(Clone, Debug)]
pub struct EdgeFailures<S = Constant> {
    base: S,
    p: f64,
    coin: Streams,
}

impl EdgeFailures<Constant> {
    /// Failing links of a fixed matrix.
    ///
    /// # Errors
    /// If `p` is not in `[0, 1]`.
    pub fn new(weights: MixingMatrix, p: f64, seed: u64) -> Result<Self, TopologyError> {
        Self::over(Constant(weights), p, seed)
    }

    /// `||E[W'W] - J||_2`, exactly.
    ///
    /// Write `b_e = e_i - e_j` for an edge `e = i - j` with weight `w_e`, `B_e` for the coin that keeps it (probability
    /// `q = 1 - p`), and `L_w = sum_e w_e b_e b_e' = I - W_0`. A round is `W = I - sum_e B_e w_e b_e b_e'`. Since
    /// `E[B_e B_f]` is `q^2` for different edges and `q` for `e = f`, and `b_e' b_e = 2`,
    /// `E[W'W] = (I - q L_w)^2 + 2 q p sum_e w_e^2 b_e b_e'`.
    /// On the complete graph with weights `1/n` this is `p^2 + 2 p q / n` off the mean.
    ///
    /// # Errors
    /// If there are more than [`DENSE_NODES`](super::DENSE_NODES) nodes or the factorisation fails.
    ///
    /// # Complexity
    /// `O(n^3)`.
    pub fn expected_contraction(&self) -> Result<f64, TopologyError> {
        let nodes = self.nodes();
        check_dense(nodes)?;
        let (p, q) = (self.p, 1.0 - self.p);
        let mean = self.base.0.to_dense() * q + Array2::<f64>::eye(nodes) * p;
        let mut square = mean.dot(&mean);
        for (i, j, weight) in self.base.round(0)?.edges() {
            let variance = 2.0 * q * p * weight * weight;
            square[[i, i]] += variance;
            square[[j, j]] += variance;
            square[[i, j]] -= variance;
            square[[j, i]] -= variance;
        }
        deviation_norm(&square)
    }
}

impl<S: Sequence> EdgeFailures<S> {
    /// Failing links of any sequence. Two layers of failures need different seeds.
    ///
    /// # Errors
    /// If `p` is not in `[0, 1]`.
    pub fn over(base: S, p: f64, seed: u64) -> Result<Self, TopologyError> {
        if !(0.0..=1.0).contains(&p) {
            return Err(SequenceError::Parameter { name: "failure probability", range: "[0, 1]", value: p }.into());
        }
        Ok(Self { base, p, coin: Streams::new(seed, b"dido/sequence/links/0001") })
    }
}

impl<S: Sequence> Sequence for EdgeFailures<S> {
    fn nodes(&self) -> usize {
        self.base.nodes()
    }

    /// # Complexity
    /// That of the other sequence and `O(nodes + edges)`.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        self.base.fill(t, round)?;
        let mut rng = self.coin.stream(t);
        round.retain_edges(|_, _| !heads(self.p, &mut rng));
        Ok(())
    }
}
