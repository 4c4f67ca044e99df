//! The theorems of paper A, corrected, as executable tests (`docs/theory/liu2020.md`).
//!
//! `DIDO_THEOREMS=full` (set by `cargo xtask theorems`) runs the long form.

mod common;

use common::{close, problem};
use dido_geometry::{Box as BoxSet, Rows, Set};
use dido_mechanisms::least_squares::{self, PublishedTheorem, published_epsilon};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Ledger, Pure, Zcdp};
use dido_optimizers::{Declaration, InProcess, Noise, ProjectedDgd, Schedule, plan, run};
use dido_problems::{RecordBounds, Weighting};
use dido_topology::{families, weights};
use proptest::prelude::*;

fn full() -> bool {
    std::env::var("DIDO_THEOREMS").is_ok_and(|v| v == "full")
}

/// The ledger of `messages` messages of paper A: one round fewer.
fn ledger(declaration: &Declaration, radius: f64, step: &Schedule, scale: &Schedule, messages: u32) -> Ledger {
    let dim = declaration.dim();
    let reach = radius / (dim as f64).sqrt();
    let set = Set::from(BoxSet::new(vec![-reach; dim], vec![reach; dim]).unwrap());
    let noise = Noise::Laplace(scale.clone());
    plan(declaration, Adjacency::ReplaceNode, Adversary::AllMessages, None, &noise, messages - 1, |parties| {
        Box::new(ProjectedDgd::new(set, step.clone(), 0, parties.start(&vec![0.0; dim])))
    })
    .unwrap()
}

/// `nodes` nodes of one row each, so that the bounds of a row are those of a node.
fn one_row_each(nodes: usize, dim: usize, x: f64, y: f64) -> Declaration {
    Declaration::least_squares(dim, RecordBounds::new(x, y).unwrap(), Weighting::Sum, vec![1; nodes]).unwrap()
}

fn pure(ledger: &Ledger) -> f64 {
    Pure.bound(ledger, 0.0).unwrap().epsilon
}

/// A3, through the plan of the algorithm itself.
#[test]
fn the_golden_schedule() {
    let (step, scale) = (Schedule::power(0.1, 10.0, 0.8), Schedule::power(2.0, 5.0, 0.6));
    let ledger = ledger(&one_row_each(4, 3, 1.0, 1.0), 1.0, &step, &scale, 50);
    assert_eq!(ledger.releases_per_node(), 49);
    assert!(close(pure(&ledger), 5.039_252_665_5, 1e-9));
    assert!(close(Zcdp::default().bound(&ledger, 1e-6).unwrap().epsilon, 1.979_796, 1e-6));
}

/// A5: every round adds its own term and nothing else; a single message costs nothing.
#[test]
fn every_release_adds_its_own_term() {
    let declaration = one_row_each(3, 4, 0.8, 0.6);
    let (step, scale) = (Schedule::power(0.3, 2.0, 0.7), Schedule::power(1.5, 1.0, 0.4));
    let width = least_squares::l2_sensitivity(Adjacency::ReplaceNode, 0.8, 0.6, 1.1, 4).unwrap().l1(4);
    let mut last = pure(&ledger(&declaration, 1.1, &step, &scale, 1));
    assert!(last.abs() < 1e-300, "one message costs nothing");
    for messages in 2..40 {
        let now = pure(&ledger(&declaration, 1.1, &step, &scale, messages));
        let term = width * step.at(messages - 2) / scale.at(messages - 1);
        assert!(close(now - last, term, 1e-12), "{messages}: {} {term}", now - last);
        last = now;
    }
}

