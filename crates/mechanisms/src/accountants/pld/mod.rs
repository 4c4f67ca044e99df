//! The distribution of the privacy loss, composed numerically: as tight as the events allow, up to its grid.
//!
//! For a worst pair `P`, `Q` of outputs the loss is `Y = ln(P/Q)` under `P`; losses of releases add up, and
//! `delta(epsilon) = E (1 - e^(epsilon - Y))_+` (Koskela, Jälkö, Honkela 2020; Gopi, Lee, Wutschitz 2021). Each
//! event's loss is discretised to the safe side, tilted towards the tail at delta, and convolved by the fast Fourier
//! transform.
//!
//! A vector with Laplace noise is dominated by one coordinate that moves by the whole L1 sensitivity: the trade-off
//! function of two moves one after the other is at least that of both in one coordinate, where, the noise being
//! log-concave, it is exactly the one for the sum of the moves. In high dimension with an L2 sensitivity zCDP can be
//! the better one. The same holds for discrete noise of either kind and moves by whole steps. A vector with discrete
//! Gaussian noise and an L2 sensitivity is dominated by continuous noise of a variance that is smaller by 9 squared
//! steps, and so is any that is wider than 1024 steps.
//!
//! # Precision
//! The upper bound allows for what the grid leaves out (at most 3e-7 of delta) and for rounding (1e-6 of delta, more
//! after more than 1e7 releases). It exceeds the least epsilon by about 1e-4 of it; grids have at most 2^18 points
//! (2^16 for one release), so that memory and time stay bounded where this needs more. The grids of single losses are
//! moved so that they meet atoms, and the step is such that it divides the distance of the atoms that matter most. The
//! lower bound is mostly within 5e-4, and within 3e-3 of epsilon where many different losses have atoms or a tiny
//! rate; 2e-2 for a few releases of discrete noise of few steps on a sample. It speaks of what the events allow at
//! least: a vector with an L2 sensitivity of which one coordinate moves. For vectors whose worst case is unknown the
//! bounds are further apart.
//!
//! # Complexity
//! One transform of the grid for each event that differs from those before it, as long as many frequencies are left; the
//! total of many is smooth, and from then on an event costs as much as its points, mostly some hundred: in all less than
//! 0.1 ms for each of thousands of scales.

mod cells;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers of grid points: integers far below 2^53"
)]
mod compose;
mod lattice;
mod live;
mod pair;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers of grid points: integers far below 2^53"
)]
mod plan;
mod spectrum;
mod transforms;

use super::facts::{Chance, Facts, Lattice, Loss};
use super::{Accountant, Bound, Interval, positive_delta, smooth, worst};
use crate::{ClassLedger, Ledger, MechanismError};

use compose::{Composition, Rounding};
use pair::{Direction, Pair};
use plan::{PRECISION, Plan};

/// The privacy loss distribution accountant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pld;

impl Accountant for Pld {
    fn name(&self) -> &'static str {
        "pld"
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        positive_delta(delta)?;
        worst(ledger, delta, self.name(), |class| Ok(interval(&events(class)?, delta, PRECISION, true)))
    }

    /// Without the lower bound, and on coarser grids: an accuracy of 0.001 takes a fifth of the time.
    fn epsilon(&self, ledger: &Ledger, delta: f64, precision: f64) -> Result<f64, MechanismError> {
        positive_delta(delta)?;
        let interval = |class: &_| Ok(interval(&events(class)?, delta, PRECISION.max(precision), false));
        Ok(worst(ledger, delta, self.name(), interval)?.epsilon)
    }
}

/// What an event is bounded by from above: discrete Gaussian noise by continuous noise where it is wide, and where a
/// vector is short in L2 only.
fn dominating(facts: Facts) -> Facts {
    let loss = match facts.loss {
        Loss::DiscreteGaussian(noise) => {
            let mu = smooth::mu_above(noise);
            let exact = !smooth::is_wide(noise) && (noise.l1 == noise.l2 || noise.l1_scales() < mu);
            if exact { facts.loss } else { Loss::Gaussian { mu } }
        }
        loss => loss,
    };
    Facts { loss, ..facts }
}

/// What an event certainly gives away: that of one coordinate which moves by the whole length.
fn attained(facts: Facts) -> Facts {
    let one = |noise: Lattice| Lattice { l1: noise.l2, ..noise };
    let loss = match facts.loss {
        Loss::Laplace { l2, .. } => Loss::Laplace { l1: l2, l2 },
        Loss::DiscreteLaplace(noise) => Loss::DiscreteLaplace(one(noise)),
        Loss::DiscreteGaussian(noise) if smooth::is_wide(noise) => Loss::Gaussian { mu: smooth::mu_below(noise) },
        Loss::DiscreteGaussian(noise) => Loss::DiscreteGaussian(one(noise)),
        loss => loss,
    };
    Facts { loss, ..facts }
}

/// The events of a class with how often each took place, equal ones together; those that tell nothing left out.
fn events(class: &ClassLedger) -> Result<Vec<(Facts, f64)>, MechanismError> {
    let mut list: Vec<(Facts, f64)> = vec![];
    for entry in class.entries.iter().filter(|entry| entry.releases > 0) {
        let facts = Facts::of(&entry.event)?;
        let releases = entry.releases as f64;
        match facts.loss {
            Loss::Nothing => continue,
            Loss::Zcdp { .. } => {
                return Err(MechanismError::Unsupported { accountant: "pld", event: entry.event.name() });
            }
            _ => {}
        }
        // Equal releases that are not next to each other are rare among many different ones: look at the last only, and
        // at all if there are few.
        let from = list.len().saturating_sub(64);
        match list[from..].iter_mut().find(|(known, _)| *known == facts) {
            Some((_, count)) => *count += releases,
            None => list.push((facts, releases)),
        }
    }
    Ok(list)
}

