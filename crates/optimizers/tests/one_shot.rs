//! Sufficient statistics and output perturbation: what is released, what it is worth, and what comes out.

mod common;

use common::{parties, problem};
use dido_geometry::{L2Ball, Set};
use dido_linalg::symmetric_eigenvalues;
use dido_mechanisms::sufficient_statistics::{unpack, worst_case_pair};
use dido_mechanisms::{Adjacency, Adversary, Event, Gate};
use dido_optimizers::{
    Algorithm, Alone, Declaration, InProcess, Noise, OptimizerError, OutputPerturbation, Parties, Schedule, Stop,
    SufficientStatistics, plan, run,
};
use dido_problems::{Loss, ProblemError, RecordBounds, Shard, Weighting};
use dido_topology::sequence::{Constant, NodeOutages, Outage};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

const DIM: usize = 3;
const ADJACENCIES: [Adjacency; 3] = [Adjacency::ReplaceRecord, Adjacency::ReplaceNode, Adjacency::AddRemoveRecord];

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn ball(radius: f64) -> Set {
    L2Ball::new(radius).unwrap().into()
}

fn gaussian(sigma: f64) -> Noise {
    Noise::Gaussian(Schedule::constant(sigma))
}

fn statistics_of(parties: &Parties, set: Set, averaged: usize) -> Result<SufficientStatistics, OptimizerError> {
    SufficientStatistics::new(parties.declaration(), set, averaged, parties.start(&vec![0.0; parties.shape().dim]))
}

fn output_of(parties: &Parties, set: Set, mu: f64) -> Result<OutputPerturbation, OptimizerError> {
    OutputPerturbation::new(parties.declaration(), set, mu, parties.start(&[0.0; DIM]))
}

type Build<'a> = &'a dyn Fn(&Parties) -> Box<dyn Algorithm>;

/// What every node releases without noise: the first value of the state, where nobody talks.
fn released(declaration: &Declaration, shards: &[Shard], adjacency: Adjacency, build: Build<'_>) -> Vec<Vec<f64>> {
    let mut parties = parties(declaration, shards, 1, adjacency, None, 0);
    let mut algorithm = build(&parties);
    let mut alone = Alone::new(shards.len());
    run(algorithm.as_mut(), &mut parties, &mut alone, &Noise::None, 0..1, |_, _, _| true).unwrap();
    let state = algorithm.state();
    (0..shards.len()).map(|node| state[0].rows().row(node, 0).to_vec()).collect()
}

/// The sensitivities of the one release of every node, as its plan has them.
fn sensitivities(declaration: &Declaration, adjacency: Adjacency, build: Build<'_>) -> Vec<f64> {
    let ledger = plan(declaration, adjacency, Adversary::AllMessages, None, &gaussian(1.0), 7, |p| build(p)).unwrap();
    assert_eq!(ledger.releases_per_node(), 1, "seven rounds, one release");
    let of = |node| {
        let class = ledger.classes.iter().find(|class| class.nodes.contains(&node)).unwrap();
        match class.entries[0].event {
            Event::Gaussian { sensitivity, .. } => sensitivity.l2(),
            other => panic!("there is Gaussian noise, not {}", other.name()),
        }
    };
    (0..declaration.nodes()).map(of).collect()
}

const X: f64 = 1.3;
const Y: f64 = 0.8;
const RECORDS: [usize; 3] = [1, 4, 2];

fn shards_of(record: impl Fn(usize, usize) -> (Vec<f64>, f64)) -> Vec<Shard> {
    let bounds = RecordBounds::new(X, Y).unwrap();
    RECORDS
        .iter()
        .enumerate()
        .map(|(node, &n)| {
            let records: Vec<_> = (0..n).map(|r| record(node, r)).collect();
            let x = Array2::from_shape_fn((n, DIM), |(r, k)| records[r].0[k]);
            Shard::clipped(x, records.iter().map(|r| r.1).collect::<Array1<f64>>(), bounds).unwrap()
        })
        .collect()
}

/// A record by formula, at the bounds now and then.
fn some_record(salt: usize) -> (Vec<f64>, f64) {
    let x = (0..DIM).map(|k| 1.2 * ((salt * 13 + k * 7) as f64).sin()).collect();
    (x, 1.1 * Y * ((salt * 29) as f64).cos())
}

