//! What has been spent so far, for releases that are chosen as one goes.

use serde::{Deserialize, Serialize};

use crate::accountants::{infinity, pure, rdp, same_adjacency, zcdp};
use crate::budget::added;
use crate::{Adjacency, Budget, Event, MechanismError};

/// Counts what one class of nodes has spent, and says so at any time; it refuses nothing.
///
/// # Guarantee
/// Releases, their noise, their number and the moment at which one stops to look may all be chosen after looking at
/// earlier releases: with probability at least `1 - delta` the privacy loss is at no time above what
/// [`epsilon`](Self::epsilon) says at that time. So whenever one stops, what was released is `(epsilon,
/// delta)`-differentially private at the epsilon that is read then, if that is bounded in advance, and the loss is
/// bounded by it if not (an odometer in the sense of Rogers, Roth, Ullman, Vadhan, *Privacy odometers and filters*,
/// 2016).
///
/// # Method
/// Let `L` be the loss `ln(P/Q)` of all releases so far, under `P`, and `R` the sum of their Rényi divergences of one
/// order `alpha` that was fixed beforehand. Given what came before, a release multiplies `e^((alpha-1) L)` by at most
/// `e^((alpha-1) D)` in the mean, where `D` is its divergence; so `e^((alpha-1)(L - R))` is a supermartingale that
/// starts at 1, and by Ville's inequality the probability that it ever exceeds `1/d` is at most `d`. In other words,
/// with probability `1 - d`, at all times
///
/// ```text
/// L <= R + ln(1/d) / (alpha - 1).
/// ```
///
/// This is a line in what was spent (Whitehouse, Ramdas, Rogers, Wu, *Fully adaptive composition in differential
/// privacy*, 2023, derive theirs in the same way). 65 of them are kept, for orders that are best when rho is `2^j`
/// times the one that makes up the budget, `j` from -32 to 32, and `delta` is divided among them in proportion to
/// `1/(|j| + 1)^2`: the least is what is read. Near the budget it is 5 to 25 % above what the same releases would cost
/// had they been fixed beforehand; the sum of epsilons, where releases are pure, is never exceeded.
///
/// A release that may fail ([`Event::Approximate`]) is pure but for a part of probability `delta_t` (Bun, Steinke
/// 2016, section 8); these add up, and must be provided for by [`with_failures`](Self::with_failures).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Odometer {
    /// Around which epsilon readings are sharpest, and delta.
    around: Budget,
    /// The part of delta that is set aside for releases that may fail, and what they have used of it.
    failures: f64,
    failed: f64,
    /// Of the epsilons of the releases.
    #[serde(with = "infinity")]
    sum: f64,
    /// Of their divergences, one for each line.
    spent: Vec<Spent>,
    #[serde(skip)]
    lines: Vec<Line>,
    adjacency: Option<Adjacency>,
}

/// An odometer as a file gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    around: Budget,
    failures: f64,
    failed: f64,
    #[serde(with = "infinity")]
    sum: f64,
    spent: Vec<Spent>,
    adjacency: Option<Adjacency>,
}

impl TryFrom<Stored> for Odometer {
    type Error = MechanismError;

    fn try_from(stored: Stored) -> Result<Self, MechanismError> {
        let Stored { around, failures, failed, sum, spent, adjacency } = stored;
        let new = Self::with_failures(around, failures)?;
        let numbers = [failed, sum].into_iter().chain(spent.iter().map(|spent| spent.0));
        for value in numbers {
            if value.is_nan() || value < 0.0 {
                return Err(MechanismError::EventField { field: "spent", value });
            }
        }
        if spent.len() != new.lines.len() {
            return Err(MechanismError::EventField { field: "spent", value: spent.len() as f64 });
        }
        Ok(Self { failed, sum, spent, adjacency, ..new })
    }
}

/// A number of a file that may be infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Spent(#[serde(with = "infinity")] f64);

/// Lines on either side of the middle one.
const SIDE: i32 = 32;

/// An order and the probability that its line fails, as `ln(1/d)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    order: f64,
    log: f64,
}

impl Odometer {
    /// Nothing spent. Readings hold at the delta of `around`, and are sharpest near its epsilon.
    ///
    /// # Errors
    /// If `around` has no delta.
    pub fn new(around: Budget) -> Result<Self, MechanismError> {
        Self::with_failures(around, 0.0)
    }

    /// As [`new`](Self::new), with a part of delta set aside for releases that may fail.
    ///
    /// # Errors
    /// If `failures` is not in `[0, delta)`.
    pub fn with_failures(around: Budget, failures: f64) -> Result<Self, MechanismError> {
        if failures >= 0.0 && failures < around.delta() {
            let lines = lines(around.epsilon(), around.delta() - failures);
            let spent = vec![Spent(0.0); lines.len()];
            Ok(Self { around, failures, failed: 0.0, sum: 0.0, spent, lines, adjacency: None })
        } else {
            Err(MechanismError::Delta(around.delta() - failures))
        }
    }

    /// Counts one release.
    ///
    /// # Errors
    /// If it is inconsistent, or speaks of other pairs of data sets than those before. It is not counted then, and
    /// must not leave.
    pub fn record(&mut self, event: &Event) -> Result<(), MechanismError> {
        if let Some(adjacency) = self.adjacency {
            same_adjacency(adjacency, event)?;
        }
        let failure = pure::failure(event)?;
        let curve = rdp::Curve::of(event)?;
        let epsilon = match pure::approximate(event) {
            Ok((epsilon, _)) => epsilon,
            Err(MechanismError::Unsupported { .. }) => f64::INFINITY,
            Err(error) => return Err(error),
        };
        // No loss is above the largest one.
        for (spent, line) in self.spent.iter_mut().zip(&self.lines) {
            spent.0 = added(spent.0, curve.at(line.order).min(epsilon));
        }
        self.sum = added(self.sum, epsilon);
        self.failed = added(self.failed, failure);
        self.adjacency = self.adjacency.or(event.adjacency());
        Ok(())
    }

    /// The epsilon of all releases so far; infinite if there is none. Asking changes nothing.
    pub fn epsilon(&self) -> f64 {
        if self.failed > self.failures {
            return f64::INFINITY;
        }
        let lines = self.lines.iter().zip(&self.spent);
        lines.map(|(line, spent)| spent.0 + line.log / (line.order - 1.0)).fold(self.sum, f64::min)
    }

    /// The delta at which readings hold.
    pub fn delta(&self) -> f64 {
        self.around.delta()
    }
}

fn lines(epsilon: f64, delta: f64) -> Vec<Line> {
    let middle = zcdp::largest_rho(epsilon, -delta.ln());
    let share = |j: i32| 1.0 / f64::from((j.abs() + 1).pow(2));
    let whole: f64 = (-SIDE..=SIDE).map(share).sum();
    let line = |j: i32| {
        let log = (whole / share(j)).ln() - delta.ln();
        // Where rho (alpha - 1) = ln(1/d) / (alpha - 1).
        Line { order: 1.0 + (log / (middle * f64::from(j).exp2())).sqrt(), log }
    };
    (-SIDE..=SIDE).map(line).collect()
}
