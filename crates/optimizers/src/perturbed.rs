//! Minimisers of objectives with a secret random term.

use std::sync::Arc;

use dido_geometry::{Set, parallel};
use dido_mechanisms::{Batch, Gaussian, Mechanism, Norm, ObjectivePerturbation, Private, Public};
use dido_problems::{ProblemError, StrongMinimum};

use crate::{Declaration, Node, Noise, OptimizerError, Parties, Stop};

/// What a party minimises by itself, `f_i(b) + (mu / 2) ||b||^2 + <nu, b>`, by class of nodes.
#[derive(Clone, Debug)]
pub(crate) struct PerturbedProblem {
    /// With a `sigma` of 1 in place of that of the noise.
    facts: Vec<ObjectivePerturbation>,
    /// Records of a node.
    records: Vec<f64>,
    /// Bounds on second derivative and gradient of a node's objective that are the same for all nodes of the network.
    curvature: f64,
    slope: f64,
    declaration: Declaration,
}

/// The noise in the output, in units of the least that the random term moves the minimiser: it does not show.
const OUTPUT: f64 = 1e-3;
/// The noise in the output that rounding may make necessary, in units of the most that the random term moves the minimiser.
const ROUNDING: f64 = 0.1;
/// The length of a random term of `m` coordinates is below `sigma (sqrt(m) + TAIL)`, but for a chance of
/// `exp(-TAIL^2 / 2) = 2e-37`, which no delta notices.
const TAIL: f64 = 13.0;
/// The same for the tolerance of the solver where there is no noise, in units of what one record can move.
const QUIET: f64 = 1e-9;

impl PerturbedProblem {
    /// The problem of every party of `declaration`, whose release is written down at `delta`.
    pub(crate) fn new(declaration: &Declaration, mu: f64, delta: f64) -> Result<Self, OptimizerError> {
        let (loss, x, y) = (declaration.loss(), declaration.bounds().row_norm(), declaration.bounds().target());
        let (slope, curvature) = (x * loss.largest_slope(f64::INFINITY, y), x * x * loss.largest_curvature(y));
        if !(slope.is_finite() && curvature.is_finite()) {
            let (algorithm, needs) = ("objective perturbation", "a loss with bounded slope and second derivative");
            return Err(OptimizerError::Loss { algorithm, needs, found: loss });
        }
        let facts = |&records: &usize| {
            let s = declaration.scale(records);
            ObjectivePerturbation { sigma: 1.0, slope: s * slope, curvature: s * curvature, mu, delta }
        };
        let (_, all) = declaration.network();
        let problem = Self {
            curvature: declaration.scale(all) * all as f64 * curvature,
            slope: declaration.scale(all) * all as f64 * slope,
            declaration: declaration.clone(),
            facts: declaration.class_records().iter().map(facts).collect(),
            records: declaration.class_records().iter().map(|&records| records as f64).collect(),
        };
        for facts in &problem.facts {
            facts.epsilon(delta)?;
        }
        problem.solvers(problem.tolerance(None)?)?;
        Ok(problem)
    }

    /// The facts of each class with the noise of a round.
    fn with(&self, sigma: f64) -> Arc<[ObjectivePerturbation]> {
        self.facts.iter().map(|facts| ObjectivePerturbation { sigma, ..*facts }).collect()
    }

    /// The tolerance of every solver: the noise in the output that goes with it is a small share of what a random term of
    /// this size does at least, or more where rounding needs it. It is the same for all, so that a party does not depend on
    /// the size of the others. One half of it is for the steps, the other for rounding.
    ///
    /// # Errors
    /// If rounding needs noise in the output that is as large as a tenth of the most that a random term of this size does.
    fn tolerance(&self, sigma: Option<f64>) -> Result<f64, ProblemError> {
        let (mu, slope) = (self.facts[0].mu, self.facts[0].slope);
        let Some(sigma) = sigma else { return Ok(QUIET * slope / mu) };
        let is_small = |mu: f64| {
            let most = ObjectivePerturbation::tolerance(ROUNDING * sigma / mu);
            self.rounding(mu, sigma).is_ok_and(|rounding| 2.0 * rounding <= most)
        };
        StrongMinimum::check_conditioning(mu, self.curvature, is_small)?;
        Ok(self.quiet(mu, sigma).max(2.0 * self.rounding(mu, sigma)?))
    }

    /// The tolerance whose noise in the output does not show.
    fn quiet(&self, mu: f64, sigma: f64) -> f64 {
        ObjectivePerturbation::tolerance(OUTPUT * sigma / (self.curvature + mu))
    }

    /// What rounding adds to the distance from the minimiser, for a node that holds all records of the network: the bound
    /// grows with the records.
    fn rounding(&self, mu: f64, sigma: f64) -> Result<f64, ProblemError> {
        let solver = StrongMinimum::new(Set::Whole, mu, self.curvature, self.slope, self.quiet(mu, sigma))?;
        let start = sigma * ((self.declaration.dim() as f64).sqrt() + TAIL) / mu;
        let (_, all) = self.declaration.network();
        Ok(solver.rounding(start, self.declaration.rounding_of_gradient(all, solver.reach(start))))
    }

    /// How each class minimises, to one half of the tolerance.
    fn solvers(&self, tolerance: f64) -> Result<Vec<StrongMinimum>, ProblemError> {
        let solver = |(facts, records): (&ObjectivePerturbation, &f64)| {
            let (slope, curvature) = (records * facts.slope, records * facts.curvature);
            StrongMinimum::new(Set::Whole, facts.mu, curvature, slope, 0.5 * tolerance)
        };
        self.facts.iter().zip(&self.records).map(solver).collect()
    }
}

