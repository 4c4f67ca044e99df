//! Projected decentralised gradient descent: paper A, Algorithm 1.
//!
//! # Update
//! With `f_i(0)` chosen without looking at data, in round `t = 0, 1, ...` node `i`
//!
//! ```text
//! p_i(t)   = argmin { ||b - f_i(t)|| : b in the set }
//! f_i(t+1) = sum_j w_ij p_j(t) - alpha(t) grad f_i(p_i(t)) + w_i(t+1)
//! ```
//!
//! where `w_i(t+1)` is Laplace noise of scale `v(t+1)` in each coordinate. The step starts from the node's own
//! projected point; the projected points are what is mixed.
//!
//! # Privacy
//! One release per round, `f_i(t+1)`, of L2 sensitivity `alpha(t) s_i D*(P, Q)` and L1 sensitivity `sqrt(m)` times that
//! ([`dido_mechanisms::least_squares`]); the paper's own constant is some tens of times larger. The wire carries `p_i`, a
//! post-processing of it. The paper also adds noise to `f_i(0)`; it hides nothing, since `f_i(0)` looks at no data,
//! and is left out. Paper A's `T` counts the messages `f(0), ..., f(T-1)`: it is the number of rounds here plus one.
//!
//! # Guarantee
//! Bounds (U) and (R) of [`crate::bounds::liu2020`], checked by `cargo xtask theorems --only A7`. The published bound of Theorem 2
//! grows without limit and says nothing.
//!
//! # References
//! Liu, Zhang, Qin, Lei, arXiv 2004.07425 (2020), Algorithm 1.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::{Algorithm, Node, Sampling, Schedule, Stop, TailAverage};

/// Paper A's Algorithm 1 with the mean of the released iterates as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | the closed convex set that holds the solution, public |
/// | `step` | `alpha(t)`, multiplies the gradient of `f_i` |
/// | `average_from` | the round whose release is the first to enter the answer |
#[derive(Clone, Debug)]
pub struct ProjectedDgd {
    set: Set,
    step: Schedule,
    f: Public,
    tail: TailAverage,
}

impl ProjectedDgd {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(set: Set, step: Schedule, average_from: u32, start: Public) -> Self {
        let tail = TailAverage::new(average_from, start.clone());
        Self { set, step, f: start, tail }
    }

    /// The latest release of every node.
    pub fn released(&self) -> &Public {
        &self.f
    }
}

impl Algorithm for ProjectedDgd {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        let mut p = self.f.clone();
        p.project(&self.set);
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&p, all)?;
        node.average(&mut [&mut p])?;
        self.f = node.release(g.scale(-self.step.at(t)).plus(&p))?;
        self.tail.add(t, &self.f);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.tail.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.f, self.tail.state()]
    }
}
