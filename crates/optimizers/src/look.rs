//! How far one change of the data moves what a node computes from a look at them, on paper and in floating point.
//!
//! # Rounding
//! Exact noise hides numbers on a grid, so these must be within a known distance of the numbers whose sensitivity was proved.
//! With `u = 2^-53` and `gamma_k = k u / (1 - k u)`, a sum of `k` terms that were each rounded `j` times on their way is off
//! by at most `gamma_(k + j)` times the sum of their sizes, in whatever order it is made (Higham, *Accuracy and Stability of
//! Numerical Algorithms*, lemmas 3.1 and 3.3 and section 3.1). A node sums the gradients of `t` records, none longer than
//! `A = R_x g` (`g` the largest slope of the loss within the bounds, so `A = R_x (R_x B + R_y)` for squared loss), or than
//! the length it is clipped to, with a weight `w` (scale of the objective and inverse of the share that is looked at).
//! In Euclidean length the error is at most
//!
//! ```text
//! gamma_K w t A,      K = t + 12 m + 128
//! ```
//!
//! where `m` counts coordinates. What the roundings are:
//!
//! * *squared loss*: of a term `x_rj x_rk b_k` or `x_rj y_r`, with Gram matrices `t + 1` in the entry and its scale and `m + 1`
//!   in the product with the point; record by record `m + 1` in the residual, 4 in the weight, `t` in the sum. The
//!   sums of sizes are `w |X|'(|X||b| + |y|)`, of length `w t A` at most.
//! * *other losses*: the slope need not be that of the exact prediction: any number that is computed from the record and the
//!   public point alone and is no larger than `g` has the sensitivity that is claimed. As computed it is larger by a relative
//!   `gamma_(4 m + 40)` at most: each bound `g` grows with the prediction at most in proportion, and the exponential
//!   function is taken to be right to 8 units in the last place. Then `t + 4` roundings follow.
//! * *bounds*: a row that was let pass is longer than `R_x` by at most `(m/2 + 3) u`, a projected point than `B` by at most
//!   `(2 m + 16) u`, and a clipped gradient is shortened by `2 (m + 8) u` more than on paper. Each enters the error, and the
//!   sensitivity, which is at most `2 w t A` itself and is compared with twice the error.
//! * *steps*: up to four products follow, and the product of sensitivity and step is rounded too.
//!
//! The same `K` is enough for packed sufficient statistics, whose terms `x_rj x_rk` and `x_rj y_r` are multiplied with three
//! numbers more: there `A^2 = R_x^4 + (k R_x R_y)^2` for the balance `k`.
//!
//! `tests/rounding.rs` compares what is computed with sums of twice the precision.
//!
//! Where records are added or removed, their number is what is protected, and `t` cannot be it. The bound is for up to twice
//! as many records as were declared, and a node that holds more is refused: like the bounds of a record, that is a limit of
//! the data sets the guarantee speaks of.

use dido_mechanisms::Adjacency;
use dido_problems::Loss;

use crate::{Declaration, Sampling};

/// A look at the data, by what is public about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Which records are looked at.
    pub sampling: Sampling,
    /// The length to which the gradient of every record is clipped, before it is weighted; infinite if it is not.
    pub clip: f64,
    /// A bound on the points at which gradients are taken, which may be infinite.
    pub radius: f64,
}

impl Look {
    /// A look at all records, as they are.
    pub fn at_all(radius: f64) -> Self {
        Self { sampling: Sampling::All, clip: f64::INFINITY, radius }
    }
}

impl Declaration {
    /// A bound on the L2 sensitivity of what one node of each class computes from a look at its data; where records are
    /// sampled, that for a record *in* the sample.
    ///
    /// As [`l2_by_class`](Self::l2_by_class), times what the sample is multiplied with; a clipped record moves the sum by at
    /// most its part of `2 C`, or of `C` if it is added or removed.
    pub fn l2_of_look_by_class(&self, adjacency: Adjacency, look: Look) -> Vec<f64> {
        let lengths = if adjacency == Adjacency::AddRemoveRecord { 1.0 } else { 2.0 };
        let of = |&records: &usize| {
            let changed = if adjacency == Adjacency::ReplaceNode { look.sampling.most(records) } else { 1 };
            let clipped = lengths * look.clip * changed as f64;
            let width = self.width(adjacency, look.radius, changed).min(clipped);
            self.scale(records) * look.sampling.weight(records) * width
        };
        self.class_records().iter().map(of).collect()
    }

    /// A bound on the L2 distance between what one node of each class computes and a value of that sensitivity: see
    /// [`Private::on_grid`](dido_mechanisms::Private::on_grid).
    pub fn rounding_by_class(&self, adjacency: Adjacency, look: Look) -> Vec<f64> {
        let (x, y) = (self.bounds().row_norm(), self.bounds().target());
        let longest = (x * self.loss().largest_slope(x * look.radius, y)).min(look.clip);
        let of = |&records: &usize| {
            let terms = look.sampling.most(Self::most_records(adjacency, records));
            self.rounding(terms, self.scale(records) * look.sampling.weight(records), longest)
        };
        self.class_records().iter().map(of).collect()
    }

    /// The same for the packed [sufficient statistics](dido_mechanisms::sufficient_statistics) of all records.
    pub fn rounding_of_statistics_by_class(&self, adjacency: Adjacency, balance: f64) -> Vec<f64> {
        let (x, y) = (self.bounds().row_norm(), self.bounds().target());
        let longest = x * x.hypot(balance * y);
        let of = |&records: &usize| self.rounding(Self::most_records(adjacency, records), self.scale(records), longest);
        self.class_records().iter().map(of).collect()
    }

    /// A bound on the distance between the gradient of one node and what is computed of it, at points of length at most
    /// `radius`; with other losses than the squared one the prediction and the slope are rounded too: by a relative
    /// `gamma_(4 m + 40)` of the largest prediction, times the second derivative, and of the largest slope.
    pub(crate) fn rounding_of_gradient(&self, records: usize, radius: f64) -> f64 {
        let (x, y, loss) = (self.bounds().row_norm(), self.bounds().target(), self.loss());
        let (scale, sum) = (self.scale(records), self.rounding(records, self.scale(records), 1.0));
        let g = loss.largest_slope(x * radius, y);
        if loss == Loss::Squared {
            return sum * x * g;
        }
        // The linear part of a smoothed hinge is `y (1 - y x'b) / width`: a second derivative of `y^2 / width`.
        let of_target = if y > 0.0 { y.max(1.0 / y) } else { 0.0 };
        let slope = 2.0 * g + loss.largest_curvature(y) * (x * radius + 2.0 * of_target);
        sum * x * g + gamma(4.0 * self.dim() as f64 + 40.0) * scale * records as f64 * x * slope
    }

    /// Of a sum of so many terms, none longer than `longest`, times `weight`.
    fn rounding(&self, terms: usize, weight: f64, longest: f64) -> f64 {
        gamma(terms as f64 + 12.0 * self.dim() as f64 + 128.0) * weight * terms as f64 * longest
    }

    /// The most records of a node that declared `records` for which the rounding is bounded.
    pub(crate) fn most_records(adjacency: Adjacency, records: usize) -> usize {
        if adjacency == Adjacency::AddRemoveRecord { 2 * records } else { records }
    }
}

/// `k u / (1 - k u)`, infinite where it is no bound any more, rounded up.
fn gamma(k: f64) -> f64 {
    let ku = k * (0.5 * f64::EPSILON);
    if ku < 0.5 { (ku / (1.0 - ku)) * (1.0 + 4.0 * f64::EPSILON) } else { f64::INFINITY }
}
