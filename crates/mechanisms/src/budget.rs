//! A promise, and the counter that keeps it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::accountants::{pure, rdp, same_adjacency, zcdp};
use crate::{Adjacency, Event, MechanismError};

/// The most a run may give away: it must be `(epsilon, delta)`-differentially private.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Budget {
    epsilon: f64,
    delta: f64,
}

/// A budget as a file gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    epsilon: f64,
    delta: f64,
}

impl TryFrom<Raw> for Budget {
    type Error = MechanismError;

    fn try_from(raw: Raw) -> Result<Self, MechanismError> {
        Self::new(raw.epsilon, raw.delta)
    }
}

impl Budget {
    /// A checked budget.
    ///
    /// # Errors
    /// If `epsilon` is not positive and finite (no privacy is asked for by having no budget), or `delta` is not in
    /// `[0, 1)`.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self, MechanismError> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(MechanismError::Epsilon(epsilon));
        }
        if !(0.0..1.0).contains(&delta) {
            return Err(MechanismError::Delta(delta));
        }
        Ok(Self { epsilon, delta })
    }

    /// The privacy loss, in nats.
    pub fn epsilon(self) -> f64 {
        self.epsilon
    }

    /// The probability that the loss may be larger; 0 asks for pure differential privacy.
    pub fn delta(self) -> f64 {
        self.delta
    }

    /// The method the budget asks for and the most that may be added up in it.
    pub(crate) fn cap(self) -> (Unit, f64) {
        if self.delta > 0.0 {
            (Unit::Rho, zcdp::largest_rho(self.epsilon, -self.delta.ln()))
        } else {
            (Unit::Epsilon, self.epsilon)
        }
    }
}

/// What one class of nodes has spent, and the refusal to spend more.
///
/// The method is fixed by the budget: with delta 0 the epsilons of the releases are added up to `epsilon`, otherwise
/// their rho up to [`rho_of_epsilon`](crate::accountants::rho_of_epsilon). Because the cap is fixed beforehand and a
/// release is refused *before* it would pass the cap, the promise holds even if noise, steps or the number of releases
/// are chosen after looking at earlier releases: such filters need no more than the sum for pure differential privacy
/// (Rogers, Roth, Ullman, Vadhan 2016) and for Rényi divergences, hence zCDP (Feldman, Zrnic 2021; Whitehouse, Ramdas,
/// Rogers, Wu 2023). What would *not* be covered is choosing the method, or delta, by its outcome.
///
/// Releases that may fail ([`Event::Approximate`]) need a part of delta that was set aside for them:
/// [`with_failures`](Self::with_failures).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Filter {
    unit: Unit,
    /// The Rényi order, if that is the unit.
    order: f64,
    cap: f64,
    spent: f64,
    /// The same for the probability that a release fails.
    failures: f64,
    failed: f64,
    adjacency: Option<Adjacency>,
}

/// A filter as a file gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    unit: Unit,
    order: f64,
    cap: f64,
    spent: f64,
    failures: f64,
    failed: f64,
    adjacency: Option<Adjacency>,
}

impl TryFrom<Stored> for Filter {
    type Error = MechanismError;

    fn try_from(stored: Stored) -> Result<Self, MechanismError> {
        let Stored { unit, order, cap, spent, failures, failed, adjacency } = stored;
        if unit == Unit::Renyi && !(order > 1.0 && order.is_finite()) {
            return Err(MechanismError::Order(order));
        }
        if !(cap.is_finite() && (0.0..=cap).contains(&spent)) {
            return Err(MechanismError::Overspent { unit, spent, asked: 0.0, cap });
        }
        if !(failures < 1.0 && (0.0..=failures).contains(&failed)) {
            return Err(MechanismError::Overspent { unit: Unit::Delta, spent: failed, asked: 0.0, cap: failures });
        }
        Ok(Self { unit, order, cap, spent, failures, failed, adjacency })
    }
}

/// In what a filter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Epsilon of pure differential privacy.
    Epsilon,
    /// Rho of zero-concentrated differential privacy.
    Rho,
    /// Rényi divergence of one order.
    Renyi,
    /// The probability that a release fails.
    Delta,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Epsilon => "epsilon",
            Self::Rho => "rho",
            Self::Renyi => "a Rényi divergence of",
            Self::Delta => "a delta of",
        })
    }
}

impl Filter {
    /// An untouched budget.
    pub fn new(budget: Budget) -> Self {
        let (unit, cap) = budget.cap();
        Self { unit, order: 0.0, cap, spent: 0.0, failures: 0.0, failed: 0.0, adjacency: None }
    }

