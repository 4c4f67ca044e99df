//! What a round of dual averaging does.

use dido_geometry::{Box as Cuboid, L2Ball, Rows, Set, Shape, norm};
use dido_mechanisms::Adjacency;
use dido_optimizers::strategies::{graphs, instances, losses};
use dido_optimizers::{DualAveraging, DualWeights, InProcess, Noise, Sampling, run};
use dido_problems::{Distance, DualStep, Regulariser};
use dido_topology::Sequence;
use dido_topology::sequence::NodeActivation;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};

use crate::sample::vectors;
use crate::{Case, Expected, Theorem, TheoremError};

pub const B1: Theorem = Theorem {
    name: "B1",
    statement: "with all nodes awake, all records and no noise it is the dual averaging of Duchi, Agarwal, Wainwright, to the bit",
    source: "paper B, equations (2), (3), (5), (6)",
    assumptions: "any loss, graph, weights, data and weighting; up to 8 nodes, m <= 4; 20 rounds against plain loops",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.0,
    check: |case| {
        let (instance, weights) = case.draw((instances(losses(), 2..=8, 1..=4), weights()))?;
        let (mu, radius) = case.draw((0.0..1.0, 0.5..5.0))?;
        let (nodes, dim) = (instance.shards.len(), instance.dim());
        let ball = Set::from(L2Ball::new(radius)?);
        let step = DualStep::new(Regulariser::squared_l2(mu)?, ball.clone(), Distance::Euclidean)?;
        let mut parties = instance.parties(Adjacency::ReplaceRecord, 1, 0)?;
        let start = parties.start(&vec![0.0; dim]);
        let mut algorithm = DualAveraging::new(step, weights, 1.0, Sampling::All, start)?;
        run(&mut algorithm, &mut parties, &mut instance.network(), &Noise::None, 0..20, |_, _, _| true)?;

        let objective = instance.declaration.objective(Adjacency::ReplaceRecord, &instance.shards, 1)?;
        let (mut z, mut x) = (vec![0.0; nodes * dim], vec![0.0; nodes * dim]);
        for t in 1..=20 {
            // A point on the sphere may move in its last bits when it is projected again.
            x.chunks_exact_mut(dim).for_each(|x| ball.project_row(x));
            let mut g = vec![0.0; nodes * dim];
            objective.gradient(0..nodes, &x, &mut g);
            let sum: Vec<f64> = z.iter().zip(&g).map(|(z, g)| z + weights.a(t) * g).collect();
            for (i, row) in z.chunks_exact_mut(dim).enumerate() {
                row.fill(0.0);
                let (columns, entries) = instance.weights.row(i);
                for (k, row) in row.iter_mut().enumerate() {
                    let mut products = columns.iter().zip(entries).map(|(j, w)| w * sum[j * dim + k]);
                    let first = products.next().unwrap_or(0.0);
                    *row = products.fold(first, |sum, product| sum + product);
                }
            }
            let s = weights.sum(t) * mu + weights.gamma(t);
            x = z.iter().map(|z| -z / s).collect();
            x.chunks_exact_mut(dim).for_each(|x| ball.project_row(x));
        }
        case.require("the same z to the bit", same(algorithm.z().rows(), &z));
        case.require("the same x to the bit", same(algorithm.x().rows(), &x));
        Ok(())
    },
};

