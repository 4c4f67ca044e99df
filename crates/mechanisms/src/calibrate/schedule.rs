//! Whole schedules of noise: how to share one budget among releases of different sensitivities.
//!
//! Releases with sensitivities `D_t` and noise of scale (or standard deviation) `b_t` have a total variance
//! proportional to `sum b_t^2`. It is least, for a given total privacy loss, where its gradient is a multiple of that of
//! the loss; both are convex in `b > 0`, so that this one point is the minimum:
//!
//! ```text
//! pure:           sum D_t / b_t = E         2 b_t ~ D_t / b_t^2      b_t = D_t^(1/3) sum_r D_r^(2/3) / E
//! zCDP and GDP:   sum D_t^2 / b_t^2 = M     2 b_t ~ 2 D_t^2 / b_t^3    b_t = D_t^(1/2) sqrt(sum_r D_r / M)
//! ```
//!
//! with `M = 2 rho` for zCDP, `mu^2` for Gaussian differential privacy. Noise that has to be as large as that of the worst
//! release in all of them, or a share of the budget for each, is never less.

use super::laplace_multiplier;
use crate::accountants::mu_of_epsilon;
use crate::{Budget, MechanismError};

/// What adds up over the releases, and so how the noise is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Epsilons: scales proportional to `sensitivity^(1/3)`.
    Pure,
    /// Rho, or the square of mu: scales proportional to `sensitivity^(1/2)`.
    Concentrated,
}

impl Allocation {
    /// Scales of least total variance, up to a common factor: `sensitivity^(1/3)` or `^(1/2)`.
    ///
    /// # Errors
    /// If a sensitivity is negative or not finite.
    pub fn relative_scales(self, sensitivities: &[f64]) -> Result<Vec<f64>, MechanismError> {
        let scale = |&sensitivity: &f64| match (sensitivity.is_finite() && sensitivity >= 0.0, self) {
            (false, _) => Err(MechanismError::Sensitivity(sensitivity)),
            (true, Self::Pure) => Ok(sensitivity.cbrt()),
            (true, Self::Concentrated) => Ok(sensitivity.sqrt()),
        };
        sensitivities.iter().map(scale).collect()
    }
}

/// The scales of Laplace noise of least total variance with which all releases together pass a [`Filter`](crate::Filter) with
/// this budget: [`Allocation::Pure`] for delta 0, otherwise [`Allocation::Concentrated`] by zCDP.
///
/// `sensitivities`: of each release, in L2, in the units of the value, as are the scales; `dim`: coordinates of a release. L1
/// sensitivities are those of one coordinate: give `dim` 1. A release that cannot move needs no noise: scale 0.
///
/// # Errors
/// If a sensitivity is negative or not finite, `dim` is 0, or no finite scale is enough.
pub fn laplace_schedule(sensitivities: &[f64], dim: usize, budget: Budget) -> Result<Vec<f64>, MechanismError> {
    let allocation = if budget.delta() > 0.0 { Allocation::Concentrated } else { Allocation::Pure };
    let scales = allocation.relative_scales(sensitivities)?;
    let ratio = |(d, b): (&f64, &f64)| if *d > 0.0 { d / b } else { 0.0 };
    let ratios: Vec<f64> = sensitivities.iter().zip(&scales).map(ratio).collect();
    let multiplier = laplace_multiplier(&ratios, dim, budget)?;
    // The product is rounded up, so that its rounding takes nothing off the noise.
    scales.into_iter().map(|b| finite(if b > 0.0 { (b * multiplier).next_up() } else { 0.0 })).collect()
}

/// The standard deviations of Gaussian noise of least total variance with which all releases together are `(epsilon,
/// delta)`-private: [`Allocation::Concentrated`], exact by Gaussian differential privacy and rounded up.
///
/// `sensitivities`: of each release, in L2, in the units of the value, as are the results.
///
/// # Errors
/// If a sensitivity is negative or not finite, the budget has no delta, or no finite noise is enough.
pub fn gaussian_schedule(sensitivities: &[f64], budget: Budget) -> Result<Vec<f64>, MechanismError> {
    let mu = mu_of_epsilon(budget.epsilon(), budget.delta())?;
    let sigmas = Allocation::Concentrated.relative_scales(sensitivities)?;
    // What the sum of the squared distances can be wrong by, and the roots.
    let margin = 4.0 * (sensitivities.len() as f64 + 8.0) * f64::EPSILON;
    let factor = sensitivities.iter().sum::<f64>().sqrt() / mu * (1.0 + margin);
    sigmas.into_iter().map(|sigma| finite(sigma * factor)).collect()
}

