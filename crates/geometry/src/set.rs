//! Closed convex sets and the Euclidean projection on them.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use serde::{Deserialize, Serialize};

use crate::{Rows, kernel};

/// What is wrong with a set.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum GeometryError {
    /// A radius must be a finite positive number.
    #[error("the radius must be finite and positive, got {0}")]
    Radius(f64),
    /// A box needs finite bounds with `lower <= upper` in every coordinate.
    #[error("coordinate {coordinate} of the box has bounds [{lower}, {upper}]; they must be finite and in order")]
    Bounds {
        /// Which coordinate, from 0.
        coordinate: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A box has one pair of bounds per coordinate, and at least one.
    #[error("the box has {lower} lower and {upper} upper bounds; they must be as many, and at least one")]
    Length {
        /// Number of lower bounds.
        lower: usize,
        /// Number of upper bounds.
        upper: usize,
    },
}

/// The Euclidean ball `{x : ||x||_2 <= radius}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct L2Ball {
    radius: f64,
}

impl L2Ball {
    /// A ball around the origin.
    ///
    /// # Errors
    /// If the radius is not finite and positive.
    pub fn new(radius: f64) -> Result<Self, GeometryError> {
        if radius.is_finite() && radius > 0.0 { Ok(Self { radius }) } else { Err(GeometryError::Radius(radius)) }
    }

    /// Its radius.
    pub fn radius(self) -> f64 {
        self.radius
    }
}

/// The box `{x : lower_k <= x_k <= upper_k}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Box {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Box {
    /// A box from its bounds, one pair per coordinate.
    ///
    /// # Errors
    /// If the bounds differ in number, are not finite or not in order.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, GeometryError> {
        if lower.len() != upper.len() || lower.is_empty() {
            return Err(GeometryError::Length { lower: lower.len(), upper: upper.len() });
        }
        for (coordinate, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            if !(l.is_finite() && u.is_finite() && l <= u) {
                return Err(GeometryError::Bounds { coordinate, lower: l, upper: u });
            }
        }
        Ok(Self { lower, upper })
    }

    fn radius(&self) -> f64 {
        self.lower.iter().zip(&self.upper).map(|(l, u)| l.abs().max(u.abs()).powi(2)).sum::<f64>().sqrt()
    }
}

/// A closed convex set, as a closed list: no foreign code ever runs inside a projection of private values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Set {
    /// The whole space: projecting changes nothing.
    Whole,
    /// A Euclidean ball around the origin.
    L2Ball(L2Ball),
    /// A box.
    Box(Box),
}

impl From<L2Ball> for Set {
    fn from(ball: L2Ball) -> Self {
        Self::L2Ball(ball)
    }
}

impl From<Box> for Set {
    fn from(b: Box) -> Self {
        Self::Box(b)
    }
}

impl Set {
    /// `sup {||x||_2 : x in the set}`: infinite for the whole space.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Whole => f64::INFINITY,
            Self::L2Ball(ball) => ball.radius,
            Self::Box(b) => b.radius(),
        }
    }

    /// The dimension the set prescribes, if it does.
    pub fn dim(&self) -> Option<usize> {
        match self {
            Self::Whole | Self::L2Ball(_) => None,
            Self::Box(b) => Some(b.lower.len()),
        }
    }

    /// Replaces every row by the nearest point of the set (Euclidean distance).
    ///
    /// # Panics
    /// If the set prescribes another dimension than the rows have.
    pub fn project(&self, x: &mut Rows) {
        let dim = x.shape().dim;
        self.check(dim);
        self.project_all(dim, x.as_mut_slice());
    }

    /// Replaces one point by the nearest point of the set: the bits of a row in a bundle.
    ///
    /// # Panics
    /// If the set prescribes another dimension than the point has.
    pub fn project_row(&self, x: &mut [f64]) {
        self.check(x.len());
        self.project_all(x.len(), x);
    }

    fn check(&self, dim: usize) {
        assert!(self.dim().is_none_or(|d| d == dim), "points of dimension {dim}, a set of dimension {:?}", self.dim());
    }

    fn project_all(&self, dim: usize, rows: &mut [f64]) {
        match self {
            _ if dim == 0 => {}
            Self::Whole => {}
            Self::L2Ball(ball) => project_on_ball(ball.radius, dim, rows),
            Self::Box(b) => project_on_box(&b.lower, &b.upper, rows),
        }
    }
}

kernel! {
    fn project_on_ball(radius: f64, dim: usize, rows: &mut [f64]) = project_on_ball_loop;
}

#[inline(always)]
fn project_on_ball_loop(radius: f64, dim: usize, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(dim) {
        let norm = squares(row).sqrt();
        if norm > radius {
            let shrink = radius / norm;
            for x in row {
                *x *= shrink;
            }
        }
    }
}

/// The sum of squares. Eight sums, of the entries with equal index modulo 8, keep eight additions going at once; they
/// are added pairwise at the end, always in this order.
#[inline(always)]
fn squares(x: &[f64]) -> f64 {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * x;
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += x * x;
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

kernel! {
    fn project_on_box(lower: &[f64], upper: &[f64], rows: &mut [f64]) = project_on_box_loop;
}

#[inline(always)]
fn project_on_box_loop(lower: &[f64], upper: &[f64], rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(lower.len()) {
        for ((x, &l), &u) in row.iter_mut().zip(lower).zip(upper) {
            // As `clamp`, which checks the order of the bounds for each number; NaN stays.
            let raised = if *x < l { l } else { *x };
            *x = if raised > u { u } else { raised };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    /// The loops called directly are compiled for the baseline of the target, the kernels for this machine. Thirds
    /// are not exact, so any other order of the sums, or a fused operation, would show.
    #[test]
    fn the_bits_depend_neither_on_the_instruction_set_nor_on_the_other_rows() {
        for dim in [1, 7, 8, 19, 50] {
            let shape = Shape { nodes: 5, lanes: 2, dim };
            let points: Vec<f64> = (0..shape.len()).map(|k| ((k * 37 % 101) as f64 - 50.0) / 3.0).collect();
            let cuboid = Box::new(vec![-5.0; dim], vec![1.0 / 3.0; dim]).unwrap();
            for set in [Set::from(L2Ball::new(10.0).unwrap()), Set::from(cuboid)] {
                let mut bundle = Rows::from_vec(shape, points.clone());
                set.project(&mut bundle);
                let mut plain = points.clone();
                match &set {
                    Set::Whole => {}
                    Set::L2Ball(ball) => project_on_ball_loop(ball.radius, dim, &mut plain),
                    Set::Box(b) => project_on_box_loop(&b.lower, &b.upper, &mut plain),
                }
                assert_eq!(bundle.as_slice(), plain);
                let mut alone = points.clone();
                alone.chunks_exact_mut(dim).for_each(|row| set.project_row(row));
                assert_eq!(bundle.as_slice(), alone);
                assert_ne!(alone, points);
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let cuboid = Set::from(Box::new(vec![0.0; 2], vec![1.0; 2]).unwrap());
        for set in [Set::from(L2Ball::new(1.0).unwrap()), cuboid, Set::Whole] {
            let mut point = [f64::NAN, 0.5];
            set.project_row(&mut point);
            assert!(point[0].is_nan());
        }
    }

    #[test]
    fn points_without_coordinates_are_left_alone() {
        let mut empty = Rows::zeros(Shape { nodes: 3, lanes: 1, dim: 0 });
        Set::from(L2Ball::new(1.0).unwrap()).project(&mut empty);
    }
}
