//! Looks at the data that pay off when they are taken once: sufficient statistics, and a node's own minimiser.

use std::sync::Arc;

use dido_geometry::{Set, Shape, parallel};
use dido_mechanisms::{Adjacency, Batch, Grid, MechanismError, Norm, Private, sufficient_statistics};
use dido_problems::{ProblemError, StrongMinimum};

use crate::{Declaration, Node, Noise, OptimizerError, Parties, Stop};

/// What a party minimises by itself, and how exactly: `f_i(b) + (mu / 2) ||b||^2` on a set.
#[derive(Clone, Debug)]
pub(crate) struct OwnProblem {
    mu: f64,
    /// On which the sensitivity depends.
    radius: f64,
    /// For each class of nodes: a party does the same work whoever the others are.
    solvers: Vec<StrongMinimum>,
    /// For each class what rounding adds to the tolerance.
    rounding: Vec<f64>,
}

/// The share of the sensitivity that the tolerance of the solver may add to it.
const TOLERANCE: f64 = 1e-6;
/// The largest share that rounding may add.
const ROUNDING: f64 = 0.01;

impl OwnProblem {
    /// The problem of every party of `declaration`, solved to a distance that adds at most a millionth to the sensitivity, and
    /// a bound on the rounding, which is at most a hundredth.
    pub(crate) fn new(declaration: &Declaration, set: &Set, mu: f64) -> Result<Self, OptimizerError> {
        let loss = declaration.loss();
        let (x, y) = (declaration.bounds().row_norm(), declaration.bounds().target());
        if loss.largest_curvature(y).is_infinite() {
            let (algorithm, needs) = ("a minimiser", "a loss with a bounded second derivative");
            return Err(OptimizerError::Loss { algorithm, needs, found: loss });
        }
        let start = dido_geometry::norm(&StrongMinimum::start(set, declaration.dim()));
        let widths = declaration.l2_by_class(Adjacency::ReplaceRecord, set.radius());
        let solver = |records: usize, width: f64, mu: f64| {
            let rows = declaration.scale(records) * records as f64 * x;
            let slope = rows * loss.largest_slope(x * start, y) + mu * start;
            // Without a bound on the points there is no sensitivity, and no noise either.
            let tolerance = 0.5 * TOLERANCE * width.min(slope) / mu;
            let solver = StrongMinimum::new(set.clone(), mu, rows * x * loss.largest_curvature(y), slope, tolerance)?;
            let gradient = declaration.rounding_of_gradient(records, solver.reach(start));
            Ok::<_, ProblemError>((solver.rounding(start, gradient), solver))
        };
        let (mut solvers, mut rounding) = (vec![], vec![]);
        for (&records, width) in declaration.class_records().iter().zip(widths) {
            let (error, solved) = solver(records, width, mu)?;
            let curvature = declaration.scale(records) * records as f64 * x * x * loss.largest_curvature(y);
            let is_small = |mu: f64| {
                solver(records, width, mu)
                    .is_ok_and(|(error, _)| width.is_infinite() || 2.0 * error <= ROUNDING * width / mu)
            };
            StrongMinimum::check_conditioning(mu, curvature, is_small)?;
            solvers.push(solved);
            rounding.push(error);
        }
        Ok(Self { mu, radius: set.radius(), solvers, rounding })
    }
}

impl<'r> Node<'r> {
    /// The packed sufficient statistics `s_i (svec X_i'X_i, balance X_i'y_i)` of every node
    /// ([`dido_mechanisms::sufficient_statistics`]): rows of their own length, with their exact sensitivity. It looks at all
    /// records of the nodes that are awake.
    pub(crate) fn statistics(&mut self, balance: f64) -> Result<Private<'r>, Stop> {
        let awake = self.awake()?;
        self.parties.statistics(balance, Batch::all().of_nodes(awake), self.noise.grid())
    }

    /// The minimiser of every node's own problem, from all records of the nodes that are awake. Two minimisers are no further
    /// apart than the gradients at one of them, over `mu`; and what is released is within the tolerance of one.
    ///
    /// # Errors
    /// If records are added or removed: the number of steps of the solver follows from their declared number. If the
    /// sensitivity is not finite although noise is to hide the data.
    pub(crate) fn minimiser(&mut self, problem: &OwnProblem) -> Result<Private<'r>, Stop> {
        // How far rounding carries what a solver returns is not proved.
        if self.noise.grid().is_some() {
            return Err(Stop::Rounding { what: "minimisers" });
        }
        let batch = Batch::all().of_nodes(self.awake()?);
        if !matches!(self.noise, Noise::None) && !self.parties.is_bounded(&batch, problem.radius) {
            return Err(Stop::Unbounded { round: self.round });
        }
        self.parties.minimiser(problem, batch)
    }
}

