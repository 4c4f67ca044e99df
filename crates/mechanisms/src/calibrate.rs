//! The least noise that keeps a budget.

mod schedule;

use crate::accountants::{Accountant, mu_of_epsilon};
use crate::{Adjacency, Budget, Event, Filter, Ledger, MechanismError, Norm, Sensitivity, Unit};

pub use schedule::{Allocation, gaussian_schedule, laplace_schedule};

/// The least standard deviation of Gaussian noise that makes one release `(epsilon, delta)`-private, exactly (Balle, Wang
/// 2018) and rounded up by a relative 1e-12; also for `epsilon` above 1, where the classical formula is none. For `k` equal
/// releases it is `sqrt(k)` times as large.
///
/// # Errors
/// If the budget has no delta.
pub fn gaussian_sigma(sensitivity: Sensitivity, budget: Budget) -> Result<f64, MechanismError> {
    let mu = mu_of_epsilon(budget.epsilon(), budget.delta())?;
    Ok((sensitivity.l2() / mu).next_up())
}

/// The least noise multiplier, to a relative 1e-6, with which a run keeps the budget; or one that uses 0.9999 of its epsilon.
///
/// `ledger` says what the run with a multiplier would release: any events, with more noise for a larger multiplier. The
/// multiplier that is returned has been checked with the accountant; it never needs more than the budget.
///
/// # Errors
/// If no multiplier up to 2^60 keeps the budget, or the accountant refuses the ledger.
pub fn noise_multiplier(
    accountant: &dyn Accountant,
    budget: Budget,
    ledger: impl Fn(f64) -> Ledger,
) -> Result<f64, MechanismError> {
    let target = budget.epsilon();
    let epsilon = |multiplier: f64| Ok(accountant.bound(&ledger(multiplier), budget.delta())?.epsilon);
    // Bracketed from the side of much noise, where accountants are quick. Both ends as (multiplier, epsilon).
    let mut keeps = (1.0, epsilon(1.0)?);
    let mut fails = (0.0, f64::INFINITY);
    while keeps.1 > target {
        fails = keeps;
        // Epsilon falls about as the inverse of the multiplier, or faster.
        keeps.0 *= (keeps.1 / target).clamp(2.0, 1024.0);
        if keeps.0 > LARGEST {
            return Err(MechanismError::Calibration { low: 1.0, high: LARGEST });
        }
        keeps.1 = epsilon(keeps.0)?;
    }
    while fails.0 <= 0.0 {
        // But hardly faster than its square.
        let less = keeps.0 * (keeps.1 / target).sqrt().clamp(1.0 / 1024.0, 0.5);
        if less < 1.0 / LARGEST {
            return Ok(keeps.0);
        }
        let found = (less, epsilon(less)?);
        if found.1 > target { fails = found } else { keeps = found }
    }
    let mut steps = 0;
    while keeps.0 - fails.0 > 1e-6 * keeps.0 && keeps.1 < 0.9999 * target {
        steps += 1;
        let middle = between(fails, keeps, 0.99995 * target, steps);
        let found = (middle, epsilon(middle)?);
        if found.1 > target { fails = found } else { keeps = found }
    }
    Ok(keeps.0)
}

/// A place strictly between two (place, epsilon) where epsilon could be the target: on the straight line in logarithms, as
/// epsilon is close to a power; every third time in the middle, so that the search ends whatever epsilon is.
fn between(a: (f64, f64), b: (f64, f64), target: f64, steps: u32) -> f64 {
    let part = (target / a.1).ln() / (b.1 / a.1).ln();
    let part = if steps.is_multiple_of(3) || !part.is_finite() { 0.5 } else { part.clamp(1e-3, 1.0 - 1e-3) };
    let place = a.0 * (b.0 / a.0).powf(part);
    if place > a.0.min(b.0) && place < a.0.max(b.0) { place } else { 0.5 * (a.0 + b.0) }
}

/// The largest multiplier that is tried.
const LARGEST: f64 = (1_u64 << 60) as f64;

