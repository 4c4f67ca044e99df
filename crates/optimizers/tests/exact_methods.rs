//! Gradient tracking, EXTRA and linearised ADMM without noise: exact with a constant step, each against its textbook form.
//!
//! Nothing here is random but the problems, whose seeds are fixed.

mod common;

use common::{parties, problem};
use dido_geometry::{L2Ball, Set};
use dido_mechanisms::Adjacency;
use dido_optimizers::{Algorithm, DIGing, Declaration, Dgd, Extra, InProcess, LinearisedAdmm, Network};
use dido_optimizers::{Noise, Parties, Schedule, Stop, run};
use dido_problems::{Features, Loss, Objective, RecordBounds, Regulariser, Shard, Weighting, reference};
use dido_topology::sequence::NodeActivation;
use dido_topology::{MixingMatrix, RoundMatrix, Sequence, TopologyError, families, weights};
use ndarray::{Array1, Array2, Axis, concatenate};

const NODES: usize = 5;
const DIM: usize = 3;

/// A problem and the minimiser of the sum of the nodes' objectives.
struct Case {
    declaration: Declaration,
    shards: Vec<Shard>,
    optimum: Vec<f64>,
    /// A bound on the second derivatives of every node's objective.
    curvature: f64,
}

fn least_squares() -> Case {
    let problem = problem(2, NODES, 9, DIM, Weighting::Pooled);
    let optimum = problem.optimum.to_vec();
    Case { declaration: problem.declaration, shards: problem.shards, optimum, curvature: 1.0 }
}

/// Two overlapping classes by formula; the parties see different parts of the space.
fn logistic() -> Case {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let records = 40;
    let shards: Vec<Shard> = (0..NODES)
        .map(|node| {
            let x = Array2::from_shape_fn((records, DIM), |(r, k)| {
                0.9 * ((node * 61 + r * 37 + k * 101 + r * k) as f64).sin() / (DIM as f64).sqrt()
                    + 0.05 * node as f64 * (k as f64 - 1.0)
            });
            let y: Array1<f64> = x
                .rows()
                .into_iter()
                .enumerate()
                .map(|(r, x)| if x[0] - 0.6 * x[2] + 0.6 * ((r * 7 + node) as f64).cos() > 0.0 { 1.0 } else { -1.0 })
                .collect();
            Shard::clipped(x, y, bounds).unwrap()
        })
        .collect();
    let rows: Vec<_> = shards.iter().map(|shard| shard.x().to_owned()).collect();
    let views: Vec<_> = rows.iter().map(|x| x.view()).collect();
    let x = Features::from(concatenate(Axis(0), &views).unwrap());
    let y: Vec<f64> = shards.iter().flat_map(|shard| shard.y().to_vec()).collect();
    let minimum = reference::regularised(Loss::Logistic, &x, &y, &Regulariser::none()).unwrap();
    assert!(minimum.gradient_norm < 1e-13, "{}", minimum.gradient_norm);
    let declaration = Declaration::new(Loss::Logistic, DIM, bounds, Weighting::Pooled, vec![records; NODES]).unwrap();
    Case { declaration, shards, optimum: minimum.beta.to_vec(), curvature: 0.25 }
}

impl Case {
    fn parties(&self) -> Parties {
        parties(&self.declaration, &self.shards, 1, Adjacency::ReplaceRecord, None, 0)
    }

    /// The largest error of any node's answer after `rounds` without noise.
    fn error(&self, network: &mut dyn Network, rounds: u32, build: impl FnOnce(&Parties) -> Box<dyn Algorithm>) -> f64 {
        let mut parties = self.parties();
        let mut algorithm = build(&parties);
        run(algorithm.as_mut(), &mut parties, network, &Noise::None, 0..rounds, |_, _, _| true).unwrap();
        let rows = algorithm.estimate().rows();
        rows.as_slice().chunks_exact(DIM).map(|x| distance(x, &self.optimum)).fold(0.0, f64::max)
    }

