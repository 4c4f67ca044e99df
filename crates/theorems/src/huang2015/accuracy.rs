//! How far the agents are from the optimum, with projections.

use dido_geometry::{L2Ball, Set, norm};
use dido_optimizers::bounds::huang2015::{Problem, Schedules};
use dido_optimizers::strategies::mixing;
use dido_optimizers::{At, Noise, Pdop, run};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use super::quadratic::{Quadratics, longest_gradient};
use crate::sample::{mean_of_nodes, squared_distance};
use crate::{Case, Expected, Theorem, TheoremError};

/// Repeats.
const LANES: u32 = 2000;

/// What C5 draws.
const AGENTS: &str = "quadratics of curvature 0.3 to 2 on 2 to 7 nodes of any graph and non-negative weights, n <= 3, a ball that holds x*, \
                      first steps up to the largest, 0.7 <= q < p < 1; 2000 repeats, 60 rounds, five standard errors";

pub const C5: Theorem = Theorem {
    name: "C5",
    statement: "V(t) <= (1 - gamma mu_F/N) V(t-1) + gamma^2 N C^2 (1 + lambda^2)/(1 - lambda^2) + 2 n S M(t)^2, V = E sum_i ||x_i - x*||^2",
    source: "derived, in place of paper C's convergence theorem: huang2015.md, Accuracy",
    assumptions: AGENTS,
    expected: Expected::Holds,
    cost: 200,
    reaches: 0.3,
    check: |case| follow(case, |case, round| case.mean_below(&round.squares, round.recursion)),
};

pub const C5_ACCURACY: Theorem = Theorem {
    name: "C5-accuracy",
    statement: "E ||xbar - x*||^2 is below the closed form of the recursion, whose noise term is the published O(1/epsilon^2)",
    source: "derived, in place of paper C's accuracy theorem: huang2015.md, Accuracy",
    assumptions: AGENTS,
    expected: Expected::Holds,
    cost: 200,
    reaches: 0.01,
    check: |case| follow(case, |case, round| case.mean_below(&round.means, round.accuracy)),
};

/// What is measured in a round in each lane, without the noise that hides it, and the bounds.
struct Round {
    /// `sum_i ||x_i - x*||^2`, and its bound.
    squares: Vec<f64>,
    recursion: f64,
    /// `||xbar - x*||^2`, and its bound.
    means: Vec<f64>,
    accuracy: f64,
}

fn follow(case: &mut Case, mut check: impl FnMut(&mut Case, &Round)) -> Result<(), TheoremError> {
    let weights = mixing(2..=7).prop_filter("non-negative weights", |(_, weights)| weights.is_nonnegative());
    let (network, dim, seed, share) = case.draw((weights, 1_usize..=3, any::<u64>(), 0.2..=1.0))?;
    let nodes = network.0.nodes();
    let (curvatures, centres) = case.draw((vec(0.3..2.0, nodes), vec(vec(-1.0..1.0, dim), nodes)))?;
    let agents = Quadratics::new(network, curvatures, centres)?;
    let radius = case.draw(1.05..2.0_f64)? * norm(&agents.optimum).max(0.1);
    let problem = problem(&agents, radius)?;
    let decays = (0.7..0.95, 0.7..0.98).prop_filter("q < p", |(q, p): &(f64, f64)| p - q > 0.02);
    // Noise in the size of the ball, so that projections bite now and then.
    let ((q, p), noise) = case.draw((decays, 0.02..0.5))?;
    let mut schedules =
        Schedules { c: share * problem.largest_step(), q, p, gradient: problem.gradient, dim, epsilon: 1.0 };
    schedules.epsilon = schedules.k() / (noise * radius);
    let mut parties = agents.parties(LANES, seed)?;
    let mut start = case.draw(vec(-1.0..1.0, dim))?;
    let ball = Set::from(L2Ball::new(radius)?);
    ball.project_row(&mut start);
    let first = parties.start(&start);
    let mut pdop = Pdop::new(ball, schedules.step(), At::Projected, first);
    let start = nodes as f64 * squared_distance(&start, &agents.optimum);
    let (mut recursion, mut network) = (start, agents.instance.network());
    run(&mut pdop, &mut parties, &mut network, &Noise::Laplace(schedules.noise()), 0..60, |t, algorithm, _| {
        // The start is sent as it is; message t + 1, t > 0, was made with scale number t.
        recursion = problem.next(recursion, schedules.step().at(t), if t > 0 { schedules.noise().at(t) } else { 0.0 });
        // x(t) is seen in y(t+1), under independent noise of known variance.
        let (rows, fresh) = (algorithm.estimate().rows(), 2.0 * dim as f64 * schedules.noise().at(t + 1).powi(2));
        let squares = |lane| (0..nodes).map(|i| squared_distance(rows.row(i, lane), &agents.optimum)).sum::<f64>();
        let mean = |lane| squared_distance(&mean_of_nodes(rows, lane), &agents.optimum);
        let lanes = 0..LANES as usize;
        let round = Round {
            squares: lanes.clone().map(|lane| squares(lane) - nodes as f64 * fresh).collect(),
            recursion,
            means: lanes.map(|lane| mean(lane) - fresh / nodes as f64).collect(),
            accuracy: problem.accuracy(&schedules, start, t + 1),
        };
        check(case, &round);
        true
    })?;
    Ok(())
}

fn problem(agents: &Quadratics, radius: f64) -> Result<Problem, TheoremError> {
    let weights = &agents.instance.weights;
    let gradients = agents.instance.shards.iter().map(|shard| longest_gradient(shard, radius));
    Ok(Problem {
        dim: agents.optimum.len(),
        nodes: agents.centres.len(),
        strong_convexity: agents.curvatures.iter().sum(),
        smoothness: agents.curvatures.iter().fold(0.0, |most: f64, h| most.max(*h)),
        gradient: gradients.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0.0, f64::max),
        diameter: 2.0 * radius,
        lambda: weights.second_largest_singular_value()?,
        frobenius_squared: weights.to_dense().iter().map(|x| x * x).sum(),
    })
}
