//! Objective perturbation: a random linear term in what is minimised, and the minimiser is released.
//!
//! One party minimises `F(b) = f(b) + (mu / 2) ||b||^2 + <nu, b>` over all `b`, with `nu` Gaussian of standard deviation `sigma`
//! in each coordinate, drawn once and kept secret. `f` is a sum over records of convex functions of one linear prediction each,
//! whose gradients are at most `slope` long and whose second derivatives at most `curvature`. What is released of the minimiser is
//! `b + output noise`, where `b` was found to a `tolerance`.
//!
//! # Privacy
//! One record replaced, the number of records public. For every `epsilon >= 0` the exact minimiser is `(epsilon, delta)`-private
//! with, for `m = 2 slope / sigma` and `a = ln(1 + curvature / mu)`,
//!
//! ```text
//! delta = m exp(-r^2 / 2) mills(r + m)                          where epsilon = a + m^2 / 2 + m r, r >= 0
//! delta = 1 - exp(epsilon - a - m^2 / 2) (1 - m mills(m))       where epsilon < a + m^2 / 2
//! ```
//!
//! and Mills' ratio `mills(z) = P(N > z) / density(z)`. The regulariser has to outweigh one record: `epsilon` is never below
//! what is left of `a`.
//!
//! Proof. `F` is strongly convex, so the minimiser `b` and `nu = -grad f(b) - mu b` determine each other, with a map that is
//! bi-Lipschitz: the density of `b` is that of `nu` times the determinant of the second derivative `H(b)`. Let `b` be drawn with the
//! one data set. Its privacy loss is `ln det H - ln det H' + (||nu'||^2 - ||nu||^2) / 2 sigma^2`.
//! * The two `H` differ by two matrices of rank one, `c x x'` and `c' z z'` with `c ||x||^2, c' ||z||^2 <= curvature`, on top of a
//!   common `M >= mu I`; the ratio of the determinants is `(1 + c x'M^-1 x) / (1 + c' z'M^-1 z)`, so its logarithm is at most `a`.
//! * `nu' = nu + v` with `v = grad f(b) - grad f'(b)`, which depends on `nu`, but lies in the plane of `x` and `z`, which does not, and
//!   is at most `2 slope` long. So the second part is at most `m chi + m^2 / 2`, where `sigma chi` is the length of the projection of
//!   `nu` on that plane: `chi` has the distribution of Rayleigh (or is smaller, if the plane is a line).
//!
//! Hence `delta <= E[(1 - exp(epsilon - a - m^2 / 2 - m chi))_+]`, which integrates to the above. That the loss is not Gaussian,
//! since `v` depends on `nu`, is what Kifer, Smith and Thakurta (COLT 2012) and Redberg, Koskela and Wang (2023) point out.
//!
//! The solver is inexact, and its error may depend on the data. Given the exact minimiser, `nu` is known for either data set, so
//! the error is a function of minimiser and data, at most `tolerance` long, rounding included; releasing it with Gaussian noise has sensitivity
//! `2 tolerance`. What leaves is the sum of the two releases: post-processing of their composition (Iyengar et al., S&P 2019).
//!
//! # References
//! Chaudhuri, Monteleoni, Sarwate, JMLR 12, 2011, algorithm 2; Kifer, Smith, Thakurta, COLT 2012.

use crate::accountants::epsilon_of_mu;
use crate::normal::{mills, mills_fall};
use crate::{Adjacency, Event, Gaussian, MechanismError, Sensitivity};

/// The facts of a release by objective perturbation, of one party.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectivePerturbation {
    /// The standard deviation of the random linear term, in each coordinate.
    pub sigma: f64,
    /// A bound on the length of the gradient that one record contributes.
    pub slope: f64,
    /// A bound on the second derivative that one record contributes.
    pub curvature: f64,
    /// The strong convexity of the regulariser.
    pub mu: f64,
    /// The delta at which the release is written down.
    pub delta: f64,
}

/// What part of delta is kept for the error of the solver.
const OF_SOLVER: f64 = 0.01;
/// The noise in the output, in units of the sensitivity of that error: it costs next to nothing then.
const OUTPUT: f64 = 1e4;

impl ObjectivePerturbation {
    /// The noise in the output that goes with a tolerance of the solver.
    ///
    /// # Errors
    /// If the tolerance is not finite and positive.
    pub fn output(tolerance: f64) -> Result<Gaussian, MechanismError> {
        Gaussian::new(2.0 * OUTPUT * tolerance)
    }

