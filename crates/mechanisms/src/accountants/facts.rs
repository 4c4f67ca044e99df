//! An event, checked and brought to the numbers that accountants need. The fields of an event are open (it may come
//! from a file), so this is where they are validated, once for all accountants.

use crate::{Adjacency, Discrete, Event, Grid, MechanismError, Norm, Sampling, Sensitivity};

/// What one release does, in units of its noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Loss {
    /// It tells nothing.
    Nothing,
    /// Laplace noise: the value moves by at most `l1` scales in the sum of its coordinates and `l2` scales in Euclidean
    /// length.
    Laplace { l1: f64, l2: f64 },
    /// Gaussian noise: the value moves by at most `mu` standard deviations.
    Gaussian { mu: f64 },
    /// Discrete Laplace noise.
    DiscreteLaplace(Lattice),
    /// Discrete Gaussian noise.
    DiscreteGaussian(Lattice),
    /// A black box.
    Approximate { epsilon: f64, delta: f64 },
    /// A black box.
    Zcdp { rho: f64 },
    /// It may tell everything.
    Everything,
}

/// Noise on the integers: how far the value moves at most, and the scale, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lattice {
    /// In the sum of the coordinates.
    pub(crate) l1: u64,
    /// In Euclidean length.
    pub(crate) l2: u64,
    pub(crate) scale: u64,
    pub(crate) dim: usize,
}

impl Lattice {
    fn of(noise: Discrete) -> Result<Self, MechanismError> {
        let Discrete { scale, sensitivity: l2, norm, dim, .. } = noise;
        if dim == 0 {
            return Err(MechanismError::NoCoordinates);
        }
        if scale > Grid::WIDEST {
            return Err(MechanismError::EventField { field: "scale", value: scale as f64 });
        }
        let l1 = match norm {
            Norm::L1 => l2,
            // Of whole numbers, none is above its square; the other bound is rounded up.
            Norm::L2 => {
                let spread = ((dim as f64).sqrt().next_up() * (l2 as f64).next_up()).next_up();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and saturates")]
                let spread = spread as u64;
                if dim == 1 { l2 } else { spread.min(l2.saturating_mul(l2)) }
            }
        };
        Ok(Self { l1, l2, scale, dim })
    }

    /// In scales, rounded up.
    pub(crate) fn l1_scales(self) -> f64 {
        in_steps(self.l1, self.scale)
    }

    /// In scales, rounded up.
    pub(crate) fn l2_scales(self) -> f64 {
        in_steps(self.l2, self.scale)
    }
}

fn in_steps(distance: u64, scale: u64) -> f64 {
    let quotient = distance as f64 / scale as f64;
    // A quotient of small numbers without remainder is exact.
    if distance < 1 << 53 && distance.is_multiple_of(scale) { quotient } else { quotient.next_up().next_up() }
}

/// How a record comes to be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Chance {
    /// It always is.
    Certain,
    /// By a coin; it is added or removed.
    Poisson { rate: f64 },
    /// In a subset of fixed size; it is replaced. A coin that everybody sees has the release take place at all with
    /// probability `active`.
    Subset { rate: f64, active: f64 },
}

impl Chance {
    /// The probability that a given record is looked at, where the release takes place.
    pub(crate) fn rate(self) -> f64 {
        match self {
            Self::Certain => 1.0,
            Self::Poisson { rate } | Self::Subset { rate, .. } => rate,
        }
    }

    /// The probability that the release takes place.
    pub(crate) fn active(self) -> f64 {
        match self {
            Self::Certain | Self::Poisson { .. } => 1.0,
            Self::Subset { active, .. } => active,
        }
    }
}

/// A checked event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) loss: Loss,
    pub(crate) chance: Chance,
}

