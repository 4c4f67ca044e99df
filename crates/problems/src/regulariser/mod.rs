//! Regularisers `h`, the part of the objective that looks at no data, and the steps that have them in closed form.
//!
//! | constructor | `h(x)` | `kind` in a file, and its fields |
//! |---|---|---|
//! | [`Regulariser::none`] | `0` | `none` |
//! | [`Regulariser::l1`] | `lambda sum_k abs(x_k)` | `l1`: `lambda` |
//! | [`Regulariser::squared_l2`] | `(mu / 2) norm(x)^2` | `squared-l2`: `mu` |
//! | [`Regulariser::elastic_net`] | the sum of these two | `elastic-net`: `lambda`, `mu` |
//! | [`Regulariser::group_l1`] | `lambda sum_g norm(x_g)` | `group-l1`: `lambda`, `groups` |
//!
//! [`DualStep`] is the step of dual averaging over a [`Set`](crate::Set), and says for which sets it exists.

mod distance;
mod dual_step;
mod shrink;

use dido_geometry::norm;
use serde::{Deserialize, Serialize};

pub use distance::Distance;
pub use dual_step::DualStep;

use crate::ProblemError;
use shrink::{shrink, shrink_groups};

/// A convex function `h` of the point alone, known to everybody.
///
/// ```
/// use dido_problems::Regulariser;
///
/// let lasso = Regulariser::l1(0.5)?;
/// let mut x = [3.0, -0.2];
/// assert_eq!(lasso.value(&x), 0.5 * 3.2);
/// lasso.prox(2.0, &mut x)?;   // towards zero by 2 * 0.5, and no further
/// assert_eq!(x, [2.0, 0.0]);
/// # Ok::<(), dido_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(try_from = "Kind", into = "Kind")]
pub struct Regulariser(Kind);

/// The closed list of regularisers, as a file gives them: not checked yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Kind {
    /// None.
    None,
    /// `lambda ||b||_1`.
    L1 {
        /// The weight.
        lambda: f64,
    },
    /// `(mu / 2) ||b||_2^2`.
    SquaredL2 {
        /// The weight.
        mu: f64,
    },
    /// `lambda ||b||_1 + (mu / 2) ||b||_2^2`.
    ElasticNet {
        /// The weight of the first.
        lambda: f64,
        /// The weight of the second.
        mu: f64,
    },
    /// `lambda sum_g ||b_g||_2`.
    GroupL1 {
        /// The weight.
        lambda: f64,
        /// Coordinates of each group, in order.
        groups: Vec<usize>,
    },
}

impl Regulariser {
    /// `h = 0`.
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// `h(x) = lambda sum_k |x_k|`.
    ///
    /// # Errors
    /// If `lambda` is negative or not finite.
    pub fn l1(lambda: f64) -> Result<Self, ProblemError> {
        Kind::L1 { lambda }.try_into()
    }

    /// `h(x) = (mu / 2) ||x||_2^2`.
    ///
    /// # Errors
    /// If `mu` is negative or not finite.
    pub fn squared_l2(mu: f64) -> Result<Self, ProblemError> {
        Kind::SquaredL2 { mu }.try_into()
    }

    /// `h(x) = lambda sum_k |x_k| + (mu / 2) ||x||_2^2`.
    ///
    /// # Errors
    /// If `lambda` or `mu` is negative or not finite.
    pub fn elastic_net(lambda: f64, mu: f64) -> Result<Self, ProblemError> {
        Kind::ElasticNet { lambda, mu }.try_into()
    }

    /// `h(x) = lambda sum_g ||x_g||_2`, where the first `groups[0]` coordinates are the first group, the next
    /// `groups[1]` the second, and so on to the last coordinate.
    ///
    /// # Errors
    /// If `lambda` is negative or not finite, or there is no group, or an empty one.
    pub fn group_l1(lambda: f64, groups: Vec<usize>) -> Result<Self, ProblemError> {
        Kind::GroupL1 { lambda, groups }.try_into()
    }

