//! Paper B, Liu, Johansson, Shi (arXiv 2302.10520): what dual averaging with sleeping nodes and sampled records reaches.

/// What the bound needs to know of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// Number of nodes, `n`.
    pub nodes: usize,
    /// Coordinates of a point, `m`.
    pub dim: usize,
    /// A bound on the norm of a subgradient of one record's loss, `L`.
    pub lipschitz: f64,
    /// The strong convexity of the regulariser, `mu`; 0 if there is none.
    pub strong_convexity: f64,
    /// The share of nodes that are awake, `iota`: a fixed number of them in every round.
    pub participation: f64,
    /// The standard deviation of the noise in a coordinate, `sigma`.
    pub sigma: f64,
    /// `|| E[W'W] - J ||_2`, the contraction of the mixing weights in one round.
    pub contraction: f64,
    /// The distance function at the optimum, `d(x*)`.
    pub distance: f64,
}

impl Problem {
    /// A bound on `E phi(y~) - phi*` after rounds `1 ... T` with weights `a_t` and `gamma_t`, where
    /// `phi(x) = (1/n) sum_i f_i(x) + h(x)` and `y~` is the `a`-weighted mean of the points that follow from the mean of
    /// all `z`. With `s_t = iota mu A_t + gamma_t`,
    ///
    /// ```text
    /// 1/(iota A_T) { gamma_T d(x*) + sum_t a_t^2 (2 iota^2 L^2 + iota m sigma^2 / n) / s_(t-1)
    ///   + 2 iota L sqrt(iota (L^2 + m sigma^2)) / (1 - sqrt(lambda~)) sum_t a_t a_(t-1) / s_(t-1) }
    /// ```
    ///
    /// It replaces the published bound (9), whose constants could not be recovered, and needs fresh points.
    pub fn gap(&self, weights: crate::DualWeights, rounds: u32) -> f64 {
        let Self { participation: iota, lipschitz: l, strong_convexity: mu, sigma, .. } = *self;
        let (n, m) = (self.nodes as f64, self.dim as f64);
        let s = |t: u32| iota * mu * weights.sum(t) + weights.gamma(t);
        let fresh = 2.0 * iota * iota * l * l + iota * m * sigma * sigma / n;
        let disagreement =
            2.0 * iota * l * (iota * (l * l + m * sigma * sigma)).sqrt() / (1.0 - self.contraction.sqrt());
        let (mut own, mut others) = (0.0, 0.0);
        for t in 1..=rounds {
            let a = weights.a(t);
            own += a * a / s(t - 1);
            // a_0 = 0: in the first round all agree.
            others += if t > 1 { a * weights.a(t - 1) / s(t - 1) } else { 0.0 };
        }
        (weights.gamma(rounds) * self.distance + fresh * own + disagreement * others) / (iota * weights.sum(rounds))
    }

    /// A bound on `sqrt(E sum_j ||z_j(t+1) - zbar||^2)` for weights `a_t` that do not fall:
    /// `a_t sqrt(n iota (L^2 + m sigma^2)) / (1 - sqrt(lambda~))`.
    pub fn disagreement(&self, a: f64) -> f64 {
        let second_moment = self.lipschitz * self.lipschitz + self.dim as f64 * self.sigma * self.sigma;
        a * (self.nodes as f64 * self.participation * second_moment).sqrt() / (1.0 - self.contraction.sqrt())
    }
}

/// The step of the strongly convex case that realises `O(1/T)`: `a_t = t` and `gamma = iota mu`.
pub fn strongly_convex(participation: f64, strong_convexity: f64) -> crate::DualWeights {
    crate::DualWeights::GrowingGradients { gamma: participation * strong_convexity }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form that follows for `a_t = t`, `gamma = iota mu`:
    /// `2 mu d / T^2 + (16 L^2 + 8 m sigma^2 / (n iota)) / (mu T) + 16 L sqrt(L^2 + m sigma^2) / (sqrt(iota) mu (1 - sqrt(lambda~)) T)`.
    #[test]
    fn the_strongly_convex_rate_follows() {
        let problem = Problem {
            nodes: 8,
            dim: 4,
            lipschitz: 1.0,
            strong_convexity: 0.2,
            participation: 0.5,
            sigma: 0.5,
            contraction: 0.6,
            distance: 2.0,
        };
        for rounds in [10, 100, 1000] {
            let t = f64::from(rounds);
            let moment: f64 = 1.0 + 4.0 * 0.25;
            let closed = 2.0 * 0.2 * 2.0 / (t * t)
                + (16.0 + 8.0 * 4.0 * 0.25 / (8.0 * 0.5)) / (0.2 * t)
                + 16.0 * moment.sqrt() / (0.5_f64.sqrt() * 0.2 * (1.0 - 0.6_f64.sqrt()) * t);
            let bound = problem.gap(strongly_convex(0.5, 0.2), rounds);
            assert!(bound <= closed && bound > 0.25 * closed, "{rounds}: {bound} and {closed}");
        }
    }
}
