//! How far dual averaging is from the minimum.

use dido_optimizers::bounds::liu2024::{Activation, Problem, strongly_convex};
use dido_optimizers::strategies::graphs;
use dido_optimizers::{DualWeights, InProcess};
use dido_problems::Regulariser;
use dido_topology::families;
use dido_topology::sequence::{NodeActivation, estimate_contraction};
use proptest::prelude::{Strategy, any};

use super::machine::{Machine, Measured, Training, machines};
use crate::{Case, Expected, Theorem, TheoremError};

/// What B8 draws.
const MACHINES: &str = "support vector machines of 3 to 8 nodes with 5 to 20 records, m <= 4, 0.1 <= mu <= 1, any graph, sigma <= 1 or none; \
                        60 repeats, five standard errors, rounds 20, 100 and 400";

pub const B8: Theorem = Theorem {
    name: "B8",
    statement: "E phi(y~) - phi* is below the derived bound that replaces (9), with a fixed number of nodes awake and fresh points",
    source: "derived, in place of paper B, Theorem 2 (9): liu2024.md, Convergence",
    assumptions: MACHINES,
    expected: Expected::Holds,
    cost: 100,
    reaches: 1e-4,
    check: |case| {
        follow(case, Activation::FixedSize, |case, problem, weights, t, measured| {
            case.mean_below(&measured.gaps, problem.gap(weights, t));
            // What is called the minimum is one.
            let least = measured.gaps.iter().copied().fold(f64::INFINITY, f64::min);
            case.require("nothing is below the minimum", least > -1e-6);
        })
    },
};

pub const B8_BERNOULLI: Theorem = Theorem {
    name: "B8-bernoulli",
    statement: "the same with a coin for each node: L^2 (2 iota^2 + iota (1 - iota)/n) takes the place of 2 iota^2 L^2",
    source: "derived, in place of paper B, Theorem 2 (9): liu2024.md, Convergence",
    assumptions: MACHINES,
    expected: Expected::Holds,
    cost: 100,
    reaches: 1e-4,
    check: |case| {
        follow(case, Activation::Bernoulli, |case, problem, weights, t, measured| {
            case.mean_below(&measured.gaps, problem.gap(weights, t));
        })
    },
};

pub const B8_CONSENSUS: Theorem = Theorem {
    name: "B8-consensus",
    statement: "E sum_j ||z_j - zbar||^2 <= a_t^2 n iota (L^2 + m sigma^2) / (1 - sqrt(lambda~))^2, and that over s_t^2 for the points",
    source: "derived: liu2024.md, Convergence",
    assumptions: MACHINES,
    expected: Expected::Holds,
    cost: 100,
    reaches: 0.01,
    check: |case| {
        follow(case, Activation::FixedSize, |case, problem, weights, t, measured| {
            case.mean_below(&measured.disagreements, problem.disagreement(weights.a(t)).powi(2));
            case.mean_below(&measured.distances, problem.distance_of_points(weights, t).powi(2));
        })
    },
};

fn follow(
    case: &mut Case,
    activation: Activation,
    mut check: impl FnMut(&mut Case, &Problem, DualWeights, u32, &Measured),
) -> Result<(), TheoremError> {
    let (machine, mu) = case.draw(machines())?;
    let (sigma, seed, share) = case.draw((0.0..1.0_f64, any::<u64>(), 0.2..=1.0_f64))?;
    let (nodes, dim) = (machine.nodes(), machine.dim());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small count")]
    let active = ((share * nodes as f64).ceil() as usize).max(2);
    let iota = active as f64 / nodes as f64;
    let awake = |graph| match activation {
        Activation::FixedSize => NodeActivation::fixed_size(graph, active, seed),
        Activation::Bernoulli => NodeActivation::bernoulli(graph, iota, seed),
    };
    // Not every graph has two neighbours that are ever awake together.
    let (sequence, contraction) = case.draw(graphs(nodes..=nodes).prop_filter_map("a contraction", move |graph| {
        let sequence = awake(graph).ok()?;
        let contraction = match sequence.expected_contraction() {
            Some(exact) => exact,
            None => estimate_contraction(&sequence, 1_000_000..1_004_000).ok()?.upper,
        };
        (contraction < 0.999).then_some((sequence, contraction.max(0.0)))
    }))?;
    let sigma = if case.index().is_multiple_of(3) { 0.0 } else { sigma };
    let problem = Problem {
        nodes,
        dim,
        lipschitz: 1.0,
        strong_convexity: mu,
        participation: iota,
        activation,
        sigma,
        contraction,
        distance: machine.distance(),
    };
    let weights = if case.index().is_multiple_of(2) {
        strongly_convex(iota, mu)
    } else {
        DualWeights::GrowingDistance { gamma: 0.5 }
    };
    let training = Training { weights, participation: iota, sigma: (sigma > 0.0).then_some(sigma), seed };
    let rounds = [20, 100, 400];
    for (t, measured) in rounds.into_iter().zip(machine.train(&mut InProcess::varying(sequence), training, &rounds)?) {
        check(case, &problem, weights, t, &measured);
    }
    Ok(())
}

