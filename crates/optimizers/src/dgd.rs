//! Decentralised gradient descent (Nedic and Ozdaglar).
//!
//! # Update
//! ```text
//! x_i(t+1) = sum_j w_ij x_j(t) - alpha(t) grad f_i(x_i(t)) + noise                 message perturbed
//! x_i(t+1) = sum_j w_ij x_j(t) - alpha(t) (grad f_i(x_i(t)) + noise)              gradient perturbed
//! ```
//!
//! Without noise the two are the same to the bit (tested). They differ in what is released, and so in what the schedule of the
//! noise is measured in: in what is sent, or in the gradient. Noise of `sigma(t)` in the gradient is noise of
//! `alpha(t) sigma(t)` in the message: with a step that decays, equal noise in every gradient costs equally in every round, and
//! dies out in the points; equal noise in every message stays in the points, and costs less and less.
//!
//! # Privacy
//! One release a round: of sensitivity `alpha(t)` times that of the gradient, or of that of the gradient. The points are not
//! confined to a bounded set, so the gradient of a loss that grows (the squared loss) has no finite sensitivity, and noise is
//! refused, unless gradients are [clipped](Clip). A run without noise has a ledger that says so. With
//! [`ProjectedDgd`](crate::ProjectedDgd) on the whole space it coincides (tested).
//!
//! # Guarantee
//! With a constant step it reaches a neighbourhood of the optimum whose size is proportional to the step; with one
//! node it is gradient descent (tested bit for bit). Clipping changes the problem where it bites.
//!
//! # References
//! Nedic, Ozdaglar, IEEE Transactions on Automatic Control 54(1), 2009.

use dido_mechanisms::Public;

use crate::{Algorithm, Clip, Node, Sampling, Schedule, Stop, TailAverage};

/// What noise is added to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perturbed {
    /// To what is sent: the new point.
    #[default]
    Message,
    /// To the gradient, before it is multiplied with the step.
    Gradient,
}

/// Decentralised gradient descent.
///
/// | parameter | meaning |
/// |---|---|
/// | `step` | `alpha(t)`, multiplies the gradient of `f_i` |
/// | `average_from` | the round whose iterate is the first to enter the answer |
/// | `perturbed` | what noise is added to; the message by default |
/// | `clip` | what is clipped to which length; nothing by default |
#[derive(Clone, Debug)]
pub struct Dgd {
    step: Schedule,
    perturbed: Perturbed,
    clip: Option<Clip>,
    x: Public,
    tail: TailAverage,
}

impl Dgd {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(step: Schedule, average_from: u32, start: Public) -> Self {
        let tail = TailAverage::new(average_from, start.clone());
        Self { step, perturbed: Perturbed::Message, clip: None, x: start, tail }
    }

    /// The same with noise in something else.
    #[must_use]
    pub fn with_noise_in(self, perturbed: Perturbed) -> Self {
        Self { perturbed, ..self }
    }

    /// The same with clipped gradients, so that noise is not refused.
    #[must_use]
    pub fn with_clip(self, clip: Clip) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// The latest points.
    pub fn x(&self) -> &Public {
        &self.x
    }
}

impl Algorithm for Dgd {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        let alpha = self.step.at(t);
        let all = node.sample(Sampling::All)?;
        let g = Clip::gradient(self.clip, node, &self.x, all)?;
        match self.perturbed {
            Perturbed::Message => {
                node.average(&mut [&mut self.x])?;
                self.x = node.release(g.scale(-alpha).plus(&self.x))?;
            }
            Perturbed::Gradient => {
                let zeta = node.release(g)?;
                node.average(&mut [&mut self.x])?;
                self.x.add_scaled(-alpha, &zeta);
            }
        }
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