    fn objective(&self) -> Box<dyn Objective> {
        self.declaration.objective(Adjacency::ReplaceRecord, &self.shards, 1).unwrap()
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn ring() -> MixingMatrix {
    weights::metropolis(&families::ring(NODES).unwrap())
}

const ZERO: [f64; DIM] = [0.0; DIM];

/// Each of the three, whose answer is the latest point.
fn build(name: &str, parties: &Parties, set: Set, step: f64) -> Box<dyn Algorithm> {
    let start = parties.start(&ZERO);
    match name {
        "DIGing" => Box::new(DIGing::new(set, Schedule::constant(step), u32::MAX, start)),
        "EXTRA" => Box::new(Extra::new(set, step, u32::MAX, start).unwrap()),
        // The same step, with more than half the curvature as its proximity.
        _ => Box::new(LinearisedAdmm::new(set, 0.2 / step, 0.6 / step, u32::MAX, start).unwrap()),
    }
}

const ALL: [&str; 3] = ["DIGing", "EXTRA", "linearised ADMM"];

/// A constant step reaches the optimum to 1e-10, where descent with the same step stops at its bias; and linearly: half the
/// rounds leave an error whose square is that of all of them, within a factor of a hundred.
#[test]
fn a_constant_step_reaches_the_optimum() {
    for (case, rounds) in [(least_squares(), 600), (logistic(), 4000)] {
        let step = 0.5 / case.curvature;
        let descent = case.error(&mut InProcess::new(ring()), rounds, |parties| {
            Box::new(Dgd::new(Schedule::constant(step), u32::MAX, parties.start(&ZERO)))
        });
        assert!(descent > 1e-3, "descent has a bias: {descent}");
        for name in ALL {
            let error = |rounds| {
                case.error(&mut InProcess::new(ring()), rounds, |parties| build(name, parties, Set::Whole, step))
            };
            let end = error(rounds);
            assert!(end < 1e-10, "{name}: {end}");
            let (early, late) = (error(rounds / 16), error(rounds / 8));
            assert!(late < 0.5 * early && late < 100.0 * early * early + 1e-12, "{name}: {early}, then {late}");
        }
    }
}

/// The optimum on a set is a point at rest of all three: they reach it, where the set cuts off the optimum of the whole space.
#[test]
fn on_a_set_they_reach_the_constrained_optimum() {
    let case = least_squares();
    let set = Set::from(L2Ball::new(0.5 * distance(&case.optimum, &ZERO)).unwrap());
    // Centralised projected descent, by a plain loop.
    let objective = case.objective();
    let mut x = ZERO.to_vec();
    for _ in 0..20_000 {
        let mut g = vec![0.0; NODES * DIM];
        objective.gradient(0..NODES, &x.repeat(NODES), &mut g);
        for (k, x) in x.iter_mut().enumerate() {
            *x -= 0.5 * g.iter().skip(k).step_by(DIM).sum::<f64>() / NODES as f64;
        }
        set.project_row(&mut x);
    }
    let case = Case { optimum: x, ..case };
    for name in ALL {
        let error = case.error(&mut InProcess::new(ring()), 3000, |parties| build(name, parties, set.clone(), 0.2));
        assert!(error < 1e-10, "{name}: {error}");
    }
}

/// One node is gradient descent, on a set projected gradient descent.
#[test]
fn one_node_is_gradient_descent() {
    let problem = problem(3, 1, 12, DIM, Weighting::NodeMean);
    let objective = problem.declaration.objective(Adjacency::ReplaceRecord, &problem.shards, 1).unwrap();
    for set in [Set::Whole, L2Ball::new(0.05).unwrap().into()] {
        for name in ALL {
            let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
            let mut algorithm = build(name, &parties, set.clone(), 0.3);
            let mut network = InProcess::new(weights::metropolis(&families::ring(1).unwrap()));
            run(algorithm.as_mut(), &mut parties, &mut network, &Noise::None, 0..40, |_, _, _| true).unwrap();
            let (mut x, mut g) = (ZERO.to_vec(), ZERO.to_vec());
            for _ in 0..40 {
                objective.gradient(0..1, &x, &mut g);
                x.iter_mut().zip(&g).for_each(|(x, g)| *x -= 0.3 * g);
                set.project_row(&mut x);
            }
            assert!(distance(algorithm.estimate().rows().as_slice(), &x) < 1e-14, "{name} on {set:?}");
        }
    }
}

/// On the complete graph with equal weights every node takes the mean gradient step once the trackers agree: with one common
/// start that is the tracked step of round 1, by hand.
#[test]
fn on_the_complete_graph_the_trackers_agree_at_once() {
    let case = least_squares();
    let mut parties = case.parties();
    let network = MixingMatrix::from_edge_weights(&families::complete(NODES).unwrap(), |_, _| 1.0 / NODES as f64);
    let mut network = InProcess::new(network.unwrap());
    let mut diging = DIGing::new(Set::Whole, Schedule::constant(0.1), 0, parties.start(&ZERO));
    run(&mut diging, &mut parties, &mut network, &Noise::None, 0..1, |_, _, _| true).unwrap();
    let mut g = vec![0.0; NODES * DIM];
    case.objective().gradient(0..NODES, &[0.0; NODES * DIM], &mut g);
    for node in 0..NODES {
        for k in 0..DIM {
            let mean = g.iter().skip(k).step_by(DIM).sum::<f64>() / NODES as f64;
            assert!((diging.tracker().rows().row(node, 0)[k] - mean).abs() < 1e-15);
        }
    }
}

/// In every round the trackers have the mean of what was released, on fixed graphs, lossy ones and with nodes asleep, with
/// noise.
#[test]
fn the_trackers_have_the_mean_of_the_gradients() {
    let case = least_squares();
    let sleepy = NodeActivation::fixed_size(families::complete(NODES).unwrap(), 2, 4).unwrap();
    let networks: [std::boxed::Box<dyn Network>; 2] =
        [Box::new(InProcess::new(ring())), Box::new(InProcess::varying(sleepy))];
    for mut network in networks {
        let mut parties = case.parties();
        let set = Set::from(L2Ball::new(1.0).unwrap());
        let start = parties.start(&ZERO);
        let mut diging = DIGing::new(set, Schedule::constant(0.2), 0, start);
        let noise = Noise::Laplace(Schedule::constant(0.3));
        for t in 0..200 {
            run(&mut diging, &mut parties, network.as_mut(), &noise, t..t + 1, |_, _, _| true).unwrap();
            let mean = |rows: &[f64], k| rows.iter().skip(k).step_by(DIM).sum::<f64>() / NODES as f64;
            for k in 0..DIM {
                let (y, g) = (diging.tracker().rows().as_slice(), diging.released().rows().as_slice());
                assert!((mean(y, k) - mean(g, k)).abs() < 1e-12, "round {t}");
            }
        }
    }
}

/// The recursion of the paper, `x(k+2) = (I + W) x(k+1) - W~ x(k) - alpha (g(k+1) - g(k))`, with dense matrices.
fn textbook_extra(case: &Case, w: &Array2<f64>, step: f64, rounds: usize) -> Array2<f64> {
    let objective = case.objective();
    let gradient = |x: &Array2<f64>| {
        let mut g = Array2::zeros((NODES, DIM));
        objective.gradient(0..NODES, x.as_slice().unwrap(), g.as_slice_mut().unwrap());
        g
    };
    let eye = Array2::<f64>::eye(NODES);
    let lazy = (&eye + w) * 0.5;
    let mut before = Array2::zeros((NODES, DIM));
    let mut now = w.dot(&before) - step * gradient(&before);
    for _ in 1..rounds {
        let next = (&eye + w).dot(&now) - lazy.dot(&before) - step * (gradient(&now) - gradient(&before));
        (before, now) = (now, next);
    }
    now
}

/// EXTRA is the paper's recursion; linearised ADMM is EXTRA on lazier weights with the step `1 / (2 c + rho)`.
#[test]
fn they_are_the_textbook_recursion() {
    let case = least_squares();
    let rounds = 60;
    let last = |algorithm: &mut dyn Algorithm| {
        let mut parties = case.parties();
        let mut network = InProcess::new(ring());
        run(algorithm, &mut parties, &mut network, &Noise::None, 0..rounds, |_, _, _| true).unwrap();
        algorithm.estimate().rows().as_slice().to_vec()
    };
    let start = || case.parties().start(&ZERO);
    let w = ring().to_dense();
    let extra = last(&mut Extra::new(Set::Whole, 0.4, u32::MAX, start()).unwrap());
    let expected = textbook_extra(&case, &w, 0.4, rounds as usize);
    assert!(distance(&extra, expected.as_slice().unwrap()) < 1e-13);

    let (penalty, proximity) = (0.7, 0.9);
    let step = 1.0 / (2.0 * penalty + proximity);
    let admm = last(&mut LinearisedAdmm::new(Set::Whole, penalty, proximity, u32::MAX, start()).unwrap());
    let eye = Array2::<f64>::eye(NODES);
    let lazier = &eye - &((&eye - &w) * (2.0 * penalty * step));
    let expected = textbook_extra(&case, &lazier, step, rounds as usize);
    assert!(distance(&admm, expected.as_slice().unwrap()) < 1e-13);
}

/// The conditions of Karush, Kuhn and Tucker: the points agree, and the duals are minus the gradients there, node by node.
/// Any penalty does, with a proximity of little more than half the curvature.
#[test]
fn the_duals_become_the_gradients() {
    let case = logistic();
    for penalty in [0.02, 0.3, 4.0] {
        let mut parties = case.parties();
        let mut admm = LinearisedAdmm::new(Set::Whole, penalty, 0.13, u32::MAX, parties.start(&ZERO)).unwrap();
        let mut network = InProcess::new(ring());
        run(&mut admm, &mut parties, &mut network, &Noise::None, 0..20_000, |_, _, _| true).unwrap();
        let x = admm.points().rows().as_slice();
        let mut g = vec![0.0; NODES * DIM];
        case.objective().gradient(0..NODES, x, &mut g);
        let duals = admm.duals().rows().as_slice();
        let residual = g.iter().zip(duals).fold(0.0, |m: f64, (g, d)| m.max((g + d).abs()));
        let apart = x.chunks_exact(DIM).map(|row| distance(row, &x[..DIM])).fold(0.0, f64::max);
        assert!(residual < 1e-10 && apart < 1e-10, "penalty {penalty}: {residual}, {apart}");
        assert!(g.iter().any(|g| g.abs() > 0.01), "the nodes' gradients do not vanish");
    }
}

/// One pair of a ring after the other takes its mean.
#[derive(Debug)]
struct OnePairAfterTheOther;

impl Sequence for OnePairAfterTheOther {
    fn nodes(&self) -> usize {
        NODES
    }

    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        let (i, j) = (t as usize % NODES, (t as usize + 1) % NODES);
        round.set(NODES, 0..NODES, [(i.min(j), i.max(j), 0.5)])
    }
}

/// Where the weights change gradient tracking is exact, also if nodes sleep. EXTRA's recursion leaves all bounds, so it is
/// refused, in the plan already.
#[test]
fn on_changing_networks_tracking_is_exact_and_the_others_are_refused() {
    let case = least_squares();
    let step = 0.05;
    let sleepy = NodeActivation::fixed_size(families::complete(NODES).unwrap(), 3, 4).unwrap();
    let networks: [fn(NodeActivation) -> std::boxed::Box<dyn Network>; 2] =
        [|_| Box::new(InProcess::varying(OnePairAfterTheOther)), |sleepy| Box::new(InProcess::varying(sleepy))];
    for network in networks {
        let mut network = network(sleepy.clone());
        let error = case.error(network.as_mut(), 20_000, |parties| build("DIGing", parties, Set::Whole, step));
        assert!(error < 1e-10, "{error}");
        for name in &ALL[1..] {
            let mut parties = case.parties();
            let mut algorithm = build(name, &parties, Set::Whole, step);
            let stop = run(algorithm.as_mut(), &mut parties, network.as_mut(), &Noise::None, 0..1, |_, _, _| true);
            assert!(matches!(stop, Err(Stop::Varying { .. })), "{name}: {stop:?}");
            assert_eq!(parties.gate().ledger().releases_per_node(), 0, "nothing has left");
        }
    }
    let (objective, mut x, mut q) = (case.objective(), vec![0.0; NODES * DIM], vec![0.0; NODES * DIM]);
    for t in 0..3000 {
        let w = OnePairAfterTheOther.round(t).unwrap();
        let (mut mixed, mut g) = (vec![0.0; NODES * DIM], vec![0.0; NODES * DIM]);
        w.mix_range(0..NODES, DIM, &x, &mut mixed);
        objective.gradient(0..NODES, &x, &mut g);
        for k in 0..x.len() {
            let next = mixed[k] - step * g[k] - q[k];
            q[k] += 0.5 * (x[k] - mixed[k]);
            x[k] = next;
        }
    }
    assert!(x.iter().any(|x| x.abs() > 1e10), "unrefused, it diverges");
}