pub const CLOSED_FORMS: Theorem = Theorem {
    name: "B8-rates",
    statement: "the bound of B8 is at most its closed forms: O(1/T) with a_t = t, gamma = iota mu, and O(1/sqrt(T)) with a_t = 1, gamma sqrt(t+1)",
    source: "paper B, Corollaries 3.2 and 3.4 with their constants, derived: liu2024.md, Convergence",
    assumptions: "n <= 50, m <= 20, L, mu, sigma, d, gamma in wide ranges, both ways of activation, T <= 2000",
    expected: Expected::Holds,
    cost: 5,
    reaches: 0.5,
    check: |case| {
        let (nodes, dim, rounds, fixed) = case.draw((1_usize..=50, 1_usize..=20, 1_u32..=2000, any::<bool>()))?;
        let (lipschitz, mu, iota, sigma) = case.draw((0.1..3.0, 0.01..3.0, 0.02..=1.0, 0.0..3.0))?;
        let (contraction, distance, gamma) = case.draw((0.0..0.99, 0.0..10.0, 0.05..5.0))?;
        let activation = if fixed { Activation::FixedSize } else { Activation::Bernoulli };
        let problem = Problem {
            nodes,
            dim,
            lipschitz,
            strong_convexity: mu,
            participation: iota,
            activation,
            sigma,
            contraction,
            distance,
        };
        case.below(problem.gap(strongly_convex(iota, mu), rounds), problem.strongly_convex_gap(rounds));
        let general = Problem { strong_convexity: 0.0, ..problem };
        case.below(general.gap(DualWeights::GrowingDistance { gamma }, rounds), general.convex_gap(gamma, rounds));
        Ok(())
    },
};

pub const B9_STRONG: Theorem = Theorem {
    name: "B9-strong",
    statement: "without noise and with mu > 0 the gap falls as 1/T: four times the rounds leave at most half of it",
    source: "paper B, Corollary 3.2",
    assumptions: "the machine by formula: n = 8, q = 20, m = 4, mu = 0.2, iota = 1/2, 60 repeats, T = 100, 400, 1600",
    expected: Expected::Holds,
    cost: 0,
    reaches: 0.1,
    check: |case| rate(case, Regulariser::squared_l2(0.2)?, strongly_convex(0.5, 0.2), 0.5),
};

pub const B9_GENERAL: Theorem = Theorem {
    name: "B9-general",
    statement: "without noise and with mu = 0 the gap falls as 1/sqrt(T): four times the rounds leave at most three quarters of it",
    source: "paper B, Corollary 3.4",
    assumptions: "as B9-strong with h = 0.02 ||x||_1 and gamma_t = 0.5 sqrt(t+1)",
    expected: Expected::Holds,
    cost: 0,
    reaches: 0.1,
    check: |case| rate(case, Regulariser::l1(0.02)?, DualWeights::GrowingDistance { gamma: 0.5 }, 0.75),
};

fn rate(case: &mut Case, regulariser: Regulariser, weights: DualWeights, most: f64) -> Result<(), TheoremError> {
    let machine = Machine::of_formula(regulariser)?;
    case.require("the minimum is known", machine.is_solved());
    let sequence = NodeActivation::fixed_size(families::complete(8)?, 4, 3)?;
    let training = Training { weights, participation: 0.5, sigma: None, seed: 5 };
    let measured = machine.train(&mut InProcess::varying(sequence), training, &[100, 400, 1600])?;
    let gaps: Vec<f64> = measured.iter().map(|m| m.gaps.iter().sum::<f64>() / m.gaps.len() as f64).collect();
    for pair in gaps.windows(2) {
        case.require("the gap is a gap", pair[1] > 0.0);
        case.below(pair[1], most * pair[0]);
    }
    Ok(())
}
