//! One private gradient step, then many steps of gossip: Muffliato.
//!
//! # Update
//! In round `t = 0, 1, ...` node `i`
//!
//! ```text
//! p_i(t)   = x_i(t) projected on the set
//! y_i(t)   = p_i(t) - alpha(t) grad f_i(p_i(t)) + noise_i(t+1)
//! x(t+1)   = q_K(W) y(t)
//! ```
//!
//! where `q_K(W) = W^K`, or the Chebyshev polynomial of degree `K` that shrinks disagreement most for a bound `lambda` on the second
//! singular value of `W` ([`dido_topology::consensus`]). The noise is drawn once a round, however often is mixed.
//!
//! # Privacy
//! Whoever sees **all messages** sees `y_i(t)`, one release a round, of L2 sensitivity `alpha(t) s_i D`; all of the gossip is
//! post-processing, and `K` costs nothing. That is what the ledger says.
//!
//! **One party** sees what comes through its neighbours. What it learns of another one from one gossip is given away jointly by all
//! messages that reach it: [`dido_mechanisms::network`] has the projector on what it can compute, an estimate, and the
//! guarantee, which is the full event of every node within `K` steps and nothing of the others. `q_t(W)`, `t < K`, span the same
//! space as `W^t`, so that Chebyshev gossip shows it neither more nor less than plain gossip. Over several rounds only the guarantee adds
//! up, and after `K` rounds of gossip, or as many as take everywhere, it is the ledger's. The published bound, a sum over
//! messages of what each would tell by itself, is none: `docs/theory/network-privacy.md`.
//!
//! # Guarantee
//! A gossip shrinks the disagreement of the `y_i` to [`Method::factor`](dido_topology::consensus::Method::factor) of it, and keeps
//! their mean, so that the nodes follow centralised gradient descent with the mean noise (`tests/muffliato.rs`).
//!
//! # References
//! Cyffers, Even, Bellet, Massoulie, *Muffliato: peer-to-peer privacy amplification for decentralized optimization and
//! averaging*, `NeurIPS` 2022.

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_topology::consensus::ChebyshevFactors;

use crate::{Algorithm, Node, OptimizerError, Sampling, Schedule, Stop, TailAverage};

/// How a round is mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gossip {
    /// `W^K`.
    Plain,
    /// `T_K(W / lambda) / T_K(1 / lambda)`, for `lambda` at least the second largest singular value of `W`: a smaller one can
    /// let the disagreement grow.
    Chebyshev {
        /// The bound, in `[0, 1)`. It is public, as the weights are.
        lambda: f64,
    },
}

/// Gradient steps with `K` steps of gossip between them; the answer is the mean of what comes out of the gossip.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set within which gradients are taken, public |
/// | `step` | `alpha(t)`, multiplies the gradient of `f_i` |
/// | `gossip` | how a step of it mixes |
/// | `steps` | `K`, the exchanges with the neighbours in a round |
/// | `average_from` | the round whose result is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct Muffliato {
    set: Set,
    step: Schedule,
    /// Of Chebyshev's gossip.
    factors: Option<ChebyshevFactors>,
    steps: u32,
    x: Public,
    tail: TailAverage,
}

impl Muffliato {
    /// Starts every node at `start`, which must not depend on data.
    ///
    /// # Errors
    /// If the bound of Chebyshev's gossip is not in `[0, 1)`.
    pub fn new(
        set: Set,
        step: Schedule,
        (gossip, steps): (Gossip, u32),
        average_from: u32,
        start: Public,
    ) -> Result<Self, OptimizerError> {
        let factors = match gossip {
            Gossip::Plain => None,
            Gossip::Chebyshev { lambda } => Some(ChebyshevFactors::new(lambda)?),
        };
        let tail = TailAverage::new(average_from, start.clone());
        Ok(Self { set, step, factors, steps, x: start, tail })
    }

    /// From public values to public values.
    fn gossip(&self, mut x: Public, node: &mut Node<'_>) -> Result<Public, Stop> {
        let mut factors = self.factors.clone();
        let mut before: Option<Public> = None;
        for _ in 0..self.steps {
            let mut next = x.clone();
            node.average(&mut [&mut next])?;
            if let Some(omega) = factors.as_mut().and_then(Iterator::next) {
                if let Some(before) = &before {
                    next.scale(omega);
                    next.add_scaled(1.0 - omega, before);
                }
                before = Some(x);
            }
            x = next;
        }
        Ok(x)
    }

    /// What came out of the gossip of the latest round.
    pub fn x(&self) -> &Public {
        &self.x
    }
}

impl Algorithm for Muffliato {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        let mut p = self.x.clone();
        p.project(&self.set);
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&p, all)?;
        let y = node.release(g.scale(-self.step.at(t)).plus(&p))?;
        self.x = self.gossip(y, node)?;
        self.tail.add(t, &self.x);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.tail.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x, self.tail.state()]
    }
}
