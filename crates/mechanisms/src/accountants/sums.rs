//! Sums of discrete Gaussian noise, as when each of many parties adds its own and only the sum is seen.
//!
//! Such a sum is close to discrete Gaussian noise, and is not. With `n` draws of parameter `sigma` (Kairouz, Liu,
//! Steinke,
//! *The distributed discrete Gaussian mechanism*, 2021, proposition 14):
//!
//! ```text
//! D_alpha <= alpha l2^2 / (2 n sigma^2) + tau dim,     tau = 10 sum_(k=1)^(n-1) exp(-2 pi^2 sigma^2 k/(k+1)).
//! ```
//!
//! Because the `k`-th convolution is, at each whole number, discrete Gaussian up to a factor that Poisson's summation
//! formula bounds by the `k`-th term; so at each point of the grid the logarithm of the ratio of the two laws is that
//! of the ideal ones but for `tau` per coordinate, and the sum is sub-Gaussian like its parts.

use crate::MechanismError;

/// `tau` for `count` draws of parameter `sigma`, in steps; 0 for a single one.
///
/// # Errors
/// If `sigma` is below 1/2, where the theorem says nothing, or not finite, or there is no draw.
pub fn tau_of_sum(sigma: f64, count: u64) -> Result<f64, MechanismError> {
    if !(sigma >= 0.5 && sigma.is_finite()) {
        return Err(MechanismError::Scale(sigma));
    }
    if count == 0 {
        return Err(MechanismError::EventField { field: "count", value: 0.0 });
    }
    let decay = 2.0 * (std::f64::consts::PI * sigma).powi(2);
    let term = |k: u64| (-decay * k as f64 / (k as f64 + 1.0)).exp();
    // From here on terms differ from their limit by less than rounding.
    let last = (count - 1).min(1 << 20);
    let rest = (count - 1 - last) as f64 * term(last + 1);
    Ok(10.0 * ((1..=last).map(term).sum::<f64>() + rest))
}

/// The rho of a vector of whole numbers to which `count` parties each add discrete Gaussian noise of parameter
/// `sigma`: for an [`Event::Zcdp`](crate::Event::Zcdp). `l2`: how far data can move the vector; `dim`: its
/// coordinates; all in steps. It is `l2^2 / (2 n sigma^2) + tau dim`, since no order is below 1.
///
/// # Errors
/// As [`tau_of_sum`]; if `l2` is negative or not finite.
pub fn rho_of_sum(l2: f64, dim: usize, sigma: f64, count: u64) -> Result<f64, MechanismError> {
    if !(l2 >= 0.0 && l2.is_finite()) {
        return Err(MechanismError::Sensitivity(l2));
    }
    let tau = tau_of_sum(sigma, count)?;
    let ideal = (l2 / sigma).powi(2) / (2.0 * count as f64);
    // A product, a quotient, a square and a sum: each may be rounded down by half a unit in the last place.
    Ok((ideal + tau * dim as f64) * (1.0 + 8.0 * f64::EPSILON))
}
