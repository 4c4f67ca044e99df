//! Values on their way to a grid, and how far they are from those whose sensitivity was proved.
//!
//! Exact noise hides the numbers that are on the grid, so these have to be within a known distance of what theory speaks of.
//! With the unit roundoff `u = 2^-53` and `gamma_k = k u / (1 - k u)` (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, chapter 3):
//!
//! * a value comes with a bound `e` on its own rounding, which has room for its products with numbers such as steps;
//! * a public value is added in whole steps, each summand rounded to the grid and cut off at `2^51` steps before: rounding
//!   moves each coordinate by half a step at most, cutting off moves no two values apart, and sums below `2^53` are exact;
//! * the projection on a ball of radius `r` as it is computed differs from the exact one by at most `gamma_(m+16) r`, since
//!   the norm has a relative error of `gamma_(m/2+4)` and two more operations follow; that on a box is exact. Neither moves
//!   values apart, so what was there before does not grow.
//!
//! Other projections are computed in ways for which no bound is proved here, and multiplying a sum with a public value errs
//! by as much as that value is long: such a value has an infinite error, and is not released.

use std::sync::Arc;

use dido_geometry::Set;

use crate::{Grid, MechanismError, Norm};

/// A value that is to leave with noise on a grid.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    grid: Grid,
    /// The error of the rows of each class of nodes, to be multiplied with the factor of their sensitivity.
    rounding: Arc<[f64]>,
    /// What has been added to it since.
    beyond: f64,
    /// Whether it is a multiple of `rounding`, so that products are covered.
    is_plain: bool,
    /// How often it was rounded to the grid, and whether it is there now.
    rounded: u32,
    is_there: bool,
}

impl Placement {
    /// Summands are cut off at this many steps.
    const FARTHEST: i64 = 1 << 51;

    pub(crate) fn new(grid: Grid, rounding: Arc<[f64]>) -> Self {
        Self { grid, rounding, beyond: 0.0, is_plain: true, rounded: 0, is_there: false }
    }

    pub(crate) fn scaled(&mut self) {
        if !self.is_plain {
            self.beyond = f64::INFINITY;
        }
    }

    /// `x <- factor x + y` on the grid; not a number where it is not finite, for the gate to find.
    pub(crate) fn add(&mut self, factor: f64, x: &mut [f64], y: &[f64]) {
        let grid = self.grid;
        let on_grid = |x: f64| grid.value(grid.nearest(x).clamp(-Self::FARTHEST, Self::FARTHEST));
        for (x, y) in x.iter_mut().zip(y) {
            let scaled = factor * *x;
            *x = if scaled.is_finite() && y.is_finite() { on_grid(scaled) + on_grid(*y) } else { f64::NAN };
        }
        self.rounded += u32::from(!self.is_there);
        (self.is_there, self.is_plain) = (true, false);
    }

    pub(crate) fn projected(&mut self, set: &Set, dim: usize) {
        self.beyond += match set {
            Set::Whole => return,
            Set::Box(_) => 0.0,
            Set::L2Ball(ball) => of_ball(ball.radius(), dim),
            _ => f64::INFINITY,
        };
        (self.is_there, self.is_plain) = (false, false);
    }

    /// After every row, of sensitivity `factor * base[class]`, was scaled down to length `norm`. Whatever is that short moves
    /// by `2 norm`, however it was computed; only where the old bound is the smaller one does the old error count.
    pub(crate) fn clipped(mut self, norm: f64, base: &[f64], factor: f64, dim: usize) -> Self {
        let old = self.rounding.iter().zip(base).map(|(rounding, base)| {
            let keeps_its_bound = base * factor < 2.0 * norm;
            of_ball(norm, dim) + if keeps_its_bound { rounding * factor } else { 0.0 }
        });
        self.rounding = old.collect();
        self.is_there = false;
        self
    }

    /// What the float error of an event has to allow for: one rounding to the grid is part of the event already.
    pub(crate) fn rounding(
        &self,
        class: usize,
        factor: f64,
        grid: Grid,
        norm: Norm,
        dim: usize,
    ) -> Result<f64, MechanismError> {
        if grid != self.grid {
            return Err(MechanismError::OtherGrid { expected: self.grid.exponent(), found: grid.exponent() });
        }
        let again = self.rounded + u32::from(!self.is_there) - 1;
        let half_steps = match norm {
            Norm::L1 => dim as f64,
            Norm::L2 => (dim as f64).sqrt().next_up(),
        };
        let moved = 0.5 * f64::from(again) * half_steps * grid.step();
        // Underflow takes away less than the smallest normal number.
        let all = self.rounding[class] * factor * (1.0 + 8.0 * f64::EPSILON) + self.beyond + moved + f64::MIN_POSITIVE;
        if all.is_finite() { Ok(all) } else { Err(MechanismError::UnboundedRounding) }
    }
}

