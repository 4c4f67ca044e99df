//! The step of dual averaging.

use dido_geometry::{Rows, Set};

use super::distance::softmin;
use super::{Distance, Kind, Regulariser};
use crate::ProblemError;

/// `x = argmin { <z, x> + A h(x) + gamma d(x) : x in the set }`, in closed form: step (2) of dual averaging, and of
/// paper B's Algorithm 1 step (6) with `iota A_t` for `A`.
///
/// With the Euclidean distance let `s = A mu + gamma`, and `soft(z, t)` move each coordinate of `z`, or each group,
/// towards zero by `t` and no further. `P` is the projection on the set.
///
/// | `h` \ set | whole space | ball | box | l1 ball | simplex | others |
/// |---|---|---|---|---|---|---|
/// | none, squared l2 | `-z / s` | `P(-z / s)` | `P(-z / s)` | `P(-z / s)` | `P(-z / s)` | `P(-z / s)` |
/// | l1, elastic net | `-soft(z, A lambda) / s` | `P` of it | `P` of it | `P` of it | `P(-z / s)` | refused |
/// | group l1 | `-soft(z, A lambda) / s` | `P` of it | refused | refused | refused | refused |
///
/// With the entropy, on the simplex, and no regulariser or l1: `x_k` is proportional to `exp(-z_k / (gamma radius))`.
/// All else is refused.
///
/// Why: completing the square turns the first row into a projection. With l1, a multiplier for the ball adds to `s`,
/// which scales the point; one for the l1 ball adds to `A lambda`, which shrinks the sizes once more; a box takes
/// coordinates one by one, and a convex function of one number is least at the point of an interval that is nearest to
/// where it is least at all. On the simplex the l1 norm is constant.
///
/// As a function of `z` the step is Lipschitz with constant `1 / s`, or `1 / gamma` for the entropy.
///
/// ```
/// use dido_geometry::{L2Ball, Rows, Set, Shape};
/// use dido_problems::{Distance, DualStep, Regulariser};
///
/// let step = DualStep::new(Regulariser::l1(1.0)?, L2Ball::new(9.0).unwrap().into(), Distance::Euclidean)?;
/// let mut z = Rows::from_vec(Shape { nodes: 2, lanes: 1, dim: 2 }, vec![-5.0, 1.0, 2.0, -4.0]);
/// step.apply(2.0, 0.5, &mut z)?;
/// assert_eq!(z.as_slice(), [6.0, 0.0, 0.0, 4.0]);   // towards zero by 2, then over -0.5
/// # Ok::<(), dido_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DualStep {
    regulariser: Regulariser,
    set: Set,
    distance: Distance,
    form: Form,
}

/// The closed forms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `P(-z / s)`.
    Project,
    /// `P(-soft(z, A lambda) / s)`.
    ShrinkAndProject,
    /// Softmax of `-z`.
    Softmin { radius: f64 },
}

impl DualStep {
    /// The step for these three.
    ///
    /// # Errors
    /// If it has no closed form.
    pub fn new(regulariser: Regulariser, set: Set, distance: Distance) -> Result<Self, ProblemError> {
        let Some(form) = closed_form(&regulariser, &set, distance) else {
            let (regulariser, set) = (regulariser.name(), name(&set));
            return Err(ProblemError::NoClosedForm { regulariser, set, distance });
        };
        Ok(Self { regulariser, set, distance, form })
    }

    /// The regulariser `h`.
    pub fn regulariser(&self) -> &Regulariser {
        &self.regulariser
    }

    /// The set.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// The distance `d`.
    pub fn distance(&self) -> Distance {
        self.distance
    }

    /// A bound on the Euclidean norm of every result: the radius of the set.
    pub fn radius(&self) -> f64 {
        self.set.radius()
    }

    /// The dimension that the set or the groups prescribe, if one does.
    pub fn dim(&self) -> Option<usize> {
        self.set.dim().or(self.regulariser.dim())
    }

    /// Replaces every row `z` by its `x`, for the weight `a` of the regulariser and `gamma` of the distance.
    ///
    /// With `z = 0` and `a = 0` that is the point where the distance is least, at which dual averaging starts. Results
    /// are finite as long as `z / s` is.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or `s = a mu + gamma` is not finite and positive; with the entropy, if
    /// `gamma` is not positive. The rows are then as they were.
    ///
    /// # Panics
    /// If the rows have another dimension than the set or the groups prescribe.
    pub fn apply(&self, a: f64, gamma: f64, z: &mut Rows) -> Result<(), ProblemError> {
        let dim = z.shape().dim;
        assert!(self.dim().is_none_or(|d| d == dim), "points of dimension {dim}, a step in {:?}", self.dim());
        let (threshold, s) = (a * self.regulariser.lambda(), a * self.regulariser.strong_convexity() + gamma);
        let curvature = if self.distance == Distance::Entropy { gamma } else { s };
        if !(a >= 0.0 && gamma >= 0.0 && threshold.is_finite() && s.is_finite() && curvature > 0.0) {
            return Err(ProblemError::DualWeights { a, gamma });
        }
        match self.form {
            _ if dim == 0 => {}
            Form::Softmin { radius } => softmin(radius, gamma, dim, z.as_mut_slice()),
            Form::ShrinkAndProject => {
                self.regulariser.soft(threshold, -s, z.as_mut_slice());
                self.set.project(z);
            }
            Form::Project => {
                Regulariser::none().soft(0.0, -s, z.as_mut_slice());
                self.set.project(z);
            }
        }
        Ok(())
    }
}

/// The table of [`DualStep`].
fn closed_form(regulariser: &Regulariser, set: &Set, distance: Distance) -> Option<Form> {
    match (distance, &regulariser.0, set) {
        (Distance::Euclidean, Kind::None | Kind::SquaredL2 { .. }, _)
        | (Distance::Euclidean, Kind::L1 { .. } | Kind::ElasticNet { .. }, Set::Simplex(_)) => Some(Form::Project),
        (
            Distance::Euclidean,
            Kind::L1 { .. } | Kind::ElasticNet { .. },
            Set::Whole | Set::L2Ball(_) | Set::Box(_) | Set::L1Ball(_),
        )
        | (Distance::Euclidean, Kind::GroupL1 { .. }, Set::Whole | Set::L2Ball(_)) => Some(Form::ShrinkAndProject),
        (Distance::Entropy, Kind::None | Kind::L1 { .. }, Set::Simplex(simplex)) => {
            Some(Form::Softmin { radius: simplex.radius() })
        }
        _ => None,
    }
}

fn name(set: &Set) -> &'static str {
    match set {
        Set::Whole => "the whole space",
        Set::L2Ball(_) => "a ball",
        Set::Box(_) => "a box",
        Set::Simplex(_) => "a simplex",
        Set::L1Ball(_) => "an l1 ball",
        Set::HalfSpace(_) => "a half-space",
        Set::Affine(_) => "an affine subspace",
        Set::Intersection(_) => "an intersection",
    }
}