/// What the gate is told of statistics is how far they move: exactly that for the worst pair, no further for others; for
/// parties of unequal size under every weighting, and a record or a party replaced.
#[test]
fn statistics_move_as_far_as_the_gate_is_told() {
    let bounds = RecordBounds::new(X, Y).unwrap();
    let build: Build<'_> = &|parties| Box::new(statistics_of(parties, ball(0.9), 3).unwrap());
    for weighting in [Weighting::Pooled, Weighting::NodeMean, Weighting::Sum] {
        let declaration = Declaration::least_squares(DIM, bounds, weighting, RECORDS.to_vec()).unwrap();
        let probe = parties(&declaration, &shards_of(|_, _| some_record(0)), 1, Adjacency::ReplaceRecord, None, 0);
        let balance = statistics_of(&probe, ball(0.9), 3).unwrap().balance();
        let (one, other) = worst_case_pair(X, Y, balance, DIM).unwrap();
        for adjacency in [Adjacency::ReplaceRecord, Adjacency::ReplaceNode] {
            let said = sensitivities(&declaration, adjacency, build);
            for victim in 0..RECORDS.len() {
                let hit = |node, r| node == victim && (adjacency == Adjacency::ReplaceNode || r == 0);
                let moved = |first: &dyn Fn(usize) -> (Vec<f64>, f64), second: &dyn Fn(usize) -> (Vec<f64>, f64)| {
                    let of = |new: &dyn Fn(usize) -> (Vec<f64>, f64)| {
                        let shards = shards_of(|node, r| if hit(node, r) { new(r) } else { some_record(node * 5 + r) });
                        released(&declaration, &shards, adjacency, build)
                    };
                    let (a, b) = (of(first), of(second));
                    assert!((0..RECORDS.len()).all(|node| node == victim || a[node] == b[node]));
                    distance(&a[victim], &b[victim])
                };
                let worst = moved(&|_| one.clone(), &|_| other.clone());
                assert!((worst / said[victim] - 1.0).abs() < 1e-12, "{weighting:?}, {adjacency}: {worst}");
                for salt in 0..40 {
                    let found = moved(&|r| some_record(100 + salt * 3 + r), &|r| some_record(500 + salt * 7 + r));
                    assert!(found <= said[victim]);
                }
            }
        }
    }
}

/// The same for minimisers: nothing passes what the gate is told, and where the loss is linear between the two the bound is
/// attained.
#[test]
fn minimisers_move_no_further_than_the_gate_is_told() {
    let bounds = RecordBounds::new(X, Y).unwrap();
    let mu = 4.0;
    // Rows of full length; at these minimisers the smoothed hinge and Huber's loss are linear.
    let row = |sign: f64| vec![sign * X * (1.0 - 1e-15), 0.0, 0.0];
    for (loss, set, attained) in [
        (Loss::SmoothedHinge { width: 0.1 }, Set::Whole, true),
        (Loss::Huber { width: 0.2 }, Set::Whole, true),
        (Loss::Logistic, Set::Whole, false),
        (Loss::Squared, ball(0.3), false),
    ] {
        let build: Build<'_> = &|parties| Box::new(output_of(parties, set.clone(), mu).unwrap());
        for (weighting, adjacency) in
            [(Weighting::NodeMean, Adjacency::ReplaceRecord), (Weighting::Pooled, Adjacency::ReplaceNode)]
        {
            let declaration = Declaration::new(loss, DIM, bounds, weighting, RECORDS.to_vec()).unwrap();
            let said = sensitivities(&declaration, adjacency, build);
            for victim in 0..RECORDS.len() {
                let hit = |node, r| node == victim && (adjacency == Adjacency::ReplaceNode || r == 0);
                let moved = |first: &(Vec<f64>, f64), second: &(Vec<f64>, f64)| {
                    let of = |new: &(Vec<f64>, f64)| {
                        let shards =
                            shards_of(|node, r| if hit(node, r) { new.clone() } else { some_record(node * 5 + r) });
                        released(&declaration, &shards, adjacency, build)[victim].clone()
                    };
                    distance(&of(first), &of(second))
                };
                let worst = moved(&(row(1.0), Y), &(row(1.0), -Y));
                assert!(worst <= said[victim] && worst > 0.2 * said[victim], "{loss:?}: {worst} of {said:?}");
                if attained && RECORDS[victim] == 1 {
                    assert!(worst > said[victim] * (1.0 - 3e-6), "{loss:?}: {worst} of {}", said[victim]);
                }
                for salt in 0..20 {
                    let found = moved(&some_record(100 + salt), &some_record(500 + salt * 7));
                    assert!(found <= said[victim], "{loss:?}");
                }
            }
        }
    }
}

