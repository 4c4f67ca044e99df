//! Support vector machines of several parties: the problem of paper B.

use dido_geometry::{Rows, Set, Shape};
use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_optimizers::{Declaration, DualAveraging, DualWeights, Network, Noise, Parties, Sampling, Schedule, run};
use dido_problems::strategies::{Targets, shards};
use dido_problems::{
    Distance, DualStep, Features, LinearModel, Loss, Objective, RecordBounds, Regulariser, Shard, Weighting, reference,
};
use ndarray::{Array1, Array2, Axis, concatenate};
use proptest::collection::vec;
use proptest::prelude::Strategy;

use crate::TheoremError;
use crate::sample::{mean_of_nodes, squared_distance};

/// Repeats: the same data, other noise and other records.
const LANES: usize = 60;

/// `phi` is the mean over the nodes of the mean hinge loss of their records, plus `h`; its minimum has a certificate.
#[derive(Clone, Debug)]
pub struct Machine {
    shards: Vec<Shard>,
    regulariser: Regulariser,
    minimum: reference::Minimum,
}

/// How a machine is trained.
#[derive(Clone, Copy)]
pub struct Training {
    pub weights: DualWeights,
    pub participation: f64,
    pub sigma: Option<f64>,
    pub seed: u64,
}

/// What is measured in a round, in each lane.
pub struct Measured {
    /// `phi(y~) - phi*`.
    pub gaps: Vec<f64>,
    /// `sum_j ||z_j - zbar||^2`.
    pub disagreements: Vec<f64>,
    /// `sum_j ||x_j - y||^2`.
    pub distances: Vec<f64>,
}

impl Machine {
    /// The machine of these parties, who hold equally many records of rows no longer than 1.
    pub fn new(shards: Vec<Shard>, regulariser: Regulariser) -> Result<Self, TheoremError> {
        let rows: Vec<_> = shards.iter().map(|shard| shard.x().to_owned()).collect();
        let views: Vec<_> = rows.iter().map(|x| x.view()).collect();
        let x = Features::from(concatenate(Axis(0), &views).unwrap_or_default());
        let y: Vec<f64> = shards.iter().flat_map(|shard| shard.y().to_vec()).collect();
        let minimum = reference::regularised(Loss::Hinge, &x, &y, &regulariser)?;
        Ok(Self { shards, regulariser, minimum })
    }

    /// The one for which rates are stated: 8 nodes, 20 records each, m = 4, by formula, two overlapping classes.
    pub fn of_formula(regulariser: Regulariser) -> Result<Self, TheoremError> {
        let shard = |node: usize| {
            let x = Array2::from_shape_fn((20, 4), |(r, k)| {
                (((node * 131 + r * 47 + k * 89 + r * k * 13) % 97) as f64 / 48.0 - 1.0) / 2.0
            });
            let above = |(r, row): (usize, ndarray::ArrayView1<'_, f64>)| {
                row[0] - 0.5 * row[3] + 0.1 * ((r % 5) as f64 - 2.0) > 0.0
            };
            let y: Array1<f64> = x.rows().into_iter().enumerate().map(|r| if above(r) { 1.0 } else { -1.0 }).collect();
            Shard::clipped(x, y, unit_bounds()?)
        };
        Self::new((0..8).map(shard).collect::<Result<_, _>>()?, regulariser)
    }

    /// Whether the minimum is as good as known.
    pub fn is_solved(&self) -> bool {
        self.minimum.gap.is_some_and(|gap| gap < 1e-7)
    }

    pub fn nodes(&self) -> usize {
        self.shards.len()
    }

    pub fn dim(&self) -> usize {
        self.shards[0].dim()
    }

    /// `d(x*)`.
    pub fn distance(&self) -> f64 {
        0.5 * self.minimum.beta.dot(&self.minimum.beta)
    }

