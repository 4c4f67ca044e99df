//! What the subsampled distributed dual averaging of Liu, Johansson, Shi (arXiv 2302.10520, paper B) gives away.
//!
//! In each round a node is active with probability `iota`. An active node draws one of its `q` records uniformly, takes
//! a subgradient of that record's loss, which is `L`-Lipschitz, adds `N(0, sigma^2)` to each coordinate, and sends it. One
//! record is replaced by another one: two subgradients are within `2 L`, so the noise multiplier is `sigma / 2L`.
//!
//! | who looks | mechanism | here |
//! |---|---|---|
//! | sees who is active, and the coins are fixed | one of `q`, `K_i` times for node `i` | [`visible_known`](SubsampledDda::visible_known) |
//! | sees who is active, before the coins fall | one of `q`, `Bin(T, iota)` times | [`visible`](SubsampledDda::visible) |
//! | does not see who is active | a rate of `iota/q`, `T` times | [`hidden`](SubsampledDda::hidden) |
//!
//! Idle nodes of the published algorithm are silent and their states stand still, so everybody who listens sees who is
//! active: `visible` is what it keeps, and the factor `iota` amplifies nothing. `hidden` needs what
//! [`Adversary::HiddenActivation`] says. In each case outputs with the record, with the other one, and without it are
//! pairwise within `2 L`, which gives the dominating pair of [`Sampling::OneOf`] events: for thresholds above 1 the curve of
//! `(1-s) N(0) + s N(2L)` against `N(0)`, below 1 its mirror image, since replacing is symmetric.
//!
//! The mixture over `Bin(T, iota)` is exact: coins that everybody sees are part of the output, so
//! `delta(epsilon) = E delta_K(epsilon)` is the curve of `T` releases that each tell nothing with probability `1 - iota`.
//!
//! What the paper states is a [`Claim`].
//!
//! ```
//! use dido_mechanisms::subsampled_dda::SubsampledDda;
//!
//! # fn main() -> Result<(), dido_mechanisms::MechanismError> {
//! let dda = SubsampledDda { nodes: 10, iota: 0.1, records: 10, sigma: 6.53, lipschitz: 1.0, rounds: 2000 };
//! let hidden = dda.hidden(1e-5)?;
//! let visible = dda.visible(1e-5)?;
//! assert!(hidden.epsilon < 0.56 && visible.epsilon > 1.9);
//! assert!(dda.published(1e-5)?.epsilon < 0.7);
//! # Ok(())
//! # }
//! ```

mod claim;

use serde::{Deserialize, Serialize};

use crate::accountants::{Accountant, Best, Bound};
use crate::calibrate::noise_multiplier;
use crate::{
    Adjacency, Adversary, Base, Budget, ClassLedger, Entry, Event, Ledger, MechanismError, Sampling, gradients,
};

pub use claim::Claim;

/// A run of subsampled dual averaging. The fields are open and are checked where they are used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubsampledDda {
    /// `n`, at least 1: nodes.
    pub nodes: usize,
    /// `iota`, in `(0, 1]`: the probability of a node to be active in a round.
    pub iota: f64,
    /// `q`, at least 1: records of each node.
    pub records: u64,
    /// `sigma`, positive: the standard deviation of the noise in each coordinate, in the units of a gradient.
    pub sigma: f64,
    /// `L`, not negative: the length of a subgradient is at most this.
    pub lipschitz: f64,
    /// `T`: rounds.
    pub rounds: u32,
}

/// Who can tell which nodes are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Everybody.
    Visible,
    /// Nobody but the node.
    Hidden,
}

impl SubsampledDda {
    /// The guarantee against those who see who is active, before it is known: the counts of active rounds are
    /// `Bin(T, iota)`, whether nodes wake up by coins of their own or a fixed number of them is drawn in each round.
    ///
    /// # Errors
    /// If a field is out of range, or `delta` is not in `(0, 1)`.
    pub fn visible(&self, delta: f64) -> Result<Bound, MechanismError> {
        Best.bound(&self.ledger(Activation::Visible)?, delta)
    }

    /// The guarantee against those who see who is active, for known counts of active rounds, one for each node; that of the
    /// node with the most. They must not depend on data: the pattern of a public coin, say.
    ///
    /// # Errors
    /// If a field is out of range, `counts` does not have one count of at most `rounds` for each node, or `delta` is not in
    /// `(0, 1)`.
    pub fn visible_known(&self, counts: &[u32], delta: f64) -> Result<Bound, MechanismError> {
        Best.bound(&self.ledger_known(counts)?, delta)
    }

    /// The guarantee against those who cannot tell who is active: see [`Adversary::HiddenActivation`].
    ///
    /// # Errors
    /// As [`visible`](Self::visible).
    pub fn hidden(&self, delta: f64) -> Result<Bound, MechanismError> {
        Best.bound(&self.ledger(Activation::Hidden)?, delta)
    }

    /// What the paper's closed form says, with [`Claim::CONSTANT`]. Not a guarantee.
    ///
    /// # Errors
    /// As [`visible`](Self::visible).
    pub fn published(&self, delta: f64) -> Result<Claim, MechanismError> {
        self.published_with(Claim::CONSTANT, delta)
    }