impl Facts {
    pub(crate) fn of(event: &Event) -> Result<Self, MechanismError> {
        let (loss, chance) = match *event {
            Event::Sampled { sampling, base } => {
                let base = Event::from(base);
                let adjacency = base.adjacency().expect("a base promises something");
                (loss(&base)?, chance(sampling, adjacency)?)
            }
            _ => (loss(event)?, Chance::Certain),
        };
        // The ends of the range are simpler mechanisms.
        Ok(match (chance.rate(), chance.active()) {
            (rate, active) if rate <= 0.0 || active <= 0.0 => Self { loss: Loss::Nothing, chance: Chance::Certain },
            (rate, active) if rate >= 1.0 && active >= 1.0 => Self { loss, chance: Chance::Certain },
            _ if matches!(loss, Loss::Nothing) => Self { loss, chance: Chance::Certain },
            _ => Self { loss, chance },
        })
    }
}

fn loss(event: &Event) -> Result<Loss, MechanismError> {
    let loss = match *event {
        Event::Laplace { sensitivity, dim, scale } => {
            if dim == 0 {
                return Err(MechanismError::NoCoordinates);
            }
            let l2 = in_scales(sensitivity, scale, Sensitivity::l2)?;
            Loss::Laplace { l1: in_scales(sensitivity, scale, |s| s.l1(dim))?, l2 }
        }
        Event::Gaussian { sensitivity, sigma } => {
            Loss::Gaussian { mu: in_scales(sensitivity, sigma, Sensitivity::l2)? }
        }
        Event::DiscreteLaplace(noise) => Loss::DiscreteLaplace(Lattice::of(noise)?),
        Event::DiscreteGaussian(noise) => Loss::DiscreteGaussian(Lattice::of(noise)?),
        Event::Pure { epsilon, .. } => Loss::Approximate { epsilon: not_negative("epsilon", epsilon)?, delta: 0.0 },
        Event::Approximate { epsilon, delta, .. } => {
            if !(0.0..=1.0).contains(&delta) {
                return Err(MechanismError::EventField { field: "delta", value: delta });
            }
            Loss::Approximate { epsilon: not_negative("epsilon", epsilon)?, delta }
        }
        Event::Zcdp { rho, .. } => Loss::Zcdp { rho: not_negative("rho", rho)? },
        Event::NonPrivate => Loss::Everything,
        Event::Sampled { .. } => unreachable!("a base is not sampled"),
    };
    Ok(match loss {
        Loss::Laplace { l1: x, .. } | Loss::Gaussian { mu: x } | Loss::Zcdp { rho: x } if x <= 0.0 => Loss::Nothing,
        Loss::DiscreteLaplace(noise) | Loss::DiscreteGaussian(noise) if noise.l2 == 0 => Loss::Nothing,
        Loss::DiscreteLaplace(noise) | Loss::DiscreteGaussian(noise) if noise.scale == 0 => Loss::Everything,
        Loss::Approximate { epsilon, delta } if epsilon <= 0.0 && delta <= 0.0 => Loss::Nothing,
        Loss::Laplace { l1: x, .. } | Loss::Gaussian { mu: x } | Loss::Zcdp { rho: x } if x.is_infinite() => {
            Loss::Everything
        }
        Loss::Approximate { epsilon, delta } if epsilon.is_infinite() || delta >= 1.0 => Loss::Everything,
        other => other,
    })
}

fn chance(sampling: Sampling, adjacency: Adjacency) -> Result<Chance, MechanismError> {
    // Visible coins do not make a record harder to see in the rounds that take place.
    let (rate, active) = match sampling {
        Sampling::VisibleOneOf { activation, population } => {
            (Sampling::OneOf { population }.rate(), probability("activation", activation)?)
        }
        Sampling::HiddenOneOf { activation, .. } => {
            probability("activation", activation)?;
            (sampling.rate(), 1.0)
        }
        _ => (sampling.rate(), 1.0),
    };
    probability("rate", rate)?;
    match (sampling, adjacency) {
        (Sampling::Poisson { .. }, Adjacency::AddRemoveRecord) => Ok(Chance::Poisson { rate }),
        (Sampling::Poisson { .. }, found) => {
            let (sampling, expected) = ("Poisson sampling", Adjacency::AddRemoveRecord);
            Err(MechanismError::Sampling { sampling, expected, found })
        }
        (_, Adjacency::ReplaceRecord) => Ok(Chance::Subset { rate, active }),
        (_, found) => {
            let (sampling, expected) = ("sampling of a fixed size", Adjacency::ReplaceRecord);
            Err(MechanismError::Sampling { sampling, expected, found })
        }
    }
}

