//! Decentralised linearised ADMM, DLM: a price for every disagreement, one gradient step a round.
//!
//! # Update
//! For `min sum_i f_i(x_i)` with equal `x_i`, with the mixing weights as weights of the edges: `L = I - W`. With one
//! declared point `x_i(0)` for all nodes and `phi_i = 0`, in round `t = 0, 1, ...` node `i`
//!
//! ```text
//! zeta_i(t) = grad f_i(x_i(t)) + noise
//! d_i(t)    = x_i(t) - sum_j w_ij x_j(t)
//! phi_i(t)  = phi_i(t-1) + c d_i(t)
//! x_i(t+1)  = P(x_i(t) - (zeta_i(t) + c d_i(t) + phi_i(t)) / (2 c + rho)),   P the projection on the set
//! ```
//!
//! `phi_i` is the dual variable, with penalty `c`; `rho` holds the point where its gradient was taken. The paper has an
//! unweighted graph and the divisor `2 c d_i + rho` with the degree `d_i`; a weighted degree `1 - w_ii` is at most 1.
//!
//! # Privacy
//! One release a round, `zeta_i(t)`; points and duals are post-processing. The adversary sees every message. L2
//! sensitivity: that of the gradient at points of the set ([`Declaration`](crate::Declaration)), or `2 clip`. The ledger is
//! that of `T` gradients. Noise on the points in its place would be summed up by the duals, for ever.
//!
//! # Guarantee
//! It is [`Extra`](crate::Extra) with step `1 / (2 c + rho)` on the lazier weights `I - 2 c (I - W) / (2 c + rho)` (tested),
//! the same on a set; so what is proved there holds here. In these terms: if the gradients are `G`-Lipschitz, **`rho > G / 2`
//! is enough on any graph**, whatever `c`. Networks that change, or whose nodes sleep, are refused.
//!
//! # References
//! Ling, Shi, Wu, Ribeiro, IEEE Transactions on Signal Processing 63(15), 2015.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::error::positive;
use crate::{Algorithm, Node, OptimizerError, Stop, TailAverage};

/// Linearised ADMM on released gradients, with the mean of the last points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set that holds the solution, public; may be the whole space without noise |
/// | `penalty` | `c`, in the units of the second derivative of `f_i` |
/// | `proximity` | `rho`, in the same units; more than half the Lipschitz constant of the gradients |
/// | `clip` | the length to which gradients are scaled down, if any |
/// | `average_from` | the round whose point is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct LinearisedAdmm {
    set: Set,
    penalty: f64,
    proximity: f64,
    clip: Option<f64>,
    x: Public,
    phi: Public,
    tail: TailAverage,
}

impl LinearisedAdmm {
    /// Starts every node at `start`, which must not depend on data.
    ///
    /// # Errors
    /// If `penalty` or `proximity` is not finite and positive.
    pub fn new(
        set: Set,
        penalty: f64,
        proximity: f64,
        average_from: u32,
        start: Public,
    ) -> Result<Self, OptimizerError> {
        let (penalty, proximity) = (positive("penalty", penalty)?, positive("proximity", proximity)?);
        let mut phi = start.clone();
        phi.rows_mut().as_mut_slice().fill(0.0);
        let tail = TailAverage::new(average_from, start.clone());
        Ok(Self { set, penalty, proximity, clip: None, x: start, phi, tail })
    }

    /// The same with gradients clipped to length `clip`.
    #[must_use]
    pub fn clipped(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// The points of the latest round.
    pub fn points(&self) -> &Public {
        &self.x
    }

    /// The dual variables, which sum to zero: at the optimum minus the gradient of every node.
    pub fn duals(&self) -> &Public {
        &self.phi
    }
}

impl Algorithm for LinearisedAdmm {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        node.needs_fixed_weights("linearised ADMM")?;
        // The point is in the set already, also after a resumption; now its type says so.
        self.x.project(&self.set);
        let zeta = node.noisy_gradient(&self.x, self.clip)?;
        let (c, step) = (self.penalty, 1.0 / (2.0 * self.penalty + self.proximity));
        let mut mixed = self.x.clone();
        node.average(&mut [&mut mixed])?;
        let mut apart = self.x.clone();
        apart.add_scaled(-1.0, &mixed);
        self.phi.add_scaled(c, &apart);
        self.x.add_scaled(-step, &zeta);
        self.x.add_scaled(-step * c, &apart);
        self.x.add_scaled(-step, &self.phi);
        self.x.project(&self.set);
        self.tail.add(node.round(), &self.x);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.tail.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x, &mut self.phi, self.tail.state()]
    }
}
