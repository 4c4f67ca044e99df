//! Accountants: what a ledger is worth. Each is a pure function of the ledger; what it does not understand, or what
//! makes no sense, is an error, never a smaller number.
//!
//! * [`Pure`]: epsilons add up; no delta.
//! * [`Zcdp`]: squared epsilons add up, which is far less after many releases, for a delta.

pub(crate) mod pure;
pub(crate) mod zcdp;

use serde::{Deserialize, Serialize};

use crate::{Adjacency, Adversary, ClassLedger, Event, Ledger, MechanismError, Sensitivity};

pub use pure::Pure;
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
}

/// An upper bound on what the releases of a ledger give away: the run is `(epsilon, delta)`-differentially private.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The privacy loss, in nats; infinite if there is no guarantee. JSON and TOML have no portable infinity, so that
    /// one is written as the string `"inf"`.
    #[serde(with = "infinity")]
    pub epsilon: f64,
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

/// The class of nodes with the largest sum of `loss` over its releases, as (sum, its first node).
fn worst_class(
    ledger: &Ledger,
    loss: impl Fn(&Event) -> Result<f64, MechanismError>,
) -> Result<(f64, usize), MechanismError> {
    let mut worst: Option<(f64, usize)> = None;
    for class in &ledger.classes {
        let Some(&node) = class.nodes.first() else { continue };
        let total = total(class, ledger.adjacency, &loss)?;
        if worst.is_none_or(|(largest, _)| total > largest) {
            worst = Some((total, node));
        }
    }
    worst.ok_or(MechanismError::NoNodes)
}

fn total(
    class: &ClassLedger,
    adjacency: Adjacency,
    loss: impl Fn(&Event) -> Result<f64, MechanismError>,
) -> Result<f64, MechanismError> {
    class.entries.iter().filter(|entry| entry.releases > 0).try_fold(0.0, |sum, entry| {
        same_adjacency(adjacency, &entry.event)?;
        Ok(sum + entry.releases as f64 * loss(&entry.event)?)
    })
}

/// Refuses an event whose sensitivity speaks of other pairs of data sets.
pub(crate) fn same_adjacency(expected: Adjacency, event: &Event) -> Result<(), MechanismError> {
    match *event {
        Event::Laplace { sensitivity: Sensitivity { adjacency: found, .. }, .. } if found != expected => {
            Err(MechanismError::Adjacency { expected, found })
        }
        Event::Laplace { .. } | Event::NonPrivate => Ok(()),
    }
}

/// How many scales of the noise the value can move: `distance / scale`, infinite without noise, 0 if it cannot move.
///
/// The fields of an event are open (it may come from a file), so they are checked here.
fn in_scales(
    sensitivity: Sensitivity,
    dim: usize,
    scale: f64,
    distance: impl Fn(Sensitivity) -> f64,
) -> Result<f64, MechanismError> {
    let Sensitivity { value, norm, adjacency } = sensitivity;
    let distance = distance(Sensitivity::new(value, norm, adjacency)?);
    if dim == 0 {
        return Err(MechanismError::NoCoordinates);
    }
    if !(scale.is_finite() && scale >= 0.0) {
        return Err(MechanismError::Scale(scale));
    }
    Ok(if distance > 0.0 { distance / scale } else { 0.0 })
}

/// Infinity as the string `"inf"`, every other number as itself.
mod infinity {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Word(String),
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let number = if x.is_infinite() { Number::Word("inf".into()) } else { Number::Finite(*x) };
        number.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Number::deserialize(deserializer)? {
            Number::Finite(x) => Ok(x),
            Number::Word(word) if word == "inf" => Ok(f64::INFINITY),
            Number::Word(word) => Err(D::Error::custom(format!("expected a number or \"inf\", got \"{word}\""))),
        }
    }
}
