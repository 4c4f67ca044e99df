//! The two honest baselines, for every algorithm of the crate: one node that holds all records, and parties that never talk.

mod common;

use common::{keys, problem};
use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_optimizers::{
    Algorithm, Alone, At, Clip, ClippedDgd, DIGing, Declaration, Dgd, DpSgd, DualAveraging, DualWeights, Extra, Gossip,
    LinearisedAdmm, Muffliato, Noise, OutputPerturbation, Parties, Pdop, ProjectedDgd, Sampling, Schedule,
    SufficientStatistics, WangNedic, run,
};
use dido_problems::{Distance, DualStep, Regulariser, Shard, Weighting};
use ndarray::{Array1, Array2, Axis};

const DIM: usize = 3;
const ROUNDS: u32 = 12;
const STEP: f64 = 0.3;
const MU: f64 = 0.2;

fn ball() -> Set {
    L2Ball::new(0.2).unwrap().into()
}

fn dual_averaging(parties: &Parties, sampling: Sampling) -> DualAveraging {
    let step = DualStep::new(Regulariser::squared_l2(MU).unwrap(), ball(), Distance::Euclidean).unwrap();
    let weights = DualWeights::GrowingDistance { gamma: 0.7 };
    DualAveraging::new(step, weights, 1.0, sampling, parties.start(&[0.0; DIM])).unwrap()
}

const ALL: [&str; 15] = [
    "dgd",
    "projected dgd",
    "pdop",
    "clipped pdop",
    "dual averaging",
    "one record",
    "diging",
    "extra",
    "linearised admm",
    "statistics",
    "output perturbation",
    "dp-sgd",
    "clipped dgd",
    "muffliato",
    "wang-nedic",
];

/// Every algorithm, each with its latest point as its answer where it can be chosen.
fn build(name: &str, parties: &Parties) -> Box<dyn Algorithm> {
    let (start, step) = (parties.start(&[0.0; DIM]), Schedule::constant(STEP));
    let last = u32::MAX;
    match name {
        "dgd" => Box::new(Dgd::new(step, last, start)),
        "projected dgd" => Box::new(ProjectedDgd::new(ball(), step, last, start)),
        "pdop" => Box::new(Pdop::new(ball(), step, At::Projected, start)),
        "clipped pdop" => Box::new(Pdop::new(ball(), step, At::Clipped(0.05), start)),
        "dual averaging" => Box::new(dual_averaging(parties, Sampling::All)),
        "one record" => Box::new(dual_averaging(parties, Sampling::OneRecord)),
        "diging" => Box::new(DIGing::new(ball(), step, last, start)),
        "extra" => Box::new(Extra::new(ball(), STEP, last, start).unwrap()),
        "linearised admm" => Box::new(LinearisedAdmm::new(ball(), 0.2 / STEP, 0.6 / STEP, last, start).unwrap()),
        "statistics" => Box::new(SufficientStatistics::new(parties.declaration(), ball(), 1, start).unwrap()),
        // Longer than any gradient of a record, so that what is left is descent.
        "dp-sgd" => Box::new(DpSgd::new(ball(), step, Sampling::All, 10.0, last, start)),
        "clipped dgd" => Box::new(ClippedDgd::new(step, Clip::Gradient(0.05), last, start)),
        "muffliato" => Box::new(Muffliato::new(ball(), step, (Gossip::Plain, 3), last, start).unwrap()),
        "wang-nedic" => {
            let coupling = Schedule::power(0.9, 1.0, 0.5);
            Box::new(WangNedic::new(ball(), step, coupling, ROUNDS, start).unwrap())
        }
        _ => Box::new(OutputPerturbation::new(parties.declaration(), ball(), MU, start).unwrap()),
    }
}

/// The answers of all nodes.
fn answers(declaration: &Declaration, shards: &[Shard], keys: Vec<Key>, name: &str, noise: &Noise) -> Vec<Vec<f64>> {
    let lanes = keys.len() / shards.len();
    let class_of = declaration.class_of();
    let gate = Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, class_of, None, keys);
    let mut parties = Parties::new(declaration.clone(), shards, lanes, gate).unwrap();
    let mut algorithm = build(name, &parties);
    let mut alone = Alone::new(shards.len());
    run(algorithm.as_mut(), &mut parties, &mut alone, noise, 0..ROUNDS, |_, _, _| true).unwrap();
    algorithm.estimate().rows().as_slice().chunks_exact(DIM * lanes).map(<[f64]>::to_vec).collect()
}

/// Three parties of unequal size.
fn unequal() -> (Declaration, Vec<Shard>) {
    let problem = problem(4, 3, 9, DIM, Weighting::Pooled);
    let records = [9, 4, 6];
    let shards = problem.shards.iter().zip(records).map(|(shard, rows)| {
        let keep: Vec<usize> = (0..rows).collect();
        Shard::checked(shard.x().select(Axis(0), &keep), shard.y().select(Axis(0), &keep), shard.bounds()).unwrap()
    });
    let shards = shards.collect();
    let bounds = problem.declaration.bounds();
    (Declaration::least_squares(DIM, bounds, Weighting::Pooled, records.to_vec()).unwrap(), shards)
}

/// Parties that never talk compute what each computes in a run of its own, bit for bit, with noise and two lanes.
#[test]
fn alone_is_a_run_of_ones_own() {
    let (declaration, shards) = unequal();
    let records = declaration.records().to_vec();
    for name in ALL {
        for noise in [Noise::None, Noise::Laplace(Schedule::power(0.3, 2.0, 0.4))] {
            if name == "dgd" && noise != Noise::None {
                continue;
            }
            let together = answers(&declaration, &shards, keys(8, 3, 2), name, &noise);
            for node in 0..3 {
                let own = Declaration::least_squares(DIM, declaration.bounds(), Weighting::Pooled, vec![records[node]]);
                let own = own.unwrap().within(3, records.iter().sum()).unwrap();
                let keys = keys(8, 3, 2)[2 * node..][..2].to_vec();
                let alone = answers(&own, &shards[node..=node], keys, name, &noise);
                assert_eq!(alone[0], together[node], "{name}, node {node}, {noise:?}");
            }
        }
    }
}

