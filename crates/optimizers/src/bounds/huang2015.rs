//! Paper C, Huang, Mitra, Vaidya (arXiv 1401.2596): schedules, privacy and accuracy, as published and as they are.
//!
//! Steps `gamma_t = c q^(t-1)` and noise scales `M(t)` that decay as `p^t`, `0 < q < p < 1`; gradients no longer than `C`, in
//! `dim` coordinates, on `nodes` nodes.

use crate::{OptimizerError, Schedule};

/// The geometric schedules of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedules {
    /// `c`, the first step.
    pub c: f64,
    /// `q`, the decay of the steps.
    pub q: f64,
    /// `p`, the decay of the noise.
    pub p: f64,
    /// `C`, a bound on the Euclidean norm of every gradient (the paper's `C_2`).
    pub gradient: f64,
    /// Coordinates of a point, the paper's `n`.
    pub dim: usize,
    /// The epsilon that is aimed at.
    pub epsilon: f64,
}

impl Schedules {
    /// The same schedules, if they are the paper's.
    ///
    /// # Errors
    /// If not `0 < q < p < 1`, or a constant is not finite and positive.
    pub fn checked(self) -> Result<Self, OptimizerError> {
        let bad = |name, value| Err(OptimizerError::ScheduleParameter { name, value });
        for (name, value) in [("c", self.c), ("gradient", self.gradient), ("epsilon", self.epsilon)] {
            if !(value.is_finite() && value > 0.0) {
                return bad(name, value);
            }
        }
        match self {
            Self { q, .. } if !(q > 0.0 && q < 1.0) => bad("q", q),
            Self { q, p, .. } if !(p > q && p < 1.0) => bad("p", p),
            Self { dim: 0, .. } => bad("dim", 0.0),
            schedules => Ok(schedules),
        }
    }

    /// `K = 2 C sqrt(dim) c / (epsilon (p - q))`.
    pub fn k(&self) -> f64 {
        2.0 * self.gradient * (self.dim as f64).sqrt() * self.c / (self.epsilon * (self.p - self.q))
    }

    /// `gamma_t`, number `t - 1` of the schedule.
    pub fn step(&self) -> Schedule {
        Schedule::geometric(self.c, self.q)
    }

    /// `M(t) = K p^(t-1)`, which costs [`epsilon`](Self::epsilon) as it should. Number `t - 1` of the schedule hides `x(t-1)`.
    pub fn noise(&self) -> Schedule {
        Schedule::geometric(self.k(), self.p)
    }

    /// `M(t) = K p^t`, as published.
    pub fn published_noise(&self) -> Schedule {
        Schedule::geometric(self.k() * self.p, self.p)
    }

    /// What the published noise costs over infinitely many rounds, under pure differential privacy: `epsilon / p`, not
    /// `epsilon`, since `x(t)` is exposed under `M(t+1)`.
    pub fn published_noise_epsilon(&self) -> f64 {
        self.epsilon / self.p
    }

    /// The zCDP parameter of infinitely many rounds with the corrected noise, `epsilon^2 (p - q) / (2 dim (p + q))`; of the
    /// published noise, `1 / p^2` times that. Laplace noise pays for the L2 sensitivity only, which has no `sqrt(dim)`.
    pub fn rho(&self) -> f64 {
        self.epsilon * self.epsilon * (self.p - self.q) / (2.0 * self.dim as f64 * (self.p + self.q))
    }

    /// The variance `2 dim (M(2)^2 + M(3)^2 + ...)` of all noise of one node with the corrected schedule.
    pub fn total_variance(&self) -> f64 {
        let second = self.k() * self.p;
        2.0 * self.dim as f64 * second * second / (1.0 - self.p * self.p)
    }
}

/// The decay of the noise that adds least of it at a fixed pure epsilon: `q^(1/3)`.
pub fn optimal_pure_decay(q: f64) -> f64 {
    q.cbrt()
}

/// The same at a fixed zCDP budget: `q^(1/2)`.
pub fn optimal_zcdp_decay(q: f64) -> f64 {
    q.sqrt()
}

/// The mean over the nodes of quadratics `f_i = (h/2) ||x - v_i||^2`, without a set: `E ||xbar(T) - x*||^2` exactly, for any
/// doubly stochastic weights.
///
/// `start`: the squared distance of `xbar(0)` from the optimum; `steps`: `gamma_1 ... gamma_T`; `noise`: the scales of the
/// noise in `y(2) ... y(T)`, that is, all that enters `x(T)`. With `pi_s` the product of `1 - h gamma_r` over `r >= s` it is
/// `pi_1^2 start + (2 dim / nodes) sum_s M_s^2 pi_s^2`.
///
/// # Panics
/// If there is not one scale less than steps.
pub fn exact_mean_square(curvature: f64, start: f64, steps: &[f64], noise: &[f64], dim: usize, nodes: usize) -> f64 {
    assert_eq!(noise.len() + 1, steps.len(), "each step but the first takes in fresh noise");
    let shrink = |gamma: f64| 1.0 - curvature * gamma;
    let (mut product, mut sum) = (1.0, 0.0);
    for (gamma, scale) in steps[1..].iter().zip(noise).rev() {
        product *= shrink(*gamma);
        sum += (scale * product).powi(2);
    }
    product *= shrink(steps[0]);
    product * product * start + 2.0 * dim as f64 / nodes as f64 * sum
}

