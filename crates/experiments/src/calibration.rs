//! The noise of a run. Calibrated noise starts from relative scales; their dry run yields the sensitivities.

use dido_mechanisms::{Accountant, Base, Best, Budget, ClassLedger, Event, Ledger, Rdp, calibrate};
use dido_optimizers::{Noise, Schedule};

use crate::config::{AllocationConfig, MechanismConfig, NoiseConfig};
use crate::epsilons::{dominating, is_quick};
use crate::error::ExperimentError;
use crate::planning::ledger_of;
use crate::spec::Spec;

/// The noise of the run.
///
/// # Errors
/// If the dry run stops, or no finite noise keeps the budget.
///
/// # Panics
/// Never: calibrated noise was checked to have a budget.
pub fn noise(spec: &Spec) -> Result<Noise, ExperimentError> {
    match &spec.config.privacy.noise {
        NoiseConfig::None(_) => Ok(Noise::None),
        NoiseConfig::Laplace(laplace) => Ok(Noise::Laplace(laplace.scale.clone())),
        NoiseConfig::Gaussian(gaussian) => Ok(Noise::Gaussian(gaussian.sigma.clone())),
        NoiseConfig::Calibrated(calibrated) => {
            let budget = spec.budget.expect("calibrated noise was checked to have a budget");
            let exponent = match calibrated.allocation {
                AllocationConfig::Constant => 0.0,
                AllocationConfig::Optimal if budget.delta() > 0.0 => 1.0 / 2.0,
                AllocationConfig::Optimal => 1.0 / 3.0,
            };
            let with = match calibrated.mechanism {
                MechanismConfig::Laplace => Noise::Laplace,
                MechanismConfig::Gaussian => Noise::Gaussian,
            };
            let relative = relative_scales(spec, exponent);
            let ledger = ledger_of(spec, &with(relative.clone()), None, spec.config.rounds)?;
            let multiplier =
                if spec.is_accounted_as_a_whole() { least(&ledger, budget)? } else { summed(&ledger, budget)? };
            Ok(with(relative.scaled(multiplier)))
        }
    }
}

/// What the relative scales of a dry run are to be multiplied with, for the worst class of nodes to pass the filter of the
/// budget.
fn summed(relative: &Ledger, budget: Budget) -> Result<f64, ExperimentError> {
    let ratios = |class: &ClassLedger| -> (Vec<f64>, usize) {
        let laplace = class.entries.iter().filter_map(|entry| match entry.event {
            Event::Laplace { sensitivity, dim, scale } => Some((sensitivity.l2() / scale, dim, entry.releases)),
            _ => None,
        });
        laplace.fold((vec![], 1), |(mut ratios, _), (ratio, dim, releases)| {
            ratios.extend((0..releases).map(|_| ratio));
            (ratios, dim)
        })
    };
    let mut largest: f64 = 0.0;
    for (ratios, dim) in relative.classes.iter().map(ratios) {
        largest = largest.max(calibrate::laplace_multiplier(&ratios, dim, budget)?);
    }
    Ok(largest)
}

/// With more different events that are not all Gaussian, noise is calibrated by Rényi divergences in place of the best
/// accountant, which is asked a dozen times.
const MOST_EVENTS: usize = 100;

/// The same, by exact accounting of the whole run.
fn least(relative: &Ledger, budget: Budget) -> Result<f64, ExperimentError> {
    let relative = dominating(relative);
    let few = is_quick(&relative, budget.delta(), MOST_EVENTS);
    let (best, rdp) = (Best, Rdp::default());
    let accountant: &dyn Accountant = if few { &best } else { &rdp };
    // In units of the largest sensitivity, around which accountants are at ease.
    let events = || relative.classes.iter().flat_map(|class| &class.entries).map(|entry| entry.event);
    let unit = events().map(ratio).fold(0.0, f64::max);
    if unit <= 0.0 {
        return Ok(0.0);
    }
    Ok(unit * calibrate::noise_multiplier(accountant, budget, |multiplier| scaled(&relative, unit * multiplier))?)
}

/// The sensitivity of a release in units of its noise.
fn ratio(event: Event) -> f64 {
    match event {
        Event::Laplace { sensitivity, scale, .. } => sensitivity.l2() / scale,
        Event::Gaussian { sensitivity, sigma } => sensitivity.l2() / sigma,
        Event::Sampled { base, .. } => ratio(base.into()),
        _ => 0.0,
    }
}

/// The ledger with more noise in every release.
fn scaled(ledger: &Ledger, factor: f64) -> Ledger {
    let mut ledger = ledger.clone();
    for entry in ledger.classes.iter_mut().flat_map(|class| &mut class.entries) {
        match &mut entry.event {
            Event::Laplace { scale, .. } | Event::Sampled { base: Base::Laplace { scale, .. }, .. } => *scale *= factor,
            Event::Gaussian { sigma, .. } | Event::Sampled { base: Base::Gaussian { sigma, .. }, .. } => {
                *sigma *= factor;
            }
            _ => {}
        }
    }
    ledger
}

/// Scales proportional to `sensitivity^exponent`, message by message. Message 0 is the starting point and needs none.
fn relative_scales(spec: &Spec, exponent: f64) -> Schedule {
    let scale = |t: u32| if exponent > 0.0 { spec.method.relative_sensitivity(t).powf(exponent) } else { 1.0 };
    let rounds = 0..spec.config.rounds;
    Schedule::table(std::iter::once(scale(0)).chain(rounds.map(scale)).collect())
}
