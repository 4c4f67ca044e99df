//! Values that are safe to send, log and plot.

use dido_geometry::{Rows, Set};

/// A bundle of rows that reveals no more than the releases before it.
///
/// It is born in two ways: [`Public::declared`] for what never depended on data (a starting point), and the release
/// of a [`Private`](crate::Private) value through the [`Gate`](crate::Gate). Everything computed from public values
/// alone is public: post-processing as a type rule.
///
/// A public value remembers the radius of the last set it was projected on. The sensitivity of a gradient that is
/// taken there needs it; any other operation forgets it.
#[derive(Clone, Debug)]
pub struct Public {
    rows: Rows,
    radius: f64,
}

impl Public {
    /// A value chosen without looking at any record. The caller vouches for that.
    pub fn declared(rows: Rows) -> Self {
        Self::from_release(rows)
    }

    /// What the gate lets out.
    pub(crate) fn from_release(rows: Rows) -> Self {
        Self { rows, radius: f64::INFINITY }
    }

    /// The numbers.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The numbers, to be changed at will: the bound on their norms is forgotten.
    pub fn rows_mut(&mut self) -> &mut Rows {
        self.radius = f64::INFINITY;
        &mut self.rows
    }

    /// A bound on the Euclidean norm of every row; infinite unless the value was just projected on a bounded set.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Replaces every row by the nearest point of `set`.
    pub fn project(&mut self, set: &Set) {
        set.project(&mut self.rows);
        self.radius = set.radius();
    }
}