/// The error of a projection on a ball.
fn of_ball(radius: f64, dim: usize) -> f64 {
    let k = dim as f64 + 16.0;
    radius * k * f64::EPSILON
}

#[cfg(test)]
mod tests {
    use dido_geometry::{Box as BoxSet, L1Ball, L2Ball};

    use super::*;

    fn grid() -> Grid {
        Grid::new(-20).unwrap()
    }

    fn placement() -> Placement {
        Placement::new(grid(), Arc::from([1e-12]))
    }

    fn error(placement: &Placement, factor: f64) -> f64 {
        placement.rounding(0, factor, grid(), Norm::L2, 4).unwrap()
    }

    /// A public value of any size adds nothing, and one rounding is the event's own.
    #[test]
    fn public_values_are_added_without_error() {
        let mut placed = placement();
        let mut x = [0.3, -0.7, 1e-9, 0.0];
        placed.add(2.0, &mut x, &[1e6, -3.0, 0.5, 1e-300]);
        let step = grid().step();
        let expected = [0.6, -1.4, 2e-9, 0.0].map(|x: f64| (x / step).round_ties_even() * step);
        let public = [1e6, -3.0, 0.5, 0.0];
        assert!(x.iter().zip(expected.iter().zip(public)).all(|(x, (a, b))| (x - (a + b)).abs() <= 0.0), "{x:?}");
        assert!((error(&placed, 2.0) / 2e-12 - 1.0).abs() < 1e-12);
        placed.add(1.0, &mut x, &[0.1; 4]);
        assert!((error(&placed, 2.0) / 2e-12 - 1.0).abs() < 1e-12);
    }

    /// A second rounding, after a projection, costs half a step in each of four coordinates: a step in length.
    #[test]
    fn a_second_rounding_counts() {
        let mut placed = placement();
        placed.add(1.0, &mut [0.5; 4], &[0.1; 4]);
        placed.projected(&BoxSet::new(vec![-0.3; 4], vec![0.3; 4]).unwrap().into(), 4);
        assert!((error(&placed, 1.0) / (1e-12 + grid().step()) - 1.0).abs() < 1e-9);
        let mut placed = placement();
        placed.add(1.0, &mut [0.5; 4], &[0.1; 4]);
        placed.projected(&L2Ball::new(2.0).unwrap().into(), 4);
        let expected = 1e-12 + grid().step() + 2.0 * 20.0 * f64::EPSILON;
        assert!((error(&placed, 1.0) / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_bound_is_refused() {
        let error = |placement: &Placement, factor| placement.rounding(0, factor, grid(), Norm::L2, 4);
        let mut on_l1 = placement();
        on_l1.projected(&L1Ball::new(1.0).unwrap().into(), 4);
        assert_eq!(error(&on_l1, 1.0), Err(MechanismError::UnboundedRounding));
        let mut after_sum = placement();
        after_sum.add(1.0, &mut [0.0; 4], &[0.0; 4]);
        after_sum.scaled();
        assert_eq!(error(&after_sum, 1.0), Err(MechanismError::UnboundedRounding));
        let mut before = placement();
        before.scaled();
        assert!(error(&before, 0.5).is_ok());
        let other = Grid::new(-21).unwrap();
        assert!(matches!(before.rounding(0, 1.0, other, Norm::L2, 4), Err(MechanismError::OtherGrid { .. })));
    }

    /// Where clipping is what bounds the value, how it was computed does not matter.
    #[test]
    fn clipping_forgets_an_error_that_nothing_bounds() {
        let infinite = Placement::new(grid(), Arc::from([f64::INFINITY]));
        let clipped = infinite.clone().clipped(3.0, &[f64::INFINITY], 1.0, 4);
        assert!((error(&clipped, 1.0) / (3.0 * 20.0 * f64::EPSILON) - 1.0).abs() < 1e-12);
        let bounded = placement().clipped(3.0, &[5.0], 1.0, 4);
        assert!((error(&bounded, 1.0) / (1e-12 + 60.0 * f64::EPSILON) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        let mut x = [f64::MAX, 1.0, 1.0];
        placement().add(4.0, &mut x, &[0.0, f64::INFINITY, 1.0]);
        assert!(x[0].is_nan() && x[1].is_nan() && (x[2] - 5.0).abs() <= 0.0);
    }
}
