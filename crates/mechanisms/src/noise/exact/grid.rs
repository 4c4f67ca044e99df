//! The grid `2^k Z` on which values and noise live: whatever is released is a multiple of the step, in every world.

use serde::{Deserialize, Serialize};

use crate::{MechanismError, Norm, Sensitivity};

/// All multiples of a step `2^k`, in the units of the value. A file gives it as the exponent `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(try_from = "i32", into = "i32")]
pub struct Grid {
    exponent: i32,
}

impl TryFrom<i32> for Grid {
    type Error = MechanismError;

    fn try_from(exponent: i32) -> Result<Self, MechanismError> {
        Self::new(exponent)
    }
}

impl From<Grid> for i32 {
    fn from(grid: Grid) -> Self {
        grid.exponent
    }
}

impl Grid {
    /// Values are cut off at this many steps; so no sum with a draw overflows unnoticed.
    pub const FARTHEST: i64 = 1 << 62;
    /// The widest noise in steps: all coins of the samplers then fit into 64 bits.
    pub const WIDEST: u64 = 1 << 52;
    /// Within these, `2^63` steps are finite, and the step and its reciprocal are normal numbers.
    const EXPONENTS: std::ops::RangeInclusive<i32> = -1022..=960;
    /// What rounding to the grid may add to a sensitivity, relative to it.
    const COST: f64 = 1e-6;

    /// The grid of step `2^exponent`.
    ///
    /// # Errors
    /// If the exponent is not in `-1022..=960`.
    pub fn new(exponent: i32) -> Result<Self, MechanismError> {
        if Self::EXPONENTS.contains(&exponent) { Ok(Self { exponent }) } else { Err(MechanismError::Grid(exponent)) }
    }

    /// The coarsest grid on which rounding a vector of `dim` coordinates adds at most a millionth of `sensitivity`.
    ///
    /// # Errors
    /// If the sensitivity is 0 or so extreme, or `dim` so large, that there is none.
    pub fn for_sensitivity(sensitivity: Sensitivity, dim: usize) -> Result<Self, MechanismError> {
        if dim == 0 {
            return Err(MechanismError::NoCoordinates);
        }
        let widest = Self::COST * sensitivity.value / coordinates(sensitivity.norm, dim);
        // The exponent field is that of the power of two below; of 0 and of subnormal numbers it is no exponent.
        let exponent = (widest.to_bits() >> 52) as i32 - 1023;
        Self::new(exponent).map_err(|_| MechanismError::NoGrid { sensitivity: sensitivity.value, dim })
    }

    /// The exponent `k`.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// The step `2^k`.
    pub fn step(self) -> f64 {
        power_of_two(self.exponent)
    }

    /// The number of steps of the multiple nearest to `x` (of two, the even one), cut off at
    /// [`FARTHEST`](Self::FARTHEST) on either side. A NaN gives 0: it is the caller's to refuse.
    pub fn nearest(self, x: f64) -> i64 {
        self.cut(x, f64::round_ties_even)
    }

    /// As [`nearest`](Self::nearest), towards zero: no norm grows.
    pub fn toward_zero(self, x: f64) -> i64 {
        self.cut(x, f64::trunc)
    }

    fn cut(self, x: f64, round: fn(f64) -> f64) -> i64 {
        // Exact, except that it may underflow, far below half a step, or overflow to an infinity, beyond the limit.
        let steps = round(x * power_of_two(-self.exponent));
        #[expect(clippy::cast_possible_truncation, reason = "saturates, and NaN gives 0")]
        let steps = steps as i64;
        steps.clamp(-Self::FARTHEST, Self::FARTHEST)
    }

    /// The multiple with that many steps; beyond `2^53` steps the nearest number with 53 bits, a multiple as well.
    pub fn value(self, steps: i64) -> f64 {
        steps as f64 * self.step()
    }

