//! Differentially private stochastic gradient descent, DP-SGD: centralised on one node, decentralised on a network.
//!
//! # Update
//! In round `t` node `i` draws a batch `B_i` of its records, each by a coin of its own (Poisson sampling) or a fixed number of
//! them, and takes a noisy step after mixing:
//!
//! ```text
//! g_i(t)    = s_i w sum_{r in B_i(t)} clip(grad l(x_i(t); r), C)         w = 1 / rate, or n_i / k
//! x_i(t+1)  = sum_j w_ij x_j(t) - alpha(t) (g_i(t) + noise), projected on the set if there is one
//! ```
//!
//! where `clip(g, C) = g min(1, C / |g|)` shortens the gradient of each record. On one node with the weighting of the mean it is
//! DP-SGD as published: the sum over the batch is divided by its *expected* size, a public constant.
//!
//! # Privacy
//! Everybody sees all messages. One release of `g_i + noise` a round; the points are computed from releases. For a record in the
//! batch it has L2 sensitivity `s_i w C` where a record is added or removed and `2 s_i w C` where one is replaced, wherever the
//! gradient is taken. Each scheme amplifies for one relation, and is refused for the other: Poisson sampling for added and
//! removed records, batches of a fixed size for replaced ones. The event is that of the noise on the sample. The batch is a
//! secret of its node, and so is its size. The noise multiplier of the literature is `sigma / (s_i w C)` with records added or
//! removed.
//!
//! # Guarantee
//! The gradient estimate is unbiased for the clipped losses (tested by going through all batches); where clipping bites, these
//! are another problem, whose gradients need not vanish at the optimum of the first. Without noise and clipping, and with all
//! records, it is decentralised gradient descent (tested).
//!
//! # References
//! Abadi, Chu, Goodfellow, `McMahan`, Mironov, Talwar, Zhang, *Deep learning with differential privacy*, CCS 2016, Algorithm 1.

use dido_geometry::Set;
use dido_mechanisms::Public;

use crate::{Algorithm, Node, Sampling, Schedule, Stop, TailAverage};

/// DP-SGD with the mean of its latest iterates as its answer.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | where gradients are taken, public; [`Set::Whole`] does not confine them |
/// | `step` | `alpha(t)`, multiplies the gradient of `f_i` |
/// | `sampling` | which records a node looks at |
/// | `clip` | `C`, positive: the length to which the gradient of a record is clipped |
/// | `average_from` | the round whose iterate is the first to enter the answer |
///
/// On one node, with exact noise of multiplier 2, as a deployed party runs it:
///
/// ```
/// use dido_geometry::Set;
/// use dido_mechanisms::{Accountant, Adjacency, Adversary, Gate, Grid, Key, Pld};
/// use dido_optimizers::{Declaration, DpSgd, InProcess, Noise, Parties, Sampling, Schedule, run};
/// use dido_problems::{Loss, RecordBounds, Shard, Weighting};
/// use dido_topology::{families, weights};
/// use ndarray::{Array1, Array2};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (n, rate, clip) = (50, 0.1, 0.5);
/// let bounds = RecordBounds::new(1.0, 1.0)?;
/// let x = Array2::from_shape_fn((n, 2), |(r, k)| ((r * 7 + k * 3) % 10) as f64 / 20.0);
/// let shard = Shard::checked(x, Array1::ones(n), bounds)?;
/// let declaration = Declaration::new(Loss::Logistic, 2, bounds, Weighting::NodeMean, vec![n])?;
///
/// let sigma = Schedule::constant(2.0 * clip / (n as f64 * rate));
/// let noise = Noise::DiscreteGaussian { sigma, grid: Grid::new(-30)? };
/// let keys = vec![Key::from_os()?];
/// let gate = Gate::exact(Adjacency::AddRemoveRecord, Adversary::AllMessages, declaration.class_of(), None, keys);
/// let mut parties = Parties::new(declaration, &[shard], 1, gate)?;
/// let start = parties.start(&[0.0, 0.0]);
/// let mut sgd = DpSgd::new(Set::Whole, Schedule::constant(0.5), Sampling::Poisson(rate), clip, 50, start);
/// let mut alone = InProcess::new(weights::metropolis(&families::complete(1)?));
/// run(&mut sgd, &mut parties, &mut alone, &noise, 0..100, |_, _, _| true)?;
///
/// let epsilon = Pld.bound(parties.gate().ledger(), 1e-5)?.epsilon;
/// assert!(epsilon > 2.0 && epsilon < 2.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DpSgd {
    set: Set,
    step: Schedule,
    sampling: Sampling,
    clip: f64,
    x: Public,
    tail: TailAverage,
}

impl DpSgd {
    /// Starts every node at `start`, which must not depend on data.
    pub fn new(set: Set, step: Schedule, sampling: Sampling, clip: f64, average_from: u32, start: Public) -> Self {
        let tail = TailAverage::new(average_from, start.clone());
        Self { set, step, sampling, clip, x: start, tail }
    }

    /// The latest points.
    pub fn x(&self) -> &Public {
        &self.x
    }
}

impl Algorithm for DpSgd {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let t = node.round();
        // The point is in the set already, also after a resumption; now its type says so.
        self.x.project(&self.set);
        let batch = node.sample(self.sampling)?;
        let g = node.record_clipped_gradient(&self.x, batch, self.clip)?;
        let zeta = node.release(g)?;
        node.average(&mut [&mut self.x])?;
        self.x.add_scaled(-self.step.at(t), &zeta);
        self.x.project(&self.set);
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
