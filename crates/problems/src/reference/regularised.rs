//! Minima of regularised losses, each with a proof.

use ndarray::{Array1, Array2};

use super::scalar::{Jet, argument, conjugate, smoothed};
use crate::features::Row;
use crate::{Features, Loss, ProblemError, Regulariser};

/// A minimiser and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The minimiser, one coefficient per feature.
    pub beta: Array1<f64>,
    /// The objective there.
    pub objective: f64,
    /// Certificate: the objective is nowhere below `objective - gap`, by Fenchel duality. Nothing without a regulariser, which
    /// leaves no dual point to be found in floating point.
    pub gap: Option<f64>,
    /// The largest entry of the gradient in size, of the smooth function that was minimised last.
    pub gradient_norm: f64,
}

/// The last width of what is rounded off; the gap comes out a few times as large. Slopes of the hinge near its corner are
/// as exact as margins are in units of this, so it must not be too small; those of norms are bounded otherwise.
fn last_tau(loss: Loss) -> f64 {
    if matches!(loss, Loss::Hinge) { 1e-10 } else { 1e-12 }
}

/// What it is multiplied with from stage to stage.
const SHRINK: f64 = 0.2;
/// Newton steps of a stage, of which a handful are needed.
const MOST_STEPS: usize = 200;

/// Minimises `(1/N) sum_r l(x_r'b, y_r) + h(b)` over all `b`; `x`: `N` records x features, `y`: one target for each.
///
/// Newton's method with exact second derivatives. Corners, those of the hinge and of l1 norms, are rounded off by the logarithmic
/// barrier of the equivalent quadratic programme, less and less from stage to stage; the slopes at the end are a point of
/// the dual problem. `O(N f^2 + f^3)` for each of some hundred steps, `f` being the features of a row that are not zero.
///
/// # Errors
/// If there is no record or feature, rows and targets differ in number, a number is not finite, or the steps do not
/// converge: a separable logistic regression without regulariser has no minimiser.
pub fn regularised(loss: Loss, x: &Features, y: &[f64], regulariser: &Regulariser) -> Result<Minimum, ProblemError> {
    let problem = Problem::new(loss.checked()?, x, y, regulariser)?;
    let corners = matches!(loss, Loss::Hinge) || regulariser.lambda() > 0.0;
    let last = last_tau(loss);
    let mut tau = if corners { 1.0 } else { 0.0 };
    let mut beta = vec![0.0; x.dim()];
    loop {
        let gradient_norm = problem.newton(tau, &mut beta)?;
        if tau <= last {
            return problem.certified(tau, beta, gradient_norm);
        }
        tau = (tau * SHRINK).max(last);
    }
}

struct Problem<'a> {
    loss: Loss,
    x: &'a Features,
    y: &'a [f64],
    regulariser: &'a Regulariser,
    /// The coordinates of each group of the norm.
    groups: Vec<std::ops::Range<usize>>,
}

impl<'a> Problem<'a> {
    fn new(loss: Loss, x: &'a Features, y: &'a [f64], regulariser: &'a Regulariser) -> Result<Self, ProblemError> {
        let (records, dim) = (x.records(), x.dim());
        if records != y.len() {
            return Err(ProblemError::Targets { rows: records, targets: y.len() });
        }
        if records == 0 || dim == 0 {
            return Err(ProblemError::Empty { records, dim });
        }
        if let Some((record, &value)) = y.iter().enumerate().find(|(_, y)| !y.is_finite()) {
            return Err(ProblemError::NonFiniteTarget { record, value });
        }
        let sizes = regulariser.groups().map_or_else(|| vec![1; dim], <[usize]>::to_vec);
        if sizes.iter().sum::<usize>() != dim {
            return Err(ProblemError::Coefficients { got: sizes.iter().sum(), expected: dim });
        }
        let mut end = 0;
        let groups = sizes.iter().map(|size| {
            end += size;
            end - size..end
        });
        Ok(Self { loss, x, y, groups: groups.collect(), regulariser })
    }

    /// The smoothed loss of each record at `b`.
    fn jets(&self, tau: f64, b: &[f64]) -> impl Iterator<Item = (Row<'a>, f64, Jet)> {
        let (loss, x) = (self.loss, self.x);
        let predictions: Vec<f64> = (0..x.records()).map(|record| x.row(record).dot(b)).collect();
        self.y.iter().zip(predictions).enumerate().map(move |(record, (&y, p))| {
            let (factor, offset) = argument(loss, y);
            (x.row(record), factor, smoothed(loss, factor * p - offset, tau))
        })
    }