impl Node<'_> {
    /// Draws the random terms, minimises and releases: every node that is awake, from all its records.
    ///
    /// # Errors
    /// If the noise is neither Gaussian nor none, or anything but a record is replaced.
    pub(crate) fn perturbed_minimiser(&mut self, problem: &PerturbedProblem) -> Result<Public, Stop> {
        let sigma = match self.noise {
            Noise::None => None,
            Noise::Gaussian(sigma) => Some(sigma.at(self.round + 1)),
            other => return Err(Stop::Perturbation(other.name())),
        };
        let batch = Batch::all().of_nodes(self.awake()?);
        let found = self.parties.perturbed_minimiser(self.round, problem, sigma, batch);
        found.map_err(|stop| self.noise.conceal(stop))
    }
}

impl Parties {
    fn perturbed_minimiser(
        &mut self,
        round: u32,
        problem: &PerturbedProblem,
        sigma: Option<f64>,
        batch: Batch<'_>,
    ) -> Result<Public, Stop> {
        let adjacency = self.gate.ledger().adjacency;
        let tolerance = problem.tolerance(sigma)?;
        let solvers = problem.solvers(tolerance)?;
        let mut out = self.pool.take(self.shape());
        out.set_secret(true);
        out.as_mut_slice().fill(0.0);
        if let Some(sigma) = sigma
            && let Some(coins) = self.gate.secret_coins(round)?
        {
            coins.add_gaussian(Gaussian::new(sigma)?, &mut out)?;
        }
        match &self.objective {
            None => out.as_mut_slice().fill(0.0),
            // Thousands of passes: worth threads at any size.
            Some(objective) => {
                parallel::for_each_range(self.shape().nodes, out.as_mut_slice(), usize::MAX, 1, |nodes, out| {
                    let width = out.len() / nodes.len();
                    for (node, out) in nodes.zip(out.chunks_exact_mut(width)) {
                        let solver = &solvers[self.declaration().class_of()[node]];
                        solver.minimise_tilted(objective.as_ref(), node..node + 1, out);
                    }
                });
            }
        }
        let errors = vec![2.0 * tolerance; solvers.len()].into();
        let value = Private::new(batch.through(&self.gate), out, errors, Norm::L2, adjacency);
        let Some(sigma) = sigma else { return Ok(self.gate.release(round, Mechanism::None, value)?) };
        let output = Mechanism::Gaussian(ObjectivePerturbation::output(tolerance)?);
        Ok(self.gate.release(round, output, value.of_perturbed_objectives(problem.with(sigma)))?)
    }
}

#[cfg(test)]
mod tests {
    use dido_mechanisms::Adjacency;
    use dido_problems::{Loss, RecordBounds, Shard, Weighting};
    use ndarray::{Array1, Array2};

    use super::*;

    const CURVATURE: f64 = 0.390_625;

    /// One record `x = (3, 4) / 8`; the loss is quadratic at the minimiser.
    fn declaration() -> Declaration {
        let bounds = RecordBounds::new(0.625, 1.0).unwrap();
        Declaration::new(Loss::Huber { width: 8.0 }, 2, bounds, Weighting::Sum, vec![1]).unwrap()
    }

    fn tolerance(mu: f64) -> Result<f64, ProblemError> {
        PerturbedProblem::new(&declaration(), mu, 1e-5).unwrap().tolerance(Some(1.0))
    }

    /// The closed form is exact to its last bits where `mu` is a power of two. What is found is within the tolerance up to the
    /// limit, which grows where rounding needs it; beyond the limit there is none.
    #[test]
    fn minimisers_are_within_the_tolerance_up_to_the_limit() {
        let x = Array2::from_shape_vec((1, 2), vec![0.375, 0.5]).unwrap();
        let shard = Shard::checked(x, Array1::ones(1), declaration().bounds()).unwrap();
        let objective = declaration().objective(Adjacency::ReplaceRecord, &[shard], 1).unwrap();
        let Err(ProblemError::Conditioning { largest, .. }) = tolerance(1e-7) else { panic!("mu is too small") };
        assert!(largest > 1e3 && largest < 1e6, "{largest}");
        let limit = CURVATURE / (largest - 1.0);
        assert!(tolerance(limit * 1.01).is_ok());
        let refused = tolerance(limit * 0.99);
        assert!(matches!(refused, Err(ProblemError::Conditioning { .. })), "{refused:?}");
        let mut grown = 0;
        for mu in (0..40).map(|k| 0.5_f64.powi(k)).take_while(|&mu| mu > limit) {
            let problem = PerturbedProblem::new(&declaration(), mu, 1e-5).unwrap();
            let tolerance = problem.tolerance(Some(1.0)).unwrap();
            let solver = &problem.solvers(tolerance).unwrap()[0];
            grown += u32::from(tolerance > problem.quiet(mu, 1.0));
            for (along, across) in [(0.25, 16.0), (-3.0, 0.125), (0.0, 13.0)] {
                let mut found = [along * 0.375 - across * 0.5, along * 0.5 + across * 0.375];
                let sum = (1.0 - along) / (CURVATURE + mu);
                let exact = [sum * 0.375 + across * 0.5 / mu, sum * 0.5 - across * 0.375 / mu];
                solver.minimise_tilted(objective.as_ref(), 0..1, &mut found);
                let error = (found[0] - exact[0]).hypot(found[1] - exact[1]);
                assert!(error <= tolerance, "{mu}: {error} and {tolerance}");
            }
        }
        assert!(grown > 0, "rounding is more than the least tolerance");
    }
}
