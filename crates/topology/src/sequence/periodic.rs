//! Recorded rounds over and over.

use super::{Recorded, RoundMatrix, Sequence, check_jointly_connected};
use crate::TopologyError;

/// A finite list of rounds, repeated for ever, that is connected over every window of a stated length and whose weights
/// are not too small: Assumption 2 of Huang, Mitra and Vaidya, *Differentially private distributed optimization* (ICDCN
/// 2015) in its windowed form, "B-connected".
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    rounds: Recorded,
    window: u32,
    eta: f64,
}

impl Periodic {
    /// Repeats `rounds`.
    ///
    /// | parameter | range | meaning |
    /// |---|---|---|
    /// | `rounds` | any | round `t` is their round `t mod period` |
    /// | `window` | from 1 | `B`: the union of any `B` rounds in a row, also across the end, is connected |
    /// | `eta` | (0, 1) | lower bound on own weights and on the weights between peers |
    ///
    /// # Errors
    /// If a parameter is out of range, a weight is smaller than `eta` (the error names it and its round), or a window is
    /// not connected (the error names its rounds and lists the components).
    ///
    /// # Complexity
    /// `O(period * window * (nodes + edges))`, the edges being those of one round, up to a logarithm.
    pub fn new(rounds: Recorded, window: u32, eta: f64) -> Result<Self, TopologyError> {
        let period = rounds.rounds();
        let periodic = Self { rounds, window, eta };
        // A window as long as the period sees every round; one that is not wraps around.
        let enough = window.min(period);
        let end = period.saturating_add(enough.saturating_sub(1));
        check_jointly_connected(&periodic, 0..end, enough, eta)?;
        Ok(periodic)
    }

    /// Rounds after which the sequence repeats.
    pub fn period(&self) -> u32 {
        self.rounds.rounds()
    }

    /// `B`: any so many rounds in a row connect the nodes.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// The lower bound on the weights.
    pub fn eta(&self) -> f64 {
        self.eta
    }
}

impl Sequence for Periodic {
    fn nodes(&self) -> usize {
        self.rounds.nodes()
    }

    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        self.rounds.fill(t % self.period(), round)
    }
}
