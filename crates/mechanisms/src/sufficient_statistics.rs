//! How far one change of the data moves the sufficient statistics of least squares, `(svec X'X, k X'y)`, exactly.
//!
//! The symmetric matrix is released once, packed: [`packed`] has the diagonal and `sqrt(2)` times the entries above it, so
//! that the length of the vector is the Frobenius norm of the matrix. (Unscaled entries have the same sensitivity, for rows
//! along an axis, and would get noise of `sqrt(2)` times the size.) The vector `X'y` is stacked below it, times a public
//! `k`, the balance. With rows no longer than `R`, targets within `[-Y, Y]` and `C = k^2 Y^2`, one record moves the stack
//! by at most
//!
//! | change | `dim >= 2` | `dim = 1` |
//! |---|---|---|
//! | replace a record | `sqrt(2) (R^2 + C/2)` if `C <= 2 R^2`, else `2 sqrt(C) R` | `max(sqrt((1 + r)^3 (1 - r)) R^2, 2 sqrt(C) R)`, see below |
//! | add or remove a record | `R sqrt(R^2 + C)` | the same |
//!
//! in the Euclidean norm, and a node that is replaced by `n` times as much. Each is attained ([`worst_case_pair`]).
//!
//! Noise for both blocks together is cheaper than noise for each. Gaussian noise for blocks that are worth `sqrt(2) R^2` and
//! `2 k R Y` by themselves costs as much as for a stack of squared sensitivity `2 R^4 + 4 R^2 C`; the stack has
//! `2 R^4 + 2 R^2 C + C^2 / 2`, less for all `C < 4 R^2`: no record is the worst of both blocks.
//!
//! # Proof
//! For `(x, y)` and `(z, w)` of lengths `a`, `b` and cosine `s` the squared distance is
//! `a^4 + b^4 - 2 a^2 b^2 s^2 + k^2 (a^2 y^2 + b^2 w^2 - 2 a b s y w)`. It is convex in `(y, w)`, and `(x, y)` counts as much
//! as `(-x, -y)`: the worst are `y = Y`, `w = -Y` and `s >= 0`. It grows if `a` and `b` grow by one factor: let `b = R`,
//! `a = r R` and `u = C / R^2`. Then it is `R^4` times `1 + r^4 - 2 r^2 s^2 + u (1 + r^2 + 2 r s)`. For `dim >= 2` the best `s` is
//! `min(u / 2r, 1)`. Where that is below 1 the value is `1 + r^4 + u (1 + r^2) + u^2 / 2`, else `(1 + r)^2 ((1 - r)^2 + u)` with
//! `u >= 2 r`; both grow with `r`, so `r = 1`. For `dim = 1` there is `s = 1` only; `(1 + r)^2 ((1 - r)^2 + u)` is largest at
//! `r = 1` or at the smaller root of `2 r (1 - r) = u`, where it is `(1 + r)^3 (1 - r)`. A node's statistics are sums over its
//! records, and copies of the worst record attain `n` times the distance.

use crate::sensitivity::bound;
use crate::{Adjacency, MechanismError, Norm, Sensitivity};

/// Numbers of the packed matrix and vector of `dim` coordinates: `dim (dim + 1) / 2 + dim`.
pub fn len(dim: usize) -> usize {
    dim * (dim + 1) / 2 + dim
}

/// Packs a symmetric matrix and a vector: row by row the diagonal and `sqrt(2)` times what is right of it, then `balance`
/// times the vector.
pub fn packed(
    dim: usize,
    balance: f64,
    matrix: impl Fn(usize, usize) -> f64,
    vector: impl Fn(usize) -> f64,
) -> impl Iterator<Item = f64> {
    let entry = move |j: usize, k: usize| if j == k { matrix(j, j) } else { std::f64::consts::SQRT_2 * matrix(j, k) };
    let upper = (0..dim).flat_map(move |j| (j..dim).map(move |k| (j, k))).map(move |(j, k)| entry(j, k));
    upper.chain((0..dim).map(move |k| balance * vector(k)))
}

/// Reads back what [`packed`] wrote: calls `matrix` with the entries on and above the diagonal, `vector` with the vector.
///
/// # Panics
/// If `from` has not [`len`] numbers.
pub fn unpack(
    dim: usize,
    balance: f64,
    from: &[f64],
    mut matrix: impl FnMut(usize, usize, f64),
    mut vector: impl FnMut(usize, f64),
) {
    assert_eq!(from.len(), len(dim), "packed statistics of {dim} coordinates");
    let (upper, below) = from.split_at(len(dim) - dim);
    let places = (0..dim).flat_map(|j| (j..dim).map(move |k| (j, k)));
    for ((j, k), &value) in places.zip(upper) {
        matrix(j, k, if j == k { value } else { std::f64::consts::FRAC_1_SQRT_2 * value });
    }
    below.iter().enumerate().for_each(|(k, value)| vector(k, value / balance));
}

