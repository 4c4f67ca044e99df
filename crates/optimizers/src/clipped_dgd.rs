//! Decentralised gradient descent on clipped gradients: with noise that neighbours share, `DECOR`.
//!
//! # Update
//! In round `t = 0, 1, ...` node `i`
//!
//! ```text
//! y_i(t+1) = x_i(t) - alpha(t) clip_C(grad f_i(x_i(t))) + noise_i(t+1)
//! x_i(t+1) = sum_j w_ij y_j(t+1)
//! ```
//!
//! where `clip_C` shortens what is longer than `C`. Every operation on what was released is linear and keeps the mean of the
//! nodes, so whatever noise has a sum of zero is gone from the mean for good, and from each node as fast as the weights mix.
//! [`Gate::with_shared_noise`](dido_mechanisms::Gate::with_shared_noise) makes noise of that kind: then this is `DECOR`. With
//! independent noise it is the usual private DGD.
//!
//! # Privacy
//! One release a round, `y_i`, of L2 sensitivity `alpha(t) min(2 C, s D)`, where `s D` is that of the gradient at the point, where
//! it is finite. The starting point depends on no data, and `x_i` is post-processing. What shared noise is worth:
//! [`dido_mechanisms::correlated`]; the event is that of Gaussian noise of the effective standard deviation.
//!
//! # Guarantee
//! Clipping changes the problem where it bites. The mean of the nodes is exact to the mean of their own noise, and the
//! likelihood ratio of a transcript is that of the joint normal density (`tests/clipped_dgd.rs`).
//!
//! # References
//! Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui, *The privacy power of correlated noise in decentralized learning*, ICML
//! 2024, arXiv 2405.01031.

use dido_mechanisms::Public;

use crate::{Algorithm, Node, Sampling, Schedule, Stop, TailAverage};

/// DGD on clipped gradients, with the mean of the mixed points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `step` | `alpha(t)`, multiplies the clipped gradient of `f_i` |
/// | `clip` | `C`, the longest a gradient can be, above 0 |
/// | `average_from` | the round whose mixed point is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct ClippedDgd {
    step: Schedule,
    clip: f64,
    x: Public,
    tail: TailAverage,
}

impl ClippedDgd {
    /// Starts every node at `start`, which must not depend on data. A clipping norm that is none stops the first round.
    pub fn new(step: Schedule, clip: f64, average_from: u32, start: Public) -> Self {
        let tail = TailAverage::new(average_from, start.clone());
        Self { step, clip, x: start, tail }
    }

    /// The mixed points of the latest round.
    pub fn x(&self) -> &Public {
        &self.x
    }
}

impl Algorithm for ClippedDgd {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        let all = node.sample(Sampling::All)?;
        let g = node.clipped_gradient(&self.x, all, self.clip)?;
        self.x = node.release(g.scale(-self.step.at(t)).plus(&self.x))?;
        node.average(&mut [&mut self.x])?;
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
