//! Closed convex sets and the Euclidean projection on them. One file each, and its line here.

mod affine;
mod ball;
mod cuboid;
mod half_space;
mod intersection;
mod l1_ball;
mod nearest;
mod radius;
mod simplex;

use serde::{Deserialize, Serialize};

pub use affine::Affine;
pub use ball::L2Ball;
pub use cuboid::Box;
pub use half_space::HalfSpace;
pub use intersection::Intersection;
pub use l1_ball::L1Ball;
pub use simplex::Simplex;

use crate::{Rows, Shape, parallel};

/// Numbers to be projected, times the sets to project them on, below which threads do not pay.
const WORTH_THREADS: usize = 1_000;

/// A closed convex set, as a closed list: no foreign code ever runs inside a projection of private values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Set {
    /// The whole space: projecting changes nothing.
    Whole,
    /// A Euclidean ball around the origin.
    L2Ball(L2Ball),
    /// A box.
    Box(Box),
    /// A simplex.
    Simplex(Simplex),
    /// An l1 ball around the origin.
    L1Ball(L1Ball),
    /// A half-space.
    HalfSpace(HalfSpace),
    /// The solutions of linear equations.
    Affine(Affine),
    /// The common points of several sets.
    Intersection(Intersection),
}

/// `From` of each set for [`Set`].
macro_rules! from {
    ($($set:ident),*) => {
        $(impl From<$set> for Set {
            fn from(set: $set) -> Self {
                Self::$set(set)
            }
        })*
    };
}

from!(L2Ball, Box, Simplex, L1Ball, HalfSpace, Affine, Intersection);

impl Set {
    /// A bound on `||x||_2` over the set, attained unless the set is an intersection or a single point; infinite for
    /// the whole space, half-spaces and affine subspaces.
    ///
    /// What [`project`](Self::project) returns keeps it to rounding.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Whole | Self::HalfSpace(_) | Self::Affine(_) => f64::INFINITY,
            Self::L2Ball(ball) => ball.radius(),
            Self::Box(b) => b.radius(),
            Self::Simplex(simplex) => simplex.radius(),
            Self::L1Ball(ball) => ball.radius(),
            Self::Intersection(sets) => sets.radius(),
        }
    }

    /// The dimension the set prescribes, if it does.
    pub fn dim(&self) -> Option<usize> {
        match self {
            Self::Whole | Self::L2Ball(_) | Self::Simplex(_) | Self::L1Ball(_) => None,
            Self::Box(b) => Some(b.dim()),
            Self::HalfSpace(half) => Some(half.dim()),
            Self::Affine(affine) => Some(affine.dim()),
            Self::Intersection(sets) => Some(sets.dim()),
        }
    }

    /// Whether the projection is exact to rounding, so that it moves no two points further apart.
    ///
    /// The one on an intersection is an iteration that stops: it is inside the set, but the distance of two points may
    /// grow. A sensitivity must not be carried through it; to project what is public does no harm.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Intersection(_))
    }

    /// Replaces every row by the nearest point of the set (Euclidean distance).
    ///
    /// Rows of finite numbers up to `1e300` in size stay finite.
    ///
    /// # Panics
    /// If the set prescribes another dimension than the rows have.
    pub fn project(&self, x: &mut Rows) {
        let Shape { nodes, lanes, dim } = x.shape();
        self.check(dim);
        match self {
            Self::Intersection(sets) => {
                let cost = x.shape().len() * sets.members();
                parallel::for_each_range(nodes * lanes, x.as_mut_slice(), cost, WORTH_THREADS, |_, rows| {
                    self.project_all(dim, rows);
                });
            }
            _ => self.project_all(dim, x.as_mut_slice()),
        }
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
            Self::L2Ball(ball) => ball.project(dim, rows),
            Self::Box(b) => b.project(rows),
            Self::Simplex(simplex) => simplex.project(dim, rows),
            Self::L1Ball(ball) => ball.project(dim, rows),
            Self::HalfSpace(half) => half.project(rows),
            Self::Affine(affine) => affine.project(rows),
            Self::Intersection(sets) => sets.project(rows),
        }
    }

    /// The sets it is the intersection of: itself, if it is none.
    fn into_members(self) -> Vec<Self> {
        match self {
            Self::Intersection(sets) => sets.into_sets(),
            set => vec![set],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dimensions with and without a rest modulo 8.
    pub const DIMS: [usize; 5] = [1, 7, 8, 19, 50];

    /// Checks a set against the loop of its kernel, called directly: that is compiled for the baseline of the target,
    /// the kernel for this machine. Thirds are not exact, so any other order of the sums, or a fused operation, would
    /// show.
    pub fn same_bits(set: impl Into<Set>, dim: usize, plain: impl Fn(&mut [f64])) {
        let shape = Shape { nodes: 5, lanes: 2, dim };
        let points: Vec<f64> = (0..shape.len()).map(|k| ((k * 37 % 101) as f64 - 50.0) / 3.0).collect();
        let set = set.into();
        let mut bundle = Rows::from_vec(shape, points.clone());
        set.project(&mut bundle);
        let mut expected = points.clone();
        plain(&mut expected);
        assert_eq!(bundle.as_slice(), expected, "{set:?}");
        let mut alone = points.clone();
        alone.chunks_exact_mut(dim).for_each(|row| set.project_row(row));
        assert_eq!(bundle.as_slice(), alone, "{set:?}");
        assert_ne!(alone, points, "{set:?}");
    }

    #[test]
    fn points_without_coordinates_are_left_alone() {
        let mut empty = Rows::zeros(Shape { nodes: 3, lanes: 1, dim: 0 });
        Set::from(L2Ball::new(1.0).unwrap()).project(&mut empty);
    }
}
