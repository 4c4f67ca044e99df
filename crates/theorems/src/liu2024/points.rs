//! Fresh points, and those of nodes that slept.

use dido_geometry::{L2Ball, Rows, Shape, norm};
use dido_mechanisms::Adjacency;
use dido_optimizers::strategies::{instances, losses};
use dido_optimizers::{DualAveraging, InProcess, Noise, Points, Sampling, run};
use dido_problems::{Distance, DualStep, Regulariser};

use super::algorithm::{activation, weights};
use crate::sample::{difference, mean_of_nodes};
use crate::{Case, Expected, Theorem, TheoremError};

/// What both draw.
const RUNS: &str = "any loss and data on 2 to 8 nodes of any graph, a fixed number awake or coins, h = (mu/2) ||x||^2 on a ball, 15 rounds, where nodes disagree";

pub const B8_POINTS: Theorem = Theorem {
    name: "B8-points",
    statement: "||x_j - y|| <= ||z_j - zbar|| / s_t for every node, awake or not, if its point is made anew in every round",
    source: "derived, needed for paper B, Theorem 2: liu2024.md, Convergence",
    assumptions: RUNS,
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.9,
    check: |case| follow(case, Points::Fresh),
};

pub const E2: Theorem = Theorem {
    name: "B-E2",
    statement: "the same if a node that sleeps keeps its old point, as published",
    source: "paper B, Algorithm 1, step 2, and what its proof needs (erratum E2)",
    assumptions: RUNS,
    expected: Expected::Fails,
    cost: 10,
    reaches: 0.0,
    check: |case| follow(case, Points::Stale),
};

fn follow(case: &mut Case, points: Points) -> Result<(), TheoremError> {
    let (instance, weights) = case.draw((instances(losses(), 2..=8, 1..=4), weights()))?;
    let (mu, radius, iota) = case.draw((0.01..1.0, 0.5..20.0, 0.2..1.0))?;
    let dim = instance.dim();
    let (_, sequence) = activation(case, instance.graph.clone())?;
    let step = DualStep::new(Regulariser::squared_l2(mu)?, L2Ball::new(radius)?.into(), Distance::Euclidean)?;
    let mut parties = instance.parties(Adjacency::ReplaceRecord, 1, 0)?;
    let start = parties.start(&vec![0.0; dim]);
    let dda = DualAveraging::new(step.clone(), weights, iota, Sampling::All, start)?;
    let (mut dda, mut network) = (dda.with_points(points), InProcess::varying(sequence));
    for t in 0..15 {
        run(&mut dda, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true)?;
        let (z, x) = (dda.z().rows(), dda.x().rows());
        let mean = mean_of_nodes(z, 0);
        let mut y = Rows::from_vec(Shape { nodes: 1, lanes: 1, dim }, mean.clone());
        let a = iota * weights.sum(t + 1);
        step.apply(a, weights.gamma(t + 1), &mut y)?;
        for node in 0..instance.shards.len() {
            let apart = norm(&difference(x.row(node, 0), y.as_slice()));
            let bound = norm(&difference(z.row(node, 0), &mean)) / (a * mu + weights.gamma(t + 1));
            // Where all agree, rounding is all there is.
            if bound > 1e-3 * norm(y.as_slice()) {
                case.below(apart - 1e-12 * (1.0 + norm(y.as_slice())), bound);
            }
        }
    }
    Ok(())
}
