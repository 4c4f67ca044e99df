//! All that can be wrong with a set.

/// What was wrong, in one line. Coordinates, rows and members count from 0.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum GeometryError {
    /// A radius must be a finite positive number.
    #[error("the radius must be finite and positive, got {0}")]
    Radius(f64),
    /// A box needs finite bounds with `lower <= upper` in every coordinate.
    #[error("coordinate {coordinate} of the box has bounds [{lower}, {upper}]; they must be finite and in order")]
    Bounds {
        /// Which coordinate.
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
    /// A normal vector is finite and not zero.
    #[error("row {row} has norm {norm}; it must be finite and not zero")]
    Normal {
        /// Which row of the equations; 0 for a half-space, which has one.
        row: usize,
        /// Its norm.
        norm: f64,
    },
    /// The hyperplane `<a, x> = b` must lie at a finite distance from the origin.
    #[error("row {row}: the right-hand side {offset} over the norm of the row must be finite")]
    Offset {
        /// Which row of the equations; 0 for a half-space, which has one.
        row: usize,
        /// Its right-hand side.
        offset: f64,
    },
    /// There is at least one equation, and one right-hand side for each.
    #[error("{rows} equations and {offsets} right-hand sides; they must be as many, and at least one")]
    Equations {
        /// Number of equations.
        rows: usize,
        /// Number of right-hand sides.
        offsets: usize,
    },
    /// All equations have as many coefficients as the first.
    #[error("equation {row} has {dim} coefficients, equation 0 has {expected}")]
    Coefficients {
        /// Which equation.
        row: usize,
        /// Its number of coefficients.
        dim: usize,
        /// That of the first.
        expected: usize,
    },
    /// The equations must be linearly independent.
    #[error("equation {row} depends on those before it; leave it out if it says the same")]
    Dependent {
        /// Which equation.
        row: usize,
    },
    /// An intersection is one of at least one set, in at least one dimension.
    #[error("an intersection of {sets} sets in dimension {dim}; there must be at least one of each")]
    Members {
        /// Number of sets.
        sets: usize,
        /// The dimension of the space.
        dim: usize,
    },
    /// All sets of an intersection lie in the same space.
    #[error("set {member} of the intersection has dimension {dim}, not {expected}")]
    Dimension {
        /// Which set.
        member: usize,
        /// Its dimension.
        dim: usize,
        /// That of the space.
        expected: usize,
    },
    /// The sets of an intersection must have a point in common, and one that can be found.
    #[error("no common point of the {sets} sets was found: the iterations end at a distance of {distance} from one")]
    NoCommonPoint {
        /// Number of sets.
        sets: usize,
        /// How far the last point is from the farthest of them.
        distance: f64,
    },
}