    /// `h(x)`.
    ///
    /// # Panics
    /// If the point has another dimension than the groups prescribe.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.check(x.len());
        let sizes = match self.groups() {
            Some(groups) => in_groups(x, groups).map(norm).sum::<f64>(),
            None => x.iter().map(|x| x.abs()).sum(),
        };
        let squares: f64 = x.iter().map(|x| x * x).sum();
        // A weight of zero takes part in no product, which may be 0 times infinity.
        let term = |weight: f64, value: f64| if weight > 0.0 { weight * value } else { 0.0 };
        term(self.lambda(), sizes) + term(self.strong_convexity() / 2.0, squares)
    }

    /// The largest `mu` for which `h - (mu / 2) ||x||_2^2` is convex.
    pub fn strong_convexity(&self) -> f64 {
        match self.0 {
            Kind::SquaredL2 { mu } | Kind::ElasticNet { mu, .. } => mu,
            Kind::None | Kind::L1 { .. } | Kind::GroupL1 { .. } => 0.0,
        }
    }

    /// The dimension the groups prescribe, if there are groups.
    pub fn dim(&self) -> Option<usize> {
        self.groups().map(|groups| groups.iter().sum())
    }

    /// Replaces `x` by `argmin_y { h(y) + ||y - x||_2^2 / (2 step) }`.
    ///
    /// In closed form: `soft(x, step lambda) / (1 + step mu)`, where `soft` moves each coordinate, or each group along
    /// itself, towards zero by that much and no further.
    ///
    /// # Errors
    /// If the step is negative or not finite, or times a weight is not finite.
    ///
    /// # Panics
    /// If the point has another dimension than the groups prescribe.
    pub fn prox(&self, step: f64, x: &mut [f64]) -> Result<(), ProblemError> {
        self.check(x.len());
        let (threshold, divisor) = (step * self.lambda(), 1.0 + step * self.strong_convexity());
        if !(step >= 0.0 && threshold.is_finite() && divisor.is_finite()) {
            return Err(ProblemError::ProximalStep(step));
        }
        self.soft(threshold, divisor, x);
        Ok(())
    }

    /// Replaces every row of `rows` by `soft(row, threshold) / divisor`. The divisor may be negative.
    fn soft(&self, threshold: f64, divisor: f64, rows: &mut [f64]) {
        match self.groups() {
            Some(groups) => shrink_groups(groups, threshold, divisor, rows),
            None => shrink(threshold, divisor, rows),
        }
    }

    /// The weight of what is not smooth: `h(x)` is at least this times the Euclidean norm of `x`.
    pub fn lambda(&self) -> f64 {
        match self.0 {
            Kind::L1 { lambda } | Kind::ElasticNet { lambda, .. } | Kind::GroupL1 { lambda, .. } => lambda,
            Kind::None | Kind::SquaredL2 { .. } => 0.0,
        }
    }

    /// The sizes of the groups, if there are groups.
    pub(crate) fn groups(&self) -> Option<&[usize]> {
        if let Kind::GroupL1 { groups, .. } = &self.0 { Some(groups) } else { None }
    }

    fn name(&self) -> &'static str {
        match self.0 {
            Kind::None => "none",
            Kind::L1 { .. } => "l1",
            Kind::SquaredL2 { .. } => "squared-l2",
            Kind::ElasticNet { .. } => "elastic-net",
            Kind::GroupL1 { .. } => "group-l1",
        }
    }

    fn check(&self, dim: usize) {
        assert!(self.dim().is_none_or(|d| d == dim), "points of dimension {dim}, groups of {:?} in all", self.dim());
    }
}

impl TryFrom<Kind> for Regulariser {
    type Error = ProblemError;

    fn try_from(kind: Kind) -> Result<Self, ProblemError> {
        let weights: &[(_, f64)] = match &kind {
            Kind::None => &[],
            Kind::L1 { lambda } | Kind::GroupL1 { lambda, .. } => &[("lambda", *lambda)],
            Kind::SquaredL2 { mu } => &[("mu", *mu)],
            Kind::ElasticNet { lambda, mu } => &[("lambda", *lambda), ("mu", *mu)],
        };
        if let Some(&(name, value)) = weights.iter().find(|(_, weight)| !(*weight >= 0.0 && weight.is_finite())) {
            return Err(ProblemError::RegulariserWeight { name, value });
        }
        match &kind {
            Kind::GroupL1 { groups, .. } if groups.is_empty() || groups.contains(&0) => {
                Err(ProblemError::Groups { groups: groups.clone() })
            }
            _ => Ok(Self(kind)),
        }
    }
}

impl From<Regulariser> for Kind {
    fn from(regulariser: Regulariser) -> Self {
        regulariser.0
    }
}

/// The parts of `x` that groups of these sizes take, one after the other.
fn in_groups<'a>(mut x: &'a [f64], groups: &'a [usize]) -> impl Iterator<Item = &'a [f64]> {
    groups.iter().map(move |&size| {
        let (group, rest) = x.split_at(size);
        x = rest;
        group
    })
}