/// Without noise the answers are the pooled least-squares solution, at the speed of the averaging.
#[test]
fn without_noise_statistics_give_the_pooled_solution() {
    let problem = problem(3, 6, 8, DIM, Weighting::Pooled);
    let mut parties = problem.parties(2, Adjacency::ReplaceRecord, None, 0);
    let mut statistics = statistics_of(&parties, Set::Whole, 6).unwrap();
    let mut network = InProcess::new(weights::metropolis(&families::ring(6).unwrap()));
    run(&mut statistics, &mut parties, &mut network, &Noise::None, 0..100, |_, _, _| true).unwrap();
    for answer in statistics.estimate().rows().as_slice().chunks_exact(DIM) {
        assert!(distance(answer, problem.optimum.as_slice().unwrap()) < 1e-12);
    }
}

/// With noise the answer is the ridge solution of what was released: for one coordinate, by hand.
#[test]
fn the_ridge_follows_from_what_was_released() {
    let (lanes, sigma) = (200, 0.3);
    let problem = problem(5, 1, 8, 1, Weighting::Pooled);
    let mut parties = problem.parties(lanes, Adjacency::ReplaceRecord, None, 4);
    let mut statistics = statistics_of(&parties, ball(0.6), 1).unwrap();
    run(&mut statistics, &mut parties, &mut Alone::new(1), &gaussian(sigma), 0..1, |_, _, _| true).unwrap();
    let tau = sigma * (2_f64.sqrt() + (2.0 * 20_f64.ln()).sqrt());
    let balance = statistics.balance();
    let mut ridges = 0;
    for lane in 0..lanes {
        let &[g, kc] = statistics.statistics().rows().row(0, lane) else { panic!("two numbers") };
        ridges += u32::from(g < tau);
        let expected = (kc / balance / g.max(tau)).clamp(-0.6, 0.6);
        let found = statistics.estimate().rows().row(0, lane)[0];
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    }
    assert!(ridges > 20 && ridges < 200, "both cases occur: {ridges}");
}

/// The noise in the matrix is as large as `tau` says in about one of twenty lanes at most. 2000 lanes of four parties that
/// average on the complete graph: with a chance of at most 0.05 each there are 100 on average and fewer than 140 but for four
/// standard deviations; the seed is fixed.
#[test]
fn tau_bounds_the_noise_in_the_matrix() {
    let (lanes, nodes, dim, sigma) = (2000, 4, 5, 1000.0);
    let problem = problem(6, nodes, 8, dim, Weighting::NodeMean);
    let mut parties = problem.parties(lanes, Adjacency::ReplaceRecord, None, 9);
    let mut statistics = statistics_of(&parties, ball(1.0), nodes).unwrap();
    let network = weights::uniform(&families::complete(nodes).unwrap());
    let mut network = InProcess::new(network.unwrap());
    run(&mut statistics, &mut parties, &mut network, &gaussian(sigma), 0..1, |_, _, _| true).unwrap();
    let tau = sigma / 2.0 * (10_f64.sqrt() + (2.0 * 20_f64.ln()).sqrt());
    let (mut above, mut largest) = (0, 0.0_f64);
    for lane in 0..lanes {
        // The data are worth a thousandth of the noise.
        let mut noise = Array2::zeros((dim, dim));
        let row = statistics.statistics().rows().row(0, lane);
        unpack(
            dim,
            statistics.balance(),
            row,
            |j, k, value| (noise[[j, k]], noise[[k, j]]) = (value, value),
            |_, _| (),
        );
        let eigenvalues = symmetric_eigenvalues(noise.view()).unwrap();
        let size = eigenvalues[dim - 1].max(-eigenvalues[0]);
        above += u32::from(-eigenvalues[0] > tau);
        largest = largest.max(size / tau);
    }
    assert!(above < 140 && largest > 0.8, "{above} above, the largest is {largest} of tau");
}

