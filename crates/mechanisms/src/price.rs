//! What a release costs each class of nodes.

use crate::carry::Carry;
use crate::{Event, Mechanism, MechanismError, Private, Sensitivity};

/// A value on its way out, and all that its events follow from.
#[derive(Clone, Copy)]
pub(crate) struct Price<'v, 'r> {
    pub mechanism: Mechanism,
    pub value: &'v Private<'r>,
    /// The noise of earlier messages that is taken out of it.
    pub carry: Option<&'v Carry>,
    /// What Gaussian noise of standard deviation 1 is worth to each class, if neighbours share some.
    pub worth: Option<&'v [f64]>,
}

impl Price<'_, '_> {
    /// The event of a release of one node of that class.
    pub fn event(&self, class: usize) -> Result<Event, MechanismError> {
        let event = self.event_on_all(class)?;
        match &self.value.batch.sampling {
            None => Ok(event),
            Some(sampling) => event.on_sample(sampling[class]),
        }
    }

    fn event_on_all(&self, class: usize) -> Result<Event, MechanismError> {
        if self.mechanism == Mechanism::None {
            return Ok(Event::NonPrivate);
        }
        let Private { base, factor, norm, adjacency, .. } = self.value;
        let dim = self.value.rows.shape().dim;
        let exact = Sensitivity::new(base[class] * factor, *norm, *adjacency)?;
        if let Some(perturbed) = &self.value.perturbed {
            return match (self.mechanism, self.carry, self.worth) {
                (Mechanism::Gaussian(output), None, None) => perturbed[class].event(exact, output),
                _ => Err(MechanismError::Perturbed),
            };
        }
        let own = match self.mechanism.grid() {
            None => exact,
            Some(grid) => {
                grid.inflated(exact, dim, self.mechanism.float_error() + self.value.rounding(class, grid)?)?
            }
        };
        let sensitivity = self.carry.map_or(Ok(own), |carry| carry.sensitivity(class, own, dim))?;
        match (self.mechanism, self.worth) {
            (Mechanism::Gaussian(noise), Some(worth)) => {
                Ok(Event::Gaussian { sensitivity, sigma: (worth[class] * noise.sigma()).next_down() })
            }
            _ => self.mechanism.event(sensitivity, dim),
        }
    }
}
