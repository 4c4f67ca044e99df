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
    let epsilon = |precision: f64| {
        let ledger = &ledger;
        move |multiplier: f64| accountant.epsilon(&ledger(multiplier), budget.delta(), precision)
    };
    let target = budget.epsilon();
    // Roughly first, where accountants are quick.
    let rough = multipliers(epsilon(ROUGH), target, 1.0, 2.0, 0.99)?;
    let place = |target: f64| {
        let guess = on_line(rough.last, target);
        if guess > 0.5 * rough.keeps.0 && guess < 2.0 * rough.keeps.0 { guess } else { rough.keeps.0 }
    };
    // What the accountant says there tells by how much it was rough, which is much the same nearby.
    let found = place(FULL * target);
    let excess = (FULL * target / epsilon(0.0)(found)?).clamp(1.0, 1.0 + 4.0 * ROUGH);
    Ok(multipliers(epsilon(0.0), target, place(excess * FULL * target), 1.0 + 0.1 * ROUGH, 0.9999)?.keeps.0)
}

/// The relative accuracy of the first of two searches.
const ROUGH: f64 = 1e-3;

/// What part of its epsilon a search aims to use.
const FULL: f64 = 0.99995;

/// Two ends, as (place, epsilon), of which one keeps a budget and the other does not.
struct Ends<T> {
    keeps: (T, f64),
    fails: (T, f64),
    /// What was asked last, and before.
    last: [(T, f64); 2],
}

/// Multipliers close to each other, or one that keeps the budget and uses the part `used` of it. `epsilon` falls with the
/// multiplier. The search begins at `start`, and its first other place is at least a factor of `reach` away.
fn multipliers(
    epsilon: impl Fn(f64) -> Result<f64, MechanismError>,
    target: f64,
    start: f64,
    mut reach: f64,
    used: f64,
) -> Result<Ends<f64>, MechanismError> {
    // Bracketed from the side of much noise, where accountants are quick.
    let found = (start, epsilon(start)?);
    let mut ends = Ends { keeps: found, fails: (0.0, f64::INFINITY), last: [found; 2] };
    if found.1 > target {
        ends.fails = found;
    }
    while ends.keeps.1 > target {
        // Epsilon falls about as the inverse of the multiplier, or faster.
        let more = ends.keeps.0 * (ends.keeps.1 / target).clamp(reach, 1024.0);
        if more > LARGEST {
            return Err(MechanismError::Calibration { low: 1.0, high: LARGEST });
        }
        ends.fails = ends.keeps;
        ends.keeps = (more, epsilon(more)?);
        ends.last = [ends.keeps, ends.last[0]];
        reach = (reach * reach).min(2.0);
    }
    while ends.fails.0 <= 0.0 && ends.keeps.1 < used * target {
        // But hardly faster than its square.
        let less = ends.keeps.0 * (ends.keeps.1 / target).sqrt().clamp(1.0 / 1024.0, 1.0 / reach);
        if less < 1.0 / LARGEST {
            return Ok(ends);
        }
        ends.tell((less, epsilon(less)?), target);
        reach = (reach * reach).min(2.0);
    }
    let mut steps = 0;
    while ends.keeps.0 - ends.fails.0 > 1e-6 * ends.keeps.0 && ends.keeps.1 < used * target {
        steps += 1;
        let guess = on_line(ends.last, FULL * target);
        let is_between = guess > ends.fails.0 && guess < ends.keeps.0;
        let middle =
            if is_between && steps % 4 != 0 { guess } else { between(ends.fails, ends.keeps, FULL * target, steps) };
        ends.tell((middle, epsilon(middle)?), target);
    }
    Ok(ends)
}

impl<T: Copy> Ends<T> {
    /// A place between the ends, or beyond that which keeps the budget.
    fn tell(&mut self, found: (T, f64), target: f64) {
        if found.1 > target {
            self.fails = found;
        } else {
            self.keeps = found;
        }
        self.last = [found, self.last[0]];
    }
}