/// The ledger of the run is the plan, under every adjacency there is a sensitivity for; who looks twice pays twice.
#[test]
fn the_plan_is_the_ledger_of_the_run() {
    let problem = problem(7, 4, 6, DIM, Weighting::Pooled);
    let statistics: Build<'_> = &|parties| Box::new(statistics_of(parties, ball(1.0), 4).unwrap());
    let output: Build<'_> = &|parties| Box::new(output_of(parties, ball(1.0), 0.1).unwrap());
    for (build, adjacencies) in [(statistics, &ADJACENCIES[..]), (output, &ADJACENCIES[..2])] {
        for &adjacency in adjacencies {
            for noise in [gaussian(0.5), Noise::Laplace(Schedule::constant(0.5)), Noise::None] {
                let planned =
                    plan(&problem.declaration, adjacency, Adversary::AllMessages, None, &noise, 5, |p| build(p))
                        .unwrap();
                let mut parties = problem.parties(1, adjacency, None, 2);
                let mut network = InProcess::new(weights::metropolis(&families::path(4).unwrap()));
                let mut algorithm = build(&parties);
                run(algorithm.as_mut(), &mut parties, &mut network, &noise, 0..5, |_, _, _| true).unwrap();
                assert_eq!(parties.gate().ledger(), &planned);
            }
        }
    }
    let refused = plan(
        &problem.declaration,
        Adjacency::AddRemoveRecord,
        Adversary::AllMessages,
        None,
        &gaussian(1.0),
        1,
        |parties| output(parties),
    );
    assert!(matches!(refused, Err(Stop::Mechanism(_))), "{refused:?}");
}

/// A node may sleep in any round but the one in which it makes its release.
#[test]
fn everyone_is_needed_in_the_first_round_only() {
    let problem = problem(8, 4, 6, DIM, Weighting::Pooled);
    let base = || Constant(weights::metropolis(&families::ring(4).unwrap()));
    for (rounds, works) in [(0..1, false), (1..3, true)] {
        let outage = Outage { node: 2, rounds };
        let mut network = InProcess::varying(NodeOutages::new(base(), [outage]).unwrap());
        let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
        let mut statistics = statistics_of(&parties, Set::Whole, 4).unwrap();
        let end = run(&mut statistics, &mut parties, &mut network, &Noise::None, 0..80, |_, _, _| true);
        if works {
            end.unwrap();
            let answer = statistics.estimate().rows().row(2, 0);
            assert!(distance(answer, problem.optimum.as_slice().unwrap()) < 1e-9);
        } else {
            assert!(matches!(end, Err(Stop::Asleep { round: 0, node: 2 })));
            assert_eq!(parties.gate().ledger().releases_per_node(), 0);
        }
    }
}

/// An interrupted run goes on to the same bits without another release.
#[test]
fn a_resumed_run_releases_nothing_again() {
    let problem = problem(9, 4, 6, DIM, Weighting::Pooled);
    let network = || InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
    let make = || problem.parties(2, Adjacency::ReplaceRecord, None, 5);
    let mut straight = make();
    let mut expected = statistics_of(&straight, ball(1.0), 4).unwrap();
    run(&mut expected, &mut straight, &mut network(), &gaussian(0.1), 0..9, |_, _, _| true).unwrap();
    let mut first = make();
    let mut before = statistics_of(&first, ball(1.0), 4).unwrap();
    run(&mut before, &mut first, &mut network(), &gaussian(0.1), 0..4, |_, _, _| true).unwrap();
    let mut second = make();
    second.resume(first.gate().ledger().clone(), 4).unwrap();
    let mut after = statistics_of(&second, ball(1.0), 4).unwrap();
    for (value, stored) in after.state().into_iter().zip(before.state()) {
        value.rows_mut().as_mut_slice().copy_from_slice(stored.rows().as_slice());
    }
    run(&mut after, &mut second, &mut network(), &gaussian(0.1), 4..9, |_, _, _| true).unwrap();
    assert_eq!(after.estimate().rows().as_slice(), expected.estimate().rows().as_slice());
    assert_eq!(second.gate().ledger(), straight.gate().ledger());
    assert_eq!(second.gate().ledger().releases_per_node(), 1);
}

