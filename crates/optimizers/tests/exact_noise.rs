//! Runs with exact noise: every algorithm through the gate of a deployed party.

mod common;

use common::{Peek, Problem, keys, problem};
use dido_geometry::{Box as BoxSet, L1Ball, L2Ball, Set};
use dido_mechanisms::least_squares::worst_case_pair;
use dido_mechanisms::{
    Accountant, Adjacency, Adversary, DiscreteGaussian, DiscreteLaplace, Event, ExactNoise, Gate, Grid, MechanismError,
    Pld, Pure, Purpose, Stream,
};
use dido_optimizers::audit::Audited;
use dido_optimizers::{
    Algorithm, At, Clip, ClippedDgd, DIGing, Declaration, Dgd, DpSgd, DualAveraging, DualWeights, Extra, Gossip,
    InProcess, LinearisedAdmm, Muffliato, Network, Noise, Parties, Pdop, Perturbed, ProjectedDgd, Sampling, Schedule,
    Stop, SufficientStatistics, WangNedic, plan, run,
};
use dido_problems::{Distance, DualStep, RecordBounds, Regulariser, Shard, Weighting};
use dido_topology::sequence::NodeActivation;
use dido_topology::{Sequence, families, weights};
use ndarray::{Array1, Array2};

const DIM: usize = 3;
const NODES: usize = 4;

fn grid() -> Grid {
    Grid::new(-24).unwrap()
}

fn noises() -> [Noise; 2] {
    [
        Noise::DiscreteLaplace { scale: Schedule::power(0.7, 2.0, 0.2), grid: grid() },
        Noise::DiscreteGaussian { sigma: Schedule::power(0.7, 2.0, 0.2), grid: grid() },
    ]
}

fn ring(nodes: usize) -> InProcess {
    InProcess::new(weights::metropolis(&families::ring(nodes).unwrap()))
}

type Build<'a> = &'a dyn Fn(&Parties) -> Box<dyn Algorithm>;

/// The estimate after 6 rounds behind an exact gate, whose ledger is that of the plan.
fn run_exactly(
    problem: &Problem,
    (adjacency, adversary): (Adjacency, Adversary),
    noise: &Noise,
    build: Build<'_>,
) -> Vec<f64> {
    let planned = plan(&problem.declaration, adjacency, adversary, None, noise, 6, build).unwrap();
    let gate = Gate::exact(adjacency, adversary, problem.declaration.class_of(), None, keys(2, NODES, 1));
    let mut parties = Parties::new(problem.declaration.clone(), &problem.shards, 1, gate).unwrap();
    let mut algorithm = build(&parties);
    run(algorithm.as_mut(), &mut parties, &mut ring(NODES), noise, 0..6, |_, _, _| true).unwrap();
    assert_eq!(parties.gate().ledger(), &planned);
    let bound = Pld.bound(&planned, 1e-5).unwrap();
    assert!(bound.epsilon.is_finite() && bound.epsilon > 0.0);
    algorithm.estimate().rows().as_slice().to_vec()
}

fn is_on_grid(x: f64) -> bool {
    (x / grid().step()).fract().abs() <= 0.0
}

