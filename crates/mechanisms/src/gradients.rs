//! How far one change of the data moves a released gradient, from a public bound on what one contribution can be.
//!
//! A sum of the records' gradients moves by `g - g'` if one record is replaced, and by `g` if one is added or removed:
//!
//! | released | record added or removed | record replaced | node replaced |
//! |---|---|---|---|
//! | a sum over records clipped to length `C` ([`clipped`]) | `C` | `2 C` | refused |
//! | that sum over a public constant `B` ([`clipped_mean`]) | `C / B` | `2 C / B` | refused |
//! | a sum over records with each coordinate clamped to `[a, b]` ([`clamped`]) | `max(abs a, abs b)` | `b - a` | refused |
//! | the gradient of one `L`-Lipschitz loss, of a record or a node ([`lipschitz`]) | `L` | `2 L` | `2 L` |
//! | a projected step `gamma` along a node's gradient of length at most `C` ([`projected_step`]) | | | `2 C gamma`, in L1 `sqrt(dim)` times that |
//!
//! (The third row is per coordinate: in L1 times `dim`, in L2 times `sqrt(dim)`.) A node that is replaced changes all of its
//! records, whose number nothing bounds here; clip its whole gradient instead, which then is as good as that of a Lipschitz
//! loss. Each bound is attained, by gradients of full length in opposite directions.
//!
//! On a secret sample of records the sum over the sample has the same sensitivity, for a record that is in it.

use crate::sensitivity::bound;
use crate::{Adjacency, MechanismError, Norm, Sensitivity};

/// The sensitivity, in `norm`, of a sum over records whose gradients are each clipped to length `clip` in that norm.
///
/// Clip the gradient of each record for itself, and all of its coordinates together: the length of the sum, or of parts of a
/// gradient one by one, is another bound.
///
/// # Errors
/// If `clip` is negative or not finite, twice it overflows, or a node is replaced.
pub fn clipped(adjacency: Adjacency, norm: Norm, clip: f64) -> Result<Sensitivity, MechanismError> {
    Sensitivity::new(moves(of_records(adjacency)?) * bound("clip", clip)?, norm, adjacency)
}

/// The sensitivity of a sum of [`clipped`] gradients divided by `divisor`.
///
/// The divisor is a public constant: the number of records where that is public (it is, if records are replaced), the
/// *expected* size of a Poisson sample, or any declared number. A number of records that one more record would change must
/// not be used: a mean over a private count is not `C / n`-sensitive.
///
/// # Errors
/// As [`clipped`], and if `divisor` is not positive and finite.
pub fn clipped_mean(adjacency: Adjacency, norm: Norm, clip: f64, divisor: f64) -> Result<Sensitivity, MechanismError> {
    if !(divisor > 0.0 && divisor.is_finite()) {
        return Err(MechanismError::Bound { name: "divisor", value: divisor });
    }
    let sum = clipped(adjacency, norm, clip)?;
    Sensitivity::new(sum.value / divisor, norm, adjacency)
}

/// The sensitivity, in `norm`, of a sum over records of vectors of `dim` coordinates, each of which is clamped to
/// `[low, high]`. Clamping bounds a length through all coordinates only: by `dim` of them in L1, by `sqrt(dim)` in L2.
///
/// # Errors
/// If `low` or `high` is not finite, `low` is above `high`, `dim` is 0, the result overflows, or a node is replaced.
pub fn clamped(
    adjacency: Adjacency,
    norm: Norm,
    (low, high): (f64, f64),
    dim: usize,
) -> Result<Sensitivity, MechanismError> {
    if dim == 0 {
        return Err(MechanismError::NoCoordinates);
    }
    let width = bound("high - low", high - low)?;
    let one = match of_records(adjacency)? {
        Adjacency::AddRemoveRecord => low.abs().max(high.abs()),
        _ => width,
    };
    let all = match norm {
        Norm::L1 => dim as f64,
        Norm::L2 => (dim as f64).sqrt(),
    };
    Sensitivity::new(one * all, norm, adjacency)
}

/// The L2 sensitivity of a gradient of a loss that is `constant`-Lipschitz on the set where it is taken: all its
/// (sub)gradients there have at most that length, so two of them are within `2 L`, and one is within `L` of nothing.
///
/// The loss may be that of one record, or for [`Adjacency::ReplaceNode`] the loss of a node: a mean of `L`-Lipschitz losses
/// is `L`-Lipschitz, a sum is not. One of `n` records in a mean is worth `1/n` of it: [`scaled`](Sensitivity::scaled).
///
/// The point must be in the set whatever was released before: project it before the gradient is taken, or clip.
///
/// # Errors
/// If `constant` is negative or not finite, or twice it overflows.
pub fn lipschitz(adjacency: Adjacency, constant: f64) -> Result<Sensitivity, MechanismError> {
    Sensitivity::new(moves(adjacency) * bound("Lipschitz constant", constant)?, Norm::L2, adjacency)
}

/// The L1 sensitivity `2 C sqrt(dim) gamma` of a node's next point `Proj(z - gamma g)`, where the length of the node's
/// gradient is at most `gradient`: Lemma 4 of Huang, Mitra, Vaidya (arXiv 1401.2596), paper C. One node's cost is replaced.
///
/// `dim` is the number of coordinates of a point, not of nodes. Projections do not expand L2 distances, but can expand L1
/// distances; so the step is bounded in L2, by `2 C gamma`, and `sqrt(dim)` comes last.
///
/// The paper bounds gradients on the set and takes them at `z`, which noise carries out of it: there the lemma fails. Take
/// the gradient at the projection of `z`, or clip it.
///
/// # Errors
/// If `gradient` or `gamma` is negative or not finite, `dim` is 0, or the result overflows.
pub fn projected_step(gradient: f64, gamma: f64, dim: usize) -> Result<Sensitivity, MechanismError> {
    if dim == 0 {
        return Err(MechanismError::NoCoordinates);
    }
    let l2 = lipschitz(Adjacency::ReplaceNode, gradient)?.scaled(bound("gamma", gamma)?);
    Sensitivity::new(l2.l1(dim), Norm::L1, Adjacency::ReplaceNode)
}

/// Refuses to bound how many records of a node there are.
fn of_records(adjacency: Adjacency) -> Result<Adjacency, MechanismError> {
    match adjacency {
        Adjacency::ReplaceNode => {
            Err(MechanismError::Adjacency { expected: Adjacency::ReplaceRecord, found: adjacency })
        }
        Adjacency::ReplaceRecord | Adjacency::AddRemoveRecord => Ok(adjacency),
    }
}

/// By how many lengths of one gradient the sum of all moves.
fn moves(adjacency: Adjacency) -> f64 {
    match adjacency {
        Adjacency::ReplaceNode | Adjacency::ReplaceRecord => 2.0,
        Adjacency::AddRemoveRecord => 1.0,
    }
}
