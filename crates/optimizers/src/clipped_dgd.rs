//! Decentralised gradient descent on clipped gradients, adapt then combine: with noise that neighbours share, `DECOR`.
//!
//! # Update
//! In round `t = 0, 1, ...` node `i`
//!
//! ```text
//! y_i(t+1) = x_i(t) - alpha(t) g_i(t) + noise_i(t+1),   g_i(t) the clipped gradient of f_i at x_i(t)
//! x_i(t+1) = sum_j w_ij y_j(t+1)
//! ```
//!
//! The gradient of each record, or of the node, is shortened to `C` where it is longer ([`Clip`]). Other than in
//! [`Dgd`](crate::Dgd) noise is mixed before the next gradient sees it. Every operation on what was released is linear and keeps
//! the mean of the nodes, so noise with a sum of zero is gone from the mean for good, and from each node as fast as the weights mix.
//! [`Gate::with_shared_noise`](dido_mechanisms::Gate::with_shared_noise) makes noise of that kind: then this is `DECOR`. With
//! independent noise it is the usual private DGD.
//!
//! # Privacy
//! One release a round, `y_i`, of L2 sensitivity `2 C alpha(t)` where the gradient of the node is clipped, whatever is replaced, and
//! `2 C s_i alpha(t)` for a record where those of records are; or that of the gradient as it is, if it is less. The starting point depends on no data, and `x_i` is post-processing. What shared noise is worth:
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

use crate::{Algorithm, Clip, Node, Sampling, Schedule, Stop, TailAverage};

/// DGD on clipped gradients, with the mean of the mixed points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `step` | `alpha(t)`, multiplies the clipped gradient of `f_i` |
/// | `clip` | what is clipped, and the length `C` above 0 |
/// | `average_from` | the round whose mixed point is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct ClippedDgd {
    step: Schedule,
    clip: Clip,
    x: Public,
    tail: TailAverage,
}

impl ClippedDgd {
    /// Starts every node at `start`, which must not depend on data. A clipping norm that is none stops the first round.
    pub fn new(step: Schedule, clip: Clip, average_from: u32, start: Public) -> Self {
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
        let g = Clip::gradient(Some(self.clip), node, &self.x, all)?;
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
