//! The exact law of the mean without projections, and the bias that no epsilon removes.

use dido_geometry::{L2Ball, Set};
use dido_optimizers::bounds::huang2015::{Schedules, exact_mean_square};
use dido_optimizers::strategies::mixing;
use dido_optimizers::{Algorithm, At, InProcess, Noise, Pdop, Schedule, run};
use dido_topology::{families, weights};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use super::quadratic::Quadratics;
use crate::sample::{mean_of_nodes, squared_distance};
use crate::{Case, Expected, Theorem, TheoremError};

/// Repeats of C3.
const LANES: u32 = 20_000;

pub const C3: Theorem = Theorem {
    name: "C3",
    statement: "E ||xbar(T) - x*||^2 = pi_1^2 ||xbar(0) - x*||^2 + (2n/N) sum_s M_s^2 pi_s^2 for equal quadratics without a set",
    source: "derived, in place of paper C's accuracy theorem: huang2015.md, Accuracy",
    assumptions: "20 000 repeats, five standard errors; case 0: ring of N = 6, n = 2, c = 0.5, q = 0.8, p = 0.9, epsilon = 5, T = 60; \
                  then 2 to 8 nodes of any graph and weights, n <= 3, 0.5 <= q < p < 1",
    expected: Expected::Holds,
    cost: 1000,
    reaches: 0.0,
    check: |case| {
        let law = if case.index() == 0 { Law::published()? } else { Law::draw(case)? };
        let Law { agents, start, schedules, curvature, rounds, seed } = &law;
        let mut parties = agents.parties(LANES, *seed)?;
        let first = parties.start(start);
        let mut pdop = Pdop::new(everywhere()?, schedules.step(), At::Projected, first);
        let noise = Noise::Laplace(schedules.noise());
        run(&mut pdop, &mut parties, &mut agents.instance.network(), &noise, 0..*rounds, |_, _, _| true)?;
        let error = |lane| squared_distance(&mean_of_nodes(pdop.estimate().rows(), lane), &agents.optimum);
        let errors: Vec<f64> = (0..LANES as usize).map(error).collect();
        // Round T adds the noise that hides x(T): one term more, with a step of 0.
        let steps: Vec<f64> = (0..*rounds).map(|t| schedules.step().at(t)).chain([0.0]).collect();
        let scales: Vec<f64> = (1..=*rounds).map(|t| schedules.noise().at(t)).collect();
        let distance = squared_distance(start, &agents.optimum);
        case.mean_equal(
            &errors,
            exact_mean_square(*curvature, distance, &steps, &scales, start.len(), agents.centres.len()),
        );
        Ok(())
    },
};

pub const C4: Theorem = Theorem {
    name: "C4",
    statement: "without noise, xbar(T) - x* is the product of 1 - h gamma_t times xbar(0) - x*, whatever the graph",
    source: "derived: huang2015.md, Accuracy",
    assumptions: "2 to 8 nodes of any graph and weights, n <= 3, 0.5 <= q < p < 1, T <= 60",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.0,
    check: |case| {
        let Law { agents, start, schedules, curvature, rounds, .. } = Law::draw(case)?;
        let end = noiseless(&agents, &start, &schedules.step(), rounds)?;
        let product: f64 = (0..rounds).map(|t| 1.0 - curvature * schedules.step().at(t)).product();
        for (k, end) in end.iter().enumerate() {
            case.equal(end - agents.optimum[k], product * (start[k] - agents.optimum[k]), 1e-12);
        }
        Ok(())
    },
};

