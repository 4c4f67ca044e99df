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
    /// A bound on the second derivative of a node's objective that is the same for all nodes of the network.
    curvature: f64,
}

/// The noise in the output, in units of the least that the random term moves the minimiser: it does not show.
const OUTPUT: f64 = 1e-3;
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
            facts: declaration.class_records().iter().map(facts).collect(),
            records: declaration.class_records().iter().map(|&records| records as f64).collect(),
        };
        for facts in &problem.facts {
            facts.epsilon(delta)?;
        }
        problem.solvers(problem.tolerance(None))?;
        Ok(problem)
    }

    /// The facts of each class with the noise of a round.
    fn with(&self, sigma: f64) -> Arc<[ObjectivePerturbation]> {
        self.facts.iter().map(|facts| ObjectivePerturbation { sigma, ..*facts }).collect()
    }

    /// The tolerance of every solver: the noise in the output that goes with it is a small share of what a random term of
    /// this size does at least. It is the same for all, so that a party does not depend on the size of the others.
    fn tolerance(&self, sigma: Option<f64>) -> f64 {
        let facts = &self.facts[0];
        match sigma {
            None => QUIET * facts.slope / facts.mu,
            Some(sigma) => ObjectivePerturbation::tolerance(OUTPUT * sigma / (self.curvature + facts.mu)),
        }
    }

    /// How each class minimises.
    fn solvers(&self, tolerance: f64) -> Result<Vec<StrongMinimum>, ProblemError> {
        let solver = |(facts, records): (&ObjectivePerturbation, &f64)| {
            let (slope, curvature) = (records * facts.slope, records * facts.curvature);
            StrongMinimum::new(Set::Whole, facts.mu, curvature, slope, tolerance)
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
        self.parties.perturbed_minimiser(self.round, problem, sigma, batch)
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
        let tolerance = problem.tolerance(sigma);
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
