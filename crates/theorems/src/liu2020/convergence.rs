//! How far projected descent is from the optimum.

use dido_geometry::Rows;
use dido_optimizers::bounds::liu2020::{Problem, rate};
use dido_optimizers::{InProcess, Noise, ProjectedDgd, Schedule, run};
use proptest::prelude::any;

use crate::sample::{Regression, regressions, squared_distance};
use crate::{Case, Expected, Theorem, TheoremError};

/// What A7 draws.
const PROBLEMS: &str = "least squares on up to 8 nodes, m <= 4, any graph and non-negative weights, b* in the ball, steps from below and above \
                        the largest, 200 repeats, every message of 2000 rounds, five standard errors";

pub const A7_U: Theorem = Theorem {
    name: "A7-U",
    statement: "(U): sum_i E||f_i(t+1) - b*|| <= k (D + sqrt(2m) v(t+1)) + alpha(t) sum_i G_i",
    source: "derived, in place of paper A, Theorem 2: liu2020.md, Convergence",
    assumptions: PROBLEMS,
    expected: Expected::Holds,
    cost: 500,
    reaches: 0.1,
    check: |case| {
        follow(case, |case, round| {
            case.mean_below(&round.distances, round.problem.uniform(round.step, round.scale));
        })
    },
};

pub const A7_R: Theorem = Theorem {
    name: "A7-R",
    statement: "(R): E sum_i ||f_i(t) - b*||^2 <= R_t, and sum_i E||f_i(t) - b*|| <= sqrt(k R_t)",
    source: "derived, in place of paper A, Theorem 2: liu2020.md, Convergence",
    assumptions: PROBLEMS,
    expected: Expected::Holds,
    cost: 500,
    reaches: 0.3,
    check: |case| {
        follow(case, |case, round| {
            case.mean_below(&round.squares, round.r);
            case.mean_below(&round.distances, (round.problem.gradients.len() as f64 * round.r).sqrt());
        })
    },
};

/// What is measured in a round, and the bound of the recursion.
struct Round<'a> {
    problem: &'a Problem,
    /// `alpha(t)` and `v(t+1)`.
    step: f64,
    scale: f64,
    /// `R_(t+1)`.
    r: f64,
    /// For each repeat the sum over nodes of the distance of `f_i(t+1)` to `b*`, and of its square.
    distances: Vec<f64>,
    squares: Vec<f64>,
}

fn follow(case: &mut Case, mut check: impl FnMut(&mut Case, &Round<'_>)) -> Result<(), TheoremError> {
    let (regression, seed) = case.draw((regressions(), any::<u64>()))?;
    let (e_a, slower, noise, above) = case.draw((0.3..1.0, 0.5..1.0, 0.01..1.0, any::<bool>()))?;
    let Regression { constants: problem, optimum, .. } = &regression;
    let first = if above { 4.0 } else { 1.0 } * problem.largest_step();
    let step = Schedule::power(first * 10_f64.powf(e_a), 10.0, e_a);
    let scale = Schedule::power(noise * regression.radius, 1.0, slower * e_a);
    let mut parties = regression.parties(200, seed)?;
    let mut network = regression.instance.network();
    let start = parties.start(&vec![0.0; problem.dim]);
    let mut pdgd = ProjectedDgd::new(regression.ball()?, step.clone(), 0, start);
    let noise = Noise::Laplace(scale.clone());
    let mut r = problem.start(problem.gradients.len() as f64 * squared_distance(optimum, &vec![0.0; problem.dim]), 0.0);
    for t in 0..2000 {
        run(&mut pdgd, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true)?;
        r = problem.next(r, step.at(t), scale.at(t + 1));
        let (distances, squares) = errors(pdgd.released().rows(), optimum);
        check(case, &Round { problem, step: step.at(t), scale: scale.at(t + 1), r, distances, squares });
    }
    Ok(())
}

/// For each lane the sum over nodes of the distance to the optimum, and of its square.
fn errors(rows: &Rows, optimum: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let shape = rows.shape();
    (0..shape.lanes)
        .map(|lane| {
            (0..shape.nodes).fold((0.0, 0.0), |(distances, squares), node| {
                let square = squared_distance(rows.row(node, lane), optimum);
                (distances + square.sqrt(), squares + square)
            })
        })
        .unzip()
}

pub const A8: Theorem = Theorem {
    name: "A8",
    statement: "without noise and with a constant step the error of a node settles below alpha G^2 (1+lambda^2) / ((1-lambda^2) mu)",
    source: "derived from (R): liu2020.md, Convergence",
    assumptions: "least squares as in A7 with steps up to the largest; transients of up to 400 000 rounds, to a factor e^-40",
    expected: Expected::Holds,
    cost: 50,
    reaches: 0.001,
    check: |case| {
        // So slow a problem would take all the time.
        let short = |r: &Regression| transient(&r.constants, r.constants.largest_step()) < 4e5;
        let (regression, share) =
            case.draw((proptest::strategy::Strategy::prop_filter(regressions(), "short", short), 0.7..1.0))?;
        let problem = &regression.constants;
        let alpha = share * problem.largest_step();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 600 000")]
        let rounds = transient(problem, alpha).ceil() as u32;
        let mut parties = regression.parties(1, 0)?;
        let start = parties.start(&vec![0.0; problem.dim]);
        let mut pdgd = ProjectedDgd::new(regression.ball()?, Schedule::constant(alpha), 0, start);
        let mut network = InProcess::new(regression.instance.weights.clone());
        run(&mut pdgd, &mut parties, &mut network, &Noise::None, 0..rounds, |_, _, _| true)?;
        let (_, squares) = errors(pdgd.released().rows(), &regression.optimum);
        case.below(squares[0] / problem.gradients.len() as f64, problem.noiseless_limit(alpha));
        Ok(())
    },
};

/// Rounds after which the start is forgotten, up to a factor of `e^-40`.
fn transient(problem: &Problem, alpha: f64) -> f64 {
    40.0 * problem.gradients.len() as f64 / (alpha * problem.strong_convexity)
}

pub const RATE: Theorem = Theorem {
    name: "A-rate",
    statement: "R_t = O(t^-min(e_a, 2 e_v - e_a)) where e_a/2 < e_v <= e_a < 1: the slower of two terms in the end",
    source: "derived from (R): liu2020.md, Convergence; the trade-off that paper A leaves open",
    assumptions: "0.3 <= e_a <= 0.7, equal nodes, t from 250 000 to a million; the exponent to 0.02",
    expected: Expected::Holds,
    cost: 500,
    reaches: 0.5,
    check: |case| {
        let (nodes, e_a, share, lambda) = case.draw((1_usize..=4, 0.3..=0.7, 0.6..=1.0, 0.0..0.3))?;
        let e_v = share * e_a;
        let problem = Problem {
            dim: 1,
            diameter: 10.0,
            gradients: vec![1.0; nodes],
            smoothness: 1.0,
            strong_convexity: nodes as f64,
            lambda,
        };
        let (step, scale) = (Schedule::power(problem.largest_step(), 1.0, e_a), Schedule::power(0.1, 1.0, e_v));
        let mut r = problem.start(1.0, 0.0);
        let mut quarter = f64::NAN;
        for t in 0..1_000_000 {
            r = problem.next(r, step.at(t), scale.at(t + 1));
            if t == 249_999 {
                quarter = r;
            }
        }
        let exponent = (quarter / r).ln() / 4_f64.ln();
        case.below(rate(e_a, e_v) - 0.02, exponent);
        Ok(())
    },
};