/// All algorithms run behind the gate of a deployed party, keep to their plan, and what those send that send their points is on
/// the grid.
#[test]
fn every_algorithm_runs_with_exact_noise() {
    let problem = problem(1, NODES, 6, DIM, Weighting::Pooled);
    let ball = &problem.ball;
    let cube = Set::from(BoxSet::new(vec![-0.3; DIM], vec![0.4; DIM]).unwrap());
    let step = Schedule::power(0.4, 2.0, 0.3);
    let start = |parties: &Parties| parties.start(&[0.1, 1.0 / 3.0, 0.0]);
    let replace = (Adjacency::ReplaceRecord, Adversary::AllMessages);
    let node = (Adjacency::ReplaceNode, Adversary::AllMessages);
    let remove = (Adjacency::AddRemoveRecord, Adversary::AllMessages);
    let hidden = (Adjacency::ReplaceRecord, Adversary::HiddenActivation);
    let dda = |parties: &Parties, sampling| -> Box<dyn Algorithm> {
        let step = DualStep::new(Regulariser::squared_l2(0.1).unwrap(), ball.clone(), Distance::Euclidean).unwrap();
        let weights = DualWeights::GrowingDistance { gamma: 1.0 };
        Box::new(DualAveraging::new(step, weights, 1.0, sampling, start(parties)).unwrap())
    };
    let dgd = |parties: &Parties| Dgd::new(step.clone(), 99, start(parties));
    let sgd = |parties: &Parties, sampling| DpSgd::new(Set::Whole, step.clone(), sampling, 0.4, 0, start(parties));
    let pdop = |parties: &Parties, set: &Set, at| Pdop::new(set.clone(), step.clone(), at, start(parties));
    let one = || Schedule::constant(0.5);
    let cases: [(_, bool, Build<'_>); 20] = [
        (replace, true, &|p| Box::new(ProjectedDgd::new(ball.clone(), step.clone(), 99, start(p)))),
        (node, true, &|p| Box::new(ProjectedDgd::new(cube.clone(), step.clone(), 99, start(p)))),
        (remove, true, &|p| Box::new(ProjectedDgd::new(ball.clone(), step.clone(), 99, start(p)))),
        (replace, true, &|p| Box::new(dgd(p).with_clip(Clip::Record(0.2)))),
        (node, true, &|p| Box::new(dgd(p).with_clip(Clip::Gradient(0.2)))),
        (replace, false, &|p| Box::new(dgd(p).with_clip(Clip::Record(0.2)).with_noise_in(Perturbed::Gradient))),
        (replace, true, &|p| Box::new(pdop(p, ball, At::Projected))),
        (node, true, &|p| Box::new(pdop(p, &cube, At::Clipped(0.3)))),
        (replace, false, &|p| dda(p, Sampling::OneRecord)),
        (hidden, false, &|p| dda(p, Sampling::HiddenOneRecord(0.5))),
        (replace, false, &|p| dda(p, Sampling::Records(2))),
        (remove, false, &|p| Box::new(sgd(p, Sampling::Poisson(0.3)))),
        (replace, false, &|p| Box::new(sgd(p, Sampling::Records(2)))),
        (node, false, &|p| Box::new(ClippedDgd::new(step.clone(), 0.3, 0, start(p)))),
        (replace, false, &|p| Box::new(WangNedic::new(ball.clone(), step.clone(), one(), 6, start(p)).unwrap())),
        (replace, false, &|p| {
            Box::new(Muffliato::new(ball.clone(), step.clone(), (Gossip::Plain, 3), 0, start(p)).unwrap())
        }),
        (node, false, &|p| Box::new(DIGing::new(ball.clone(), step.clone(), 0, start(p)))),
        (replace, false, &|p| Box::new(Extra::new(ball.clone(), 0.1, 0, start(p)).unwrap())),
        (remove, false, &|p| {
            Box::new(SufficientStatistics::new(&problem.declaration, ball.clone(), NODES, start(p)).unwrap())
        }),
        (remove, false, &|p| Box::new(LinearisedAdmm::new(Set::Whole, 0.5, 2.0, 0, start(p)).unwrap().clipped(0.2))),
    ];
    for (number, (who, sends_points, build)) in cases.into_iter().enumerate() {
        for noise in noises() {
            let estimate = run_exactly(&problem, who, &noise, build);
            assert!(!sends_points || estimate.iter().all(|x| is_on_grid(*x)), "case {number}: {estimate:?}");
        }
    }
}

/// Released gradients are on the grid, and are the noise of the keys around the rounded gradient, to the bit.
#[test]
fn what_leaves_is_the_noise_of_the_sampler_on_the_grid() {
    let problem = problem(2, NODES, 6, DIM, Weighting::Pooled);
    for noise in noises() {
        let gate = Gate::exact(
            Adjacency::ReplaceRecord,
            Adversary::AllMessages,
            problem.declaration.class_of(),
            None,
            keys(2, NODES, 1),
        );
        let mut parties = Parties::new(problem.declaration.clone(), &problem.shards, 1, gate).unwrap();
        let mut point = parties.start(&[0.1, -0.2, 0.3]);
        point.project(&problem.ball);
        let objective = problem.declaration.objective(Adjacency::ReplaceRecord, &problem.shards, 1).unwrap();
        let mut peek = Peek::new(point.clone(), Sampling::All, None);
        run(&mut peek, &mut parties, &mut ring(NODES), &noise, 0..5, |round, peek, _| {
            let mut expected = point.rows().clone();
            objective.gradient(0..NODES, point.rows().as_slice(), expected.as_mut_slice());
            let stream = Stream::new(round, Purpose::Noise, 0).unwrap();
            let scale = noise.schedule().unwrap().at(round + 1);
            match noise {
                Noise::DiscreteLaplace { grid, .. } => {
                    DiscreteLaplace::new(scale, grid).unwrap().add_keyed(&keys(2, NODES, 1), stream, &mut expected)
                }
                _ => DiscreteGaussian::new(scale, grid()).unwrap().add_keyed(&keys(2, NODES, 1), stream, &mut expected),
            }
            .unwrap();
            assert_eq!(peek.estimate().rows().as_slice(), expected.as_slice());
            assert!(expected.as_slice().iter().all(|x| is_on_grid(*x)));
            true
        })
        .unwrap();
    }
}

/// The sensitivity of the event is that of theory and what rounding adds: a step in each coordinate, once for the points are
/// added in whole steps, and twice the rounding error of the gradient times the step.
#[test]
fn the_event_carries_step_and_rounding() {
    let problem = problem(3, NODES, 6, DIM, Weighting::Pooled);
    // So fine that what rounding adds is some steps.
    let grid = Grid::new(-52).unwrap();
    let noise = Noise::DiscreteLaplace { scale: Schedule::constant(0.5), grid };
    let alpha = 0.3;
    let ledger = plan(&problem.declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 1, |p| {
        let start = p.start(&[0.0; DIM]);
        Box::new(ProjectedDgd::new(problem.ball.clone(), Schedule::constant(alpha), 0, start))
    })
    .unwrap();
    let Event::DiscreteLaplace(event) = ledger.classes[0].entries[0].event else { panic!("{ledger:?}") };
    let of_theory = alpha * problem.declaration.l2_by_class(Adjacency::ReplaceRecord, 1.0)[0];
    let look = dido_optimizers::Look::at_all(1.0);
    let rounding = 2.0 * alpha * problem.declaration.rounding_by_class(Adjacency::ReplaceRecord, look)[0];
    assert!(rounding > 8.0 * grid.step(), "{rounding}");
    let steps = (of_theory + rounding) / grid.step() + (DIM as f64).sqrt();
    assert!((event.sensitivity as f64 - steps).abs() < 3.0, "{event:?}, expected {steps}");
}

type Record = (Vec<f64>, f64);

fn shard(records: &[Record], bounds: RecordBounds) -> Shard {
    let x = Array2::from_shape_vec((records.len(), DIM), records.iter().flat_map(|r| r.0.clone()).collect()).unwrap();
    Shard::checked(x, records.iter().map(|r| r.1).collect::<Array1<f64>>(), bounds).unwrap()
}

/// The ratio of whole transcripts, in integers: message `t + 1` is, in steps, the rounded mean of the projected neighbours plus
/// the rounded step along the gradient plus noise, recomputed here from the records by plain loops. It never passes the pure
/// epsilon of the ledger, and comes close enough to show that the pair is not harmless. 150 runs of 12 rounds; the inequality
/// holds for all of them, so the seeds do not matter.
#[test]
fn no_transcript_exceeds_the_epsilon() {
    let (x, y, radius, rounds) = (1.2, 0.8, 0.9, 12);
    let bounds = RecordBounds::new(x, y).unwrap();
    let worst = worst_case_pair(x, y, radius, DIM).unwrap();
    let bystander: Record = (vec![0.3, -0.2, 0.5], 0.1);
    let (records, others) = ([worst.record, bystander.clone()], [worst.other, bystander.clone()]);
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, vec![2; NODES]).unwrap();
    let shards: Vec<Shard> = std::iter::once(shard(&records, bounds))
        .chain((1..NODES).map(|_| shard(&[bystander.clone(), bystander.clone()], bounds)))
        .collect();
    let (set, step) = (Set::from(L2Ball::new(radius).unwrap()), Schedule::power(0.5, 3.0, 0.4));
    let scale = Schedule::power(1.0, 2.0, 0.3);
    // A coarse grid, so that rounding is seen: the sensitivity is some hundreds of steps.
    let grid = Grid::new(-9).unwrap();
    let noise = Noise::DiscreteLaplace { scale: scale.clone(), grid };
    let w = weights::metropolis(&families::ring(NODES).unwrap());
    let centre = |records: &[Record], p: &[Vec<f64>], t: u32| -> Vec<i64> {
        let (columns, entries) = w.row(0);
        (0..DIM)
            .map(|k| {
                let mixed: f64 = columns.iter().zip(entries).map(|(&j, w)| w * p[j][k]).sum();
                let gradient: f64 = records
                    .iter()
                    .map(|(x, y)| (x.iter().zip(&p[0]).map(|(a, b)| a * b).sum::<f64>() - y) * x[k])
                    .sum();
                grid.nearest(mixed) + grid.nearest(-step.at(t) * declaration.scale(2) * gradient)
            })
            .collect()
    };
    let (mut largest, mut epsilon) = (0.0_f64, f64::NAN);
    for seed in 0..150 {
        let adjacency = Adjacency::ReplaceRecord;
        let gate = Gate::exact(adjacency, Adversary::AllMessages, declaration.class_of(), None, keys(seed, NODES, 1));
        let mut parties = Parties::new(declaration.clone(), &shards, 1, gate).unwrap();
        let mut pdgd = ProjectedDgd::new(set.clone(), step.clone(), 0, parties.start(&worst.point));
        let mut network = InProcess::new(w.clone());
        let mut ratio = 0.0;
        for t in 0..rounds {
            let p: Vec<Vec<f64>> = (0..NODES)
                .map(|node| {
                    let mut p = pdgd.released().rows().row(node, 0).to_vec();
                    set.project_row(&mut p);
                    p
                })
                .collect();
            run(&mut pdgd, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
            let steps = grid.steps_up(scale.at(t + 1)).unwrap() as f64;
            let (here, there) = (centre(&records, &p, t), centre(&others, &p, t));
            for (k, message) in pdgd.released().rows().row(0, 0).iter().enumerate() {
                let message = grid.nearest(*message);
                ratio += ((message - there[k]).abs() - (message - here[k]).abs()) as f64 / steps;
            }
        }
        epsilon = Pure.bound(parties.gate().ledger(), 0.0).unwrap().epsilon;
        assert!(ratio.abs() <= epsilon, "seed {seed}: {ratio} > {epsilon}");
        largest = largest.max(ratio.abs());
    }
    assert!(largest > 0.05 * epsilon, "{largest} of {epsilon}: the pair is too harmless to test anything");
}

/// The same by the library's own audit: with the worst pair a value moves by nearly its declared sensitivity, and by no more.
#[test]
fn an_audit_sees_how_far_values_move() {
    let (radius, bounds) = (0.9, RecordBounds::new(1.2, 0.8).unwrap());
    let worst = worst_case_pair(1.2, 0.8, radius, DIM).unwrap();
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Sum, vec![1; 2]).unwrap();
    let set = Set::from(L2Ball::new(radius).unwrap());
    let build = |parties: &Parties| -> Box<dyn Algorithm> {
        Box::new(ProjectedDgd::new(set.clone(), Schedule::constant(0.3), 0, parties.start(&worst.point)))
    };
    let make = || -> Box<dyn Network> { Box::new(ring(2)) };
    for noise in noises() {
        let audited = Audited {
            declaration: &declaration,
            adjacency: Adjacency::ReplaceRecord,
            noise: &noise,
            rounds: 1,
            algorithm: &build,
            network: &make,
        };
        let [one, other] = [&worst.record, &worst.other]
            .map(|record| [shard(std::slice::from_ref(record), bounds), shard(&[(vec![0.3, -0.2, 0.5], 0.1)], bounds)]);
        let recorded = audited.record(&one, 1, keys(3, 2, 1)).unwrap();
        let comparison = audited.compare(&recorded.transcript, &one, &other).unwrap();
        let moved = comparison.moved.unwrap();
        assert!(moved.node == 0 && moved.share <= 1.0 && moved.share > 1.0 - 1e-5, "{moved:?}");
        assert_eq!(comparison.off_grid, 0);
    }
}