pub const B2: Theorem = Theorem {
    name: "B2",
    statement: "the mean of all z moves by (a_t/n) sum of zeta over the nodes that are awake; the others keep their z to the bit",
    source: "paper B, equation (5), double stochasticity",
    assumptions: "any loss and data, a fixed number or coins, 2 to 8 nodes of any graph, 15 rounds",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.0,
    check: |case| {
        let (instance, weights) = case.draw((instances(losses(), 2..=8, 1..=4), weights()))?;
        let (nodes, dim) = (instance.shards.len(), instance.dim());
        let sequence = activation(case, instance.graph.clone())?.1;
        let step = DualStep::new(Regulariser::squared_l2(0.3)?, L2Ball::new(2.0)?.into(), Distance::Euclidean)?;
        let mut parties = instance.parties(Adjacency::ReplaceRecord, 1, 0)?;
        let start = parties.start(&vec![0.0; dim]);
        let mut algorithm = DualAveraging::new(step, weights, 0.5, Sampling::All, start)?;
        let objective = instance.declaration.objective(Adjacency::ReplaceRecord, &instance.shards, 1)?;
        let mut network = InProcess::varying(sequence.clone());
        for t in 0..15 {
            let (z, x) = (algorithm.z().rows().as_slice().to_vec(), algorithm.x().rows().as_slice().to_vec());
            run(&mut algorithm, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true)?;
            let after = algorithm.z().rows().as_slice();
            let mut g = vec![0.0; nodes * dim];
            objective.gradient(0..nodes, &x, &mut g);
            let round = sequence.round(t)?;
            let asleep = (0..nodes).filter(|node| !round.awake().contains(node));
            let still = asleep.into_iter().all(|node| after[node * dim..][..dim] == z[node * dim..][..dim]);
            case.require("sleeping nodes keep still", still);
            // Numbers grow like t^2 times the gradients.
            let size = 1.0 + norm(after) + norm(&g) * weights.a(t + 1);
            for k in 0..dim {
                let column = |v: &[f64]| v.iter().skip(k).step_by(dim).sum::<f64>();
                let moved: f64 = round.awake().iter().map(|node| g[node * dim + k]).sum();
                case.equal((column(after) - column(&z)) / size, weights.a(t + 1) * moved / size, 1e-12);
            }
        }
        Ok(())
    },
};

pub const B3: Theorem = Theorem {
    name: "B3",
    statement: "every W(t) is symmetric and doubly stochastic, rows of sleeping nodes are e_i, and iota n nodes are awake where that is fixed",
    source: "paper B, Assumption 2 and Definition 2",
    assumptions: "any graph of 2 to 12 nodes, a fixed number or coins, 20 rounds",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.0,
    check: |case| {
        let graph = case.draw(graphs(2..=12))?;
        let (active, sequence) = activation(case, graph.clone())?;
        for t in 0..20 {
            let round = sequence.round(t)?;
            case.require("the fixed number is awake", active.is_none_or(|active| round.awake().len() == active));
            let mut dense = vec![vec![0.0; graph.nodes()]; graph.nodes()];
            for (i, dense) in dense.iter_mut().enumerate() {
                let (columns, weights) = round.row(i);
                columns.iter().zip(weights).for_each(|(&j, &w)| dense[j] = w);
                let awake = |j: &usize| round.awake().binary_search(j).is_ok();
                let allowed = |&j: &usize| j == i || awake(&i) && awake(&j) && graph.neighbours(i).contains(&j);
                let used = columns.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| j);
                case.require("weights join neighbours that are awake", used.into_iter().all(allowed));
                case.equal(weights.iter().sum(), 1.0, 1e-12);
            }
            let symmetric = |i: usize, j: usize| (dense[i][j] - dense[j][i]).abs() <= 0.0;
            case.require("symmetric", (0..graph.nodes()).all(|i| (0..i).all(|j| symmetric(i, j))));
        }
        Ok(())
    },
};

