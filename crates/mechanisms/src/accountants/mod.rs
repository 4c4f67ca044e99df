//! Accountants: what a ledger is worth. Each is a pure function of the ledger; what it does not understand, or what
//! makes no sense, is an error, never a smaller number.
//!
//! | accountant | adds up | covers | needs a delta |
//! |---|---|---|---|
//! | [`Pure`] | epsilon | Laplace, discrete Laplace, pure; sampled | no |
//! | [`Advanced`] | epsilon, with a discount for many | as `Pure`, and approximate | yes |
//! | [`Zcdp`] | rho | all, of the sampled ones those that `Advanced` covers | yes |
//! | [`Gdp`] | squared distances: exact | Gaussian, and discrete Gaussian of more than 1024 steps | yes |
//! | [`Rdp`] | Rényi divergences, the best order | all | yes |
//! | [`Pld`] | the distribution of the privacy loss: exact up to its grid | all but zCDP | yes |
//! | [`Best`] | the least of all of these | all | no |
//!
//! Releases that may fail ([`Event::Approximate`]) take their deltas off the one that is asked for; the rest is what
//! zCDP and Rényi accountants convert at.

mod advanced;
mod best;
pub(crate) mod facts;
mod gdp;
pub(crate) mod pld;
pub(crate) mod pure;
pub(crate) mod rdp;
mod smooth;
mod sums;
pub(crate) mod zcdp;

use serde::{Deserialize, Serialize};

use crate::{Adjacency, Adversary, ClassLedger, Event, Ledger, MechanismError};

pub use advanced::{Advanced, Theorem};
pub use best::Best;
pub use gdp::{Gdp, delta_of_mu, epsilon_of_mu, mu_of_epsilon};
pub use pld::Pld;
pub use pure::Pure;
pub use rdp::Rdp;
pub use sums::{rho_of_sum, tau_of_sum};
pub use zcdp::{Conversion, Zcdp, epsilon_of_rho, rho_of_epsilon};

/// Turns a ledger into a guarantee.
pub trait Accountant {
    /// The name of the method, as reports print it.
    fn name(&self) -> &'static str;

    /// The guarantee of the worst class of nodes at failure probability `delta`.
    ///
    /// # Errors
    /// If the method does not cover an event, an event is inconsistent, the ledger has no nodes or `delta` is out of
    /// range.
    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError>;

    /// The epsilon of [`bound`](Self::bound) alone, or a larger one if a relative accuracy of about `precision` is enough
    /// and less work. Searches ask for this; with a `precision` of 0 it is that epsilon to the bit.
    ///
    /// # Errors
    /// As [`bound`](Self::bound).
    fn epsilon(&self, ledger: &Ledger, delta: f64, precision: f64) -> Result<f64, MechanismError> {
        let _ = precision;
        Ok(self.bound(ledger, delta)?.epsilon)
    }

    /// The other way round: the guarantee with the smallest `delta`, down to 1e-300, at a privacy loss of `epsilon`.
    /// The delta is 1 if there is none. Found by bisection to a relative 1e-9, and never below what
    /// [`bound`](Self::bound) allows.
    ///
    /// # Errors
    /// As [`bound`](Self::bound); if `epsilon` is negative or NaN.
    fn bound_at_epsilon(&self, ledger: &Ledger, epsilon: f64) -> Result<Bound, MechanismError> {
        if epsilon.is_nan() || epsilon < 0.0 {
            return Err(MechanismError::Epsilon(epsilon));
        }
        let (mut fails, mut holds) = (-1e-300_f64.ln(), 0.0_f64);
        let mut best = self.bound(ledger, 1.0 - f64::EPSILON)?;
        if best.epsilon > epsilon {
            return Ok(Bound { epsilon, delta: 1.0, lower: None, ..best });
        }
        let least = self.bound(ledger, (-fails).exp())?;
        if least.epsilon <= epsilon {
            return Ok(Bound { epsilon, lower: None, ..least });
        }
        while fails - holds > 1e-9 {
            let middle = 0.5 * (fails + holds);
            let bound = self.bound(ledger, (-middle).exp())?;
            if bound.epsilon <= epsilon {
                (holds, best) = (middle, bound);
            } else {
                fails = middle;
            }
        }
        Ok(Bound { epsilon, lower: None, ..best })
    }
}