/// Whoever sleeps releases nothing, and what it holds is not rounded: its point is the bits of the average.
#[test]
fn sleeping_nodes_are_not_rounded() {
    let problem = problem(3, NODES, 6, DIM, Weighting::Pooled);
    let [noise, _] = noises();
    let coin = NodeActivation::fixed_size(families::ring(NODES).unwrap(), 2, 5).unwrap();
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 3);
    let start = parties.start(&[0.1, 1.0 / 3.0, 0.0]);
    let mut pdgd = ProjectedDgd::new(Set::from(L2Ball::new(1.0).unwrap()), Schedule::constant(0.1), 0, start);
    let mut network = InProcess::varying(coin.clone());
    run(&mut pdgd, &mut parties, &mut network, &noise, 0..1, |_, _, _| true).unwrap();
    for node in 0..NODES {
        let row = pdgd.released().rows().row(node, 0);
        if coin.round(0).unwrap().awake().contains(&node) {
            assert!(row.iter().all(|x| is_on_grid(*x)));
        } else {
            assert_eq!(row, [0.1, 1.0 / 3.0, 0.0]);
        }
    }
}

/// What has no proved bound is refused in the plan: projections after the gradient on sets other than balls and boxes. So are
/// parties that hold more records than rounding is bounded for.
#[test]
fn what_has_no_bound_is_refused() {
    let problem = problem(4, NODES, 6, DIM, Weighting::Pooled);
    let [noise, _] = noises();
    let refused = plan(&problem.declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 1, |p| {
        let (set, start) = (Set::from(L1Ball::new(1.0).unwrap()), p.start(&[0.0; DIM]));
        Box::new(Pdop::new(set, Schedule::constant(0.1), At::Projected, start))
    });
    assert!(matches!(refused, Err(Stop::Mechanism(MechanismError::UnboundedRounding))), "{refused:?}");

    let fewer = Declaration::least_squares(DIM, problem.declaration.bounds(), Weighting::Pooled, vec![6, 2, 6, 6]);
    let declaration = fewer.unwrap();
    for (noise, admitted) in [(noise, false), (Noise::Laplace(Schedule::constant(1.0)), true)] {
        let (adjacency, adversary) = (Adjacency::AddRemoveRecord, Adversary::AllMessages);
        let gate = Gate::simulated(adjacency, adversary, declaration.class_of(), None, keys(1, NODES, 1));
        let mut parties = Parties::new(declaration.clone(), &problem.shards, 1, gate).unwrap();
        let start = parties.start(&[0.0; DIM]);
        let mut pdgd = ProjectedDgd::new(problem.ball.clone(), Schedule::constant(0.1), 0, start);
        let ran = run(&mut pdgd, &mut parties, &mut ring(NODES), &noise, 0..1, |_, _, _| true);
        assert!(admitted == ran.is_ok() && (admitted || matches!(ran, Err(Stop::ManyRecords { node: 1 }))));
    }
}
