//! The minimiser of every node's own strongly convex objective, to a tolerance that is known beforehand.

use std::ops::Range;

use dido_geometry::Set;

use crate::{Objective, ProblemError};

/// Minimises `F_i(b) = f_i(b) + (mu / 2) ||b||^2` on a set, for every node by itself, in a fixed number of accelerated
/// projected gradient steps.
///
/// The number of steps follows from public bounds, never from how the iteration goes: it tells nothing of the records, neither
/// does a failure, and the tolerance holds for any records within the bounds. The time of a step is another matter: losses
/// skip records whose slope is zero.
///
/// # Guarantee
/// Nesterov's method with constant momentum (Introductory Lectures, 2004, 2.2.4; Chambolle, Pock, Acta Numerica 25, 2016,
/// theorem 4.10) has after `k` steps `F(b_k) - F* <= 2 (1 - sqrt(mu / L))^k (F(b_0) - F* + (mu / 2) ||b_0 - b*||^2)`, where `L`
/// bounds the second derivative of `F`. With `g` a bound on the gradient of `F` at `b_0`, the bracket is at most `g^2 / mu` and
/// the distance to the minimiser squared at most `2 / mu` times the left side, also on a set. So it is at most
/// `2 (g / mu) exp(-k / 2 sqrt(L / mu))`.
///
/// # Rounding
/// That is for exact arithmetic; [`rounding`](Self::rounding) bounds what is to be added. If the gradient of step `i` is off
/// by at most `e`, the same method has (Schmidt, Le Roux, Bach, NIPS 2011, proposition 4, with `q^2 = 1 - sqrt(mu / L)`)
/// `sqrt(F(b_k) - F*) <= q^k sqrt(2 (F(b_0) - F*)) + sqrt(2 / mu) sum_i e q^(k - i)`. The sum is at most `2 e sqrt(L / mu)`,
/// so the distance grows by at most `4 sqrt(L / mu) e / mu`.
///
/// Every rounding is an error of the gradient. Let no point at which a gradient is taken be longer than `R`, and `u = 2^-53`:
/// * The sum `g + mu b + v`, its product with the step and the step itself: at most `4 mu R u + 7 u (g + 2 L R)`, as the
///   gradient of `F` at such a point is at most `g + 2 L R` long. The difference from `b`: `L R u`, since `b` moves by the
///   error over `L`.
/// * A point ahead that is off by `d` counts as `L d`. The momentum is right to `8 u`, and it multiplies a difference of
///   two points: `d <= 21 R u`.
/// * The projection is taken to be that of a point within `8 u R`.
///
/// So `e <= gradient + 2^-52 (32 L R + 4 g)`, which leaves room for products of `u`. By induction no step is further from the
/// minimiser than `sqrt(2) g / mu + E`, where `E` is the bound, and a point ahead three times that; so where
/// `E <= (start + g / mu) / 5`, `R = 2 start + 6 g / mu` is enough, or `3.1` times the radius of the set.
#[derive(Clone, Debug)]
pub struct StrongMinimum {
    set: Set,
    mu: f64,
    curvature: f64,
    slope: f64,
    steps: u32,
}

/// More steps are not sensible: the regulariser is too small for the curvature.
const MOST_STEPS: f64 = 1e6;