/// The L2 sensitivity of the packed statistics of one record, for rows no longer than `x_bound` and targets no larger than
/// `y_bound`. A node of `n` records that is replaced counts `n` times.
///
/// # Errors
/// If a bound is negative or not finite, `dim` is 0, or the result overflows.
pub fn l2_sensitivity(
    adjacency: Adjacency,
    x_bound: f64,
    y_bound: f64,
    balance: f64,
    dim: usize,
) -> Result<Sensitivity, MechanismError> {
    let (x, c) = (bound("x", x_bound)?, bound("balance y", balance * y_bound)?);
    let replaced = match dim {
        0 => return Err(MechanismError::NoCoordinates),
        1 => {
            let r = shorter(x, c);
            (x * x * ((1.0 + r).powi(3) * (1.0 - r)).sqrt()).max(2.0 * c * x)
        }
        _ if c * c <= 2.0 * x * x => std::f64::consts::SQRT_2 * (x * x + 0.5 * c * c),
        _ => 2.0 * c * x,
    };
    let value = if adjacency == Adjacency::AddRemoveRecord { x * x.hypot(c) } else { replaced };
    Sensitivity::new(value, Norm::L2, adjacency)
}

/// The smaller root of `2 r (1 - r) = (c / x)^2`; 1 if there is none.
fn shorter(x: f64, c: f64) -> f64 {
    let u = if c > 0.0 { (c / x).powi(2) } else { 0.0 };
    if u < 0.5 { u / (1.0 + (1.0 - 2.0 * u).sqrt()) } else { 1.0 }
}

/// The balance `k` that makes the best of a given guarantee, for solutions of length `radius` (`Y / R` if it is infinite).
///
/// What noise of size `sigma` in the stack does to the normal equations at `b` has about the variance
/// `sigma^2 (1 / k^2 + ||b||^2 / 2)` in each coordinate, and `sigma` is proportional to the sensitivity under replacement. The
/// product is least at `k^2 = 2 (R / Y)^2 / (1/2 + sqrt(1/4 + 2 (radius R / Y)^2))`. It depends on public bounds alone.
///
/// # Errors
/// If a bound is not finite and positive, or `radius` is negative or NaN.
pub fn best_balance(x_bound: f64, y_bound: f64, radius: f64) -> Result<f64, MechanismError> {
    for (name, value) in [("x", x_bound), ("y", y_bound)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(MechanismError::Bound { name, value });
        }
    }
    if radius.is_nan() || radius < 0.0 {
        return Err(MechanismError::Bound { name: "radius", value: radius });
    }
    let beta = if radius.is_finite() { radius * x_bound / y_bound } else { 1.0 };
    let square = 2.0 / (0.5 + (0.25 + 2.0 * beta * beta).sqrt());
    Ok(x_bound / y_bound * square.sqrt())
}

/// A row and its target.
pub type Record = (Vec<f64>, f64);

/// Two records whose statistics are as far apart as the [sensitivity](l2_sensitivity) under replacement says, for audits
/// and tests. They stay some units in the last place inside the bounds.
///
/// # Errors
/// As [`l2_sensitivity`].
pub fn worst_case_pair(
    x_bound: f64,
    y_bound: f64,
    balance: f64,
    dim: usize,
) -> Result<(Record, Record), MechanismError> {
    l2_sensitivity(Adjacency::ReplaceRecord, x_bound, y_bound, balance, dim)?;
    let inside = 1.0 - (dim as f64 + 4.0) * f64::EPSILON;
    let (x, y, c) = (x_bound * inside, y_bound * inside, balance * y_bound);
    if dim == 1 {
        let r = shorter(x_bound, c);
        let far = ((1.0 + r).powi(3) * (1.0 - r)).sqrt() * x_bound > 2.0 * c;
        return Ok(((vec![x], y), (vec![if far { r * x } else { x }], -y)));
    }
    // The cosine of the angle between the rows, and with it half the angle.
    let s = if c > 0.0 { (0.5 * (c / x_bound).powi(2)).min(1.0) } else { 0.0 };
    let (cosine, sine) = ((0.5 * (1.0 + s)).sqrt(), (0.5 * (1.0 - s)).sqrt());
    let row = |sign: f64| {
        let mut row = vec![0.0; dim];
        (row[0], row[1]) = (x * cosine, sign * x * sine);
        row
    };
    Ok(((row(1.0), y), (row(-1.0), -y)))
}
