//! The closed form of the paper, which can be evaluated and compared, and is no guarantee.

use serde::{Deserialize, Serialize};

use super::SubsampledDda;
use crate::MechanismError;
use crate::accountants::positive_delta;

/// The epsilon of the published form `sigma^2 = c L^2 iota^2 T ln(1/delta) / (q epsilon)^2`, solved for epsilon.
/// **For comparison only.**
///
/// Two things are missing to make it a guarantee. It counts on activation as on a secret (see the
/// [module](crate::subsampled_dda)): seen by everybody, about `1/iota` times the variance is needed. And no constant `c` is
/// enough for every epsilon: what is needed even if nobody sees the activation is 3 to 8 for much noise and a small
/// epsilon, and hundreds to thousands where epsilon is large compared with `(iota/q) sqrt(T)`. The paper
/// restricts epsilon to less than a constant times [`range`](Self::range).
///
/// So there is no way from here to a [`Bound`](crate::Bound):
///
/// ```compile_fail,E0277
/// # use dido_mechanisms::{Bound, subsampled_dda::SubsampledDda};
/// let dda = SubsampledDda { nodes: 10, iota: 0.1, records: 10, sigma: 6.53, lipschitz: 1.0, rounds: 2000 };
/// let bound: Bound = dda.published(1e-5).unwrap().into();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The privacy loss that is claimed, in nats.
    pub epsilon: f64,
    /// The probability that the loss is larger, as claimed.
    pub delta: f64,
    /// `c`.
    pub constant: f64,
    /// `(iota/q)^2 T`: the claim is made for an epsilon below some constant times this.
    pub range: f64,
}

impl Claim {
    /// The constant `c` that [`SubsampledDda::published`] takes, since the paper's own is not known here. It is the limit for
    /// much noise: `T` releases are then `mu^2/2`-zCDP with `mu = 2 L iota sqrt(T) / (q sigma)`, and `epsilon^2` is close to
    /// `2 mu^2 ln(1/delta)`. With hidden activation and a delta of 1e-5 it was enough wherever it was tried with
    /// `sigma / 2L` of at least 2 and an epsilon of at most 2; with an epsilon of 5 it was not.
    pub const CONSTANT: f64 = 8.0;

    /// The claim about a checked run.
    pub(super) fn of(run: &SubsampledDda, constant: f64, delta: f64) -> Result<Self, MechanismError> {
        if !(constant > 0.0 && constant.is_finite()) {
            return Err(MechanismError::Bound { name: "c", value: constant });
        }
        let log = -positive_delta(delta)?.ln();
        let (rate, rounds) = (run.iota / run.records as f64, f64::from(run.rounds));
        let epsilon = run.lipschitz / run.sigma * rate * (constant * rounds * log).sqrt();
        Ok(Self { epsilon, delta, constant, range: rate * rate * rounds })
    }

    /// Why the claim is not a guarantee.
    pub fn refusal(&self) -> MechanismError {
        MechanismError::Claim { epsilon: self.epsilon, delta: self.delta }
    }
}