impl Parties {
    fn statistics<'r>(&self, balance: f64, batch: Batch<'r>, grid: Option<Grid>) -> Result<Private<'r>, Stop> {
        let adjacency = self.gate.ledger().adjacency;
        if grid.is_some() {
            self.are_not_too_many()?;
        }
        let shape = Shape { dim: sufficient_statistics::len(self.shape().dim), ..self.shape() };
        let mut out = self.pool.take(shape);
        out.set_secret(true);
        out.as_mut_slice().fill(0.0);
        let of = |node| self.objective.as_ref().and_then(|objective| objective.normal_equations(node));
        for (node, rows) in out.as_mut_slice().chunks_exact_mut(shape.lanes * shape.dim).enumerate() {
            let Some((matrix, vector)) = of(node) else { continue };
            for row in rows.chunks_exact_mut(shape.dim) {
                let packed = sufficient_statistics::packed(vector.len(), balance, |j, k| matrix[[j, k]], |k| vector[k]);
                row.iter_mut().zip(packed).for_each(|(out, value)| *out = value);
            }
        }
        let widths = self.declaration().statistics_by_class(adjacency, balance)?;
        let private = Private::new(batch.through(&self.gate), out, widths, Norm::L2, adjacency);
        let rounding = || self.declaration().rounding_of_statistics_by_class(adjacency, balance).into();
        Ok(match grid {
            None => private,
            Some(grid) => private.on_grid(grid, rounding()),
        })
    }

    fn minimiser<'r>(&self, problem: &OwnProblem, batch: Batch<'r>) -> Result<Private<'r>, Stop> {
        let found = self.gate.ledger().adjacency;
        if found == Adjacency::AddRemoveRecord {
            return Err(MechanismError::Adjacency { expected: Adjacency::ReplaceRecord, found }.into());
        }
        let mut out = self.pool.take(self.shape());
        out.set_secret(true);
        out.as_mut_slice().fill(0.0);
        if let Some(objective) = &self.objective {
            // Thousands of passes: worth threads at any size.
            parallel::for_each_range(self.shape().nodes, out.as_mut_slice(), usize::MAX, 1, |nodes, out| {
                let width = out.len() / nodes.len();
                for (node, out) in nodes.zip(out.chunks_exact_mut(width)) {
                    let solver = &problem.solvers[self.declaration().class_of()[node]];
                    solver.minimise(objective.as_ref(), node..node + 1, out);
                }
            });
        }
        let widths = self.declaration().l2_by_class(found, problem.radius);
        let of = |(width, error): (&f64, &f64)| width * (1.0 + TOLERANCE) / problem.mu + 2.0 * error;
        let widths = widths.iter().zip(&problem.rounding).map(of).collect();
        Ok(Private::new(batch.through(&self.gate), out, widths, Norm::L2, found))
    }
}

impl Declaration {
    /// The exact L2 sensitivity of the packed statistics of a node of each class.
    fn statistics_by_class(&self, adjacency: Adjacency, balance: f64) -> Result<Arc<[f64]>, MechanismError> {
        let (x, y) = (self.bounds().row_norm(), self.bounds().target());
        let one = sufficient_statistics::l2_sensitivity(adjacency, x, y, balance, self.dim())?.value;
        let changed = |records: usize| if adjacency == Adjacency::ReplaceNode { records as f64 } else { 1.0 };
        Ok(self.class_records().iter().map(|&records| self.scale(records) * changed(records) * one).collect())
    }
}