    /// An untouched budget of which a part of delta is set aside for releases that may fail: their deltas are added up
    /// to `failures`, their epsilons are counted as those of pure ones, and the cap is that of what is left of delta.
    /// If that is nothing, epsilons are added up: basic composition.
    ///
    /// An `(epsilon, delta_t)`-private release is `epsilon`-private but for a part of probability `delta_t` of its
    /// output (Kairouz, Oh, Viswanath 2015). The deltas are below `failures` in sum, so with at most that probability
    /// any part comes up, and what the filter says of the rest needs no more than bounded likelihood ratios or Rényi
    /// divergences.
    ///
    /// # Errors
    /// If `failures` is not in `[0, delta]`.
    pub fn with_failures(budget: Budget, failures: f64) -> Result<Self, MechanismError> {
        if !(0.0..=budget.delta).contains(&failures) {
            return Err(MechanismError::Delta(failures));
        }
        let rest = Budget::new(budget.epsilon, budget.delta - failures)?;
        Ok(Self { failures, ..Self::new(rest) })
    }

    /// An untouched budget that adds up Rényi divergences of one order, which must be fixed beforehand: for events
    /// that zCDP does not cover, such as Gaussian noise on a sample. The cap is the largest divergence whose epsilon
    /// is within the budget.
    ///
    /// # Errors
    /// If the order is not above 1 and finite, the budget has no delta, or no divergence of this order is within it.
    pub fn renyi(budget: Budget, order: f64) -> Result<Self, MechanismError> {
        let Budget { epsilon, delta } = budget;
        if !(order > 1.0 && order.is_finite()) {
            return Err(MechanismError::Order(order));
        }
        if delta <= 0.0 {
            return Err(MechanismError::Delta(delta));
        }
        // The terms of the order, at a divergence where the shortcut for small ones does not apply; rounded down to
        // fit.
        let terms = rdp::epsilon_of_renyi(1e6, order, delta) - 1e6;
        let mut cap = epsilon - terms;
        while cap > 0.0 && rdp::epsilon_of_renyi(cap, order, delta) > epsilon {
            cap = (cap - 1e-9 * cap.max(epsilon)).next_down();
        }
        if cap > 0.0 {
            Ok(Self { unit: Unit::Renyi, order, cap, ..Self::new(budget) })
        } else {
            Err(MechanismError::Order(order))
        }
    }

    /// Charges one release, to be called before it leaves. A refused release is not charged.
    ///
    /// # Errors
    /// If the release would pass the cap, is inconsistent, or speaks of other pairs of data sets than those before.
    pub fn charge(&mut self, event: &Event) -> Result<(), MechanismError> {
        let asked = match self.unit {
            Unit::Rho => zcdp::rho(event)?,
            Unit::Renyi => rdp::Curve::of(event)?.at(self.order),
            Unit::Epsilon | Unit::Delta => pure::approximate(event)?.0,
        };
        let failure = pure::failure(event)?;
        if let Some(adjacency) = self.adjacency {
            same_adjacency(adjacency, event)?;
        }
        let (spent, failed) = (added(self.spent, asked), added(self.failed, failure));
        if failed > self.failures {
            let (spent, cap) = (self.failed, self.failures);
            return Err(MechanismError::Overspent { unit: Unit::Delta, spent, asked: failure, cap });
        }
        if spent <= self.cap {
            self.spent = spent;
            self.failed = failed;
            self.adjacency = self.adjacency.or(event.adjacency());
            Ok(())
        } else {
            // NaN ends here too.
            Err(MechanismError::Overspent { unit: self.unit, spent: self.spent, asked, cap: self.cap })
        }
    }

    /// What `spent`, `cap` and `remaining` are measured in.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Charged so far.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// The most that may be charged.
    pub fn cap(&self) -> f64 {
        self.cap
    }

    /// What may still be charged.
    pub fn remaining(&self) -> f64 {
        self.cap - self.spent
    }
}

/// The sum, rounded up if it is not exact: that of millions of releases is never below the true one.
pub(crate) fn added(sum: f64, term: f64) -> f64 {
    let rounded = sum + term;
    // What rounding took off (Knuth's two-sum); NaN if something is infinite.
    let of_term = rounded - sum;
    let lost = (sum - (rounded - of_term)) + (term - of_term);
    if lost > 0.0 { rounded.next_up() } else { rounded }
}
