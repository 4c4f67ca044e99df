//! The rule by which a run ends before its last planned round.
//!
//! # What it looks at
//! The estimates `x_i(t)` of the parties after round `t`, which are released values or computed from such, and nothing else. In
//! every lane and for every party i
//!
//! * `relative-change`: `||x_i(t) - x_i(t-1)|| < below ||x_i(t)||`;
//! * `consensus`: `||x_i(t) - m(t)|| < below ||m(t)||`, with `m(t)` the mean of all `x_j(t)`.
//!
//! If this holds for all of them in so many rounds in a row, the run ends. A lane does not stop alone. Parties on a network
//! can do the same: each knows its own estimates, the mean comes from averaging them, and whether all are content is one more
//! public bit to agree on. A party that sleeps does not move: with sleepers, ask for more rounds in a row.
//!
//! # Privacy
//! The rule is computed from released values, so it is post-processing. What it decides is when the next release would have been,
//! and that depends on the noise. The epsilon of the rounds that happened is then a random number, and no guarantee: only a bound
//! on the longest run holds whatever the rule decides. A run with a rule has the guarantee of all its planned rounds, for the shorter
//! transcript follows from the whole one. Its `ledger.json` says what was in fact released.

use dido_geometry::Rows;

use crate::config::stop::StopConfig;

/// A rule and what it has seen.
#[derive(Clone, Debug)]
pub struct StopRule {
    config: StopConfig,
    /// The estimates of the round before.
    last: Vec<f64>,
    /// Rounds in a row, up to now, in which all were content.
    calm: u32,
}

impl StopRule {
    /// A rule that goes on from these estimates, `nodes x lanes x dim`, after `calm` such rounds.
    pub fn new(config: StopConfig, estimate: &Rows, calm: u32) -> Self {
        Self { config, last: estimate.as_slice().to_vec(), calm }
    }

    /// Takes the estimates after the next round.
    pub fn see(&mut self, estimate: &Rows) {
        let below = self.config.when().below;
        let content = match self.config {
            StopConfig::RelativeChange(_) => self.is_still(estimate, below),
            StopConfig::Consensus(_) => is_agreed(estimate, below),
        };
        self.calm = if content { self.calm + 1 } else { 0 };
        self.last.copy_from_slice(estimate.as_slice());
    }

    /// Whether the run ends here.
    pub fn holds(&self) -> bool {
        self.calm >= self.config.when().rounds
    }

    /// Rounds in a row, up to now, in which all were content: what a checkpoint keeps.
    pub fn calm(&self) -> u32 {
        self.calm
    }

    fn is_still(&self, estimate: &Rows, below: f64) -> bool {
        let dim = estimate.shape().dim;
        let mut pairs = estimate.as_slice().chunks_exact(dim).zip(self.last.chunks_exact(dim));
        pairs.all(|(now, before)| distance(now, before) < below * distance(now, &vec![0.0; dim]))
    }
}

fn is_agreed(estimate: &Rows, below: f64) -> bool {
    let shape = estimate.shape();
    (0..shape.lanes).all(|lane| {
        let row = |node: usize| estimate.row(node, lane);
        let coordinate = |k: usize| (0..shape.nodes).map(|node| row(node)[k]).sum::<f64>() / shape.nodes as f64;
        let mean: Vec<f64> = (0..shape.dim).map(coordinate).collect();
        let limit = below * distance(&mean, &vec![0.0; shape.dim]);
        (0..shape.nodes).all(|node| distance(row(node), &mean) < limit)
    })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
