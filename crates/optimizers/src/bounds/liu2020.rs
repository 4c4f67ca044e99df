//! Paper A (Liu, Zhang, Qin, Lei, arXiv 2004.07425): how far projected decentralised gradient descent is from the
//! optimum.
//!
//! Theorem 2 of the paper bounds the error by something that grows with `t`; since the points are projected on a
//! bounded set, that says nothing. The two bounds here replace it; `docs/theory/liu2020.md` proves them and lists what
//! is wrong with the published proof.
//!
//! Notation: `k` nodes, dimension `m`, `b*` the minimiser of `sum_i f_i` over the set, `lambda` the second largest
//! singular value of the mixing matrix, `alpha(t)` the step, `v(t)` the Laplace scale in message `f(t)`.

/// The constants of a problem that the bounds need.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Dimension `m`.
    pub dim: usize,
    /// Diameter of the set.
    pub diameter: f64,
    /// For each node a bound on the norm of its gradient over the set, `G_i`.
    pub gradients: Vec<f64>,
    /// Largest Lipschitz constant of a node's gradient, `L = max_i ||X_i||_2^2`.
    pub smoothness: f64,
    /// Strong convexity of the sum, `mu = lambda_min(sum_i X_i' X_i)`.
    pub strong_convexity: f64,
    /// `lambda`.
    pub lambda: f64,
}

impl Problem {
    fn nodes(&self) -> f64 {
        self.gradients.len() as f64
    }

    /// Bound (U), for any step and any noise: `sum_i E ||f_i(t+1) - b*|| <=
    /// k (D + sqrt(2 m) v(t+1)) + alpha(t) sum_i G_i`.
    ///
    /// `step` is `alpha(t)`, `next_scale` is `v(t+1)`; both in the units of the points and gradients.
    pub fn uniform(&self, step: f64, next_scale: f64) -> f64 {
        let noise = (2.0 * self.dim as f64).sqrt() * next_scale;
        self.nodes() * (self.diameter + noise) + step * self.gradients.iter().sum::<f64>()
    }

    /// The largest step for which the recursion contracts, `mu (1 - lambda^2) / (4 k L^2)`.
    pub fn largest_step(&self) -> f64 {
        let Self { strong_convexity, lambda, smoothness, .. } = self;
        strong_convexity * (1.0 - lambda * lambda) / (4.0 * self.nodes() * smoothness * smoothness)
    }

    /// Start of the recursion (R): `R_0 = sum_i ||b_i(0) - b*||^2 + 2 k m v(0)^2`.
    pub fn start(&self, squared_distance: f64, first_scale: f64) -> f64 {
        squared_distance + self.noise(first_scale)
    }

    /// One step of the recursion (R), `R_t -> R_(t+1)` with `E sum_i ||f_i(t) - b*||^2 <= R_t` and
    /// `sum_i E ||f_i(t) - b*|| <= sqrt(k R_t)`:
    ///
    /// `R_(t+1) = (1 - alpha mu / k) R_t + alpha^2 G^2 (1 + lambda^2) / (1 - lambda^2) + 2 k m v(t+1)^2`
    ///
    /// for `alpha <= ` [`largest_step`](Self::largest_step), where `G^2 = sum_i G_i^2`, and
    /// `(sqrt(k) D + alpha G)^2 + 2 k m v(t+1)^2` for larger steps. `R_t` enters capped by `k D^2`, since the
    /// projected points are within the diameter of `b*`.
    pub fn next(&self, r: f64, step: f64, next_scale: f64) -> f64 {
        let k = self.nodes();
        let squared_gradients: f64 = self.gradients.iter().map(|g| g * g).sum();
        if step > self.largest_step() {
            let far = k.sqrt() * self.diameter + step * squared_gradients.sqrt();
            return far * far + self.noise(next_scale);
        }
        let capped = r.min(k * self.diameter * self.diameter);
        let contraction = 1.0 - step * self.strong_convexity / k;
        contraction * capped + step * step * squared_gradients * self.disagreement() + self.noise(next_scale)
    }

    /// Without noise and with a constant step: the limit of the mean squared error per node,
    /// `alpha G^2 (1 + lambda^2) / ((1 - lambda^2) mu)`.
    pub fn noiseless_limit(&self, step: f64) -> f64 {
        let squared_gradients: f64 = self.gradients.iter().map(|g| g * g).sum();
        step * squared_gradients * self.disagreement() / self.strong_convexity
    }

    /// `(1 + lambda^2) / (1 - lambda^2)`.
    fn disagreement(&self) -> f64 {
        let squared = self.lambda * self.lambda;
        (1.0 + squared) / (1.0 - squared)
    }

    /// `2 k m v^2`: the variance of all coordinates of all nodes.
    fn noise(&self, scale: f64) -> f64 {
        2.0 * self.nodes() * self.dim as f64 * scale * scale
    }
}

/// The `x` of the rate `O(t^-x)` of the mean squared error that (R) gives for steps that fall as `t^-step` and noise scales
/// that fall as `t^-noise`: `min(e_a, 2 e_v - e_a)`. It needs `step < 1` and `step / 2 < noise`; otherwise (R) does not fall, and
/// this is not positive.
pub fn rate(step: f64, noise: f64) -> f64 {
    if step < 1.0 { step.min(2.0 * noise - step) } else { 0.0 }
}
