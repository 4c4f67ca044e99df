//! Gradient tracking, [`DIGing`]: exact with a constant step, also on networks that change.
//!
//! # Update
//! With one declared point `x_i(0)` for all nodes, `y_i = 0` and `zeta_i(-1) = 0`, in round `t = 0, 1, ...` node `i`
//!
//! ```text
//! zeta_i(t) = grad f_i(x_i(t)) + noise
//! y_i(t)    = sum_j w_ij(t-1) y_j(t-1) + zeta_i(t) - zeta_i(t-1)
//! x_i(t+1)  = P(sum_j w_ij(t) x_j(t) - alpha y_i(t)),   P the projection on the set
//! ```
//!
//! so that the mean of the trackers `y_i` is that of the latest `zeta_i`, whatever the weights. A node that sleeps keeps
//! `x_i` and `zeta_i`; its tracker changes with the average alone, which leaves it as it is.
//!
//! # Privacy
//! One release a round, `zeta_i(t)`; tracker, differences and points are post-processing. The adversary sees every
//! message. L2 sensitivity: that of the gradient at points of the set ([`Declaration`](crate::Declaration)), or `2 clip`.
//! The ledger is that of `T` gradients.
//!
//! The published way keeps `x` and `y` without noise and adds noise to what is sent. That is worse twice. A gradient enters
//! two messages, as `g(t) - g(t-1)` and as `g(t+1) - g(t)`: a record moves the increments by up to twice, and so costs up
//! to four times, what it costs here. And the noise of every message stays in the trackers: the variance of their mean
//! grows with `t`, where here it is that of the latest release.
//!
//! # Guarantee
//! Without noise and on the whole space: linear convergence to the optimum of `sum_i f_i` for a small enough constant step,
//! if that sum is strongly convex and the gradients are Lipschitz, on fixed graphs and on sequences of doubly stochastic
//! weights that are connected over windows (Nedic, Olshevsky, Shi). `tests/exact_methods.rs` reaches it to 1e-10, where
//! [`Dgd`](crate::Dgd) stays at its bias.
//!
//! On a set, and where nodes sleep, it is shown only that nothing but the optimum is at rest: then the `y_i` agree, on the
//! mean gradient `g`, and the `x_i` on `x = P(x - alpha g)`. That it is reached is tested, not proved. Clipping that bites
//! changes the problem.
//!
//! # References
//! Nedic, Olshevsky, Shi, SIAM Journal on Optimization 27(4), 2017, arXiv 1607.03218.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::{Algorithm, Node, Schedule, Stop, TailAverage};

/// Gradient tracking on released gradients, with the mean of the last points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set that holds the solution, public; may be the whole space without noise |
/// | `step` | `alpha(t)`, multiplies the tracked mean gradient; the guarantee is for a constant one |
/// | `clip` | the length to which gradients are scaled down, if any |
/// | `average_from` | the round whose point is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct DIGing {
    set: Set,
    step: Schedule,
    clip: Option<f64>,
    x: Public,
    /// The trackers, mixed already.
    y: Public,
    /// The latest release of every node.
    zeta: Public,
    tail: TailAverage,
}

impl DIGing {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(set: Set, step: Schedule, average_from: u32, start: Public) -> Self {
        let mut zero = start.clone();
        zero.rows_mut().as_mut_slice().fill(0.0);
        let tail = TailAverage::new(average_from, start.clone());
        Self { set, step, clip: None, x: start, y: zero.clone(), zeta: zero, tail }
    }

    /// The same with gradients clipped to length `clip`.
    #[must_use]
    pub fn clipped(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// The trackers, of which the mean over the nodes is that of [`released`](Self::released).
    pub fn tracker(&self) -> &Public {
        &self.y
    }

    /// The latest released gradient of every node.
    pub fn released(&self) -> &Public {
        &self.zeta
    }

    /// Takes `zeta` into the trackers, of the nodes that are awake.
    fn track(&mut self, mut zeta: Public, awake: Option<&[bool]>) {
        if let Some(awake) = awake {
            let fresh = std::mem::replace(&mut zeta, self.zeta.clone());
            zeta.replace_nodes(awake, &fresh);
        }
        self.y.add_scaled(1.0, &zeta);
        self.y.add_scaled(-1.0, &self.zeta);
        self.zeta = zeta;
    }
}

impl Algorithm for DIGing {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        // The point is in the set already, also after a resumption; now its type says so.
        self.x.project(&self.set);
        let zeta = node.noisy_gradient(&self.x, self.clip)?;
        let awake = node.awake()?;
        self.track(zeta, awake.as_deref());
        let mut x = self.x.clone();
        node.average(&mut [&mut x])?;
        x.add_scaled(-self.step.at(t), &self.y);
        x.project(&self.set);
        match awake {
            None => self.x = x,
            Some(awake) => self.x.replace_nodes(&awake, &x),
        }
        node.average(&mut [&mut self.y])?;
        self.tail.add(t, &self.x);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.tail.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x, &mut self.y, &mut self.zeta, self.tail.state()]
    }
}
