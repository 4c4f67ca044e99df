//! How far one change of the data moves a released gradient, from a public bound on what one record contributes.
//!
//! | what is released | record added or removed | record replaced | node replaced |
//! |---|---|---|---|
//! | a sum of gradients, each clipped to length `C` ([`clipped_sum`]) | `C` | `2 C` | refused |
//! | that sum divided by a public constant `B` ([`clipped_mean`]) | `C / B` | `2 C / B` | refused |
//! | the gradient of one loss, `L`-Lipschitz on the set of points ([`lipschitz`]) | `L` | `2 L` | `2 L` |
//! | a step `gamma` times a node's gradient of length at most `C` ([`step`]) | refused | refused | `2 C sqrt(dim) gamma` in L1 |
//!
//! Each is attained: two gradients of full length in opposite directions.

use crate::{Adjacency, MechanismError, Norm, Sensitivity};

/// The L2 sensitivity of a gradient of a loss that is `constant`-Lipschitz on the set where it is taken: all its
/// (sub)gradients there have at most that length, so two of them are within `2 L`, and one is within `L` of nothing.
///
/// The loss may be that of one record, or the mean of a node's records, which is Lipschitz with the same constant. For
/// a replaced record of a mean over `n` records it is then `2 L / n`: [`scaled`](Sensitivity::scaled) by `1/n`.
///
/// The point must be in the set for every data set: project it before the gradient is taken.
///
/// # Errors
/// If `constant` is negative or not finite, or `2 L` overflows.
pub fn lipschitz(adjacency: Adjacency, constant: f64) -> Result<Sensitivity, MechanismError> {
    if !(constant >= 0.0 && constant.is_finite()) {
        return Err(MechanismError::Bound { name: "Lipschitz constant", value: constant });
    }
    let factor = match adjacency {
        Adjacency::ReplaceNode | Adjacency::ReplaceRecord => 2.0,
        Adjacency::AddRemoveRecord => 1.0,
    };
    Sensitivity::new(factor * constant, Norm::L2, adjacency)
}