/// The published formula for one row in each node.
fn published(dim: usize, nodes: usize, (x, y, radius): (f64, f64, f64), step_over_noise: f64, messages: u32) -> f64 {
    published_epsilon(&PublishedTheorem {
        x_bound: x,
        y_bound: y,
        radius,
        dim,
        nodes,
        rows: 1,
        step_over_noise,
        rounds: messages as usize,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A4, the half that is true: the published formula is an upper bound when the noise decays no faster than the step.
    #[test]
    fn published_epsilon_is_an_upper_bound_while_the_noise_decays_no_faster(
        (dim, nodes, messages) in (1_usize..6, 1_usize..6, 2_u32..60),
        (x, y, radius) in (0.1..3.0, 0.1..3.0, 0.1..3.0),
        (c_a, c_v, d_v, more, e_a, slower) in (0.01..2.0, 0.01..2.0, 0.1..5.0, 0.0..5.0, 0.0..1.0, 0.0..1.0),
    ) {
        let step = Schedule::power(c_a, d_v + 1.0 + more, e_a);
        let scale = Schedule::power(c_v, d_v, slower * e_a);
        let exact = pure(&ledger(&one_row_each(nodes, dim, x, y), radius, &step, &scale, messages));
        prop_assert!(exact <= published(dim, nodes, (x, y, radius), c_a / c_v, messages) * (1.0 + 1e-12));
    }
}

/// A4, the half that is false (erratum E6): with noise that decays faster than the step, there is a `T` beyond which
/// the published formula promises more privacy than there is.
#[test]
fn published_epsilon_understates_when_noise_decays_faster_than_the_step() {
    let (dim, nodes) = (2, 1);
    let step = Schedule::power(1.0, 2.0, 0.1);
    let scale = Schedule::power(1.0, 1.0, 2.0);
    let of = |messages| {
        let exact = pure(&ledger(&one_row_each(nodes, dim, 1.0, 1.0), 1.0, &step, &scale, messages));
        (exact, published(dim, nodes, (1.0, 1.0, 1.0), 1.0, messages))
    };
    let (exact, claimed) = of(2);
    assert!(exact < claimed, "not yet: {exact} {claimed}");
    let (exact, claimed) = of(100);
    assert!(exact > 10.0 * claimed, "{exact} {claimed}");
}

/// The numbers of the table of errata in `docs/theory/liu2020.md`.
#[test]
fn worked_numbers_of_the_errata() {
    // E1: a vector of k blocks, each (B/sqrt(m)) (1, ..., 1), has k sqrt(m) B as its L1 norm.
    let (k, m) = (4.0_f64, 5.0_f64);
    assert!(close((k * m).sqrt(), 4.472, 1e-3) && close(k * m * (1.0 / m.sqrt()), 8.944, 1e-3));
    let (step, scale) = (Schedule::power(0.1, 10.0, 0.8), Schedule::power(2.0, 5.0, 0.6));
    let declaration = one_row_each(4, 3, 1.0, 1.0);
    let epsilon = |messages| pure(&ledger(&declaration, 1.0, &step, &scale, messages));
    // E2 and the factor of the text.
    assert!(close(244.508_915 / epsilon(50), 48.5, 1e-2));
    // E3: counting a fiftieth term.
    assert!(close(epsilon(51) - epsilon(50), 0.0954, 1e-3));
    // E4: a start that moves by 0.1 in L1.
    assert!(close(0.1 / scale.at(0), 0.131, 1e-2));
    // E7: the harmonic sum.
    let harmonic: f64 = (1..=1_000_000).map(|t| 1.0 / f64::from(t)).sum();
    assert!(close(harmonic, 14.4, 1e-2));
}

/// A7: bounds (U) and (R) for every message of 2000 rounds, on random problems, 60 repeats side by side.
///
/// The mean over repeats exceeds a true bound on its expectation only by chance: five standard errors are allowed.
#[test]
fn bounds_u_and_r_hold_on_random_problems() {
    let (problems, rounds, lanes, nodes) = (if full() { 20 } else { 5 }, 2000, 60, 6);
    for seed in 0..problems {
        let problem = problem(seed, nodes, 8, 3, Weighting::Sum);
        let weights = weights::metropolis(&families::ring(nodes).unwrap());
        let constants = problem.constants(&weights);
        let largest = constants.largest_step();
        // Half of the problems start above the largest step of the contraction.
        let head_start = if seed % 2 == 0 { 1.0 } else { 4.0 };
        let step = Schedule::power(head_start * largest * 10_f64.powf(0.6), 10.0, 0.6);
        let scale = Schedule::power(0.1, 1.0, 0.7);
        let noise = Noise::Laplace(scale.clone());
        let mut parties = problem.parties(lanes, Adjacency::ReplaceNode, None, 1000 + seed);
        let mut network = InProcess::new(weights);
        let mut pdgd = ProjectedDgd::new(problem.ball.clone(), step.clone(), 0, parties.start(&[0.0; 3]));
        let norm2 = problem.optimum.dot(&problem.optimum);
        let mut r = constants.start(nodes as f64 * norm2, 0.0);
        for t in 0..rounds {
            run(&mut pdgd, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
            let (absolute, squared) = errors(pdgd.released().rows(), problem.optimum.as_slice().unwrap());
            let uniform = constants.uniform(step.at(t), scale.at(t + 1));
            r = constants.next(r, step.at(t), scale.at(t + 1));
            let place = format!("problem {seed}, round {t}");
            assert!(below(&absolute, uniform), "(U) fails: {place}");
            assert!(below(&squared, r), "(R) fails: {place}");
            assert!(below(&absolute, (nodes as f64 * r).sqrt()), "sqrt(k R) fails: {place}");
        }
    }
}

/// For each lane the sum over nodes of the distance to the optimum, and of its square.
fn errors(rows: &Rows, optimum: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let shape = rows.shape();
    (0..shape.lanes)
        .map(|lane| {
            (0..shape.nodes).fold((0.0, 0.0), |(absolute, squared), node| {
                let distance: f64 = rows.row(node, lane).iter().zip(optimum).map(|(x, b)| (x - b).powi(2)).sum();
                (absolute + distance.sqrt(), squared + distance)
            })
        })
        .unzip()
}

/// Whether the mean of `values` is at most `bound`, up to five standard errors.
fn below(values: &[f64], bound: f64) -> bool {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    mean <= bound + 5.0 * (variance / n).sqrt()
}

/// A8: without noise and with a constant step, the error settles below `alpha G^2 (1+lambda^2) / ((1-lambda^2) mu)`.
#[test]
fn without_noise_the_error_is_below_its_limit() {
    for seed in 0..5 {
        let nodes = 5;
        let problem = problem(seed, nodes, 8, 3, Weighting::Sum);
        let weights = weights::metropolis(&families::path(nodes).unwrap());
        let constants = problem.constants(&weights);
        let alpha = constants.largest_step();
        let mut parties = problem.parties(1, Adjacency::ReplaceNode, None, seed);
        let mut network = InProcess::new(weights);
        let mut pdgd = ProjectedDgd::new(problem.ball.clone(), Schedule::constant(alpha), 0, parties.start(&[0.0; 3]));
        // The transient is a factor exp(-alpha mu T / k), below e^-40 after these rounds.
        let rounds = 40.0 * nodes as f64 / (alpha * constants.strong_convexity);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
        let rounds = rounds.ceil() as u32;
        run(&mut pdgd, &mut parties, &mut network, &Noise::None, 0..rounds, |_, _, _| true).unwrap();
        let (_, squared) = errors(pdgd.released().rows(), problem.optimum.as_slice().unwrap());
        let limit = constants.noiseless_limit(alpha);
        assert!(squared[0] / nodes as f64 <= limit, "problem {seed}: {} {limit}", squared[0] / nodes as f64);
        assert!(squared[0] > 0.0, "a constant step leaves a bias");
    }
}
