//! Output perturbation: every party solves its own problem, and releases the solution once.
//!
//! # Update
//! In round 0 node `i` minimises and releases; every round, 0 among them, averages:
//!
//! ```text
//! b_i      = argmin { f_i(b) + (mu / 2) ||b||^2 : b in the set }
//! x_i(0)   = sum_j w_ij (b_j + noise)
//! x_i(t)   = sum_j w_ij x_j(t-1)
//! answer_i = P(x_i(t)),   P the projection on the set
//! ```
//!
//! # Privacy
//! One release in all, in round 0, which every node has to be awake for. The adversary sees every message; all of them are
//! post-processing of the `b_i + noise`. L2 sensitivity `D / mu`, with `D` that of the gradient of `f_i` at points of the set
//! ([`Declaration`](crate::Declaration)): `2 s_i R g / mu` for a loss of slope at most `g` and rows of length at most `R`.
//! The solver stops at a distance from `b_i` that is known beforehand ([`dido_problems::StrongMinimum`]) and adds a millionth
//! of that, and rounding at most a hundredth, by a bound that follows from what is declared: both are counted. A `mu` so small
//! that rounding could add more is refused.
//!
//! Proof. Let `b`, `b'` minimise `F`, `F'` on the set. Both are optimal, so `<grad F(b), b' - b> >= 0` and
//! `<grad F'(b'), b - b'> >= 0`; added up, `<grad F(b) - grad F(b'), b - b'> <= <grad F'(b') - grad F(b'), b - b'>`. The left
//! side is at least `mu ||b - b'||^2`, the right one at most `D ||b - b'||`. It is attained where the loss is linear.
//!
//! # Guarantee
//! The answers converge to the mean of the `b_i`, each of which has the noise of its own party in it. That mean is not the
//! minimiser over all records: parties with few or unlike records are better off with an iteration.
//!
//! # References
//! Chaudhuri, Monteleoni, Sarwate, JMLR 12, 2011, algorithm 1 (Laplace-like noise on one data set); averaging of minimisers:
//! Zhang, Duchi, Wainwright, JMLR 14, 2013.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::once::OwnProblem;
use crate::{Algorithm, Declaration, Node, OptimizerError, Stop};

/// The mean of the parties' own noisy minimisers.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set that is minimised on, public; the squared loss needs a bounded one |
/// | `mu` | the regulariser `(mu / 2) ||b||^2` that is added to every `f_i`; the sensitivity is proportional to `1 / mu` |
#[derive(Clone, Debug)]
pub struct OutputPerturbation {
    set: Set,
    problem: OwnProblem,
    x: Public,
    answer: Public,
}

impl OutputPerturbation {
    /// For the parties of `declaration`, whose answer is `zero`, projected on the set, before the first round.
    /// [`Parties::start`](crate::Parties::start) makes zeros.
    ///
    /// # Errors
    /// If the loss has no bounded second derivative (the hinge), `mu` is not positive or too small for a million steps or for
    /// what rounding may add, or the set is an intersection.
    pub fn new(declaration: &Declaration, set: Set, mu: f64, zero: Public) -> Result<Self, OptimizerError> {
        let problem = OwnProblem::new(declaration, &set, mu)?;
        let mut answer = zero.clone();
        answer.project(&set);
        Ok(Self { set, problem, x: zero, answer })
    }
}

impl Algorithm for OutputPerturbation {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        if node.round() == 0 {
            node.needs_everyone()?;
            let minimiser = node.minimiser(&self.problem)?;
            self.x = node.release(minimiser)?;
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