fn finite(scale: f64) -> Result<f64, MechanismError> {
    if scale.is_finite() { Ok(scale) } else { Err(MechanismError::Scale(scale)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountants::{Accountant, Gdp, Pure, Zcdp};
    use crate::{Adjacency, Adversary, Entry, Event, Ledger, Norm, Sensitivity};

    const SENSITIVITIES: [f64; 5] = [1.0, 0.3, 4.0, 0.01, 0.3];

    fn variance(scales: &[f64]) -> f64 {
        scales.iter().map(|b| b * b).sum()
    }

    fn ledger(scales: &[f64], event: impl Fn(Sensitivity, f64) -> Event) -> Ledger {
        let mut ledger = Ledger::new(Adjacency::ReplaceRecord, Adversary::AllMessages, &[0]);
        ledger.classes[0].entries = SENSITIVITIES
            .iter()
            .zip(scales)
            .map(|(&value, &scale)| {
                let sensitivity = Sensitivity::new(value, Norm::L2, Adjacency::ReplaceRecord).unwrap();
                Entry { first: 0, last: 0, releases: 1, event: event(sensitivity, scale) }
            })
            .collect();
        ledger
    }

    /// Descends on the shares of the budget, one pair of releases after the other: no use is made of the closed form.
    /// A release with share `w` of the total has `b = scale(D, w)`.
    fn least_variance(scale: impl Fn(f64, f64) -> f64) -> f64 {
        let mut shares = [0.2; SENSITIVITIES.len()];
        for _ in 0..200 {
            for i in 0..shares.len() {
                for j in 0..i {
                    let both = shares[i] + shares[j];
                    let at = |w: f64| scale(SENSITIVITIES[i], w).powi(2) + scale(SENSITIVITIES[j], both - w).powi(2);
                    let (mut low, mut high) = (0.0, both);
                    for _ in 0..100 {
                        let (left, right) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
                        if at(left) < at(right) { high = right } else { low = left }
                    }
                    (shares[i], shares[j]) = (low, both - low);
                }
            }
        }
        SENSITIVITIES.iter().zip(shares).map(|(&d, w)| scale(d, w).powi(2)).sum()
    }

    #[test]
    fn no_other_share_of_a_pure_budget_has_less_variance() {
        let budget = Budget::new(0.7, 0.0).unwrap();
        for dim in [1_usize, 9] {
            let scales = laplace_schedule(&SENSITIVITIES, dim, budget).unwrap();
            let run = ledger(&scales, |sensitivity, scale| Event::Laplace { sensitivity, dim, scale });
            let spent = Pure.bound(&run, 0.0).unwrap().epsilon;
            assert!(spent <= 0.7 && spent > 0.7 * (1.0 - 1e-12), "{spent}");
            let least = least_variance(|d, w| (dim as f64).sqrt() * d / (0.7 * w));
            assert!((variance(&scales) / least - 1.0).abs() < 1e-9, "{} {least}", variance(&scales));
        }
    }

    #[test]
    fn no_other_share_of_rho_or_mu_has_less_variance() {
        let budget = Budget::new(0.7, 1e-6).unwrap();
        let (rho, mu) = (crate::accountants::rho_of_epsilon(0.7, 1e-6).unwrap(), mu_of_epsilon(0.7, 1e-6).unwrap());
        let laplace = laplace_schedule(&SENSITIVITIES, 3, budget).unwrap();
        let run = ledger(&laplace, |sensitivity, scale| Event::Laplace { sensitivity, dim: 3, scale });
        let by_rho = Zcdp::default().bound(&run, 1e-6).unwrap().epsilon;
        let least = least_variance(|d, w| d / (2.0 * rho * w).sqrt());
        assert!((variance(&laplace) / least - 1.0).abs() < 1e-9, "{} {least}", variance(&laplace));
        let gaussian = gaussian_schedule(&SENSITIVITIES, budget).unwrap();
        let run = ledger(&gaussian, |sensitivity, sigma| Event::Gaussian { sensitivity, sigma });
        let by_mu = Gdp.bound(&run, 1e-6).unwrap().epsilon;
        let least = least_variance(|d, w| d / (mu * mu * w).sqrt());
        assert!((variance(&gaussian) / least - 1.0).abs() < 1e-9, "{} {least}", variance(&gaussian));
        for spent in [by_rho, by_mu] {
            assert!(spent <= 0.7 * (1.0 + 1e-11) && spent > 0.7 * (1.0 - 1e-9), "{spent}");
        }
        assert!(by_rho <= 0.7, "{by_rho}");
    }

    #[test]
    fn releases_that_cannot_move_cost_nothing_and_bad_ones_are_refused() {
        let pure = Budget::new(1.0, 0.0).unwrap();
        let scales = laplace_schedule(&[0.0, 2.0], 1, pure).unwrap();
        assert!(scales[0] <= 0.0 && scales[1] >= 2.0 && scales[1] < 2.0 + 1e-12);
        let approximate = Budget::new(1.0, 1e-5).unwrap();
        assert!(gaussian_schedule(&[], approximate).unwrap().is_empty());
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(laplace_schedule(&[1.0, bad], 1, pure), Err(MechanismError::Sensitivity(_))));
            assert!(matches!(gaussian_schedule(&[bad], approximate), Err(MechanismError::Sensitivity(_))));
        }
        assert!(matches!(gaussian_schedule(&[f64::MAX, f64::MAX], approximate), Err(MechanismError::Scale(_))));
        assert!(matches!(laplace_schedule(&[1.0], 0, pure), Err(MechanismError::NoCoordinates)));
        assert!(matches!(gaussian_schedule(&[1.0], pure), Err(MechanismError::Delta(_))));
    }
}