/// The mean of the losses of all records, as plain loops see it.
struct Pooled {
    x: Array2<f64>,
    y: Array1<f64>,
}

impl Pooled {
    fn gradient(&self, b: &Array1<f64>) -> Array1<f64> {
        self.x.t().dot(&(self.x.dot(b) - &self.y)) / self.y.len() as f64
    }

    fn ridge(&self, mu: f64) -> Array1<f64> {
        let n = self.y.len() as f64;
        let gram = self.x.t().dot(&self.x) / n + Array2::<f64>::eye(DIM) * mu;
        dido_linalg::solve_positive_definite(gram.view(), (self.x.t().dot(&self.y) / n).view()).unwrap()
    }

    /// What an algorithm is on one node without noise, written down anew.
    fn oracle(&self, name: &str) -> Array1<f64> {
        let project = |b: Array1<f64>| {
            let length = b.dot(&b).sqrt();
            if length > 0.2 { b * (0.2 / length) } else { b }
        };
        let (mut b, mut z, mut mean) = (Array1::zeros(DIM), Array1::<f64>::zeros(DIM), Array1::zeros(DIM));
        for t in 1..=ROUNDS {
            let t = f64::from(t);
            match name {
                "dgd" => b = &b - STEP * self.gradient(&b),
                "projected dgd" | "muffliato" => {
                    let p = project(b);
                    b = &p - STEP * self.gradient(&p);
                }
                "clipped pdop" => {
                    let g = self.gradient(&b);
                    let length = g.dot(&g).sqrt();
                    b = project(&b - STEP * (0.05 / length).min(1.0) * g);
                }
                "clipped dgd" => {
                    let g = self.gradient(&b);
                    let length = g.dot(&g).sqrt();
                    b = &b - STEP * (0.05 / length).min(1.0) * g;
                }
                "dual averaging" => {
                    z += &self.gradient(&b);
                    b = project(&z / -(MU * t + 0.7 * (t + 1.0).sqrt()));
                    mean += &((&b - &mean) / t);
                }
                _ => b = project(&b - STEP * self.gradient(&b)),
            }
        }
        match name {
            "dual averaging" => mean,
            "statistics" => project(self.ridge(0.0)),
            "output perturbation" => self.constrained(MU),
            _ => b,
        }
    }

    /// The minimiser with regulariser `mu` on the ball: the ridge solution whose length is the radius, by bisection.
    fn constrained(&self, mu: f64) -> Array1<f64> {
        let length = |mu| self.ridge(mu).dot(&self.ridge(mu)).sqrt();
        if length(mu) <= 0.2 {
            return self.ridge(mu);
        }
        let (mut low, mut high) = (mu, 100.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if length(middle) > 0.2 { low = middle } else { high = middle }
        }
        self.ridge(high)
    }
}

/// One node with the records of all parties computes the centralised algorithm, as plain loops have it; also where parties
/// differ in size.
#[test]
fn one_node_with_all_records_is_centralised() {
    let (declaration, shards) = unequal();
    let pooled = Shard::joined(&shards).unwrap();
    let centralised = declaration.centralised();
    assert_eq!((centralised.nodes(), centralised.records()), (1, &[19][..]));
    let oracle = Pooled { x: pooled.x().to_owned(), y: pooled.y().to_owned() };
    // One record is not all of them, and weakening coupling takes its gradient at what others say.
    for name in ALL.into_iter().filter(|name| !["one record", "wang-nedic"].contains(name)) {
        let found = answers(&centralised, std::slice::from_ref(&pooled), keys(1, 1, 1), name, &Noise::None);
        let expected = oracle.oracle(name);
        let error = found[0].iter().zip(&expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        // The minimiser has a tolerance.
        let tolerance = if name == "output perturbation" { 1e-6 } else { 1e-14 };
        assert!(error < tolerance, "{name}: {error}");
    }
}

/// The pooled objective of the centralised node is the mean of those of the parties, so the gradient is; and its guarantee is
/// the better one: a record is one of all, where it was one of a party's.
#[test]
fn the_centralised_objective_is_the_mean_of_the_parties() {
    let (declaration, shards) = unequal();
    let (centralised, pooled) = (declaration.centralised(), Shard::joined(&shards).unwrap());
    let of = |declaration: &Declaration, shards: &[Shard], nodes: usize| {
        let objective = declaration.objective(Adjacency::ReplaceRecord, shards, 1).unwrap();
        let mut g = vec![0.0; nodes * DIM];
        objective.gradient(0..nodes, &[0.1, -0.2, 0.3].repeat(nodes), &mut g);
        (0..DIM).map(|k| g.iter().skip(k).step_by(DIM).sum::<f64>() / nodes as f64).collect::<Vec<_>>()
    };
    let (one, many) = (of(&centralised, &[pooled], 1), of(&declaration, &shards, 3));
    assert!(one.iter().zip(&many).all(|(a, b)| (a - b).abs() < 1e-15));
    let widest = |declaration: &Declaration| {
        declaration.l2_by_class(Adjacency::ReplaceRecord, 1.0).into_iter().fold(0.0, f64::max)
    };
    assert!((widest(&declaration) / widest(&centralised) - 3.0).abs() < 1e-12);
}
