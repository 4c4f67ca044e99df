//! Distributed dual averaging, with sleeping nodes and sampled records: paper B, Algorithm 1.
//!
//! # Update
//! With `z_i(1) = 0` and `x_i(1) = argmin d`, in round `t = 1, 2, ...` every node that is awake
//!
//! ```text
//! zeta_i(t)  = g_i(t) + noise,   g_i(t) a subgradient at x_i(t) of one random record's loss, or of all of them
//! z_i(t+1)   = sum_j w_ij(t) (z_j(t) + a_t zeta_j(t))
//! x_i(t+1)   = argmin { <z_i(t+1), x> + iota A_t h(x) + gamma_t d(x) : x in the set },   A_t = a_1 + ... + a_t
//! ```
//!
//! and a node that sleeps keeps its `z`. `iota`, the share of nodes that are awake, is there since `z` collects `iota` times
//! the gradient. With everyone awake, all records, `a_t = 1` and no noise it is the dual averaging of Duchi, Agarwal and
//! Wainwright (tested). The answer of a node is the mean of its points `x_i(t+1)` with weights `a_t`.
//!
//! # Corrections
//! * A node that wakes up has an old `x`, made with smaller `A` and `gamma`. Here all points are made anew from `z` in every
//!   round, which is free and local, and which any proof needs; [`Points::Stale`] is the text as published.
//! * `gamma_0 = A_0 = 0` would divide by zero in round 1: `gamma_0` is `gamma_1` here.
//!
//! # Hidden activation
//! With [`Sampling::HiddenOneRecord`] every node draws a coin of probability `iota` of its own, from its secret key, and
//! sends in every round: `g_i + noise` if the coin says so, and fresh noise otherwise. The graph knows nothing of the coins.
//! Then nobody can tell who is active, and the factor `iota` does amplify: each of the `T` releases counts at a rate of
//! `iota / q`. The price is the noise of those who would have slept, which takes the gain away again, to leading order.
//!
//! # Privacy
//! One release of `zeta_i` in each round in which node `i` is awake; `z` and `x` are post-processing. With one of `q`
//! records, sensitivity `2 L s q` where the record that is replaced is the one drawn, which it is with probability
//! `1/q`. Who is awake can be seen, since sleeping nodes are silent, so the share `iota` amplifies nothing: each node
//! pays for the rounds in which it is awake. The published theorem counts `iota` as if it were secret and is wrong about the
//! algorithm as published ([`dido_mechanisms`], `docs/theory/liu2024.md`).
//!
//! # Guarantee
//! [`crate::bounds::liu2024`]: `O(1/T)` for strongly convex `h`, `O(1/sqrt(T))` otherwise.
//!
//! # References
//! Liu, Johansson, Shi, arXiv 2302.10520 (Automatica 162:111514, 2024), Algorithm 1. Duchi, Agarwal, Wainwright, IEEE
//! Transactions on Automatic Control 57(3), 2012.

use dido_mechanisms::Public;
use dido_problems::DualStep;

use crate::{Algorithm, DualWeights, Node, OptimizerError, Sampling, Stop, WeightedMean};

/// Which points the nodes take their gradients at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Points {
    /// Made anew from `z` in every round.
    #[default]
    Fresh,
    /// As published: a node makes its point in the rounds in which it is awake, and keeps it while it sleeps.
    Stale,
}

/// Dual averaging with the weighted mean of the points as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `step` | regulariser `h`, set and distance `d` |
/// | `weights` | `a_t` and `gamma_t` |
/// | `participation` | the expected share of nodes that are awake, as everybody sees; 1 if all are |
/// | `sampling` | which of its records a node looks at |
///
/// `iota` is the participation, times the probability of a [hidden coin](Sampling::HiddenOneRecord).
#[derive(Clone, Debug)]
pub struct DualAveraging {
    step: DualStep,
    weights: DualWeights,
    participation: f64,
    sampling: Sampling,
    points: Points,
    z: Public,
    x: Public,
    answer: WeightedMean,
}

impl DualAveraging {
    /// Starts at `z = 0`. `zero` holds zeros: [`Parties::start`](crate::Parties::start) makes it.
    ///
    /// # Errors
    /// If `participation` is not in `(0, 1]`, or the step has no starting point.
    pub fn new(
        step: DualStep,
        weights: DualWeights,
        participation: f64,
        sampling: Sampling,
        zero: Public,
    ) -> Result<Self, OptimizerError> {
        if !(participation > 0.0 && participation <= 1.0) {
            return Err(OptimizerError::Participation(participation));
        }
        let mut x = zero.clone();
        step.apply(0.0, weights.gamma(0), x.rows_mut())?;
        let answer = WeightedMean::new(x.clone());
        Ok(Self { step, weights, participation, sampling, points: Points::Fresh, z: zero, x, answer })
    }

    /// The same with other points.
    #[must_use]
    pub fn with_points(self, points: Points) -> Self {
        Self { points, ..self }
    }

    /// The sums `z_i` of the latest round.
    pub fn z(&self) -> &Public {
        &self.z
    }

    /// The points `x_i` of the latest round.
    pub fn x(&self) -> &Public {
        &self.x
    }

    /// `x` from `z` after `t` rounds.
    fn points(&self, t: u32) -> Result<Public, Stop> {
        let mut x = self.z.clone();
        let iota = self.participation * self.sampling.activation();
        self.step.apply(iota * self.weights.sum(t), self.weights.gamma(t), x.rows_mut())?;
        Ok(x)
    }
}

impl Algorithm for DualAveraging {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round() + 1;
        // The point is in the set already, also after a resumption; now its type says so.
        self.x.project(self.step.set());
        let batch = node.sample(self.sampling)?;
        let g = node.gradient(&self.x, batch)?;
        let zeta = node.release(g)?;
        self.z.add_scaled(self.weights.a(t), &zeta);
        node.average(&mut [&mut self.z])?;
        let fresh = self.points(t)?;
        match (self.points, node.awake()?) {
            (Points::Stale, Some(awake)) => self.x.replace_nodes(&awake, &fresh),
            (Points::Fresh | Points::Stale, _) => self.x = fresh,
        }
        self.answer.add(self.weights.a(t), self.weights.sum(t), &self.x);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        self.answer.estimate()
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.z, &mut self.x, self.answer.state()]
    }
}