    /// The smoothed objective.
    fn value(&self, tau: f64, b: &[f64]) -> f64 {
        let losses: f64 = self.jets(tau, b).map(|(_, _, jet)| jet.value).sum();
        let squares: f64 = b.iter().map(|b| b * b).sum();
        let norms: f64 = self.groups.iter().map(|group| self.norm(tau, &b[group.clone()]).value).sum();
        losses / self.y.len() as f64 + 0.5 * self.regulariser.strong_convexity() * squares + norms
    }

    /// `lambda ||b||` as `min { lambda t - tau ln(t^2 - ||b||^2) }`: value, `lambda / t`, and the coefficient of `-b b'` in the
    /// second derivative `(lambda / t) I - c b b'`.
    fn norm(&self, tau: f64, b: &[f64]) -> Jet {
        let lambda = self.regulariser.lambda();
        if lambda <= 0.0 {
            return Jet { value: 0.0, slope: 0.0, curvature: 0.0 };
        }
        // Each group has its share of the barrier, so that many groups do not blur more than few.
        let tau = tau / self.groups.len() as f64;
        let norm = dido_geometry::norm(b);
        let root = tau.hypot(lambda * norm);
        let t = (tau + root) / lambda;
        // t^2 - norm^2 = 2 tau t / lambda.
        Jet {
            value: lambda * t - tau * (2.0 * tau * t / lambda).ln(),
            slope: lambda / t,
            curvature: lambda * lambda / (t * t * root),
        }
    }

    fn derivatives(&self, tau: f64, b: &[f64]) -> (Array1<f64>, Array2<f64>) {
        let dim = b.len();
        let share = 1.0 / self.y.len() as f64;
        let (mut gradient, mut hessian) = (Array1::zeros(dim), Array2::zeros((dim, dim)));
        for (row, factor, jet) in self.jets(tau, b) {
            row.for_each(|j, x| gradient[j] += share * jet.slope * factor * x);
            let curvature = share * jet.curvature * factor * factor;
            if curvature > 0.0 {
                row.for_each(|j, xj| row.up_to(j, |k, xk| hessian[[j, k]] += curvature * xj * xk));
            }
        }
        for j in 0..dim {
            for k in 0..j {
                hessian[[k, j]] = hessian[[j, k]];
            }
        }
        for (j, b) in b.iter().enumerate() {
            gradient[j] += self.regulariser.strong_convexity() * b;
            hessian[[j, j]] += self.regulariser.strong_convexity();
        }
        for group in &self.groups {
            let jet = self.norm(tau, &b[group.clone()]);
            for j in group.clone() {
                gradient[j] += jet.slope * b[j];
                hessian[[j, j]] += jet.slope;
                for k in group.clone() {
                    hessian[[j, k]] -= jet.curvature * b[j] * b[k];
                }
            }
        }
        (gradient, hessian)
    }

    /// The gradient at `b`, and what Newton's method takes off `b`.
    fn direction(&self, tau: f64, b: &[f64]) -> Result<(Array1<f64>, Array1<f64>), ProblemError> {
        let (gradient, mut hessian) = self.derivatives(tau, b);
        // A direction in which nothing curves must not stop the others.
        let largest = hessian.diag().iter().fold(f64::MIN_POSITIVE, |m: f64, h: &f64| m.max(*h));
        hessian.diag_mut().mapv_inplace(|h| h + 1e-15 * largest);
        let direction = dido_linalg::solve_positive_definite(hessian.view(), gradient.view())
            .map_err(|error| ProblemError::Reference(error.to_string()))?;
        Ok((gradient, direction))
    }

    /// Newton steps, damped until they are short, to the minimum of the smoothed objective; the size of the gradient there.
    fn newton(&self, tau: f64, b: &mut [f64]) -> Result<f64, ProblemError> {
        // A barrier of weight tau / N knows where it is when the decrement is small against that.
        let enough = 1e-3 * tau / (self.y.len().max(self.groups.len()) as f64);
        let (mut least, mut idle) = (f64::INFINITY, 0);
        for _ in 0..MOST_STEPS {
            let (gradient, direction) = self.direction(tau, b)?;
            let decrement = gradient.dot(&direction);
            let value = self.value(tau, b);
            // Rounding ends the descent where the decrement no longer falls.
            idle = if decrement < least { 0 } else { idle + 1 };
            least = least.min(decrement);
            if decrement <= enough.max(1e-20 * value.abs()) || idle == 5 {
                return Ok(gradient.iter().fold(0.0, |m: f64, g: &f64| m.max(g.abs())));
            }
            let moved = self.search(tau, b, direction.as_slice().unwrap_or_default(), decrement, value)?;
            b.copy_from_slice(&moved);
        }
        Err(ProblemError::Reference(format!("no minimum after {MOST_STEPS} Newton steps; there may be none")))
    }

