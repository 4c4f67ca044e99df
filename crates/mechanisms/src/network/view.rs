//! What a viewer sees, and what it learns from it about each node.

use rayon::prelude::*;

use super::Gossip;
use super::basis::Basis;
use crate::{Adversary, MechanismError, Sensitivity};

/// What one party, or some who pool what they know, can learn from the rounds of an averaging.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Who looks: one party ([`Adversary::Neighbour`]), or several. These see the messages of their neighbours, and not
    /// all messages as [`Adversary::Colluders`] may.
    pub viewers: Vec<usize>,
    /// Rounds they look at.
    pub rounds: usize,
    /// The dimension of the space of all linear combinations of values that they can compute, themselves included.
    pub dimension: usize,
    /// For each node, the rounds its value takes to the view, 0 for the viewers; none if it cannot have come there.
    pub distances: Vec<Option<usize>>,
    /// For each node `[O^+ O]_uu` in `[0, 1]`: the part of its value that the viewers can isolate. 1 for themselves.
    /// An estimate, see the module.
    pub isolated: Vec<f64>,
    /// The least part of a direction that was outside those before it and counted, above [`TOLERANCE`](super::TOLERANCE);
    /// and the largest that did not, 0 if there is none. Far apart they say that the dimension is beyond doubt.
    pub kept: f64,
    /// See `kept`.
    pub dropped: f64,
}

/// What a view gives away about one node: the squared `mu` of Gaussian differential privacy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The node that is protected.
    pub node: usize,
    /// The rounds its value takes to the view; none if it cannot have come there.
    pub distance: Option<usize>,
    /// What is given away, if the tolerance decided well which messages are new: an estimate, not a guarantee.
    pub estimate: f64,
    /// What is given away at most: the guarantee.
    pub upper: f64,
}

impl Gossip {
    /// What `viewers`, one or several who pool what they know, see in `rounds` rounds.
    ///
    /// # Errors
    /// If there is no viewer, or one of them is no node.
    ///
    /// # Complexity
    /// One orthonormal basis: with the dimension `k <= min(nodes, messages)` of the view, `O(nodes k^2)` operations and
    /// `O(nodes k)` numbers, whatever the symmetries of the graph.
    pub fn view(&self, viewers: &[usize], rounds: usize) -> Result<View, MechanismError> {
        let nodes = self.nodes();
        if let Some(&node) = viewers.iter().find(|&&viewer| viewer >= nodes) {
            return Err(MechanismError::NoSuchNode { node, nodes });
        }
        let mut viewers = viewers.to_vec();
        viewers.sort_unstable();
        viewers.dedup();
        if viewers.is_empty() {
            return Err(MechanismError::NoNodes);
        }
        // Before the first round they know their own values; in it they see those of their neighbours. What they send
        // themselves later on follows from that.
        let mut seen = viewers.clone();
        if rounds > 0 {
            seen.extend(viewers.iter().flat_map(|&viewer| self.senders(viewer)));
            seen.sort_unstable();
            seen.dedup();
        }
        let mut basis = Basis::new(nodes, &seen);
        for _ in 1..rounds {
            if !basis.extend(self) {
                break;
            }
        }
        Ok(View {
            distances: self.distances(&viewers, rounds),
            rounds,
            dimension: basis.dimension(),
            isolated: basis.diagonal(),
            kept: basis.kept,
            dropped: basis.dropped,
            viewers,
        })
    }

    /// The views of all nodes, each by itself, on all threads; the results do not depend on their number.
    ///
    /// # Complexity
    /// One [`view`](Self::view) for each node, and `O(nodes^2)` numbers in all.
    ///
    /// # Errors
    /// None but those of [`view`](Self::view), which are about viewers.
    pub fn all_views(&self, rounds: usize) -> Result<Vec<View>, MechanismError> {
        (0..self.nodes()).into_par_iter().map(|viewer| self.view(&[viewer], rounds)).collect()
    }
}

impl View {
    /// The adversary, in the terms of a [`Bound`](crate::Bound).
    pub fn adversary(&self) -> Adversary {
        if let [viewer] = self.viewers[..] {
            Adversary::Neighbour(viewer)
        } else {
            Adversary::Colluders(self.viewers.len())
        }
    }

    /// The loss of every node but the viewers, whose vector has the L2 bound of `sensitivity` and noise of standard
    /// deviation `sigma`. The viewers themselves are left out: nothing hides their data from them.
    ///
    /// # Errors
    /// If `sigma` is not positive and finite, or so small beside the sensitivity that the loss is not finite.
    pub fn losses(&self, sensitivity: Sensitivity, sigma: f64) -> Result<Vec<Loss>, MechanismError> {
        let most = (sensitivity.l2() / sigma).powi(2);
        if !(sigma > 0.0 && sigma.is_finite() && most.is_finite()) {
            return Err(MechanismError::Scale(sigma));
        }
        let loss = |(node, (&distance, &part)): (usize, (&Option<usize>, &f64))| {
            let upper = if distance.is_some() { most } else { 0.0 };
            Loss { node, distance, estimate: (most * part).min(upper), upper }
        };
        let all = self.distances.iter().zip(&self.isolated).enumerate().map(loss);
        Ok(all.filter(|loss| loss.distance != Some(0)).collect())
    }
}