pub const BIAS: Theorem = Theorem {
    name: "C-bias",
    statement: "the steps freeze the iterates: 1.56 % of the start error stays for ever, also for infinite epsilon",
    source: "the public scenario of a course on paper C, and its accuracy theorem (C-E6: c is the first step)",
    assumptions: "f_i = (x - v_i)^2, v = (0.1, 0.5, 0.4, 0.2), X = [-1, 1], A = J, c = 1, q = 0.6, T = 50; \
                  gamma_t = c q^(t-1): the factor is 0.015645881, gamma_t = c q^t: -0.015645881",
    expected: Expected::Holds,
    cost: 0,
    reaches: 0.0,
    check: |case| {
        let graph = families::complete(4)?;
        let centres = [0.1, 0.5, 0.4, 0.2].map(|v| vec![v]);
        let agents = Quadratics::new((graph.clone(), weights::metropolis(&graph)), vec![2.0; 4], centres.to_vec())?;
        case.number(agents.optimum[0], 0.3, 1e-12);
        let start = 0.35;
        for (step, factor) in
            [(Schedule::geometric(1.0, 0.6), 0.015_645_881), (Schedule::geometric(0.6, 0.6), -0.015_645_881)]
        {
            let product: f64 = (0..50).map(|t| 1.0 - 2.0 * step.at(t)).product();
            case.number(product, factor, 1e-9);
            let steps: Vec<f64> = (0..50).map(|t| step.at(t)).collect();
            case.number(exact_mean_square(2.0, 1.0, &steps, &[0.0; 49], 1, 4).sqrt(), factor.abs(), 1e-9);
            let mut parties = agents.parties(1, 0)?;
            let first = parties.start(&[start]);
            let set = dido_geometry::Box::new(vec![-1.0], vec![1.0])?.into();
            let mut pdop = Pdop::new(set, step, At::Projected, first);
            run(&mut pdop, &mut parties, &mut agents.instance.network(), &Noise::None, 0..50, |_, _, _| true)?;
            let end = mean_of_nodes(pdop.estimate().rows(), 0)[0];
            case.equal((end - 0.3) / (start - 0.3), product, 1e-10);
        }
        Ok(())
    },
};

/// Agents with equal curvatures, and how they run.
struct Law {
    agents: Quadratics,
    start: Vec<f64>,
    schedules: Schedules,
    curvature: f64,
    rounds: u32,
    seed: u64,
}

impl Law {
    fn published() -> Result<Self, TheoremError> {
        let graph = families::ring(6)?;
        let weights = weights::metropolis(&graph);
        let centre = |i: u32| vec![f64::from(i) / 5.0 - 0.5, f64::from(i * i % 5) / 5.0 - 0.4];
        let agents = Quadratics::new((graph, weights), vec![1.0; 6], (0..6).map(centre).collect())?;
        let schedules = Schedules { c: 0.5, q: 0.8, p: 0.9, gradient: 2.0, dim: 2, epsilon: 5.0 }.checked()?;
        Ok(Self { agents, start: vec![0.3, 0.3], schedules, curvature: 1.0, rounds: 60, seed: 21 })
    }

    fn draw(case: &mut Case) -> Result<Self, TheoremError> {
        let (network, dim, curvature) = case.draw((mixing(2..=8), 1_usize..=3, 0.2..2.0))?;
        let nodes = network.0.nodes();
        let (centres, start) = case.draw((vec(vec(-1.0..1.0, dim), nodes), vec(-1.0..1.0, dim)))?;
        let decays = (0.5..0.95, 0.5..0.98).prop_filter("q < p", |(q, p): &(f64, f64)| p - q > 0.02);
        let (c, (q, p), gradient, epsilon) = case.draw((0.1..1.0, decays, 0.5..3.0, 1.0..10.0))?;
        let (rounds, seed) = case.draw((5_u32..=60, any::<u64>()))?;
        let schedules = Schedules { c, q, p, gradient, dim, epsilon }.checked()?;
        let agents = Quadratics::new(network, vec![curvature; nodes], centres)?;
        Ok(Self { agents, start, schedules, curvature, rounds, seed })
    }
}

/// A set that no point leaves.
fn everywhere() -> Result<Set, TheoremError> {
    Ok(L2Ball::new(1e9)?.into())
}

/// The mean of the agents after rounds without noise.
fn noiseless(agents: &Quadratics, start: &[f64], step: &Schedule, rounds: u32) -> Result<Vec<f64>, TheoremError> {
    let mut parties = agents.parties(1, 0)?;
    let first = parties.start(start);
    let mut pdop = Pdop::new(everywhere()?, step.clone(), At::Projected, first);
    let mut network = InProcess::new(agents.instance.weights.clone());
    run(&mut pdop, &mut parties, &mut network, &Noise::None, 0..rounds, |_, _, _| true)?;
    Ok(mean_of_nodes(pdop.estimate().rows(), 0))
}