    /// The tolerance that goes with a noise of this deviation in the output.
    pub fn tolerance(output: f64) -> f64 {
        output / (2.0 * OUTPUT)
    }

    /// The least `epsilon` at which the exact minimiser is `(epsilon, delta)`-private by the bound above.
    ///
    /// # Errors
    /// If a fact is not finite and positive, or `delta` not in `(0, 1)`.
    pub fn epsilon(&self, delta: f64) -> Result<f64, MechanismError> {
        let facts = [("sigma", self.sigma), ("slope", self.slope), ("curvature", self.curvature), ("mu", self.mu)];
        for (name, value) in facts {
            if !(value > 0.0 && value.is_finite()) {
                return Err(MechanismError::Bound { name, value });
            }
        }
        if !(delta > 0.0 && delta < 1.0) {
            return Err(MechanismError::Bound { name: "delta", value: delta });
        }
        let m = 2.0 * self.slope / self.sigma;
        let corner = (self.curvature / self.mu).ln_1p() + 0.5 * m * m;
        let beyond = |r: f64| m * (-0.5 * r * r).exp() * mills(r + m);
        if beyond(0.0) <= delta {
            return Ok((corner + (-delta).ln_1p() - mills_fall(m).ln()).max(0.0));
        }
        // It falls from above delta at 0 to below it: exp(-r^2 / 2) alone is delta here.
        let (mut low, mut high) = (0.0, (-2.0 * delta.ln()).sqrt());
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if beyond(middle) > delta { low = middle } else { high = middle }
        }
        Ok(corner + m * high)
    }

    /// The release of the inexact minimiser, whose error has the sensitivity `error`, with Gaussian noise in the output.
    ///
    /// # Errors
    /// As [`epsilon`](Self::epsilon). If anything but a record is replaced.
    pub fn event(&self, error: Sensitivity, output: Gaussian) -> Result<Event, MechanismError> {
        let (Self { delta, .. }, adjacency) = (self, error.adjacency);
        if adjacency != Adjacency::ReplaceRecord {
            return Err(MechanismError::Adjacency { expected: Adjacency::ReplaceRecord, found: adjacency });
        }
        let exact = self.epsilon((1.0 - OF_SOLVER) * delta)?;
        let of_error = epsilon_of_mu((error.l2() / output.sigma()).next_up(), OF_SOLVER * delta)?;
        Ok(Event::Approximate { epsilon: exact + of_error, delta: *delta, adjacency })
    }

    /// The least noise, to a relative 1e-9, with which one release with the [output](Self::output) of its tolerance keeps
    /// `(epsilon, self.delta)`; what `sigma` is does not matter.
    ///
    /// # Errors
    /// As [`epsilon`](Self::epsilon). If no noise does: then one record outweighs the regulariser.
    pub fn least_sigma(self, epsilon: f64) -> Result<f64, MechanismError> {
        let left = epsilon - epsilon_of_mu((1.0 / OUTPUT).next_up(), OF_SOLVER * self.delta)?;
        let found = |sigma: f64| (Self { sigma, ..self }).epsilon((1.0 - OF_SOLVER) * self.delta);
        let (mut low, mut high) = (1e-6 * self.slope, 1e12 * self.slope);
        if left.is_nan() || found(high)? > left {
            return Err(MechanismError::Outweighed { curvature: self.curvature, mu: self.mu, epsilon });
        }
        while high > low * (1.0 + 1e-9) {
            let middle = (low * high).sqrt();
            if found(middle)? > left { low = middle } else { high = middle }
        }
        Ok(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Norm;

    const FACTS: ObjectivePerturbation =
        ObjectivePerturbation { sigma: 2.0, slope: 0.7, curvature: 0.3, mu: 0.6, delta: 1e-5 };

    /// `E[(1 - exp(epsilon - loss))_+]` for the loss `a + m^2 / 2 + m chi`, by the midpoint rule on Rayleigh's density.
    fn delta(facts: ObjectivePerturbation, epsilon: f64) -> f64 {
        let (m, steps, end) = (2.0 * facts.slope / facts.sigma, 400_000, 40.0);
        let width = end / f64::from(steps);
        (0..steps)
            .map(|k| {
                let chi = (f64::from(k) + 0.5) * width;
                let loss = (1.0 + facts.curvature / facts.mu).ln() + m * m / 2.0 + m * chi;
                width * chi * (-chi * chi / 2.0).exp() * (1.0 - (epsilon - loss).exp()).max(0.0)
            })
            .sum()
    }

    #[test]
    fn the_closed_form_is_the_integral() {
        for sigma in [0.3, 1.0, 2.0, 20.0] {
            let facts = ObjectivePerturbation { sigma, ..FACTS };
            for epsilon in [0.41, 0.6, 1.0, 3.0, 12.0] {
                let delta = delta(facts, epsilon);
                if delta > 1e-12 && delta < 0.99 {
                    let found = facts.epsilon(delta).unwrap();
                    assert!((found - epsilon).abs() < 1e-6, "{sigma}, {epsilon}: {found} at {delta}");
                }
            }
        }
    }

    /// One coordinate can be integrated: the true privacy profile of Huber's loss, on two targets so far out that the slopes are
    /// opposite and full, is below the bound and not far from it.
    #[test]
    fn the_true_profile_is_below_the_bound() {
        let (mu, sigma, width, target) = (3.0, 1.0, 0.5, 4.0);
        let facts = ObjectivePerturbation { sigma, slope: width, curvature: 1.0, mu, delta: 1e-5 };
        let density = |b: f64, y: f64| {
            let slope = (b - y).clamp(-width, width);
            let curvature = mu + if (b - y).abs() < width { 1.0 } else { 0.0 };
            let nu = -slope - mu * b;
            (-0.5 * (nu / sigma).powi(2)).exp() / (sigma * (2.0 * std::f64::consts::PI).sqrt()) * curvature
        };
        let (steps, step) = (200_000, 40.0 / 200_000.0);
        let points = || (0..steps).map(|k| -20.0 + (f64::from(k) + 0.5) * step);
        let total: f64 = points().map(|b| step * density(b, target)).sum();
        assert!((total - 1.0).abs() < 1e-6, "it is a density: {total}");
        for epsilon in [0.5_f64, 1.0, 2.0, 3.0] {
            let above = |b| (density(b, target) - epsilon.exp() * density(b, -target)).max(0.0);
            let profile: f64 = points().map(|b| step * above(b)).sum();
            let bound = delta(facts, epsilon);
            assert!(profile <= bound && profile > 0.03 * bound, "{epsilon}: {profile} of {bound}");
        }
    }

    #[test]
    fn the_least_noise_keeps_the_budget_and_no_less_does() {
        for (epsilon, delta) in [(1.0, 1e-5), (0.5, 1e-8), (6.0, 1e-3)] {
            let facts = ObjectivePerturbation { delta, ..FACTS };
            let sigma = facts.least_sigma(epsilon).unwrap();
            let error = Sensitivity::new(2e-9, Norm::L2, Adjacency::ReplaceRecord).unwrap();
            let output = ObjectivePerturbation::output(1e-9).unwrap();
            let of = |sigma| match (ObjectivePerturbation { sigma, ..facts }).event(error, output) {
                Ok(Event::Approximate { epsilon, delta: found, .. }) if found.total_cmp(&delta).is_eq() => epsilon,
                other => panic!("{other:?}"),
            };
            assert!(of(sigma) <= epsilon * (1.0 + 1e-12) && of(0.999 * sigma) > epsilon);
        }
        // ln(1 + 0.3 / 0.6) = 0.405: no noise brings it below.
        assert!(matches!(FACTS.least_sigma(0.4), Err(MechanismError::Outweighed { .. })));
        assert!(FACTS.least_sigma(f64::NAN).is_err());
    }

    #[test]
    fn what_is_not_proved_is_refused() {
        let output = ObjectivePerturbation::output(1e-9).unwrap();
        for adjacency in [Adjacency::ReplaceNode, Adjacency::AddRemoveRecord] {
            assert!(FACTS.event(Sensitivity::new(1e-9, Norm::L2, adjacency).unwrap(), output).is_err());
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ObjectivePerturbation { sigma: bad, ..FACTS }.epsilon(1e-5).is_err());
            assert!(ObjectivePerturbation { mu: bad, ..FACTS }.epsilon(1e-5).is_err());
            assert!(FACTS.epsilon(bad).is_err());
        }
    }
}
