//! Paper B, Liu, Johansson, Shi (arXiv 2302.10520): what dual averaging with sleeping nodes and sampled records reaches.

use crate::DualWeights;

/// Which nodes are awake in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// `iota n` of them, each set of that size with the same probability.
    #[default]
    FixedSize,
    /// Each with probability `iota`, independently of the others.
    Bernoulli,
}

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
    /// The expected share of nodes that are awake, `iota`.
    pub participation: f64,
    /// How they are drawn.
    pub activation: Activation,
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
    /// for a fixed number of nodes that are awake; with a coin for each, `2 iota^2 + iota (1 - iota) / n` takes the place of
    /// `2 iota^2`. It replaces the published bound (9), whose constants could not be recovered, and needs fresh points.
    pub fn gap(&self, weights: DualWeights, rounds: u32) -> f64 {
        self.gap_with(weights, rounds, self.mixing())
    }

    /// The same without the last term: what the bound would be if all nodes took their gradients at one point. For nodes that
    /// hardly differ an estimate; for one node the bound itself.
    pub fn gap_in_agreement(&self, weights: DualWeights, rounds: u32) -> f64 {
        self.gap_with(weights, rounds, 0.0)
    }

    fn gap_with(&self, weights: DualWeights, rounds: u32, mixing: f64) -> f64 {
        let iota = self.participation;
        let (mut own, mut others) = (0.0, 0.0);
        for t in 1..=rounds {
            let (a, s) = (weights.a(t), self.curvature(weights, t - 1));
            own += a * a / s;
            // a_0 = 0: in the first round all agree.
            others += if t > 1 { a * weights.a(t - 1) / s } else { 0.0 };
        }
        let sum = weights.gamma(rounds) * self.distance + self.fresh() * own + mixing * others;
        sum / (iota * weights.sum(rounds))
    }

    /// The closed form of [`gap`](Self::gap) for `mu > 0` and the weights [`strongly_convex`], `O(1/T)`:
    ///
    /// ```text
    /// 2 mu d(x*) / T^2 + (16 L^2 + 8 m sigma^2 / (n iota)) / (mu T)
    ///   + 16 L sqrt(L^2 + m sigma^2) / (sqrt(iota) mu (1 - sqrt(lambda~)) T)
    /// ```
    ///
    /// for a fixed number of nodes that are awake; `16 L^2` grows by `8 L^2 (1 - iota) / (n iota)` with a coin for each. It
    /// follows from `a_t^2 / s_(t-1) <= 4 / (iota mu)`. With no noise it is the rate of Corollary 3.2.
    pub fn strongly_convex_gap(&self, rounds: u32) -> f64 {
        let (iota, mu, t) = (self.participation, self.strong_convexity, f64::from(rounds));
        2.0 * mu * self.distance / (t * t) + 8.0 * (self.fresh() + self.mixing()) / (iota * iota * mu * t)
    }

    /// The closed form of [`gap`](Self::gap) for any convex `h` and the weights [`DualWeights::GrowingDistance`], `O(1/sqrt(T))`:
    ///
    /// ```text
    /// 1/(iota T) { gamma sqrt(T + 1) d(x*) + (2 sqrt(T) / gamma) (2 iota^2 L^2 + iota m sigma^2 / n)
    ///   + 4 iota L sqrt(iota (L^2 + m sigma^2)) sqrt(T) / ((1 - sqrt(lambda~)) gamma) }
    /// ```
    ///
    /// With no noise it is the rate of Corollary 3.4.
    pub fn convex_gap(&self, gamma: f64, rounds: u32) -> f64 {
        let t = f64::from(rounds);
        let steps = 2.0 * t.sqrt() / gamma * (self.fresh() + self.mixing());
        (gamma * (t + 1.0).sqrt() * self.distance + steps) / (self.participation * t)
    }

    /// `s_t = iota mu A_t + gamma_t`.
    fn curvature(&self, weights: DualWeights, t: u32) -> f64 {
        self.participation * self.strong_convexity * weights.sum(t) + weights.gamma(t)
    }

    /// What the fresh gradients of a round cost: a bound on `E (||g|| + iota L)^2 / 2` for the mean `g` of all that is released.
    fn fresh(&self) -> f64 {
        let Self { participation: iota, lipschitz: l, sigma, .. } = *self;
        let (n, m) = (self.nodes as f64, self.dim as f64);
        let coins = match self.activation {
            Activation::FixedSize => 0.0,
            Activation::Bernoulli => iota * (1.0 - iota) / n,
        };
        l * l * (2.0 * iota * iota + coins) + iota * m * sigma * sigma / n
    }

    /// What it costs that gradients are not taken at one point.
    fn mixing(&self) -> f64 {
        let root_n = (self.nodes as f64).sqrt();
        2.0 * self.participation * self.lipschitz * self.disagreement(1.0) / root_n
    }

    /// A bound on `sqrt(E sum_j ||z_j(t+1) - zbar||^2)` for weights `a_t` that do not fall:
    /// `a_t sqrt(n iota (L^2 + m sigma^2)) / (1 - sqrt(lambda~))`.
    pub fn disagreement(&self, a: f64) -> f64 {
        let second_moment = self.lipschitz * self.lipschitz + self.dim as f64 * self.sigma * self.sigma;
        a * (self.nodes as f64 * self.participation * second_moment).sqrt() / (1.0 - self.contraction.sqrt())
    }

    /// A bound on `sqrt(E sum_j ||x_j(t+1) - y(t+1)||^2)`, how far the points are from that of the mean of all `z`:
    /// [`disagreement`](Self::disagreement) divided by `s_t`, since a step is `1/s_t`-Lipschitz.
    pub fn distance_of_points(&self, weights: DualWeights, t: u32) -> f64 {
        self.disagreement(weights.a(t)) / self.curvature(weights, t)
    }
}

/// The step of the strongly convex case that realises `O(1/T)`: `a_t = t` and `gamma = iota mu`.
pub fn strongly_convex(participation: f64, strong_convexity: f64) -> DualWeights {
    DualWeights::GrowingGradients { gamma: participation * strong_convexity }
}
