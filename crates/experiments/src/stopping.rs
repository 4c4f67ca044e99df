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
        pairs.all(|(now, before)| distance(now, before) < below * length(now))
    }
}

fn is_agreed(estimate: &Rows, below: f64) -> bool {
    let shape = estimate.shape();
    (0..shape.lanes).all(|lane| {
        let row = |node: usize| estimate.row(node, lane);
        let coordinate = |k: usize| (0..shape.nodes).map(|node| row(node)[k]).sum::<f64>() / shape.nodes as f64;
        let mean: Vec<f64> = (0..shape.dim).map(coordinate).collect();
        let limit = below * length(&mean);
        (0..shape.nodes).all(|node| distance(row(node), &mean) < limit)
    })
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use dido_geometry::Shape;

    use super::*;
    use crate::config::stop::StopWhen;

    /// Two nodes and two lanes of one coordinate: node 0 lane 0, node 0 lane 1, node 1 lane 0, node 1 lane 1.
    fn rows(values: [f64; 4]) -> Rows {
        Rows::from_vec(Shape { nodes: 2, lanes: 2, dim: 1 }, values.to_vec())
    }

    fn seen(config: StopConfig, start: [f64; 4], rest: &[[f64; 4]]) -> Vec<u32> {
        let mut rule = StopRule::new(config, &rows(start), 0);
        let mut calm = |&values: &[f64; 4]| {
            rule.see(&rows(values));
            rule.calm()
        };
        rest.iter().map(&mut calm).collect()
    }

    /// Worked out by hand: a change of 1 at a length of 10 is not below a tenth, and one restless lane of one node is enough.
    #[test]
    fn a_change_is_relative_and_all_lanes_of_all_nodes_have_to_be_still() {
        let config = StopConfig::RelativeChange(StopWhen { below: 0.1, rounds: 2 });
        let path = [
            [10.0, 10.0, 10.0, 10.0],
            [10.9, 10.0, 9.2, 10.0],
            [10.9, 10.5, 9.2, 11.2],
            [10.9, 10.5, 9.2, 11.2],
            [11.9, 11.5, 10.2, 12.2],
            [12.9, 11.5, 10.2, 12.2],
        ];
        assert_eq!(seen(config, [9.0; 4], &path), [0, 1, 0, 1, 2, 3]);
        // Nobody has moved yet: that is no rest.
        assert_eq!(seen(config, [0.0; 4], &[[0.0; 4]]), [0]);
    }

    #[test]
    fn consensus_is_relative_to_the_mean_of_each_lane() {
        let config = StopConfig::Consensus(StopWhen { below: 0.1, rounds: 1 });
        let path = [[10.0, 1.0, 11.0, 1.0], [10.0, 1.0, 11.0, 1.3], [-10.0, 5.0, -10.9, 5.1], [0.0; 4]];
        assert_eq!(seen(config, [0.0; 4], &path), [1, 0, 1, 0]);
    }

    /// A rule that goes on from a checkpoint counts as one that was never stopped.
    #[test]
    fn a_resumed_rule_is_the_straight_one() {
        let config = StopConfig::RelativeChange(StopWhen { below: 0.1, rounds: 3 });
        let path: Vec<Rows> = (0..8).map(|t| rows([10.0 + f64::from(t % 5) * 0.3; 4])).collect();
        let mut straight = StopRule::new(config, &path[0], 0);
        for t in 1..path.len() {
            straight.see(&path[t]);
            let mut resumed = StopRule::new(config, &path[t], straight.calm());
            let mut ahead = straight.clone();
            for later in &path[t + 1..] {
                resumed.see(later);
                ahead.see(later);
                assert_eq!((resumed.calm(), resumed.holds()), (ahead.calm(), ahead.holds()));
            }
        }
    }
}
