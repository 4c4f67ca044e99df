//! The least noise that keeps a budget.

use crate::{Adjacency, Budget, Event, Filter, MechanismError, Norm, Sensitivity, Unit};

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
            (Unit::Rho, cap) => (ratios.iter().map(|r| (r / largest).powi(2)).sum::<f64>() / (2.0 * cap)).sqrt(),
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