/// An upper bound on what the releases of a ledger give away: the run is `(epsilon, delta)`-differentially private.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The privacy loss, in nats; infinite if there is no guarantee. JSON and TOML have no portable infinity, so that
    /// one is written as the string `"inf"`.
    #[serde(with = "infinity")]
    pub epsilon: f64,
    /// No epsilon below this one can be proved from what the events say: some mechanism with these events is not
    /// `(lower, delta)`-differentially private. Known for accountants that are exact up to their arithmetic, and for
    /// the node with the largest upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The probability that the loss is larger.
    pub delta: f64,
    /// The [name](Accountant::name) of the accountant.
    pub method: String,
    /// Which data sets cannot be told apart.
    pub adjacency: Adjacency,
    /// By whom.
    pub adversary: Adversary,
    /// A node with this, the largest, epsilon.
    pub node: usize,
}

/// What an accountant found for one class: (upper, lower) bounds of its epsilon.
pub(crate) type Interval = (f64, Option<f64>);

/// The bound of the class of nodes with the largest epsilon.
pub(crate) fn worst(
    ledger: &Ledger,
    delta: f64,
    method: &str,
    epsilon: impl Fn(&ClassLedger) -> Result<Interval, MechanismError>,
) -> Result<Bound, MechanismError> {
    let mut worst: Option<(Interval, usize)> = None;
    for class in &ledger.classes {
        let Some(&node) = class.nodes.first() else { continue };
        for entry in &class.entries {
            same_adjacency(ledger.adjacency, &entry.event)?;
            if entry.event.hides_activation() && ledger.adversary != Adversary::HiddenActivation {
                return Err(MechanismError::ActivationSeen(ledger.adversary));
            }
        }
        let found = epsilon(class)?;
        if worst.is_none_or(|(largest, _)| found.0 > largest.0) {
            worst = Some((found, node));
        }
    }
    let ((epsilon, lower), node) = worst.ok_or(MechanismError::NoNodes)?;
    Ok(Bound {
        epsilon,
        lower: lower.filter(|x| x.is_finite()),
        delta,
        method: method.into(),
        adjacency: ledger.adjacency,
        adversary: ledger.adversary,
        node,
    })
}

/// The sum of `loss` over the releases of a class.
pub(crate) fn total(
    class: &ClassLedger,
    loss: impl Fn(&Event) -> Result<f64, MechanismError>,
) -> Result<f64, MechanismError> {
    class
        .entries
        .iter()
        .filter(|entry| entry.releases > 0)
        .try_fold(0.0, |sum, entry| Ok(sum + entry.releases as f64 * loss(&entry.event)?))
}

/// `-ln` of the probability that no release of a class fails: what [`Event::Approximate`] takes off delta.
pub(crate) fn failures(class: &ClassLedger) -> Result<f64, MechanismError> {
    total(class, |event| Ok(-(-pure::failure(event)?).ln_1p()))
}

/// What is left of `delta` if the releases may fail: `1 - (1 - delta) / prod(1 - delta_t)`, negative if nothing is.
///
/// An `(epsilon, delta_t)`-private release is `epsilon`-private but for a part of probability `delta_t` of its output
/// (Kairouz, Oh, Viswanath 2015; Bun, Steinke 2016, section 8). So the whole is what accountants say of the rest, if
/// nothing fails.
pub(crate) fn left_of(delta: f64, failure: f64) -> f64 {
    if failure > 0.0 { -((-delta).ln_1p() + failure).exp_m1() } else { delta }
}

/// Refuses an event whose sensitivity speaks of other pairs of data sets.
pub(crate) fn same_adjacency(expected: Adjacency, event: &Event) -> Result<(), MechanismError> {
    match event.adjacency() {
        Some(found) if found != expected => Err(MechanismError::Adjacency { expected, found }),
        _ => Ok(()),
    }
}

/// `delta`, if it is in `(0, 1)`.
pub(crate) fn positive_delta(delta: f64) -> Result<f64, MechanismError> {
    if delta > 0.0 && delta < 1.0 { Ok(delta) } else { Err(MechanismError::Delta(delta)) }
}

/// Infinity as the string `"inf"`, every other number as itself.
pub(crate) mod infinity {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Word(String),
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    pub(crate) fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let number = if x.is_infinite() { Number::Word("inf".into()) } else { Number::Finite(*x) };
        number.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Number::deserialize(deserializer)? {
            Number::Finite(x) => Ok(x),
            Number::Word(word) if word == "inf" => Ok(f64::INFINITY),
            Number::Word(word) => Err(D::Error::custom(format!("expected a number or \"inf\", got \"{word}\""))),
        }
    }
}
