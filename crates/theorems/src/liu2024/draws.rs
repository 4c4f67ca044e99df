//! What is drawn at random: noise, nodes, records.

use dido_mechanisms::{Adjacency, Public};
use dido_optimizers::strategies::Instance;
use dido_optimizers::{Algorithm, Declaration, InProcess, Node, Noise, Sampling, Schedule, Stop, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::sequence::NodeActivation;
use dido_topology::{Sequence, families, weights};
use ndarray::{Array1, Array2};
use proptest::prelude::any;

use crate::sample::squared_distance;
use crate::{Expected, Theorem, TheoremError};

pub const B10_NOISE: Theorem = Theorem {
    name: "B10-noise",
    statement: "E ||zeta - g||^2 = m sigma^2",
    source: "paper B, Algorithm 1, step 4",
    assumptions: "m = 8, n = 3, any sigma, 600 rounds, the same records without noise beside it; five standard errors",
    expected: Expected::Holds,
    cost: 100,
    reaches: 0.0,
    check: |case| {
        let (sigma, seed) = case.draw((0.1..3.0, any::<u64>()))?;
        let noise = Noise::Gaussian(Schedule::constant(sigma));
        let (noisy, quiet) = (peeks(seed, &noise, 600)?, peeks(seed, &Noise::None, 600)?);
        let squares: Vec<f64> = noisy.iter().zip(&quiet).map(|(zeta, g)| squared_distance(zeta, g)).collect();
        case.mean_equal(&squares, 8.0 * sigma * sigma);
        Ok(())
    },
};

pub const B10_RECORD: Theorem = Theorem {
    name: "B10-record",
    statement: "the record of a node is drawn uniformly and afresh in every round",
    source: "paper B, Algorithm 1, step 3",
    assumptions: "8 records that can be told apart on each of 3 nodes, 2000 rounds; chi-square of the 8 counts and of 64 pairs, 8 standard deviations",
    expected: Expected::Holds,
    cost: 100,
    reaches: 0.05,
    check: |case| {
        let gradients = peeks(case.draw(any::<u64>())?, &Noise::None, 2000)?;
        // n_i s_i = 1, and the gradient of (x_k - 1)^2 / 2 at 0 is -e_k.
        let drawn = |g: &Vec<f64>| g.iter().position(|g| *g != 0.0);
        case.require("one record, as it is", gradients.iter().all(|g| (g.iter().sum::<f64>() + 1.0).abs() < 1e-15));
        for node in 0..3 {
            let records: Vec<usize> = gradients.iter().skip(node).step_by(3).filter_map(drawn).collect();
            let singles = records.iter().map(|&k| (k, 8));
            let pairs = records.chunks_exact(2).map(|pair| (8 * pair[0] + pair[1], 64));
            for (chi2, freedom) in [chi_square(&singles.collect::<Vec<_>>()), chi_square(&pairs.collect::<Vec<_>>())] {
                case.below(chi2, freedom + 8.0 * (2.0 * freedom).sqrt());
            }
        }
        Ok(())
    },
};

/// Of counts of values that should be uniform below the second number, and its degrees of freedom.
fn chi_square(values: &[(usize, usize)]) -> (f64, f64) {
    let kinds = values.first().map_or(1, |value| value.1);
    let expected = values.len() as f64 / kinds as f64;
    let mut counts = vec![0.0; kinds];
    for &(value, _) in values {
        counts[value] += 1.0;
    }
    (counts.iter().map(|count| (count - expected).powi(2) / expected).sum(), kinds as f64 - 1.0)
}

pub const B10_AWAKE: Theorem = Theorem {
    name: "B10-awake",
    statement: "each node is awake in a share iota of the rounds",
    source: "paper B, Definition 2",
    assumptions: "2 to 12 nodes of a ring, a fixed number or coins, 2000 rounds; five standard deviations of iota T",
    expected: Expected::Holds,
    cost: 50,
    reaches: 0.0,
    check: |case| {
        let graph = families::ring(case.draw(2_usize..=12)?)?;
        let nodes = graph.nodes();
        let (fixed, active, iota, seed) = case.draw((any::<bool>(), 1..=nodes, 0.05..0.95, any::<u64>()))?;
        let (iota, sequence) = if fixed {
            (active as f64 / nodes as f64, NodeActivation::fixed_size(graph, active, seed)?)
        } else {
            (iota, NodeActivation::bernoulli(graph, iota, seed)?)
        };
        let mut counts = vec![0.0; nodes];
        for t in 0..2000 {
            sequence.round(t)?.awake().iter().for_each(|&node| counts[node] += 1.0);
        }
        let deviation = (2000.0 * iota * (1.0 - iota)).sqrt();
        for count in counts {
            case.below(f64::abs(count - 2000.0 * iota), 5.0 * deviation);
        }
        Ok(())
    },
};

/// Looks at one record in each round and releases its gradient.
struct Peek {
    point: Public,
    seen: Public,
}

impl Algorithm for Peek {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let one = node.sample(Sampling::OneRecord)?;
        let g = node.gradient(&self.point, one)?;
        self.seen = node.release(g)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.seen
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.seen]
    }
}

/// What three nodes with eight records each, the unit vectors with target 1, release at the origin: of each round, of each node.
fn peeks(seed: u64, noise: &Noise, rounds: u32) -> Result<Vec<Vec<f64>>, TheoremError> {
    let bounds = RecordBounds::new(1.0, 1.0)?;
    let shard = Shard::checked(Array2::eye(8), Array1::ones(8), bounds)?;
    let graph = families::complete(3)?;
    let instance = Instance {
        weights: weights::metropolis(&graph),
        graph,
        declaration: Declaration::least_squares(8, bounds, Weighting::NodeMean, vec![8; 3])?,
        shards: vec![shard; 3],
    };
    let mut parties = instance.parties(Adjacency::ReplaceRecord, 1, seed)?;
    let mut point = parties.start(&[0.0; 8]);
    // Noise is refused at points without a bound.
    point.project(&dido_geometry::L2Ball::new(1.0)?.into());
    let mut peek = Peek { seen: point.clone(), point };
    let mut seen = vec![];
    run(
        &mut peek,
        &mut parties,
        &mut InProcess::new(instance.weights.clone()),
        noise,
        0..rounds,
        |_, algorithm, _| {
            let rows = algorithm.estimate().rows();
            seen.extend((0..3).map(|node| rows.row(node, 0).to_vec()));
            true
        },
    )?;
    Ok(seen)
}
