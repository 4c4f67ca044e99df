//! The least of the upper bounds that are valid.

use super::{Accountant, Advanced, Bound, Gdp, Pld, Pure, Rdp, Theorem, Zcdp, positive_delta};
use crate::{Ledger, MechanismError};

/// Asks every accountant that covers the ledger, and reports the least epsilon under the name of the one that found it.
///
/// All of them bound the same releases, so choosing after the fact costs nothing. At delta 0 only [`Pure`] is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Best;

impl Best {
    /// What each accountant says, by name; an error if it does not cover the ledger.
    pub fn all(ledger: &Ledger, delta: f64) -> Vec<(&'static str, Result<Bound, MechanismError>)> {
        each(|accountant| (accountant.name(), accountant.bound(ledger, delta)))
    }

    /// The same but for the privacy loss distribution, which takes milliseconds for each different event.
    pub fn all_but_pld(ledger: &Ledger, delta: f64) -> Vec<(&'static str, Result<Bound, MechanismError>)> {
        let ask = |accountant: &dyn Accountant| {
            (accountant.name() != Pld.name()).then(|| (accountant.name(), accountant.bound(ledger, delta)))
        };
        each(ask).into_iter().flatten().collect()
    }
}

impl Accountant for Best {
    fn name(&self) -> &'static str {
        "best"
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        if let Some(bound) = exact(ledger, delta)? {
            return Ok(bound);
        }
        let mut least: Option<Bound> = None;
        let mut lower = None;
        let mut unsupported = None;
        for (_, found) in Self::all(ledger, delta) {
            match found {
                Ok(bound) => {
                    lower = bound.lower.or(lower);
                    if least.as_ref().is_none_or(|least| bound.epsilon < least.epsilon) {
                        least = Some(bound);
                    }
                }
                Err(error @ MechanismError::Unsupported { .. }) => unsupported = Some(error),
                Err(error) => return Err(error),
            }
        }
        match (least, unsupported) {
            (Some(bound), _) => Ok(Bound { delta, lower: lower.filter(|&l| l <= bound.epsilon), ..bound }),
            (None, Some(MechanismError::Unsupported { event, .. })) => {
                Err(MechanismError::Unsupported { accountant: self.name(), event })
            }
            (None, _) => Err(MechanismError::NoNodes),
        }
    }

    /// The least that any accountant says with this precision.
    fn epsilon(&self, ledger: &Ledger, delta: f64, precision: f64) -> Result<f64, MechanismError> {
        if let Some(bound) = exact(ledger, delta)? {
            return Ok(bound.epsilon);
        }
        let mut least: Option<f64> = None;
        for found in each(|accountant| accountant.epsilon(ledger, delta, precision)) {
            match found {
                Ok(epsilon) => least = Some(least.map_or(epsilon, |least| least.min(epsilon))),
                Err(MechanismError::Unsupported { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // If none covers the ledger there is an error to report.
        least.map_or_else(|| Ok(self.bound(ledger, delta)?.epsilon), Ok)
    }
}

/// What is asked of every accountant.
fn each<T>(question: impl Fn(&dyn Accountant) -> T) -> Vec<T> {
    let drv = Advanced { theorem: Theorem::DworkRothblumVadhan };
    let (kov, zcdp, rdp) = (Advanced::default(), Zcdp::default(), Rdp::default());
    let accountants: [&dyn Accountant; 7] = [&Pure, &drv, &kov, &zcdp, &rdp, &Gdp, &Pld];
    accountants.into_iter().map(question).collect()
}

/// The bound that no other accountant can better, if there is one.
fn exact(ledger: &Ledger, delta: f64) -> Result<Option<Bound>, MechanismError> {
    if !(0.0..1.0).contains(&delta) {
        return Err(MechanismError::Delta(delta));
    }
    if positive_delta(delta).is_err() {
        return Pure.bound(ledger, delta).map(Some);
    }
    // Gaussian noise without sampling has an exact formula: nothing can be below.
    match Gdp.bound(ledger, delta) {
        Err(MechanismError::Unsupported { .. }) => Ok(None),
        exact => exact.map(Some),
    }
}