#[test]
fn what_has_no_statistics_or_no_minimiser_is_refused() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let of = |loss| {
        let declaration = Declaration::new(loss, DIM, bounds, Weighting::Pooled, vec![3, 3]).unwrap();
        let gate = Gate::plan(Adjacency::ReplaceRecord, Adversary::AllMessages, declaration.class_of(), None);
        Parties::without_data(declaration, 1, gate).unwrap()
    };
    let logistic = statistics_of(&of(Loss::Logistic), Set::Whole, 2);
    assert!(matches!(logistic, Err(OptimizerError::Loss { found: Loss::Logistic, .. })));
    let hinge = output_of(&of(Loss::Hinge), Set::Whole, 0.1);
    assert!(matches!(hinge, Err(OptimizerError::Loss { found: Loss::Hinge, .. })));
    for mu in [0.0, -1.0, f64::NAN, 1e-12] {
        assert!(output_of(&of(Loss::Logistic), Set::Whole, mu).is_err());
    }
    assert!(statistics_of(&of(Loss::Squared), Set::Whole, 0).is_err());
    // The squared loss has no bounded slope on the whole space: without noise that is fine, with noise it is not.
    let declaration = Declaration::new(Loss::Squared, DIM, bounds, Weighting::Pooled, vec![3, 3]).unwrap();
    for (noise, refused) in [(Noise::None, false), (gaussian(1.0), true)] {
        let found = plan(&declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 1, |p| {
            Box::new(output_of(p, Set::Whole, 0.1).unwrap())
        });
        assert_eq!(matches!(found, Err(Stop::Unbounded { round: 0 })), refused);
    }
}

/// A record whose minimiser has a closed form, exact to its last bits where `mu` is a power of two: what the gate is told covers
/// what rounding does to two of them, up to a condition number that is named, and beyond it minimisers are refused.
#[test]
fn rounding_is_counted_or_refused() {
    let bounds = RecordBounds::new(0.625, 1.0).unwrap();
    let declaration = Declaration::new(Loss::Huber { width: 8.0 }, 2, bounds, Weighting::Sum, vec![1]).unwrap();
    let x = Array2::from_shape_vec((1, 2), vec![0.375, 0.5]).unwrap();
    let shards = [Shard::checked(x, Array1::ones(1), bounds).unwrap()];
    let of = |parties: &Parties, mu: f64| {
        OutputPerturbation::new(parties.declaration(), Set::Whole, mu, parties.start(&[0.0; 2]))
    };
    let probe = parties(&declaration, &shards, 1, Adjacency::ReplaceRecord, None, 0);
    let largest = match of(&probe, 1e-9) {
        Err(OptimizerError::Problem(ProblemError::Conditioning { largest, .. })) => largest,
        other => panic!("{other:?}"),
    };
    let (curvature, width) = (0.390_625, 2.0 * 0.625 * 8.0);
    let limit = curvature / (largest - 1.0);
    assert!(largest > 1e4 && of(&probe, limit * 1.01).is_ok() && of(&probe, limit * 0.99).is_err(), "{largest}");
    for mu in (0..40).map(|k| 0.5_f64.powi(k)).take_while(|&mu| mu > limit) {
        let build: Build<'_> = &|parties| Box::new(of(parties, mu).unwrap());
        let said = sensitivities(&declaration, Adjacency::ReplaceRecord, build)[0];
        let found = &released(&declaration, &shards, Adjacency::ReplaceRecord, build)[0];
        let exact = [0.375 / (curvature + mu), 0.5 / (curvature + mu)];
        let left = (said - width / mu) / 2.0;
        assert!(left > 0.0 && distance(found, &exact) <= left, "{mu}: {left}");
        assert!(said <= 1.011 * width / mu);
    }
}