    /// The least number of steps that are together at least as wide as `scale`, and 1 at the least.
    ///
    /// # Errors
    /// If `scale` is not positive and finite, or wider than [`WIDEST`](Self::WIDEST) steps: take a coarser grid then.
    pub fn steps_up(self, scale: f64) -> Result<u64, MechanismError> {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(MechanismError::Scale(scale));
        }
        let steps = (scale * power_of_two(-self.exponent)).ceil();
        if steps > Self::WIDEST as f64 {
            return Err(MechanismError::TooFine { scale, exponent: self.exponent });
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2^52, by the check")]
        let steps = steps as u64;
        Ok(steps.max(1))
    }

    /// The sensitivity of a vector of `dim` coordinates after it was rounded to the nearest grid points: what the
    /// ledger must carry.
    ///
    /// Each coordinate of a difference grows by at most a step, so an L1 bound by `dim` steps and an L2 bound by
    /// `sqrt(dim)` steps. `float_error` bounds, in the norm of `sensitivity`, how far the vector *as computed* is from
    /// the one whose sensitivity was derived on paper; two such vectors are compared, so it counts twice. All
    /// roundings go up.
    ///
    /// # Errors
    /// If `float_error` is negative or NaN, or the result is not finite.
    pub fn inflated(
        self,
        sensitivity: Sensitivity,
        dim: usize,
        float_error: f64,
    ) -> Result<Sensitivity, MechanismError> {
        if float_error.is_nan() || float_error < 0.0 {
            return Err(MechanismError::Bound { name: "float_error", value: float_error });
        }
        let Sensitivity { value, norm, adjacency } = sensitivity;
        let exact = (value + 2.0 * float_error).next_up();
        let growth = (coordinates(norm, dim) * self.step()).next_up();
        Sensitivity::new((exact + growth).next_up(), norm, adjacency)
    }

    /// The largest whole number of steps that a difference of two grid points can have, for a bound on its length:
    /// rounded down where lengths of whole vectors are whole numbers, up otherwise.
    pub(crate) fn whole_steps(self, sensitivity: Sensitivity, dim: usize) -> Result<u64, MechanismError> {
        let Sensitivity { value, norm, adjacency } = sensitivity;
        Sensitivity::new(value, norm, adjacency)?;
        let steps = value * power_of_two(-self.exponent);
        let whole = if norm == Norm::L1 || dim == 1 { steps.floor() } else { steps.ceil() };
        if whole > Self::FARTHEST as f64 {
            return Err(MechanismError::Sensitivity(value));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2^62, by the checks")]
        Ok(whole as u64)
    }
}

/// The norm of the vector of ones, rounded up.
fn coordinates(norm: Norm, dim: usize) -> f64 {
    let dim = dim as f64;
    match norm {
        Norm::L1 => dim,
        Norm::L2 => dim.sqrt().next_up(),
    }
}

/// `2^exponent`, for the exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Adjacency;
    use Norm::{L1, L2};

    fn sensitivity(value: f64, norm: Norm) -> Sensitivity {
        Sensitivity::new(value, norm, Adjacency::ReplaceRecord).unwrap()
    }

    /// Rows computed elsewhere; the sensitivity 0 shows what is added, rounded up in the last places only.
    #[test]
    fn rounding_adds_what_is_tabulated() {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/discrete_noise.json")).unwrap();
        for row in table["rounding"].as_array().unwrap() {
            let grid = Grid::new(i32::try_from(row["k"].as_i64().unwrap()).unwrap()).unwrap();
            let dim = usize::try_from(row["m"].as_u64().unwrap()).unwrap();
            for (norm, name) in [(L1, "l1_add"), (L2, "l2_add")] {
                let added = grid.inflated(sensitivity(0.0, norm), dim, 0.0).unwrap().value;
                let expected = row[name].as_f64().unwrap();
                assert!(added >= expected && added <= expected * (1.0 + 1e-14), "{added}, expected {expected}");
            }
        }
    }

