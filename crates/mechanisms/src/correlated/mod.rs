//! Correlated noise: neighbours share keys, and what one adds the other subtracts.
//!
//! # Update
//! Node `i` hides its vector behind `u_i + sum over its neighbours j of v_ij`, where `u_i ~ N(0, sigma^2 I)` is its own
//! and `v_ij = -v_ji ~ N(0, pair_sigma^2 I)` comes from a key that `i` and `j` alone share. The shared noise is gone from
//! the sum over all nodes, so that the mean is as exact as with the `u_i` alone, while each message is hidden by more.
//!
//! # Privacy
//! The noise of all nodes has the covariance `S = sigma^2 I + pair_sigma^2 L` in each coordinate, `L` the Laplacian of the
//! graph. To whoever sees **all messages** and knows no key, data sets whose vectors differ by `D` at node `i` alone look
//! like `N(0, 1)` and `N(mu, 1)` with `mu^2 = D^2 [S^-1]_ii`: exactly, and with fresh noise in each round the `mu^2` add
//! up. So a release is an [`Event::Gaussian`](crate::Event::Gaussian) with the effective standard deviation
//! `1 / sqrt([S^-1]_ii)`, and every accountant applies. Its Rényi divergence of order `alpha` is `alpha mu^2 / 2`.
//! A party that looks knows the keys it shares: with it and those who collude with it gone from the graph, the same holds
//! for the rest ([`PairwiseNoise::exposure`]); a node whose neighbours all collude has its own noise only.
//!
//! A [`Gate`](crate::Gate::with_shared_noise) releases with such noise: [`SharedNoise`]. Every node has to be awake.
//!
//! # Guarantee
//! `tests/correlated.rs` and `tests/shared_noise.rs`: the likelihood ratio of explicit normal densities of everything that is seen.
//!
//! # Precision
//! The noise is drawn in floating point, for **simulation only**, as that of [`Gaussian`] is.
//!
//! # References
//! Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui, *The privacy power of correlated noise in decentralized learning*
//! (`DECOR`), 2024, arXiv 2405.01031; derivation in `docs/theory/network-privacy.md`.
//!
//! ```
//! use dido_mechanisms::accountants::{Accountant, Gdp};
//! use dido_mechanisms::correlated::PairwiseNoise;
//! use dido_mechanisms::{Adjacency, Key, Norm, Purpose, Sensitivity, Stream};
//!
//! // Ten nodes in a ring; gradients clipped to length 1, one of which may be replaced.
//! let noise = PairwiseNoise::new(10, (0..10).map(|i| (i, (i + 1) % 10)), 2.0, 3.0)?;
//! let clipped = Sensitivity::new(2.0, Norm::L2, Adjacency::ReplaceRecord)?;
//! let outside = Gdp.bound(&noise.exposure(&[])?.ledger(clipped, 1000), 1e-5)?;
//! assert!((outside.epsilon - 233.6217).abs() < 1e-4);
//! // Node 0 looks: its neighbours have one secret less.
//! let inside = Gdp.bound(&noise.exposure(&[0])?.ledger(clipped, 1000), 1e-5)?;
//! assert!(inside.epsilon > outside.epsilon && [1, 9].contains(&inside.node));
//!
//! // What node 4 adds to its vector in round 7: its own noise, and some that nodes 3 and 5 will subtract.
//! let pairs: Vec<Key> = noise.neighbours(4)?.iter().map(|&j| Key::derive_pair(1, 4, j as u32, 0)).collect();
//! let mut vector = [0.5, -0.25];
//! noise.add_simulated(4, &Key::derive(1, 4, 0), &pairs, Stream::new(7, Purpose::Noise, 0)?, &mut vector)?;
//! # Ok::<(), dido_mechanisms::MechanismError>(())
//! ```

mod exposure;
mod shared;

use ndarray::Array2;

use crate::{Gaussian, Key, MechanismError, Stream};

pub use exposure::Exposure;
pub use shared::SharedNoise;

/// Gaussian noise of each node's own, and of each pair of neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct PairwiseNoise {
    own: Gaussian,
    pair: Gaussian,
    /// Of each node, ascending.
    neighbours: Vec<Vec<usize>>,
}

impl PairwiseNoise {
    /// Own noise of standard deviation `sigma` at each of `nodes` nodes, and of `pair_sigma` on each edge, both in the
    /// units of the value. An edge that is named twice, in either direction, counts once; the graph need not be connected.
    ///
    /// # Errors
    /// If a standard deviation is not positive, an edge ends at a node that there is not, or at the one where it starts.
    pub fn new(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
        sigma: f64,
        pair_sigma: f64,
    ) -> Result<Self, MechanismError> {
        let mut neighbours = vec![Vec::new(); nodes];
        for (i, j) in edges {
            if let Some(&node) = [i, j].iter().find(|&&node| node >= nodes) {
                return Err(MechanismError::NoSuchNode { node, nodes });
            }
            if i == j {
                return Err(MechanismError::Loop(i));
            }
            neighbours[i].push(j);
            neighbours[j].push(i);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Self { own: Gaussian::new(sigma)?, pair: Gaussian::new(pair_sigma)?, neighbours })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.neighbours.len()
    }

    /// The nodes that share a key with `node`, ascending.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn neighbours(&self, node: usize) -> Result<&[usize], MechanismError> {
        let refuse = || MechanismError::NoSuchNode { node, nodes: self.nodes() };
        self.neighbours.get(node).map(Vec::as_slice).ok_or_else(refuse)
    }

    /// `sigma^2 I + pair_sigma^2 L`, `nodes x nodes`: the covariance of the noise of all nodes, in each coordinate.
    pub fn covariance(&self) -> Array2<f64> {
        let (own, pair) = (self.own.sigma().powi(2), self.pair.sigma().powi(2));
        let mut covariance = Array2::zeros((self.nodes(), self.nodes()));
        for (i, neighbours) in self.neighbours.iter().enumerate() {
            covariance[[i, i]] = own + pair * neighbours.len() as f64;
            for &j in neighbours {
                covariance[[i, j]] = -pair;
            }
        }
        covariance
    }

    /// Adds the noise of `node` to its vector; **simulation only**, see the module's *Precision*.
    ///
    /// `own` is the key of the node and `pairs` has the key it shares with each of its
    /// [`neighbours`](Self::neighbours), in their order. Of two neighbours the lower one adds and the higher one
    /// subtracts the same bits, which follow from their key and `stream`: so each stream is used once, as with all noise.
    ///
    /// # Errors
    /// If there is no such node, or `pairs` has not one key for each neighbour.
    pub fn add_simulated(
        &self,
        node: usize,
        own: &Key,
        pairs: &[Key],
        stream: Stream,
        vector: &mut [f64],
    ) -> Result<(), MechanismError> {
        let neighbours = self.neighbours(node)?;
        if pairs.len() != neighbours.len() {
            return Err(MechanismError::PairKeys { node, neighbours: neighbours.len(), keys: pairs.len() });
        }
        let dim = vector.len();
        let mut shared = vec![0.0; dim];
        for (&neighbour, key) in neighbours.iter().zip(pairs) {
            shared.fill(0.0);
            self.pair.add_simulated_range(std::slice::from_ref(key), stream, &mut shared, dim)?;
            let sign = if node < neighbour { 1.0 } else { -1.0 };
            vector.iter_mut().zip(&shared).for_each(|(x, v)| *x += sign * v);
        }
        self.own.add_simulated_range(std::slice::from_ref(own), stream, vector, dim)
    }
}
