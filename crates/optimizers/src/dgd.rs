//! Decentralised gradient descent (Nedic and Ozdaglar).
//!
//! # Update
//! ```text
//! x_i(t+1) = sum_j w_ij x_j(t) - alpha(t) grad f_i(x_i(t))
//! ```
//!
//! # Privacy
//! The points are not confined to a bounded set, so the gradient of a loss that grows (the squared loss) has no finite
//! sensitivity: a run with noise is refused, and a run without noise has a ledger that says so. It is the non-private
//! baseline; with [`ProjectedDgd`](crate::ProjectedDgd) on the whole space it coincides (tested).
//!
//! # Guarantee
//! With a constant step it reaches a neighbourhood of the optimum whose size is proportional to the step; with one
//! node it is gradient descent (tested bit for bit).
//!
//! # References
//! Nedic, Ozdaglar, IEEE Transactions on Automatic Control 54(1), 2009.

use dido_mechanisms::Public;

use crate::{Algorithm, Node, Sampling, Schedule, Stop, TailAverage};

/// Decentralised gradient descent.
///
/// | parameter | meaning |
/// |---|---|
/// | `step` | `alpha(t)`, multiplies the gradient of `f_i` |
/// | `average_from` | the round whose iterate is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct Dgd {
    step: Schedule,
    x: Public,
    tail: TailAverage,
}

impl Dgd {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(step: Schedule, average_from: u32, start: Public) -> Self {
        let tail = TailAverage::new(average_from, start.clone());
        Self { step, x: start, tail }
    }
}

impl Algorithm for Dgd {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&self.x, all)?;
        node.average(&mut [&mut self.x])?;
        self.x = node.release(g.scale(-self.step.at(t)).plus(&self.x))?;
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
