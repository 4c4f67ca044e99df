//! One update and its sensitivity, products of weights, and projections.

use dido_geometry::{Affine, Box as Cuboid, HalfSpace, L1Ball, L2Ball, Set, Simplex, norm};
use dido_mechanisms::Adjacency;
use dido_optimizers::bounds::huang2015::mixing_bound;
use dido_optimizers::strategies::{Instance, mixing};
use dido_optimizers::{Algorithm, At, Declaration, Noise, Pdop, Schedule, run};
use dido_problems::strategies::{Targets, bounds, shards};
use dido_problems::{Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::Strategy;

use super::quadratic::longest_gradient;
use crate::sample::{difference, norm1, sizes, vectors};
use crate::{Expected, Theorem, TheoremError};

pub const C2: Theorem = Theorem {
    name: "C2",
    statement: "with the gradient at the projected point, ||x - x'||_1 <= 2 C sqrt(n) gamma for two costs with gradients up to C on X",
    source: "paper C, Lemma 4, corrected (C-E2, F1): huang2015.md, Privacy",
    assumptions: "any two least-squares costs of up to 4 records, n <= 4, X a ball or a box, coordinates of z of any sizes up to 1e6, the round of the algorithm itself",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.05,
    check: |case| {
        let (dim, bounds, radius, gamma) = case.draw((1_usize..=4, bounds(), sizes(), 0.001..0.1))?;
        let any = || shards(Targets::Numbers, bounds, 4..=4, dim);
        let coordinate = (-1.0..1.0, -2.0..6.0).prop_map(|(x, exponent): (f64, f64)| x * 10_f64.powf(exponent));
        let ([one, other], z) = case.draw(([any(), any()], vec(coordinate, dim)))?;
        let side = radius / (dim as f64).sqrt();
        let set = if case.index().is_multiple_of(2) {
            Set::from(L2Ball::new(radius)?)
        } else {
            Cuboid::new(vec![-side; dim], vec![side; dim])?.into()
        };
        // Of the size of the set, so that the final projection does not hide everything.
        let c = longest_gradient(&one, radius)?.max(longest_gradient(&other, radius)?);
        let gamma = gamma * radius / c;
        let [x, y] = [updated(one, &set, gamma, &z)?, updated(other, &set, gamma, &z)?];
        case.below_to(1e-9, norm1(&difference(&x, &y)), 2.0 * c * (dim as f64).sqrt() * gamma);
        Ok(())
    },
};

/// `x` of one agent who is alone and has received `z`.
fn updated(shard: Shard, set: &Set, gamma: f64, z: &[f64]) -> Result<Vec<f64>, TheoremError> {
    let graph = families::ring(1)?;
    let declaration = Declaration::least_squares(shard.dim(), shard.bounds(), Weighting::Sum, vec![shard.records()])?;
    let instance = Instance { weights: weights::metropolis(&graph), graph, declaration, shards: vec![shard] };
    let mut parties = instance.parties(Adjacency::ReplaceNode, 1, 0)?;
    let start = parties.start(z);
    let mut pdop = Pdop::new(set.clone(), Schedule::constant(gamma), At::Projected, start);
    run(&mut pdop, &mut parties, &mut instance.network(), &Noise::None, 0..1, |_, _, _| true)?;
    Ok(pdop.estimate().rows().as_slice().to_vec())
}

pub const C2_PUBLISHED: Theorem = Theorem {
    name: "C2-published",
    statement: "the same with the gradient at z, as published",
    source: "paper C, (7) and Lemma 4, as published (C-E2)",
    assumptions: "f = x'Ax/2 with off-diagonal +-0.9 on [-1, 1]^2, gamma = 0.05: 0.380 claimed, 0.900 at z = (10, 0), 2 at z = (30, 0)",
    expected: Expected::Fails,
    cost: 0,
    reaches: 0.0,
    check: |case| {
        let square = Set::from(Cuboid::new(vec![-1.0; 2], vec![1.0; 2])?);
        let gamma = 0.05;
        let update = |a: f64, z: [f64; 2]| {
            let mut x = [z[0] - gamma * (z[0] + a * z[1]), z[1] - gamma * (a * z[0] + z[1])];
            square.project_row(&mut x);
            x
        };
        let moved = |z: [f64; 2]| norm1(&difference(&update(0.9, z), &update(-0.9, z)));
        // The longest gradient is that at a corner.
        let allowed = 2.0 * (1.9 * 2_f64.sqrt()) * 2_f64.sqrt() * gamma;
        case.number(allowed, 0.38, 1e-12);
        case.number(moved([10.0, 0.0]), 0.9, 1e-12);
        case.number(moved([30.0, 0.0]), 2.0, 1e-12);
        let mut p = [10.0, 0.0];
        square.project_row(&mut p);
        case.number(moved(p), 0.09, 1e-12);
        case.below(moved([10.0, 0.0]), allowed);
        Ok(())
    },
};

pub const C6: Theorem = Theorem {
    name: "C6",
    statement: "|Phi(k, s)_ij - 1/N| <= (1 - eta/(4 N^2))^(k-s), and <= lambda^(k-s) where the weights do not change",
    source: "paper C, Lemma 3.2, with the constant 1 where every graph is connected: huang2015.md, Accuracy",
    assumptions: "up to 8 nodes, other connected graphs and weights in every round, positive entries and diagonals of at least eta, 40 rounds",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.3,
    check: |case| {
        let nodes = case.draw(2_usize..=8)?;
        let positive = |w: &Array2<f64>| w.iter().all(|&w| w >= 0.0) && w.diag().iter().all(|&w| w > 1e-9);
        let matrices = mixing(nodes..=nodes).prop_filter_map("positive weights", |(_, weights)| {
            let dense = weights.to_dense();
            Some((positive(&dense).then_some(dense)?, weights.second_largest_singular_value().ok()?))
        });
        let matrices = case.draw(vec(matrices, 5))?;
        let entries = matrices.iter().flat_map(|(dense, _)| dense.iter().filter(|&&w| w > 1e-12));
        let eta = entries.fold(1.0, |least: f64, w| least.min(*w));
        let off = |phi: &Array2<f64>| phi.iter().map(|x| (x - 1.0 / nodes as f64).abs()).fold(0.0, f64::max);
        let order = case.draw(vec(0_usize..5, 40))?;
        let (mut phi, mut power) = (Array2::eye(nodes), Array2::eye(nodes));
        let (constant, lambda) = &matrices[0];
        for (k, next) in (1..).zip(order) {
            phi = matrices[next].0.dot(&phi);
            power = constant.dot(&power);
            case.below(off(&phi), mixing_bound(nodes, eta, k));
            // What rounding leaves of a product that has converged.
            case.below(off(&power) - 1e-14, lambda.powf(f64::from(k)));
        }
        Ok(())
    },
};

pub const C9: Theorem = Theorem {
    name: "C9",
    statement: "projections are non-expansive in L2, idempotent, and land in the set",
    source: "paper C, (7); paper A, step 3",
    assumptions: "ball, box, simplex, l1 ball, half-space and affine subspace in 4 dimensions, points up to 1e3 apart, half of them near",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.9,
    check: |case| {
        let (size, normal, offset) = case.draw((sizes(), vectors(4, 1.0), -1.0..1.0))?;
        let near = case.index().is_multiple_of(2);
        let (a, b) = case.draw((vectors(4, 1e3), vectors(4, if near { 1.0 } else { 1e3 })))?;
        let b: Vec<f64> = if near { a.iter().zip(&b).map(|(a, b)| a + b).collect() } else { b };
        let sets: [Set; 6] = [
            L2Ball::new(size)?.into(),
            Cuboid::new(vec![-size; 4], vec![0.5 * size; 4])?.into(),
            Simplex::new(size)?.into(),
            L1Ball::new(size)?.into(),
            HalfSpace::new(normal.clone(), offset)?.into(),
            Affine::new(vec![normal], vec![offset])?.into(),
        ];
        for set in sets {
            let [p, q] = [&a, &b].map(|x| projected(&set, x));
            case.below_to(1e-9, norm(&difference(&p, &q)), norm(&difference(&a, &b)));
            case.equal(norm(&difference(&projected(&set, &p), &p)), 0.0, 1e-9 * (1.0 + norm(&p)));
            // In the set: no step from the projection towards a point of the set comes nearer.
            let inner: f64 = difference(&a, &p).iter().zip(difference(&q, &p)).map(|(u, v)| u * v).sum();
            case.require("the nearest point", inner <= 1e-6 * norm(&a).max(1.0) * norm(&b).max(1.0));
        }
        Ok(())
    },
};

fn projected(set: &Set, x: &[f64]) -> Vec<f64> {
    let mut x = x.to_vec();
    set.project_row(&mut x);
    x
}
