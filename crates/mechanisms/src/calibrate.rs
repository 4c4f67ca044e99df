//! The least noise that keeps a budget.

use crate::accountants::{Accountant, mu_of_epsilon};
use crate::{Adjacency, Budget, Event, Filter, Ledger, MechanismError, Norm, Sensitivity, Unit};

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
    let epsilon = |multiplier: f64| Ok(accountant.bound(&ledger(multiplier), budget.delta())?.epsilon);
    // Bracketed from the side of much noise, where accountants are quick.
    let (mut fails, mut keeps) = (0.0, 1.0_f64);
    while epsilon(keeps)? > budget.epsilon() {
        fails = keeps;
        keeps *= 2.0;
        if keeps > LARGEST {
            return Err(MechanismError::Calibration { low: 1.0, high: LARGEST });
        }
    }
    while fails <= 0.0 {
        let half = 0.5 * keeps;
        if half < 1.0 / LARGEST {
            return Ok(keeps);
        }
        if epsilon(half)? > budget.epsilon() { fails = half } else { keeps = half }
    }
    while keeps - fails > 1e-6 * keeps {
        let middle = 0.5 * (fails + keeps);
        let found = epsilon(middle)?;
        if found > budget.epsilon() {
            fails = middle;
        } else {
            keeps = middle;
            if found >= 0.9999 * budget.epsilon() {
                break;
            }
        }
    }
    Ok(keeps)
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
    let keeps = |rounds: u64| -> Result<bool, MechanismError> {
        Ok(accountant.bound(&ledger(rounds), budget.delta())?.epsilon <= budget.epsilon())
    };
    let (mut most, mut fails) = (0, 1);
    while keeps(fails)? {
        most = fails;
        fails *= 2;
        if fails > 1 << 40 {
            return Ok(most);
        }
    }
    while fails - most > 1 {
        let middle = most + (fails - most) / 2;
        if keeps(middle)? { most = middle } else { fails = middle }
    }
    Ok(most)
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