/// The most rounds, up to 2^40, with which a run keeps the budget; 0 if it cannot even make one.
///
/// `ledger` says what a run of so many rounds would release: no less in more rounds.
///
/// # Errors
/// If the accountant refuses the ledger.
pub fn most_rounds(
    accountant: &dyn Accountant,
    budget: Budget,
    ledger: impl Fn(u64) -> Ledger,
) -> Result<u64, MechanismError> {
    let target = budget.epsilon();
    let epsilon = |rounds: u64| Ok(accountant.bound(&ledger(rounds), budget.delta())?.epsilon);
    let (mut keeps, mut fails) = ((0, 0.0), (1, epsilon(1)?));
    while fails.1 <= target {
        keeps = fails;
        if keeps.0 == MOST_ROUNDS {
            return Ok(MOST_ROUNDS);
        }
        // Epsilon grows about in proportion, or slower: this comes close from below.
        let factor = (target / keeps.1).clamp(2.0, 1024.0);
        fails.0 = whole(keeps.0 as f64 * factor).min(MOST_ROUNDS);
        fails.1 = epsilon(fails.0)?;
    }
    let mut steps = 0;
    while fails.0 - keeps.0 > 1 {
        steps += 1;
        let place = |(rounds, epsilon): (u64, f64)| (rounds as f64, epsilon);
        let middle = whole(between(place(keeps), place(fails), target, steps)).clamp(keeps.0 + 1, fails.0 - 1);
        let found = (middle, epsilon(middle)?);
        if found.1 <= target { keeps = found } else { fails = found }
    }
    Ok(keeps.0)
}

/// The most rounds that are tried.
const MOST_ROUNDS: u64 = 1 << 40;

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^50")]
fn whole(rounds: f64) -> u64 {
    rounds as u64
}

/// The smallest multiplier `c` such that releases with scales `c *` (their relative scale) pass a [`Filter`] with this
/// budget. Zero if nothing is to be hidden.
///
/// `ratios`: for each release its L2 sensitivity divided by its relative scale; `dim`: coordinates of a release.
/// Closed form, with delta 0 `c = sqrt(dim) sum(ratios) / epsilon`, otherwise `c = sqrt(sum(ratios^2) / (2 rho))`
/// with `rho` = [`rho_of_epsilon`](crate::accountants::rho_of_epsilon); then raised by the rounding errors the releases
/// can add up to, and checked on a fresh filter: never too little noise. After few releases in few dimensions the multiplier for delta 0 may be
/// the smaller one; it keeps the budget with delta as well.
///
/// # Errors
/// If a ratio is negative or not finite, `dim` is 0, or no finite scale is enough.
pub fn laplace_multiplier(ratios: &[f64], dim: usize, budget: Budget) -> Result<f64, MechanismError> {
    if dim == 0 {
        return Err(MechanismError::NoCoordinates);
    }
    if let Some(release) = ratios.iter().position(|r| !(r.is_finite() && *r >= 0.0)) {
        return Err(MechanismError::Ratio { release, value: ratios[release] });
    }
    // The largest is taken out, so that squares neither overflow nor vanish.
    let largest = ratios.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Ok(0.0);
    }
    let exact = largest
        * match budget.cap() {
            (Unit::Epsilon, cap) => (dim as f64).sqrt() * ratios.iter().map(|r| r / largest).sum::<f64>() / cap,
            (Unit::Rho | Unit::Renyi | Unit::Delta, cap) => {
                (ratios.iter().map(|r| (r / largest).powi(2)).sum::<f64>() / (2.0 * cap)).sqrt()
            }
        };
    // Each release rounds its scale, its loss and the sum: a few units in the last place of the total. Where that is not
    // enough (subnormal numbers, losses that overflow) the margin doubles, so that the search always ends.
    let mut margin = 4.0 * (ratios.len() as f64 + 8.0) * f64::EPSILON;
    let mut multiplier = exact * (1.0 + margin);
    while !passes(multiplier, ratios, dim, budget)? {
        margin *= 2.0;
        multiplier = (multiplier * (1.0 + margin)).next_up();
    }
    Ok(multiplier)
}

/// Whether a fresh filter lets all releases through.
fn passes(multiplier: f64, ratios: &[f64], dim: usize, budget: Budget) -> Result<bool, MechanismError> {
    let mut filter = Filter::new(budget);
    for &ratio in ratios {
        // Only the quotient of sensitivity and scale matters; the relation does not.
        let sensitivity = Sensitivity::new(ratio, Norm::L2, Adjacency::ReplaceRecord)?;
        match filter.charge(&Event::Laplace { sensitivity, dim, scale: multiplier }) {
            Ok(()) => {}
            Err(MechanismError::Overspent { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