/// Gaussian releases without sampling are one, with the root of the sum of squares.
fn merged(list: impl Iterator<Item = (Facts, f64)>) -> Vec<(Facts, f64)> {
    let is_gaussian = |facts: &Facts| matches!(facts, Facts { loss: Loss::Gaussian { .. }, chance: Chance::Certain });
    let (gaussian, mut rest): (Vec<_>, Vec<_>) = list.partition(|(facts, _)| is_gaussian(facts));
    let size = |(facts, releases): &(Facts, f64)| match facts.loss {
        Loss::Gaussian { mu } => releases.sqrt() * mu,
        _ => 0.0,
    };
    // Squares of the smallest of these would vanish.
    let mu = gaussian.iter().map(size).fold(0.0, f64::hypot);
    if mu > 0.0 {
        rest.push((Facts { loss: Loss::Gaussian { mu }, chance: Chance::Certain }, 1.0));
    }
    rest
}

/// An upper bound of epsilon with this relative accuracy, and a lower one if it is wanted.
fn interval(events: &[(Facts, f64)], delta: f64, precision: f64, with_lower: bool) -> Interval {
    if events.is_empty() {
        return (0.0, Some(0.0));
    }
    let pairs = |bound: fn(Facts) -> Facts| -> Vec<(Pair, f64)> {
        let merged = merged(events.iter().map(|&(facts, releases)| (bound(facts), releases)));
        merged.into_iter().filter_map(|(facts, releases)| Some((Pair::of(facts)?, releases))).collect()
    };
    let (pairs, lower_pairs) = (pairs(dominating), pairs(attained));
    // The probability that some release tells everything.
    let certain = |facts: &Facts| match facts.loss {
        Loss::Everything => facts.chance.active() * facts.chance.rate(),
        Loss::Approximate { delta, .. } => facts.chance.active() * facts.chance.rate() * delta,
        _ => 0.0,
    };
    let infinite: f64 = -events.iter().map(|(facts, n)| n * (-certain(facts)).ln_1p()).sum::<f64>().exp_m1();
    if infinite >= delta {
        return (f64::INFINITY, None);
    }
    let directions: &[Direction] = if pairs.iter().any(|(pair, _)| pair.is_directed()) {
        &[Direction::Remove, Direction::Add]
    } else {
        &[Direction::Remove]
    };
    let mut worst: Option<(f64, Composition)> = None;
    for &direction in directions {
        let of = |precision| upper(&pairs, direction, (delta, infinite), precision);
        // A rough upper bound tells mostly that the second direction is not the worse one.
        let is_worse = |found: f64| worst.as_ref().is_none_or(|(largest, _)| found > *largest);
        if worst.is_none() || precision >= ROUGH || is_worse(of(ROUGH).0) {
            let found = of(precision);
            if is_worse(found.0) {
                worst = Some(found);
            }
        }
    }
    let (upper, composition) = worst.expect("at least one direction");
    let lower = (with_lower && upper.is_finite()).then(|| {
        if lower_pairs == pairs {
            return lower(&composition, pairs.len(), delta, upper);
        }
        // Other pairs may have other atoms: a plan for them.
        let plan = Plan::of(&lower_pairs, composition.direction, delta - infinite, upper, precision);
        let composition = Composition::new(&lower_pairs, composition.direction, plan);
        lower(&composition, lower_pairs.len(), delta, upper)
    });
    (upper, lower)
}

/// An upper bound of epsilon in one direction, and what it was read off. `infinite` is the part of `delta` that is lost
/// already.
fn upper(
    pairs: &[(Pair, f64)],
    direction: Direction,
    (delta, infinite): (f64, f64),
    precision: f64,
) -> (f64, Composition<'_>) {
    let planned =
        |aim| Composition::new(pairs, direction, Plan::of(pairs, direction, delta - infinite, aim, precision));
    let mut composition = planned(f64::INFINITY);
    let mut upper = composition.total(Rounding::Up).epsilon(delta);
    if upper > 0.0 && upper < 0.3 * composition.plan.aim {
        // Rare large losses mislead the moments from which the step was chosen.
        composition = planned(upper);
        upper = upper.min(composition.total(Rounding::Up).epsilon(delta));
    }
    // Also if it is NaN, which no bound is.
    (if upper >= 0.0 { upper } else { f64::INFINITY }, composition)
}

/// A lower bound of epsilon, of which `upper` is an upper one.
fn lower(composition: &Composition, events: usize, delta: f64, upper: f64) -> f64 {
    let mut most: f64 = 0.0;
    // Rare large losses mislead here too: what they must not be merged with is found by trying.
    for caution in [1.0, 10.0, 1000.0] {
        let rounding = Rounding::Down { slope: caution * composition.plan.tilt };
        let lower = composition.total(rounding).epsilon(delta);
        most = if lower <= upper { most.max(lower) } else { most };
        if most >= (1.0 - GAP) * upper || events > FEW {
            break;
        }
    }
    most
}

/// The relative accuracy of a rough look.
const ROUGH: f64 = 1e-2;

/// The relative distance of the bounds above which the lower one is tried to be improved.
const GAP: f64 = 5e-4;

/// Events for which that is tried: with many the grid of each, not the merging, is what limits it.
const FEW: usize = 16;
