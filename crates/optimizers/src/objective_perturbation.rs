//! Objective perturbation: every party minimises its own objective with a secret random term, and releases the minimiser once.
//!
//! # Update
//! In round 0 node `i` draws, minimises and releases; every round, 0 among them, averages:
//!
//! ```text
//! nu_i     = Gaussian noise of standard deviation sigma in each coordinate, which stays secret
//! b_i      = argmin { f_i(b) + (mu / 2) ||b||^2 + <nu_i, b> }
//! x_i(0)   = sum_j w_ij (b_j + small noise)
//! x_i(t)   = sum_j w_ij x_j(t-1)
//! answer_i = P(x_i(t)),   P the projection on the set
//! ```
//!
//! # Privacy
//! One release in all, in round 0, which every node has to be awake for. The adversary sees every message; all of them are
//! post-processing of the noisy `b_i`. One record of one party is replaced. The event is `(epsilon, delta)` of
//! [`dido_mechanisms::ObjectivePerturbation`], where the proof stands; it needs losses of bounded slope and second derivative
//! on the whole space, and `mu` above the second derivative of one record over `e^epsilon - 1`. The small noise hides the error
//! of the solver, rounding included, and the proof counts it. It grows where `mu` is so small that rounding is more than the
//! steps leave, and a `mu` with which it would reach a tenth of `sigma / mu` is refused.
//!
//! The decentralised form, a random term in every `f_i` and then any solver between the parties, is private for who sees the
//! solution only. Who sees the messages of the solver sees gradients of `f_i + <nu_i, .>` at several points, and `nu_i` is not in
//! their differences. So every party minimises by itself here.
//!
//! # Guarantee
//! The answers converge to the mean of the noisy minimisers of the parties, which is not the minimiser over all records; see
//! [`OutputPerturbation`](crate::OutputPerturbation). The noise in `b_i` is `nu_i` over the second derivative of the whole
//! objective, where output perturbation has noise over `mu`: less wherever the data curve.
//!
//! # References
//! Chaudhuri, Monteleoni, Sarwate, JMLR 12, 2011, algorithm 2; Kifer, Smith, Thakurta, COLT 2012; as functional
//! perturbation: Nozari, Tallapragada, Cortes, IEEE Transactions on Control of Network Systems 5(1), 2018.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::perturbed::PerturbedProblem;
use crate::{Algorithm, Declaration, Node, OptimizerError, Stop};

/// The mean of the parties' own minimisers of randomly tilted objectives.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | on which the answer is projected, public |
/// | `mu` | the regulariser `(mu / 2) ||b||^2` that is added to every `f_i` |
/// | `delta` | at which the release is written down; at most that of the budget |
#[derive(Clone, Debug)]
pub struct ObjectivePerturbation {
    set: Set,
    problem: PerturbedProblem,
    x: Public,
    answer: Public,
}

impl ObjectivePerturbation {
    /// For the parties of `declaration`, whose answer is `zero`, projected on the set, before the first round.
    /// [`Parties::start`](crate::Parties::start) makes zeros.
    ///
    /// # Errors
    /// If slope or second derivative of the loss has no bound (squared loss, hinge), `mu` is not positive or too small for
    /// a million steps, or `delta` is not in `(0, 1)`.
    pub fn new(declaration: &Declaration, set: Set, mu: f64, delta: f64, zero: Public) -> Result<Self, OptimizerError> {
        let problem = PerturbedProblem::new(declaration, mu, delta)?;
        let mut answer = zero.clone();
        answer.project(&set);
        Ok(Self { set, problem, x: zero, answer })
    }
}

impl Algorithm for ObjectivePerturbation {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        if node.round() == 0 {
            node.needs_everyone()?;
            self.x = node.perturbed_minimiser(&self.problem)?;
        }
        node.average(&mut [&mut self.x])?;
        self.answer = self.x.clone();
        self.answer.project(&self.set);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.answer
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x, &mut self.answer]
    }
}
