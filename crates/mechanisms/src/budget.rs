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
/// their rho up to [`rho_of_epsilon`](crate::accountants::rho_of_epsilon). Because the cap is fixed beforehand and a release is refused *before* it would
/// pass the cap, the promise holds even if noise, steps or the number of releases are chosen after looking at earlier
/// releases: such filters need no more than the sum for pure differential privacy (Rogers, Roth, Ullman, Vadhan 2016)
/// and for Rényi divergences, hence zCDP (Feldman, Zrnic 2021; Whitehouse, Ramdas, Rogers, Wu 2023). What would *not*
/// be covered is choosing the method, or delta, by its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    unit: Unit,
    /// The Rényi order, if that is the unit.
    order: f64,
    cap: f64,
    spent: f64,
    adjacency: Option<Adjacency>,
}

/// In what a filter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Epsilon of pure differential privacy.
    Epsilon,
    /// Rho of zero-concentrated differential privacy.
    Rho,
    /// Rényi divergence of one order.
    Renyi,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Epsilon => "epsilon",
            Self::Rho => "rho",
            Self::Renyi => "a Rényi divergence of",
        })
    }
}

impl Filter {
    /// An untouched budget.
    pub fn new(budget: Budget) -> Self {
        let (unit, cap) = budget.cap();
        Self { unit, order: 0.0, cap, spent: 0.0, adjacency: None }
    }

    /// An untouched budget that adds up Rényi divergences of one order, which must be fixed beforehand: for events that
    /// zCDP does not cover, such as Gaussian noise on a sample. The cap is the largest divergence whose epsilon is within the
    /// budget.
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
        // The terms of the order, at a divergence where the shortcut for small ones does not apply; rounded down to fit.
        let terms = rdp::epsilon_of_renyi(1e6, order, delta) - 1e6;
        let mut cap = epsilon - terms;
        while cap > 0.0 && rdp::epsilon_of_renyi(cap, order, delta) > epsilon {
            cap = (cap - 1e-9 * cap.max(epsilon)).next_down();
        }
        if cap > 0.0 {
            Ok(Self { unit: Unit::Renyi, order, cap, spent: 0.0, adjacency: None })
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
            Unit::Epsilon => pure::epsilon(event)?,
            Unit::Rho => zcdp::rho(event)?,
            Unit::Renyi => rdp::Curve::of(event)?.at(self.order),
        };
        if let Some(adjacency) = self.adjacency {
            same_adjacency(adjacency, event)?;
        }
        // Rounded up, so that the sum of millions of releases is never below the true one.
        let spent = if asked > 0.0 { (self.spent + asked).next_up() } else { self.spent };
        if spent <= self.cap {
            self.spent = spent;
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