    /// Trains it, and measures after the given rounds. `y` is the point that follows from the mean of all `z`, and `y~` its
    /// weighted mean over the rounds.
    pub fn train(
        &self,
        network: &mut dyn Network,
        training: Training,
        rounds: &[u32],
    ) -> Result<Vec<Measured>, TheoremError> {
        let Training { weights, participation, sigma, seed } = training;
        let (nodes, dim, records) = (self.nodes(), self.dim(), self.shards[0].records());
        let records = vec![records; nodes];
        let declaration = Declaration::new(Loss::Hinge, dim, unit_bounds()?, Weighting::NodeMean, records)?;
        let keys = (0..).take(nodes).flat_map(|node| (0..).take(LANES).map(move |lane| Key::derive(seed, node, lane)));
        let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::AllMessages);
        let gate = Gate::simulated(adjacency, adversary, declaration.class_of(), None, keys.collect());
        let mut parties = Parties::new(declaration, &self.shards, LANES, gate)?;
        let step = DualStep::new(self.regulariser.clone(), Set::Whole, Distance::Euclidean)?;
        let start = parties.start(&vec![0.0; dim]);
        let mut dda = DualAveraging::new(step.clone(), weights, participation, Sampling::OneRecord, start)?;
        let noise = sigma.map_or(Noise::None, |sigma| Noise::Gaussian(Schedule::constant(sigma)));
        let (mut answer, mut measured) = (vec![0.0; LANES * dim], vec![]);
        for t in 1..=rounds.iter().copied().max().unwrap_or(0) {
            run(&mut dda, &mut parties, network, &noise, t - 1..t, |_, _, _| true)?;
            let mean: Vec<Vec<f64>> = (0..LANES).map(|lane| mean_of_nodes(dda.z().rows(), lane)).collect();
            let mut y = Rows::from_vec(Shape { nodes: 1, lanes: LANES, dim }, mean.concat());
            step.apply(participation * weights.sum(t), weights.gamma(t), &mut y)?;
            let weight = weights.a(t) / weights.sum(t);
            answer.iter_mut().zip(y.as_slice()).for_each(|(answer, y)| *answer += weight * (y - *answer));
            if rounds.contains(&t) {
                let of = |rows: &Rows, lane: usize, point: &[f64]| {
                    (0..nodes).map(|node| squared_distance(rows.row(node, lane), point)).sum::<f64>()
                };
                measured.push(Measured {
                    gaps: answer
                        .chunks_exact(dim)
                        .map(|y| Ok(self.phi(y)? - self.minimum.objective))
                        .collect::<Result<_, TheoremError>>()?,
                    disagreements: (0..LANES).map(|lane| of(dda.z().rows(), lane, &mean[lane])).collect(),
                    distances: (0..LANES).map(|lane| of(dda.x().rows(), lane, y.row(0, lane))).collect(),
                });
            }
        }
        Ok(measured)
    }

    fn phi(&self, x: &[f64]) -> Result<f64, TheoremError> {
        let scales = vec![1.0 / self.shards[0].records() as f64; self.nodes()];
        let model = LinearModel::new(Loss::Hinge, &self.shards, scales, 1)?;
        Ok((0..self.nodes()).map(|node| model.value(node, x)).sum::<f64>() / self.nodes() as f64
            + self.regulariser.value(x))
    }
}

fn unit_bounds() -> Result<RecordBounds, dido_problems::ProblemError> {
    RecordBounds::new(1.0, 1.0)
}

/// Machines of 3 to 8 nodes with 5 to 20 records each, m <= 4, `h = (mu/2) ||x||^2`.
pub fn machines() -> impl Strategy<Value = (Machine, f64)> {
    (3_usize..=8, 5_usize..=20, 1_usize..=4, 0.1..1.0)
        .prop_flat_map(|(nodes, records, dim, mu)| {
            let bounds = unit_bounds().expect("one is positive");
            (vec(shards(Targets::Classes, bounds, records..=records, dim), nodes), proptest::prelude::Just(mu))
        })
        .prop_filter_map("a solved machine", |(shards, mu)| {
            let machine = Machine::new(shards, Regulariser::squared_l2(mu).ok()?).ok()?;
            machine.is_solved().then_some((machine, mu))
        })
}
