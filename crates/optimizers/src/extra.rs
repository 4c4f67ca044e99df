//! EXTRA: exact decentralised descent with a constant step, one average a round.
//!
//! # Update
//! With one declared point `x_i(0)` for all nodes and `q_i(0) = 0`, in round `t = 0, 1, ...` node `i`
//!
//! ```text
//! zeta_i(t) = grad f_i(x_i(t)) + noise
//! x_i(t+1)  = P(sum_j w_ij x_j(t) - alpha zeta_i(t) - q_i(t)),   P the projection on the set
//! q_i(t+1)  = q_i(t) + (x_i(t) - sum_j w_ij x_j(t)) / 2
//! ```
//!
//! which is the published recursion in two steps, summed up, with `W~ = (I + W) / 2` (tested against it); on a set it is
//! PG-EXTRA with the indicator of the set. The `q_i` sum to zero: they learn what the gradients differ by.
//!
//! # Privacy
//! One release a round, `zeta_i(t)`; `x` and `q` are post-processing. The adversary sees every message. L2 sensitivity: that
//! of the gradient at points of the set ([`Declaration`](crate::Declaration)), or `2 clip`. The ledger is that of `T`
//! gradients. Noise on `x` in its place would have to hide the difference of two gradients; see
//! [`DIGing`](crate::DIGing).
//!
//! # Guarantee
//! Without noise, for convex `f_i` with `L`-Lipschitz gradients and `alpha < (1 + lambda_min(W)) / L`, it converges to an
//! optimum of `sum_i f_i` on the set (Shi, Ling, Wu, Yin, both papers); on the whole space linearly, for smaller steps, if
//! the sum is strongly convex. `tests/exact_methods.rs` reaches it to 1e-10.
//!
//! The theory is for weights that stay the same. With others there is no guarantee, and it does diverge where descent
//! does not (`tests/exact_methods.rs` has an example): networks that change, or whose nodes sleep, are refused.
//!
//! # References
//! Shi, Ling, Wu, Yin, SIAM Journal on Optimization 25(2), 2015, arXiv 1404.6264; PG-EXTRA: the same, IEEE Transactions on
//! Signal Processing 63(22), 2015, arXiv 1506.02052.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::error::positive;
use crate::{Algorithm, Node, OptimizerError, Stop, TailAverage};

/// EXTRA on released gradients, with the mean of the last points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set that holds the solution, public; may be the whole space without noise |
/// | `step` | `alpha`, multiplies the gradient of `f_i`; constant, since `q` holds sums that are made with it |
/// | `clip` | the length to which gradients are scaled down, if any |
/// | `average_from` | the round whose point is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct Extra {
    set: Set,
    step: f64,
    clip: Option<f64>,
    x: Public,
    q: Public,
    tail: TailAverage,
}

impl Extra {
    /// Starts every node at `start`, which must not depend on data.
    ///
    /// # Errors
    /// If `step` is not finite and positive.
    pub fn new(set: Set, step: f64, average_from: u32, start: Public) -> Result<Self, OptimizerError> {
        let mut q = start.clone();
        q.rows_mut().as_mut_slice().fill(0.0);
        let tail = TailAverage::new(average_from, start.clone());
        Ok(Self { set, step: positive("step", step)?, clip: None, x: start, q, tail })
    }

    /// The same with gradients clipped to length `clip`.
    #[must_use]
    pub fn clipped(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }
}

impl Algorithm for Extra {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        node.needs_fixed_weights("EXTRA")?;
        // The point is in the set already, also after a resumption; now its type says so.
        self.x.project(&self.set);
        let zeta = node.noisy_gradient(&self.x, self.clip)?;
        let mut mixed = self.x.clone();
        node.average(&mut [&mut mixed])?;
        let mut x = mixed.clone();
        x.add_scaled(-self.step, &zeta);
        x.add_scaled(-1.0, &self.q);
        x.project(&self.set);
        self.q.add_scaled(0.5, &self.x);
        self.q.add_scaled(-0.5, &mixed);
        self.x = x;
        self.tail.add(node.round(), &self.x);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.tail.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x, &mut self.q, self.tail.state()]
    }
}