impl StrongMinimum {
    /// Steps enough for a distance of at most `tolerance` to the minimiser, and what [rounding](Self::rounding) adds, if the second derivative of `f_i` is at most
    /// `curvature` and the gradient of `F_i` at [`start`](Self::start) at most `slope` long.
    ///
    /// # Errors
    /// If `mu`, `curvature` or `tolerance` is not finite and positive or `slope` not finite; if the projection on the set
    /// is not exact; if a million steps are not enough.
    pub fn new(set: Set, mu: f64, curvature: f64, slope: f64, tolerance: f64) -> Result<Self, ProblemError> {
        for (name, value) in [("mu", mu), ("curvature", curvature), ("slope", slope), ("tolerance", tolerance)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ProblemError::Bound { name, value });
            }
        }
        if !set.is_exact() {
            return Err(ProblemError::InexactSet);
        }
        let steps = (2.0 * (curvature / mu + 1.0).sqrt() * (2.0 * slope / (mu * tolerance)).ln()).ceil().max(1.0);
        if steps > MOST_STEPS {
            return Err(ProblemError::TooManySteps { mu, curvature });
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and a million")]
        let steps = steps as u32;
        Ok(Self { set, mu, curvature, slope, steps })
    }

    /// Where every node starts: the point of the set nearest to the origin.
    pub fn start(set: &Set, dim: usize) -> Vec<f64> {
        let mut start = vec![0.0; dim];
        set.project_row(&mut start);
        start
    }

    /// Steps that are taken, each of them one gradient of `f_i`.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// A bound on the points at which gradients are taken, from a start at most `start` long.
    pub fn reach(&self, start: f64) -> f64 {
        (2.0 * start + 6.0 * self.slope / self.mu).min(3.1 * self.set.radius())
    }

    /// How much further than the tolerance rounding can end from the minimiser, from a start at most `start` long, if each
    /// gradient of `f_i` is off by at most `gradient` at points within [`reach`](Self::reach). Infinite where it is unknown.
    pub fn rounding(&self, start: f64, gradient: f64) -> f64 {
        let l = self.curvature + self.mu;
        let e = gradient + f64::EPSILON * (32.0 * l * self.reach(start) + 4.0 * self.slope);
        let bound = 4.0 * (l / self.mu).sqrt() * e / self.mu;
        if bound <= 0.2 * (start + self.slope / self.mu) { bound } else { f64::INFINITY }
    }

    /// Refuses a `mu` that does not fit, by the name of the largest condition number `(curvature + mu) / mu` that does.
    ///
    /// # Errors
    /// If `fits(mu)` does not hold. It has to hold for every `mu` above one for which it does.
    pub fn check_conditioning(mu: f64, curvature: f64, fits: impl Fn(f64) -> bool) -> Result<(), ProblemError> {
        if fits(mu) {
            return Ok(());
        }
        // Of the condition number less one; if none fits, the largest is 1.
        let (mut low, mut high) = (0.0, curvature / mu);
        for _ in 0..60 {
            let middle = if low > 0.0 { f64::sqrt(low * high) } else { 0.01 * high };
            if fits(curvature / middle) { low = middle } else { high = middle }
        }
        Err(ProblemError::Conditioning { mu, condition: curvature / mu + 1.0, largest: low + 1.0 })
    }

    /// Writes the minimiser of every node of the range, in every lane. `out`: nodes x lanes x dim.
    ///
    /// # Panics
    /// If `out` has another length, or the set another dimension.
    pub fn minimise(&self, objective: &dyn Objective, nodes: Range<usize>, out: &mut [f64]) {
        let dim = objective.dim();
        let start = Self::start(&self.set, dim);
        out.chunks_exact_mut(dim).for_each(|row| row.copy_from_slice(&start));
        self.iterate(objective, nodes, &vec![0.0; out.len()], out);
    }

    /// The same for `F_i(b) + <v_i, b>` on the whole space; on entry `out` holds `v`, of any length. It starts at `-v / mu`,
    /// where the gradient is that of `f_i`: `slope` has to bound that everywhere.
    ///
    /// # Panics
    /// If `out` has another length, or there is a set.
    pub fn minimise_tilted(&self, objective: &dyn Objective, nodes: Range<usize>, out: &mut [f64]) {
        assert_eq!(self.set, Set::Whole, "a tilted objective is minimised on the whole space");
        let tilt = out.to_vec();
        for v in out.iter_mut() {
            *v /= -self.mu;
        }
        self.iterate(objective, nodes, &tilt, out);
    }

    fn iterate(&self, objective: &dyn Objective, nodes: Range<usize>, tilt: &[f64], out: &mut [f64]) {
        let dim = objective.dim();
        let (mut ahead, mut gradient) = (out.to_vec(), vec![0.0; out.len()]);
        let root = (self.curvature / self.mu + 1.0).sqrt();
        let (step, momentum) = (1.0 / (self.curvature + self.mu), (root - 1.0) / (root + 1.0));
        for _ in 0..self.steps {
            objective.gradient(nodes.clone(), &ahead, &mut gradient);
            for ((b, g), v) in ahead.iter_mut().zip(&gradient).zip(tilt) {
                *b -= step * (g + self.mu * *b + v);
            }
            ahead.chunks_exact_mut(dim).for_each(|row| self.set.project_row(row));
            for (b, ahead) in out.iter_mut().zip(&mut ahead) {
                let moved = *ahead - *b;
                *b = *ahead;
                *ahead += momentum * moved;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dido_geometry::L2Ball;
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::{LeastSquares, LinearModel, Loss, RecordBounds, Shard, Weighting, reference};

    fn shards() -> Vec<Shard> {
        (0..3)
            .map(|node| {
                let x = Array2::from_shape_fn((12, 3), |(r, k)| 0.5 * ((node * 7 + r * 5 + k * 3) as f64).sin());
                let y = Array1::from_shape_fn(12, |r| if (r + node) % 3 == 0 { 1.0 } else { -1.0 });
                Shard::checked(x, y, RecordBounds::new(1.0, 1.0).unwrap()).unwrap()
            })
            .collect()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// Ridge regression has a closed form; the promised tolerance is kept, and not by many orders of magnitude too much work.
    #[test]
    fn it_is_ridge_regression() {
        let (shards, mu) = (shards(), 0.01);
        let objective = LeastSquares::new(&shards, Weighting::NodeMean, 1).unwrap();
        for tolerance in [1e-3, 1e-9] {
            let solver = StrongMinimum::new(Set::Whole, mu, 1.0, 1.0, tolerance).unwrap();
            let mut found = vec![f64::NAN; 9];
            solver.minimise(&objective, 0..3, &mut found);
            for (node, found) in found.chunks_exact(3).enumerate() {
                let (mut gram, vector) = objective.normal_equations(node).unwrap();
                gram.diag_mut().mapv_inplace(|g| g + mu);
                let exact = dido_linalg::solve_positive_definite(gram.view(), vector.view()).unwrap();
                let error = distance(found, exact.as_slice().unwrap());
                assert!(error <= tolerance, "node {node}: {error}");
            }
        }
    }

    /// On a ball that cuts the minimiser off, the point is the one where the gradient points straight out.
    #[test]
    fn on_a_set_the_gradient_points_out() {
        let (shards, mu) = (shards(), 0.05);
        let objective = LinearModel::new(Loss::Logistic, &shards, vec![1.0 / 12.0; 3], 1).unwrap();
        let ball = Set::from(L2Ball::new(0.02).unwrap());
        let solver = StrongMinimum::new(ball, mu, 0.25, 1.0, 1e-10).unwrap();
        let (mut b, mut g) = (vec![0.0; 9], vec![0.0; 9]);
        solver.minimise(&objective, 0..3, &mut b);
        objective.gradient(0..3, &b, &mut g);
        for (b, g) in b.chunks_exact(3).zip(g.chunks_exact_mut(3)) {
            g.iter_mut().zip(b).for_each(|(g, b)| *g += mu * b);
            assert!((distance(b, &[0.0; 3]) - 0.02).abs() < 1e-12);
            let length = distance(g, &[0.0; 3]);
            assert!(length > 1e-3, "the set binds");
            let out: Vec<f64> = b.iter().map(|b| -b / 0.02 * length).collect();
            assert!(distance(g, &out) < 1e-8, "{g:?} and {out:?}");
        }
    }

    /// The reference solver finds the same minimum of a logistic regression, by Newton's method.
    #[test]
    fn it_is_the_reference_minimum() {
        let (shards, mu) = (shards(), 0.02);
        let objective = LinearModel::new(Loss::Logistic, &shards, vec![1.0 / 12.0; 3], 2).unwrap();
        let solver = StrongMinimum::new(Set::Whole, mu, 0.25, 1.0, 1e-9).unwrap();
        let mut found = vec![0.0; 18];
        solver.minimise(&objective, 0..3, &mut found);
        let regulariser = crate::Regulariser::squared_l2(mu).unwrap();
        for (row, found) in found.chunks_exact(3).enumerate() {
            let shard = &shards[row / 2];
            let minimum =
                reference::regularised(Loss::Logistic, shard.features(), &shard.y().to_vec(), &regulariser).unwrap();
            assert!(distance(found, minimum.beta.as_slice().unwrap()) < 1e-8);
        }
    }

    /// The gradient of a tilted objective vanishes at what is found, however long the tilt.
    #[test]
    fn a_tilt_of_any_length_is_met() {
        let (shards, mu, tolerance) = (shards(), 0.05, 1e-8);
        let objective = LinearModel::new(Loss::Logistic, &shards, vec![1.0 / 12.0; 3], 1).unwrap();
        let solver = StrongMinimum::new(Set::Whole, mu, 0.25, 1.0, tolerance).unwrap();
        for length in [0.0, 0.3, 50.0] {
            let tilt: Vec<f64> = (0..9).map(|k| length * f64::from(k - 4)).collect();
            let (mut b, mut g) = (tilt.clone(), vec![0.0; 9]);
            solver.minimise_tilted(&objective, 0..3, &mut b);
            objective.gradient(0..3, &b, &mut g);
            let residual: Vec<f64> = g.iter().zip(&b).zip(&tilt).map(|((g, b), v)| g + mu * b + v).collect();
            // A gradient of this size is at most so far from the minimiser, and at least 0.3 times as far.
            assert!(distance(&residual, &[0.0; 9]) < 0.3 * tolerance, "{length}: {residual:?}");
        }
    }

    #[test]
    fn what_has_no_tolerance_is_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(StrongMinimum::new(Set::Whole, bad, 1.0, 1.0, 1e-6).is_err());
            assert!(StrongMinimum::new(Set::Whole, 1.0, bad, 1.0, 1e-6).is_err());
            assert!(StrongMinimum::new(Set::Whole, 1.0, 1.0, bad, 1e-6).is_err());
            assert!(StrongMinimum::new(Set::Whole, 1.0, 1.0, 1.0, bad).is_err());
        }
        let hardly = StrongMinimum::new(Set::Whole, 1e-12, 1.0, 1.0, 1e-6);
        assert!(matches!(hardly, Err(ProblemError::TooManySteps { .. })));
        let half = dido_geometry::HalfSpace::new(vec![1.0, 0.0], 1.0).unwrap();
        let set = dido_geometry::Intersection::new(2, vec![half.into(), L2Ball::new(1.0).unwrap().into()]).unwrap();
        let inexact = StrongMinimum::new(set.into(), 1.0, 1.0, 1.0, 1e-6);
        assert!(matches!(inexact, Err(ProblemError::InexactSet)));
    }

    /// One record `x = (3, 4) / 8` and a tilt along it and across: `|x|^2`, the products and `mu` are exact, and so is the closed
    /// form but for its last bits. What rounding adds is within the bound, and beyond the tolerance where `mu` is small.
    #[test]
    fn rounding_stays_within_its_bound() {
        let x = Array2::from_shape_vec((1, 2), vec![0.375, 0.5]).unwrap();
        let shard = Shard::checked(x, Array1::ones(1), RecordBounds::new(0.625, 1.0).unwrap()).unwrap();
        let objective = LinearModel::new(Loss::Squared, &[shard], vec![1.0], 1).unwrap();
        let (curvature, mut beyond) = (0.390_625, 0);
        for halvings in [2, 6, 10, 14, 18, 20] {
            let mu = 0.5_f64.powi(halvings);
            for (along, across) in [(0.25, 16.0), (-3.0, 0.125), (0.0, 13.0)] {
                let tilt = [along * 0.375 - across * 0.5, along * 0.5 + across * 0.375];
                let of = |sum: f64, x: f64, z: f64| sum * x - across * z / mu;
                let sum = (1.0 - along) / (curvature + mu);
                let exact = [of(sum, 0.375, -0.5), of(sum, 0.5, 0.375)];
                let start = distance(&tilt, &[0.0; 2]) / mu;
                let slope = 0.625 * (0.625 * start + 1.0);
                let tolerance = 1e-13 * start;
                let solver = StrongMinimum::new(Set::Whole, mu, curvature, slope, tolerance).unwrap();
                // Eight roundings of numbers of this size in a gradient of two coordinates.
                let gradient = 4.0 * f64::EPSILON * 0.625 * (0.625 * solver.reach(start) + 1.0);
                let mut found = tilt;
                solver.minimise_tilted(&objective, 0..1, &mut found);
                let (error, bound) = (distance(&found, &exact), solver.rounding(start, gradient));
                assert!(error <= tolerance + bound, "{mu}: {error} and {bound}");
                beyond += u32::from(error > tolerance);
            }
        }
        assert!(beyond > 0, "rounding shows");
    }

    #[test]
    fn the_largest_condition_number_is_named() {
        assert!(StrongMinimum::check_conditioning(0.5, 2.0, |mu| mu >= 0.5).is_ok());
        let refused = StrongMinimum::check_conditioning(1e-4, 2.0, |mu| mu >= 0.5);
        let Err(ProblemError::Conditioning { mu, condition, largest }) = refused else { panic!("{refused:?}") };
        assert!(mu.total_cmp(&1e-4).is_eq() && (condition / 20_001.0 - 1.0).abs() < 1e-9);
        assert!((largest - 5.0).abs() < 1e-6, "{largest}");
        let refused = StrongMinimum::check_conditioning(1e-4, 2.0, |_| false);
        assert!(matches!(refused, Err(ProblemError::Conditioning { largest, .. }) if largest < 1.01), "{refused:?}");
        // A bound that says nothing is none.
        let hard = StrongMinimum::new(Set::Whole, 1e-3, 1.0, 1.0, 1e-3).unwrap();
        assert!(hard.rounding(1.0, 1.0).is_infinite());
    }
}
