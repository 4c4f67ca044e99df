//! Private distributed optimisation, PDOP: paper C.
//!
//! # Update
//! With `x_i(0)` chosen without looking at data and `y_i(1) = x_i(0)`, in round `t = 1, 2, ...` node `i`
//!
//! ```text
//! z_i(t)   = sum_j a_ij y_j(t)
//! p_i(t)   = z_i(t) projected on the set
//! x_i(t)   = p_i(t) - gamma_t grad f_i(p_i(t)), projected on the set
//! y_i(t+1) = x_i(t) + w_i(t+1)
//! ```
//!
//! where `w_i(t+1)` is Laplace noise of scale `M(t+1)` in each coordinate, and `gamma_t = c q^(t-1)`.
//!
//! # Corrections
//! * The paper takes the gradient at `z_i`, which noise pushes out of the set, and bounds it on the set only: its lemma on
//!   the sensitivity fails for strongly convex quadratics ([`bounds::huang2015`](crate::bounds::huang2015) has the example).
//!   Here the point is projected first, [`At::Projected`], or the gradient is clipped, [`At::Clipped`].
//! * The noise that hides `x(t)` is drawn in round `t + 1`. The published scale `M(t) = K p^t` therefore costs `epsilon / p`;
//!   `K p^(t-1)` costs `epsilon`: [`Schedules`](crate::bounds::huang2015::Schedules) has both.
//! * The paper adds noise to `x_i(0)`; it hides nothing and is left out.
//!
//! # Privacy
//! One release a round, of L2 sensitivity `gamma_t` times that of the gradient, at most `2 C` where `C` bounds the gradients;
//! `sqrt(dim)` times that in L1. The projection keeps the first, not the second.
//!
//! # Guarantee
//! [`bounds::huang2015`](crate::bounds::huang2015): an exact law without projections, a recursion with them. The steps have a
//! finite sum, so the iterates freeze before they reach the optimum, also without noise.
//!
//! # References
//! Huang, Mitra, Vaidya, ICDCN 2015, arXiv 1401.2596.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::{Algorithm, Node, Sampling, Schedule, Stop};

/// Where the gradient is taken, and how it is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum At {
    /// At the projected point.
    #[default]
    Projected,
    /// At the mixed point itself, scaled down where it is longer than this.
    Clipped(f64),
}

/// Paper C's algorithm; its answer is the latest release.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the convex set of the problem, public |
/// | `step` | `gamma_t`, number `t - 1` of the schedule |
/// | `at` | where the gradient is taken |
#[derive(Clone, Debug)]
pub struct Pdop {
    set: Set,
    step: Schedule,
    at: At,
    y: Public,
}

impl Pdop {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(set: Set, step: Schedule, at: At, start: Public) -> Self {
        Self { set, step, at, y: start }
    }
}

impl Algorithm for Pdop {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let mut z = self.y.clone();
        node.average(&mut [&mut z])?;
        let all = node.sample(Sampling::All)?;
        let mut p = z;
        let g = match self.at {
            At::Projected => {
                p.project(&self.set);
                node.gradient(&p, all)?
            }
            At::Clipped(norm) => node.clipped_gradient(&p, all, norm)?,
        };
        let x = g.scale(-self.step.at(node.round())).plus(&p).project(&self.set);
        self.y = node.release(x)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.y
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.y]
    }
}
