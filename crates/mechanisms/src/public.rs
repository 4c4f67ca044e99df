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

    /// `factor * self`.
    pub fn scale(&mut self, factor: f64) {
        self.rows_mut().as_mut_slice().iter_mut().for_each(|x| *x *= factor);
    }

    /// `self + factor * other`.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        assert_eq!(self.rows.shape(), other.rows.shape(), "a sum needs bundles of one shape");
        for (x, y) in self.rows_mut().as_mut_slice().iter_mut().zip(other.rows.as_slice()) {
            *x += factor * y;
        }
    }

    /// Takes the rows of the nodes that are awake from `other`.
    ///
    /// # Panics
    /// If the shapes differ, or `awake` does not speak of every node.
    pub fn replace_nodes(&mut self, awake: &[bool], other: &Self) {
        assert_eq!(self.rows.shape(), other.rows.shape(), "rows are replaced by rows of one shape");
        let shape = self.rows.shape();
        assert_eq!(awake.len(), shape.nodes, "every node is awake or not");
        let width = shape.lanes * shape.dim;
        // The bound is the larger one of the two.
        self.radius = self.radius.max(other.radius);
        for (node, _) in awake.iter().enumerate().filter(|(_, awake)| **awake) {
            let range = node * width..(node + 1) * width;
            self.rows.as_mut_slice()[range.clone()].copy_from_slice(&other.rows.as_slice()[range]);
        }
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