fn probability(field: &'static str, value: f64) -> Result<f64, MechanismError> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(MechanismError::EventField { field, value }) }
}

fn not_negative(field: &'static str, value: f64) -> Result<f64, MechanismError> {
    if value >= 0.0 { Ok(value) } else { Err(MechanismError::EventField { field, value }) }
}

/// How many scales of the noise the value can move: `distance / scale`, infinite without noise, 0 if it cannot move.
fn in_scales(
    sensitivity: Sensitivity,
    scale: f64,
    distance: impl Fn(Sensitivity) -> f64,
) -> Result<f64, MechanismError> {
    let Sensitivity { value, norm, adjacency } = sensitivity;
    let distance = distance(Sensitivity::new(value, norm, adjacency)?);
    if !(scale.is_finite() && scale >= 0.0) {
        return Err(MechanismError::Scale(scale));
    }
    Ok(if distance > 0.0 { distance / scale } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Base, Norm};

    fn gaussian(adjacency: Adjacency, sigma: f64) -> Base {
        Base::Gaussian { sensitivity: Sensitivity::new(1.0, Norm::L2, adjacency).unwrap(), sigma }
    }

    #[test]
    fn the_ends_of_the_rate_are_simpler_mechanisms() {
        let at = |rate| {
            let base = gaussian(Adjacency::AddRemoveRecord, 2.0);
            Facts::of(&Event::Sampled { sampling: Sampling::Poisson { rate }, base }).unwrap()
        };
        assert_eq!(at(0.0).loss, Loss::Nothing);
        assert_eq!(at(1.0), Facts { loss: Loss::Gaussian { mu: 0.5 }, chance: Chance::Certain });
        assert_eq!(at(0.1), Facts { loss: Loss::Gaussian { mu: 0.5 }, chance: Chance::Poisson { rate: 0.1 } });
    }

    /// Which relation a sampling scheme speaks of is part of it.
    #[test]
    fn sampling_of_another_relation_is_refused() {
        let schemes = [
            (Sampling::Poisson { rate: 0.1 }, Adjacency::AddRemoveRecord),
            (Sampling::WithoutReplacement { batch: 1, population: 10 }, Adjacency::ReplaceRecord),
            (Sampling::OneOf { population: 10 }, Adjacency::ReplaceRecord),
        ];
        for (sampling, right) in schemes {
            for adjacency in [Adjacency::AddRemoveRecord, Adjacency::ReplaceRecord, Adjacency::ReplaceNode] {
                let facts = Facts::of(&Event::Sampled { sampling, base: gaussian(adjacency, 1.0) });
                if adjacency == right {
                    assert!((facts.unwrap().chance.rate() - 0.1).abs() < 1e-15);
                } else {
                    assert!(matches!(facts, Err(MechanismError::Sampling { .. })));
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let base = gaussian(Adjacency::AddRemoveRecord, 1.0);
        for rate in [-0.1, 1.1, f64::NAN] {
            let event = Event::Sampled { sampling: Sampling::Poisson { rate }, base };
            assert!(matches!(Facts::of(&event), Err(MechanismError::EventField { field: "rate", .. })));
        }
        let base = gaussian(Adjacency::ReplaceRecord, 1.0);
        for (batch, population) in [(2, 1), (0, 0)] {
            let sampling = Sampling::WithoutReplacement { batch, population };
            assert!(Facts::of(&Event::Sampled { sampling, base }).is_err());
        }
        let adjacency = Adjacency::ReplaceNode;
        for bad in [-1.0, f64::NAN] {
            assert!(Facts::of(&Event::Pure { epsilon: bad, adjacency }).is_err());
            assert!(Facts::of(&Event::Zcdp { rho: bad, adjacency }).is_err());
            assert!(Facts::of(&Event::Approximate { epsilon: 1.0, delta: bad, adjacency }).is_err());
            assert!(Facts::of(&gaussian(adjacency, bad).into()).is_err());
        }
    }
}
