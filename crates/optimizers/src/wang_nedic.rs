//! Gradient descent with weakening coupling: Wang and Nedic, *Tailoring gradient methods for differentially private distributed
//! optimization*.
//!
//! # Update
//! Node `i` sends `m_i(k) = x_i(k) + zeta_i(k)`. What it hears counts less and less, by the factor `gamma_k`, and its own
//! noise does not come back to its state `x_i`:
//!
//! ```text
//! x_i(k+1) = x_i(k) + gamma_k sum_j w_ij (m_j(k) - x_i(k)) - lambda_k grad f_i(P(p_i(k)))
//! p_i(k+1) = p_i(k) + gamma_k sum_j w_ij (m_j(k) - p_i(k)),               p_i(0) = x_i(0) = m_i(0)
//! ```
//!
//! so that noise whose variance stays, or grows, can be averaged out: it enters the mean of all states with `gamma_k`.
//!
//! # Differences from the paper
//! * `x_i` would be a private state that outlives a round. Here it exists in no round: the message is made from the one before,
//!   and what was its noise is taken out of it by the gate ([`Node::release_carrying`]),
//!   `m_i(k+1) = (1 - gamma_k) m_i(k) + gamma_k sum_j w_ij m_j(k) - lambda_k grad f_i - (1 - gamma_k) zeta_i(k) + zeta_i(k+1)`.
//! * The gradient is taken at the projection of `p_i`, which is public: `p_i` is `x_i` without the node's own gradients, and the two
//!   are no farther apart than `C` times the largest `lambda / gamma` so far, for gradients bounded by `C`, and come together if that
//!   ratio tends to 0. The projection bounds the sensitivity; where the loss bounds it, the set can be a large one.
//! * `j = i` is in the sum, so that with weights of positive `w_ii` a part `gamma_k w_ii` of the own noise does come back. That needs no
//!   knowledge of the graph, and with `w_ii = 0` it is the text.
//!
//! # Privacy
//! All messages are seen. Message `k+1` has the L2 sensitivity
//!
//! ```text
//! Delta(k+1) = (1 - gamma_k) Delta(k) + lambda_k s D,       Delta(0) = 0,
//! ```
//!
//! `s D` being that of the gradient of `f_i` within the set, and the events of all rounds compose; proof in
//! `docs/theory/wang2024.md`, and with it why `lambda_k s D` alone, which counts no earlier gradient, is too little.
//!
//! # Guarantee
//! Tested, not proved: the error falls while the noise grows (`tests/wang_nedic.rs`). The theorem is about gradients at `x_i`.
//! Epsilon then grows without bound as the rounds go on, whatever the published sum says.
//!
//! # References
//! Wang, Nedic, IEEE Transactions on Automatic Control 69(2), 2024, arXiv 2202.01113.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::{Algorithm, Node, OptimizerError, Sampling, Schedule, Stop};

/// Wang and Nedic's method; its answer is the projected mean `P(p_i)` of what a node has heard.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the convex set within which gradients are taken, public |
/// | `step` | `lambda_k`, multiplies the gradient of `f_i` |
/// | `coupling` | `gamma_k` in `(0, 1]`, the weakening factor |
#[derive(Clone, Debug)]
pub struct WangNedic {
    set: Set,
    step: Schedule,
    coupling: Schedule,
    m: Public,
    p: Public,
    answer: Public,
}

impl WangNedic {
    /// Starts every node at `start`, which must not depend on data, for a run of `rounds` rounds.
    ///
    /// # Errors
    /// If the coupling is not in `(0, 1]` in every one of them.
    pub fn new(
        set: Set,
        step: Schedule,
        coupling: Schedule,
        rounds: u32,
        start: Public,
    ) -> Result<Self, OptimizerError> {
        coupling.check(rounds)?;
        match (0..rounds).map(|round| (round, coupling.at(round))).find(|(_, value)| *value > 1.0) {
            Some((round, value)) => Err(OptimizerError::Coupling { round, value }),
            None => Ok(Self { set, step, coupling, m: start.clone(), p: start.clone(), answer: start }),
        }
    }

    /// The latest message of every node.
    pub fn messages(&self) -> &Public {
        &self.m
    }
}

impl Algorithm for WangNedic {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let k = node.round();
        let (gamma, keep) = (self.coupling.at(k), 1.0 - self.coupling.at(k));
        let mut at = self.p.clone();
        at.project(&self.set);
        let all = node.sample(Sampling::All)?;
        let awake = all.awake().cloned();
        let g = node.gradient(&at, all)?;
        let mut heard = self.m.clone();
        node.average(&mut [&mut heard])?;
        let mixed = |own: &Public| {
            let mut sum = own.clone();
            sum.scale(keep);
            sum.add_scaled(gamma, &heard);
            sum
        };
        let p = mixed(&self.p);
        let m = node.release_carrying(g.scale(-self.step.at(k)).plus(&mixed(&self.m)), keep)?;
        match awake {
            None => (self.m, self.p) = (m, p),
            Some(awake) => {
                self.m.replace_nodes(&awake, &m);
                self.p.replace_nodes(&awake, &p);
            }
        }
        self.answer.clone_from(&self.p);
        self.answer.project(&self.set);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.answer
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.m, &mut self.p, &mut self.answer]
    }
}