    /// The point on the way along `-direction` at which the objective has fallen enough. Short steps change it by less than
    /// its rounding: then the slope along the way tells that the minimum has not been passed by far.
    fn search(
        &self,
        tau: f64,
        b: &[f64],
        direction: &[f64],
        decrement: f64,
        value: f64,
    ) -> Result<Vec<f64>, ProblemError> {
        let mut step = 1.0;
        while step > 1e-12 {
            let moved: Vec<f64> = b.iter().zip(direction).map(|(b, d)| b - step * d).collect();
            let fits = if decrement > 1e-9 * (1.0 + value.abs()) {
                self.value(tau, &moved) <= value - 0.25 * step * decrement
            } else {
                -self.slope_along(tau, &moved, direction) <= 0.5 * decrement
            };
            if fits {
                return Ok(moved);
            }
            step *= 0.5;
        }
        Err(ProblemError::Reference("no step improves the objective".into()))
    }

    /// The inner product of the gradient at `b` with `direction`.
    fn slope_along(&self, tau: f64, b: &[f64], direction: &[f64]) -> f64 {
        let losses: f64 = self.jets(tau, b).map(|(row, factor, jet)| jet.slope * factor * row.dot(direction)).sum();
        let squares: f64 = b.iter().zip(direction).map(|(b, d)| b * d).sum();
        let norms = self.groups.iter().map(|group| {
            let inner: f64 = b[group.clone()].iter().zip(&direction[group.clone()]).map(|(b, d)| b * d).sum();
            self.norm(tau, &b[group.clone()]).slope * inner
        });
        losses / self.y.len() as f64 + self.regulariser.strong_convexity() * squares + norms.sum::<f64>()
    }

    /// The objective itself at `beta`, and the dual one at the slopes that are there.
    ///
    /// Near a corner a slope is as exact as the margin in units of `tau`. So slopes are corrected by one more Newton step in
    /// which they move in proportion, not through a point that would be rounded.
    fn certified(&self, tau: f64, beta: Vec<f64>, gradient_norm: f64) -> Result<Minimum, ProblemError> {
        let records = self.y.len() as f64;
        let losses: f64 = (0..self.y.len()).map(|r| self.loss.value(self.x.row(r).dot(&beta), self.y[r])).sum();
        let objective = losses / records + self.regulariser.value(&beta);
        let (_, direction) = self.direction(tau, &beta)?;
        let direction = direction.to_vec();
        let (mut slopes, mut pull) = (Vec::with_capacity(self.y.len()), vec![0.0; beta.len()]);
        for (row, factor, jet) in self.jets(tau, &beta) {
            let moved = jet.slope - jet.curvature * factor * row.dot(&direction);
            let slope = if self.loss.is_classification() { moved.clamp(-1.0, 0.0) } else { jet.slope };
            row.for_each(|j, x| pull[j] -= slope * factor * x / records);
            slopes.push(slope);
        }
        let gap = self.dual(&slopes, &pull).map(|dual| objective - dual);
        Ok(Minimum { beta: beta.into(), objective, gap, gradient_norm })
    }

    /// The dual objective `-(1/N) sum_r l*(s_r) - h*(pull)`, with the slopes scaled down to where `h*` is finite.
    fn dual(&self, slopes: &[f64], pull: &[f64]) -> Option<f64> {
        let (lambda, mu) = (self.regulariser.lambda(), self.regulariser.strong_convexity());
        let norms = || self.groups.iter().map(|group| dido_geometry::norm(&pull[group.clone()]));
        let scale = match (lambda > 0.0, mu > 0.0) {
            (_, true) => 1.0,
            (true, false) => norms().fold(1.0, |scale: f64, norm| scale.min(lambda / norm)),
            (false, false) => return None,
        };
        let losses = slopes.iter().zip(self.y).map(|(slope, &y)| {
            let (_, offset) = argument(self.loss, y);
            conjugate(self.loss, scale * slope) + scale * slope * offset
        });
        let excess: f64 = norms().map(|norm| (scale * norm - lambda).max(0.0).powi(2)).sum();
        let regulariser = if mu > 0.0 { excess / (2.0 * mu) } else { 0.0 };
        Some(-losses.sum::<f64>() / self.y.len() as f64 - regulariser)
    }
}