    #[test]
    fn the_float_error_counts_twice() {
        let inflated = Grid::new(-30).unwrap().inflated(sensitivity(1.0, L1), 4, 0.25).unwrap();
        assert!((inflated.value - (1.5 + 4.0 * (-30_f64).exp2())).abs() < 1e-15 && inflated.norm == L1);
        for float_error in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Grid::new(0).unwrap().inflated(sensitivity(1.0, L1), 4, float_error).is_err());
        }
    }

    /// At most a millionth, and more than half of it: the next coarser grid would cost too much.
    #[test]
    fn the_grid_for_a_sensitivity_costs_a_millionth() {
        for value in [1e-200, 0.37, 1.0, 2.0 / 3.0, 1e6, 1e200] {
            for dim in [1, 2, 10, 1000, 1_000_000] {
                for norm in [L1, L2] {
                    let before = sensitivity(value, norm);
                    let after = Grid::for_sensitivity(before, dim).unwrap().inflated(before, dim, 0.0).unwrap();
                    let cost = after.value / value - 1.0;
                    assert!(cost <= 1e-6 * (1.0 + 1e-9) && cost > 0.499e-6, "{value} {norm:?} {dim}: {cost}");
                    // As an L1 bound it is one of the same cost.
                    assert!(after.l1(dim) <= before.l1(dim) * (1.0 + 1.000_001e-6));
                }
            }
        }
        for value in [0.0, 5e-324, 1e-305, f64::MAX] {
            let refused = Grid::for_sensitivity(sensitivity(value, L1), 1);
            assert_eq!(refused, Err(MechanismError::NoGrid { sensitivity: value, dim: 1 }));
        }
        assert_eq!(Grid::for_sensitivity(sensitivity(1.0, L1), 0), Err(MechanismError::NoCoordinates));
    }

    /// The recipe by hand: floor(log2(1e-6 / 10)) and floor(log2(1e-6 / sqrt(10))).
    #[test]
    fn exponents_are_those_of_the_recipe() {
        assert_eq!(Grid::for_sensitivity(sensitivity(1.0, L1), 10).unwrap().exponent(), -24);
        assert_eq!(Grid::for_sensitivity(sensitivity(1.0, L2), 10).unwrap().exponent(), -22);
    }

    #[test]
    fn scales_round_up() {
        let grid = Grid::new(-1).unwrap();
        for (scale, steps) in [(0.5, 1), (0.500_000_1, 2), (1e-300, 1), (1.0, 2), (3.2, 7)] {
            assert_eq!(grid.steps_up(scale), Ok(steps));
        }
        let widest = Grid::WIDEST as f64 / 2.0;
        assert_eq!(grid.steps_up(widest), Ok(Grid::WIDEST));
        assert!(matches!(grid.steps_up(widest.next_up()), Err(MechanismError::TooFine { .. })));
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(grid.steps_up(scale), Err(MechanismError::Scale(_))));
        }
        assert_eq!(Grid::new(-1022).unwrap().steps_up(f64::MIN_POSITIVE), Ok(1));
        assert!(matches!(Grid::new(-1022).unwrap().steps_up(1.0), Err(MechanismError::TooFine { .. })));
    }

    #[test]
    fn values_round_to_the_nearest_with_ties_to_even_and_are_cut_off() {
        let grid = Grid::new(0).unwrap();
        for (x, nearest, truncated) in [
            (0.5, 0, 0),
            (-0.5, 0, 0),
            (1.5, 2, 1),
            (-1.5, -2, -1),
            (2.5, 2, 2),
            (-0.0, 0, 0),
            (1e300, Grid::FARTHEST, Grid::FARTHEST),
            (f64::NEG_INFINITY, -Grid::FARTHEST, -Grid::FARTHEST),
        ] {
            assert_eq!((grid.nearest(x), grid.toward_zero(x)), (nearest, truncated), "{x}");
        }
        assert_eq!(Grid::new(960).unwrap().nearest(1e-300), 0);
        assert!(Grid::new(960).unwrap().value(i64::MAX).is_finite());
        assert!(Grid::new(961).is_err() && Grid::new(-1023).is_err());
    }
}