/// What the error recursion needs to know of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// Coordinates of a point.
    pub dim: usize,
    /// Number of nodes, `N`.
    pub nodes: usize,
    /// The strong convexity of the sum of all objectives, `mu_F`.
    pub strong_convexity: f64,
    /// The largest Lipschitz constant of a node's gradient, `L`.
    pub smoothness: f64,
    /// A bound on the gradients, `C`.
    pub gradient: f64,
    /// The diameter of the set.
    pub diameter: f64,
    /// The second largest singular value of the mixing weights. A larger value is as valid, and at least 1e-4 is taken, so
    /// that rounding is not divided by it.
    pub lambda: f64,
    /// The squared Frobenius norm of the mixing weights.
    pub frobenius_squared: f64,
}

impl Problem {
    /// The largest step for which [`next`](Self::next) holds.
    pub fn largest_step(&self) -> f64 {
        let (mu, lambda2) = (self.strong_convexity / self.nodes as f64, self.lambda_squared());
        (1.0 - lambda2) / (2.0 * (mu + lambda2 * self.smoothness * self.smoothness / mu))
    }

    /// A bound on `V(t) = E sum_i ||x_i(t) - x*||^2` from one on `V(t-1)`, for the corrected algorithm with step `gamma` and
    /// noise of scale `scale` in `y(t)`:
    ///
    /// `(1 - gamma mu_F / N) V + gamma^2 N C^2 (1 + lambda^2) / (1 - lambda^2) + 2 dim S scale^2`,
    /// `S = 1 + (||W||_F^2 - 1) / lambda^2`, and never more than `N` times the squared diameter.
    ///
    /// Derived here; the paper's own constants could not be recovered.
    pub fn next(&self, v: f64, gamma: f64, scale: f64) -> f64 {
        let (nodes, lambda2) = (self.nodes as f64, self.lambda_squared());
        let most = nodes * self.diameter * self.diameter;
        if gamma > self.largest_step() {
            return most;
        }
        let spread = 1.0 + (self.frobenius_squared - 1.0).max(0.0) / lambda2;
        let step = gamma * gamma * nodes * self.gradient * self.gradient * (1.0 + lambda2) / (1.0 - lambda2);
        let noise = 2.0 * self.dim as f64 * spread * scale * scale;
        ((1.0 - gamma * self.strong_convexity / nodes) * v + step + noise).min(most)
    }

    /// The closed form that the recursion gives after `rounds` rounds of the corrected schedules, from
    /// `start = sum_i ||x_i(0) - x*||^2`: a bound on `E ||xbar - x*||^2`, the accuracy `d` of the paper with its constants.
    ///
    /// ```text
    /// exp(-c mu_F (1 - q^T) / (N (1 - q))) start / N + C^2 c^2 (1 + lambda^2) / ((1 - lambda^2) (1 - q^2))
    ///   + 8 dim^2 C^2 c^2 p^2 / (epsilon^2 (p - q)^2 (1 - p^2))
    /// ```
    ///
    /// The last term is the published `O(1/epsilon^2)`; the first two stay as epsilon grows. For a first step above
    /// [`largest_step`](Self::largest_step), the squared diameter.
    pub fn accuracy(&self, schedules: &Schedules, start: f64, rounds: u32) -> f64 {
        let (nodes, lambda2) = (self.nodes as f64, self.lambda_squared());
        let most = self.diameter * self.diameter;
        if schedules.c > self.largest_step() {
            return most;
        }
        let steps = schedules.c * (1.0 - schedules.q.powf(f64::from(rounds))) / (1.0 - schedules.q);
        let forgotten = (-steps * self.strong_convexity / nodes).exp() * start / nodes;
        let disagreement = (self.gradient * schedules.c).powi(2) * (1.0 + lambda2)
            / ((1.0 - lambda2) * (1.0 - schedules.q * schedules.q));
        (forgotten + disagreement + schedules.total_variance()).min(most)
    }

    fn lambda_squared(&self) -> f64 {
        self.lambda.max(1e-4).powi(2)
    }
}

/// A bound on `|Phi_ij - 1/N|` for the product `Phi` of the weights of `rounds` rounds, each doubly stochastic on a connected graph
/// of `nodes` nodes with positive entries of at least `eta`: `(1 - eta / (4 N^2))^rounds`.
///
/// The paper quotes this rate with a factor `(1 - eta / (4 N^2))^-2`, which is not needed where every round is connected. With one
/// matrix in all rounds, `lambda^rounds` is sharper.
pub fn mixing_bound(nodes: usize, eta: f64, rounds: u32) -> f64 {
    (1.0 - eta / (4.0 * (nodes as f64).powi(2))).powf(f64::from(rounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedules(p: f64) -> Schedules {
        Schedules { c: 0.5, q: 0.6, p, gradient: 3.0, dim: 10, epsilon: 1.0 }.checked().unwrap()
    }

    #[test]
    fn parameters_outside_the_paper_are_refused() {
        let good = schedules(0.9);
        for bad in [
            Schedules { q: 0.0, ..good },
            Schedules { q: 0.95, ..good },
            Schedules { p: 1.0, ..good },
            Schedules { c: f64::NAN, ..good },
            Schedules { epsilon: 0.0, ..good },
            Schedules { gradient: -1.0, ..good },
            Schedules { dim: 0, ..good },
        ] {
            assert!(bad.checked().is_err(), "{bad:?}");
        }
    }
}