pub const B4: Theorem = Theorem {
    name: "B4",
    statement: "the closed forms of step (6) are optimal: 0 in z + iota A dh(x) + gamma x + the normal cone of the set",
    source: "paper B, equation (6)",
    assumptions: "none, squared l2, l1, elastic net; the whole space, a ball, a box; |z| up to 30, m = 4; subgradients to 1e-10",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.0,
    check: |case| {
        let (z, a, gamma) = case.draw((vec(-30.0..30.0, 4), 0.0..5.0, 0.1..5.0))?;
        let (lambda, mu, size, kind) = case.draw((0.0..3.0, 0.0..2.0, 0.1..5.0, 0_usize..3))?;
        let (lambda, mu) = [(lambda, 0.0), (0.0, mu), (lambda, mu)][kind];
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        for (set, radius, limits) in [
            (Set::Whole, f64::INFINITY, everything),
            (L2Ball::new(size)?.into(), size, everything),
            (Cuboid::new(vec![-size; 4], vec![2.0 * size; 4])?.into(), f64::INFINITY, (-size, 2.0 * size)),
        ] {
            let step = DualStep::new(Regulariser::elastic_net(lambda, mu)?, set.clone(), Distance::Euclidean)?;
            let mut rows = Rows::from_vec(Shape { nodes: 1, lanes: 1, dim: 4 }, z.clone());
            step.apply(a, gamma, &mut rows)?;
            let worst = violation(&z, rows.as_slice(), (a * lambda, a * mu + gamma), radius, limits);
            case.equal(worst, 0.0, 1e-10);
            // No point of the set nearby, or anywhere, is better.
            let value = |x: &[f64]| {
                let linear: f64 = x.iter().zip(&z).map(|(x, z)| x * z).sum();
                linear + x.iter().map(|x| a * lambda * x.abs() + 0.5 * (a * mu + gamma) * x * x).sum::<f64>()
            };
            let mut other = case.draw(vectors(4, 3.0 * size))?;
            set.project_row(&mut other);
            let scale = 1.0 + value(&other).abs();
            case.require("no worse than another point", value(rows.as_slice()) <= value(&other) + 1e-10 * scale);
        }
        Ok(())
    },
};

/// How far `-(z + s x)` is from `t d|x|` and the normal cone at `x` of a ball and a box, in the worst coordinate, relative to
/// the size of `z`.
fn violation(z: &[f64], x: &[f64], (t, s): (f64, f64), radius: f64, (lower, upper): (f64, f64)) -> f64 {
    // The normal cone of a ball is the ray through x: its multiplier is read off the longest coordinate.
    let mut multiplier = 0.0;
    if norm(x) > radius * (1.0 - 1e-12) {
        let longer = |m: (f64, f64), p: (&f64, &f64)| if p.1.abs() > m.1.abs() { (*p.0, *p.1) } else { m };
        let (z, x) = z.iter().zip(x).fold((0.0, 0.0), longer);
        multiplier = (-(z + t * x.signum()) / x - s).max(0.0);
    }
    let coordinate = |(&z, &x): (&f64, &f64)| {
        let rest = -(z + (s + multiplier) * x);
        let (mut low, mut high) = if x.abs() < 1e-12 { (-t, t) } else { (t * x.signum(), t * x.signum()) };
        // At a side of the box the cone is open outwards.
        if x <= lower + 1e-12 {
            low = f64::NEG_INFINITY;
        }
        if x >= upper - 1e-12 {
            high = f64::INFINITY;
        }
        (low - rest).max(rest - high).max(0.0)
    };
    z.iter().zip(x).map(coordinate).fold(0.0, f64::max) / (1.0 + norm(z))
}

/// Either sequence of weights, with any `gamma`.
pub(super) fn weights() -> impl Strategy<Value = DualWeights> {
    prop_oneof![
        (0.1..2.0).prop_map(|gamma| DualWeights::GrowingDistance { gamma }),
        (0.1..2.0).prop_map(|gamma| DualWeights::GrowingGradients { gamma }),
    ]
}

/// Nodes of a graph that are awake in turns: a fixed number, which is returned, or by coins.
pub(super) fn activation(
    case: &mut Case,
    graph: dido_topology::Graph,
) -> Result<(Option<usize>, NodeActivation), TheoremError> {
    let (fixed, active, iota, seed) = case.draw((any::<bool>(), 1..=graph.nodes(), 0.1..1.0, any::<u64>()))?;
    Ok(if fixed {
        (Some(active), NodeActivation::fixed_size(graph, active, seed)?)
    } else {
        (None, NodeActivation::bernoulli(graph, iota, seed)?)
    })
}

fn same(rows: &Rows, plain: &[f64]) -> bool {
    rows.as_slice() == plain
}
