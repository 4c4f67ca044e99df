//! The noise of a run. Calibrated noise starts from relative scales; their dry run yields the sensitivities.

use dido_mechanisms::{
    Accountant, Base, Best, Budget, ClassLedger, Event, Grid, Ledger, MechanismError, Rdp, calibrate,
};
use dido_optimizers::{Noise, Schedule};

use crate::config::privacy::{DiscreteGaussianConfig, DiscreteLaplaceConfig};
use crate::config::{AllocationConfig, MechanismConfig, NoiseConfig};
use crate::epsilons::{dominating, is_quick};
use crate::error::ExperimentError;
use crate::planning::{keeps_budget, ledger_of};
use crate::sensitivity::of as sensitivity_of;
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
        NoiseConfig::DiscreteLaplace(DiscreteLaplaceConfig { scale, grid }) => {
            let grid = grid.map_or_else(|| grid_for(spec, &Noise::Laplace(scale.clone())), Ok)?;
            Ok(Noise::DiscreteLaplace { scale: scale.clone(), grid })
        }
        NoiseConfig::DiscreteGaussian(DiscreteGaussianConfig { sigma, grid }) => {
            let grid = grid.map_or_else(|| grid_for(spec, &Noise::Gaussian(sigma.clone())), Ok)?;
            Ok(Noise::DiscreteGaussian { sigma: sigma.clone(), grid })
        }
        NoiseConfig::Calibrated(calibrated) => {
            let budget = spec.budget.expect("calibrated noise was checked to have a budget");
            if let Some(sigma) = spec.method.least_noise(spec, budget) {
                return Ok(Noise::Gaussian(Schedule::constant(sigma?)));
            }
            let exponent = match calibrated.allocation {
                AllocationConfig::Constant => 0.0,
                AllocationConfig::Optimal if budget.delta() > 0.0 => 1.0 / 2.0,
                AllocationConfig::Optimal => 1.0 / 3.0,
            };
            let with = if calibrated.mechanism.is_gaussian() { Noise::Gaussian } else { Noise::Laplace };
            let relative = relative_scales(spec, exponent);
            let ledger = ledger_of(spec, &with(relative.clone()), None, spec.config.rounds)?;
            let multiplier =
                if spec.is_accounted_as_a_whole() { least(spec, &ledger, budget)? } else { summed(&ledger, budget)? };
            let scales = relative.scaled(multiplier);
            match calibrated.mechanism {
                MechanismConfig::Laplace | MechanismConfig::Gaussian => Ok(with(scales)),
                MechanismConfig::DiscreteLaplace => {
                    let grid = smallest_grid(spec, &ledger)?;
                    enlarged(spec, budget, |factor| Noise::DiscreteLaplace { scale: scales.scaled(factor), grid })
                }
                MechanismConfig::DiscreteGaussian => {
                    let grid = smallest_grid(spec, &ledger)?;
                    enlarged(spec, budget, |factor| Noise::DiscreteGaussian { sigma: scales.scaled(factor), grid })
                }
            }
        }
    }
}

/// The grid for a run with noise in floating point.
fn grid_for(spec: &Spec, noise: &Noise) -> Result<Grid, ExperimentError> {
    smallest_grid(spec, &ledger_of(spec, noise, None, spec.config.rounds)?)
}

/// The coarsest grid on which rounding adds at most a millionth to any sensitivity of a ledger; of one step where all are 0.
fn smallest_grid(spec: &Spec, ledger: &Ledger) -> Result<Grid, ExperimentError> {
    let events = ledger.classes.iter().flat_map(|class| class.entries.iter().map(|entry| entry.event));
    let smallest =
        events.filter_map(sensitivity_of).filter(|s| s.value > 0.0).min_by(|a, b| a.value.total_cmp(&b.value));
    let grid =
        smallest.map_or_else(|| Grid::new(0), |smallest| Grid::for_sensitivity(smallest, spec.declaration.dim()));
    Ok(grid?)
}

/// Noise on a grid that keeps the budget, from scales with which noise off the grid just does: they are enlarged, by a millionth
/// first, until the accounting of the ledger says so.
fn enlarged(spec: &Spec, budget: Budget, with: impl Fn(f64) -> Noise) -> Result<Noise, ExperimentError> {
    const FIRST: f64 = 1e-6;
    const MOST: f64 = 0.5;
    let mut excess = FIRST;
    while excess <= MOST {
        let noise = with(1.0 + excess);
        if keeps_budget(spec, &noise, budget)? {
            return Ok(noise);
        }
        excess *= 2.0;
    }
    Err(MechanismError::Calibration { low: 1.0, high: 1.0 + MOST }.into())
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
fn least(spec: &Spec, relative: &Ledger, budget: Budget) -> Result<f64, ExperimentError> {
    let relative = dominating(relative);
    let few = is_quick(&relative, budget.delta(), MOST_EVENTS);
    let accountant: Box<dyn Accountant> = match spec.config.privacy.accountant {
        Some(chosen) => chosen.accountant(),
        None if few => Box::new(Best),
        None => Box::new(Rdp::default()),
    };
    // In units of the largest sensitivity, around which accountants are at ease.
    let events = || relative.classes.iter().flat_map(|class| &class.entries).map(|entry| entry.event);
    let unit = events().map(ratio).fold(0.0, f64::max);
    if unit <= 0.0 {
        return Ok(0.0);
    }
    Ok(unit
        * calibrate::noise_multiplier(accountant.as_ref(), budget, |multiplier| scaled(&relative, unit * multiplier))?)
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