    /// What the paper's closed form says with another constant. Not a guarantee.
    ///
    /// # Errors
    /// As [`visible`](Self::visible), and if `constant` is not positive and finite.
    pub fn published_with(&self, constant: f64, delta: f64) -> Result<Claim, MechanismError> {
        Claim::of(&self.checked()?, constant, delta)
    }

    /// The same run with the least noise that keeps a budget before it is known who will be active; 0.9999 of the epsilon or
    /// more is used. The `sigma` there was does not matter, if it is one.
    ///
    /// # Errors
    /// If a field is out of range, `lipschitz` is 0 (nothing is to be hidden), or the budget has no delta.
    pub fn calibrated(&self, activation: Activation, budget: Budget) -> Result<Self, MechanismError> {
        self.with_least_noise(&self.ledger(activation)?, budget)
    }

    /// The same run with the least noise that keeps a budget for known counts of active rounds.
    ///
    /// # Errors
    /// As [`calibrated`](Self::calibrated) and [`visible_known`](Self::visible_known).
    pub fn calibrated_known(&self, counts: &[u32], budget: Budget) -> Result<Self, MechanismError> {
        self.with_least_noise(&self.ledger_known(counts)?, budget)
    }

    /// What a run releases, before it is known who will be active: for any accountant.
    ///
    /// # Errors
    /// If a field is out of range.
    pub fn ledger(&self, activation: Activation) -> Result<Ledger, MechanismError> {
        let Self { iota: activation_rate, records: population, .. } = *self;
        let (adversary, sampling) = match activation {
            Activation::Visible => {
                (Adversary::AllMessages, Sampling::VisibleOneOf { activation: activation_rate, population })
            }
            Activation::Hidden => {
                (Adversary::HiddenActivation, Sampling::HiddenOneOf { activation: activation_rate, population })
            }
        };
        let entries = self.entries(sampling, self.rounds)?;
        let classes = vec![ClassLedger { nodes: (0..self.nodes).collect(), entries }];
        Ok(Ledger { adjacency: Adjacency::ReplaceRecord, adversary, classes })
    }

    /// What a run with known counts of active rounds releases: a class of nodes for each count, the largest first.
    ///
    /// # Errors
    /// As [`visible_known`](Self::visible_known), `delta` aside.
    pub fn ledger_known(&self, counts: &[u32]) -> Result<Ledger, MechanismError> {
        if counts.len() != self.nodes {
            return Err(MechanismError::Counts { nodes: self.nodes, found: counts.len() });
        }
        if let Some(node) = counts.iter().position(|&count| count > self.rounds) {
            return Err(MechanismError::TooActive { node, count: counts[node], rounds: self.rounds });
        }
        let sampling = Sampling::OneOf { population: self.records };
        let mut different = counts.to_vec();
        different.sort_unstable_by(|a, b| b.cmp(a));
        different.dedup();
        let class = |count: u32| {
            let nodes = (0..self.nodes).filter(|&node| counts[node] == count).collect();
            Ok(ClassLedger { nodes, entries: self.entries(sampling, count)? })
        };
        let classes = different.into_iter().map(class).collect::<Result<_, MechanismError>>()?;
        Ok(Ledger { adjacency: Adjacency::ReplaceRecord, adversary: Adversary::AllMessages, classes })
    }

    fn with_least_noise(&self, ledger: &Ledger, budget: Budget) -> Result<Self, MechanismError> {
        let unit = 2.0 * self.lipschitz;
        if unit <= 0.0 {
            return Err(MechanismError::Bound { name: "lipschitz", value: self.lipschitz });
        }
        let with = |multiplier: f64| {
            let mut ledger = ledger.clone();
            for entry in ledger.classes.iter_mut().flat_map(|class| &mut class.entries) {
                if let Event::Sampled { base: Base::Gaussian { sigma, .. }, .. } = &mut entry.event {
                    *sigma = multiplier * unit;
                }
            }
            ledger
        };
        let multiplier = noise_multiplier(&Best, budget, with)?;
        Ok(Self { sigma: multiplier * unit, ..*self })
    }

    /// One node's releases: `releases` of them, somewhere in the rounds of the run.
    fn entries(&self, sampling: Sampling, releases: u32) -> Result<Vec<Entry>, MechanismError> {
        let Self { sigma, lipschitz, rounds, .. } = self.checked()?;
        let base = Base::Gaussian { sensitivity: gradients::lipschitz(Adjacency::ReplaceRecord, lipschitz)?, sigma };
        let event = Event::Sampled { sampling, base };
        let run = Entry { first: 0, last: rounds.saturating_sub(1), releases: u64::from(releases), event };
        Ok(if releases > 0 { vec![run] } else { vec![] })
    }

    fn checked(&self) -> Result<Self, MechanismError> {
        let Self { nodes, iota, records, sigma, lipschitz, .. } = *self;
        if nodes == 0 {
            return Err(MechanismError::NoNodes);
        }
        if records == 0 {
            return Err(MechanismError::NoRecords);
        }
        if !(iota > 0.0 && iota <= 1.0) {
            return Err(MechanismError::Activation(iota));
        }
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(MechanismError::Scale(sigma));
        }
        if !(lipschitz >= 0.0 && lipschitz.is_finite()) {
            return Err(MechanismError::Bound { name: "lipschitz", value: lipschitz });
        }
        Ok(*self)
    }
}