/// Where epsilon is the target on the straight line in logarithms through two (place, epsilon), as epsilon is close to a
/// power. Not a number if there is no such place.
fn on_line([a, b]: [(f64, f64); 2], target: f64) -> f64 {
    a.0 * (b.0 / a.0).powf((target / a.1).ln() / (b.1 / a.1).ln())
}

/// A place strictly between two (place, epsilon) where epsilon could be the target: on the line in logarithms; every fourth time in the middle, so that the search ends whatever epsilon is.
fn between(a: (f64, f64), b: (f64, f64), target: f64, steps: u32) -> f64 {
    let part = (target / a.1).ln() / (b.1 / a.1).ln();
    let part = if steps.is_multiple_of(4) || !part.is_finite() { 0.5 } else { part.clamp(1e-3, 1.0 - 1e-3) };
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
    let epsilon = |precision: f64| {
        let ledger = &ledger;
        move |rounds: u64| accountant.epsilon(&ledger(rounds), budget.delta(), precision)
    };
    // Roughly first, where accountants are quick; then around what was found.
    let rough = rounds(epsilon(ROUGH), budget.epsilon(), 1, 2.0, 0.99)?;
    let found = whole(between(place(rough.keeps), place(rough.fails), FULL * budget.epsilon(), 1)).max(1);
    Ok(rounds(epsilon(0.0), budget.epsilon(), found, 1.0 + ROUGH, f64::INFINITY)?.keeps.0)
}

/// Neighbouring numbers of rounds, or one that keeps the budget and uses the part `used` of it. `epsilon` grows with the
/// rounds. The search begins at `start`, and its first other place is at least a factor of `reach` away.
fn rounds(
    epsilon: impl Fn(u64) -> Result<f64, MechanismError>,
    target: f64,
    start: u64,
    mut reach: f64,
    used: f64,
) -> Result<Ends<u64>, MechanismError> {
    let found = (start, epsilon(start)?);
    let mut ends = Ends { keeps: (0, 0.0), fails: found, last: [found; 2] };
    while ends.fails.1 <= target {
        ends.keeps = ends.fails;
        let (rounds, spent) = ends.keeps;
        if rounds == MOST_ROUNDS {
            return Ok(ends);
        }
        // Epsilon grows about in proportion, or slower: this comes close from below.
        let factor = (target / spent).clamp(reach, 1024.0);
        let more = whole((rounds as f64 * factor).max(rounds as f64 + 1.0)).min(MOST_ROUNDS);
        ends.fails = (more, epsilon(more)?);
        ends.last = [ends.fails, ends.last[0]];
        reach = (reach * reach).min(2.0);
    }
    while ends.keeps.0 == 0 && ends.fails.0 > 1 {
        // But hardly slower than its root.
        let factor = (target / ends.fails.1).powi(2).clamp(1.0 / 1024.0, 1.0 / reach);
        let less = whole(ends.fails.0 as f64 * factor).clamp(1, ends.fails.0 - 1);
        ends.tell((less, epsilon(less)?), target);
        reach = (reach * reach).min(2.0);
    }
    let mut steps = 0;
    while ends.fails.0 - ends.keeps.0 > 1 && ends.keeps.1 < used * target {
        steps += 1;
        let (low, high) = (ends.keeps.0 + 1, ends.fails.0 - 1);
        let guess = on_line(ends.last.map(place), target);
        let middle = if steps % 4 != 0 && guess >= low as f64 && guess <= high as f64 {
            guess
        } else {
            between(place(ends.keeps), place(ends.fails), target, steps)
        };
        let middle = whole(middle).clamp(low, high);
        ends.tell((middle, epsilon(middle)?), target);
    }
    Ok(ends)
}

fn place((rounds, epsilon): (u64, f64)) -> (f64, f64) {
    (rounds as f64, epsilon)
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
