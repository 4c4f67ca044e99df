//! The intersection of sets.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

use super::Set;
use super::nearest::{Scratch, nearest};
use crate::{GeometryError, norm};

/// How far outside a set the result may be, as a share of the lesser of the radius and of the size of the points.
const OUTSIDE: f64 = 1e-12;
/// The most sweeps to get inside.
const SWEEPS: usize = 5000;

thread_local! {
    /// What the rows of this thread are projected with, so that nothing is allocated per row.
    static MEMORY: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// The intersection of sets of one space.
///
/// # Precision
/// The nearest point has no closed form. Dykstra's iteration runs until, in a sweep over all sets, no correction moves
/// by more than `1e-13` of the size of the points, and for some thousands of sweeps at most. Then the point is
/// projected on the sets in turn until it is within `1e-12` of each, relative to the lesser of the radius and the size
/// of the points; if 5000 sweeps do not reach that, it is moved towards a common point of the sets until it is so.
/// Last it is projected on the smallest set, so that it keeps the radius as any projection on that set does, and it is
/// within `2e-12` of every set.
///
/// So the result is always inside, and the nearest point except where sets all but touch or meet at a very small
/// angle. But two points may come out further apart than they went in, by what the iteration left undone: see
/// [`Set::is_exact`].
///
/// Put all equations into one [`Affine`](super::Affine): that is exact, and quicker than an intersection of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Intersection {
    dim: usize,
    sets: Vec<Set>,
    /// A point in all sets: the projection of the origin.
    #[serde(skip_serializing)]
    common: Vec<f64>,
}

/// The sets as a file gives them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    dim: usize,
    sets: Vec<Set>,
}

impl Intersection {
    /// The points of dimension `dim` that are in all of the sets. An intersection among them is taken apart.
    ///
    /// # Errors
    /// If there is no set or no dimension, a set prescribes another dimension, or no common point is found.
    pub fn new(dim: usize, sets: Vec<Set>) -> Result<Self, GeometryError> {
        if sets.is_empty() || dim == 0 {
            return Err(GeometryError::Members { sets: sets.len(), dim });
        }
        for (member, set) in sets.iter().enumerate() {
            if let Some(other) = set.dim().filter(|other| *other != dim) {
                return Err(GeometryError::Dimension { member, dim: other, expected: dim });
            }
        }
        let sets = sets.into_iter().flat_map(Set::into_members).collect();
        let mut whole = Self { dim, sets, common: vec![0.0; dim] };
        let mut x = vec![0.0; dim];
        let distance = whole.with_scratch(|scratch| {
            nearest(&whole.sets, &mut x, scratch);
            whole.enter(&mut x, scratch.probe, OUTSIDE / 2.0)
        });
        if let Some(distance) = distance {
            return Err(GeometryError::NoCommonPoint { sets: whole.sets.len(), distance });
        }
        whole.common = x;
        Ok(whole)
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn into_sets(self) -> Vec<Set> {
        self.sets
    }

    /// How many sets it is the intersection of.
    pub(super) fn members(&self) -> usize {
        self.sets.len()
    }

    /// An upper bound on the norm of its points: the least radius of the sets.
    pub(super) fn radius(&self) -> f64 {
        self.sets.iter().map(Set::radius).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn project(&self, rows: &mut [f64]) {
        let smallest = self.sets.iter().min_by(|a, b| a.radius().total_cmp(&b.radius()));
        self.with_scratch(|scratch| {
            for row in rows.chunks_exact_mut(self.dim) {
                nearest(&self.sets, row, scratch);
                if let Some(distance) = self.enter(row, scratch.probe, OUTSIDE) {
                    self.fall_back(row, distance);
                }
                if let Some(smallest) = smallest.filter(|set| set.radius().is_finite()) {
                    smallest.project_row(row);
                }
            }
        });
    }

    /// Projects `x` on the sets in turn until it is inside to the given share of its scale. If it does not get there,
    /// the distance at which it ends.
    fn enter(&self, x: &mut [f64], probe: &mut [f64], share: f64) -> Option<f64> {
        let mut outside =
            |x: &[f64]| Some(self.distance(x, probe)).filter(|distance| *distance > share * self.scale(x));
        for _ in 0..SWEEPS {
            outside(x)?; // ends here, with nothing, once it is inside
            self.sets.iter().for_each(|set| set.project_row(x));
        }
        outside(x)
    }

    /// Moves `x`, at `distance` from the sets, towards the common point until it is inside. The distance to a set is
    /// convex, and the common point keeps half of the tolerance.
    fn fall_back(&self, x: &mut [f64], distance: f64) {
        let half = OUTSIDE * self.scale(&self.common) / 2.0;
        let kept = if distance > 2.0 * half { half / (distance - half) } else { 1.0 };
        for (x, common) in x.iter_mut().zip(&self.common) {
            *x = kept * *x + (1.0 - kept) * common;
        }
    }

    /// The distance from `x` to the set that is farthest.
    fn distance(&self, x: &[f64], probe: &mut [f64]) -> f64 {
        let to = |set: &Set| {
            probe.copy_from_slice(x);
            set.project_row(probe);
            probe.iter_mut().zip(x).for_each(|(p, x)| *p -= x);
            norm(probe)
        };
        self.sets.iter().map(to).fold(0.0, f64::max)
    }

    fn scale(&self, x: &[f64]) -> f64 {
        self.radius().min(norm(x) + norm(&self.common))
    }

    /// Lends `work` this thread's scratch memory, and wipes it: the rows may be private.
    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch<'_>) -> T) -> T {
        let mut memory = MEMORY.take();
        let len = Scratch::len(self.sets.len(), self.dim);
        memory.resize(len.max(memory.len()), 0.0);
        let result = work(&mut Scratch::new(&mut memory[..len], self.dim));
        memory.fill(0.0);
        MEMORY.set(memory);
        result
    }
}

impl TryFrom<Raw> for Intersection {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.dim, raw.sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::L2Ball;

    #[test]
    fn nothing_of_a_row_stays_in_the_memory_of_the_thread() {
        let ball = L2Ball::new(1.0).unwrap();
        let both = Intersection::new(2, vec![ball.into(), Set::Whole]).unwrap();
        both.project(&mut [7.0, -3.0]);
        let memory = MEMORY.take();
        assert_eq!(memory, vec![0.0; Scratch::len(2, 2)]);
    }
}
