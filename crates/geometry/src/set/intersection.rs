//! The intersection of sets.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

use super::Set;
use crate::{GeometryError, norm};

/// How far outside a set the result may be, as a share of the lesser of the radius and of the size of the points.
const OUTSIDE: f64 = 1e-12;
/// Dykstra's iteration has converged when no correction moved by more than this share of the size of the points.
const MOVED: f64 = 1e-13;
/// The most sweeps over all sets, of Dykstra's iteration and of the one that goes inside.
const SWEEPS: usize = 5000;

/// The intersection of sets of one space.
///
/// # Precision
/// The nearest point has no closed form. Dykstra's iteration (Boyle and Dykstra, 1986) is run until no correction moves
/// by more than `1e-13` of the size of the points in a sweep over all sets, and for at most 5000 sweeps. Then the point is
/// projected on the sets in turn until it is within `1e-12` of each, relative to the lesser of the radius and the
/// size of the points; if 5000 sweeps do not reach that, it is moved towards a common point of the sets until it is so.
/// Last it is projected on the smallest set: the bound on the norm holds exactly, and the result is within `2e-12`
/// of every set.
///
/// So the result is always inside, and nearly always the nearest point; but two points may come out further apart than they
/// went in, by what the iteration left undone. See [`Set::is_exact`].
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
        let distance = with_scratch((whole.sets.len() + 1) * dim, |scratch| {
            let (probe, corrections) = scratch.split_at_mut(dim);
            whole.dykstra(&mut x, probe, corrections);
            whole.enter(&mut x, probe, OUTSIDE / 2.0)
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
        with_scratch((self.sets.len() + 1) * self.dim, |scratch| {
            let (probe, corrections) = scratch.split_at_mut(self.dim);
            for row in rows.chunks_exact_mut(self.dim) {
                self.dykstra(row, probe, corrections);
                if let Some(distance) = self.enter(row, probe, OUTSIDE) {
                    self.fall_back(row, distance);
                }
                if let Some(smallest) = smallest.filter(|set| set.radius().is_finite()) {
                    smallest.project_row(row);
                }
            }
        });
    }

    /// Each set is given back the correction it made in the sweep before, and makes a new one.
    fn dykstra(&self, x: &mut [f64], before: &mut [f64], corrections: &mut [f64]) {
        corrections.fill(0.0);
        let start = largest(x);
        for _ in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for (set, correction) in self.sets.iter().zip(corrections.chunks_exact_mut(self.dim)) {
                for ((x, before), correction) in x.iter_mut().zip(&mut *before).zip(&*correction) {
                    *x += correction;
                    *before = *x;
                }
                set.project_row(x);
                for ((x, before), correction) in x.iter().zip(&*before).zip(correction) {
                    let new = before - x;
                    moved = moved.max((new - *correction).abs());
                    *correction = new;
                }
            }
            if moved <= MOVED * start.max(largest(x)) {
                return;
            }
        }
    }

    /// Projects `x` on the sets in turn until it is inside to the given share of its scale. If it does not get there, the
    /// distance at which it ends.
    fn enter(&self, x: &mut [f64], probe: &mut [f64], outside: f64) -> Option<f64> {
        for _ in 0..SWEEPS {
            if self.distance(x, probe) <= outside * self.scale(x) {
                return None;
            }
            self.sets.iter().for_each(|set| set.project_row(x));
        }
        let distance = self.distance(x, probe);
        (distance > outside * self.scale(x)).then_some(distance)
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
}

impl TryFrom<Raw> for Intersection {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.dim, raw.sets)
    }
}

/// The largest size of an entry.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// Lends `work` this thread's scratch memory, and wipes it: the rows may be private.
fn with_scratch<T>(len: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
    thread_local! {
        static SCRATCH: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
    }
    let mut scratch = SCRATCH.take();
    scratch.resize(len.max(scratch.len()), 0.0);
    let result = work(&mut scratch[..len]);
    scratch.fill(0.0);
    SCRATCH.set(scratch);
    result
}
