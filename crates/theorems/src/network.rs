//! What one party sees of an averaging.

use dido_mechanisms::network::Gossip;
use dido_mechanisms::{Adjacency, Norm, Sensitivity};
use dido_optimizers::strategies::mixing;
use dido_topology::MixingMatrix;
use ndarray::Array2;
use proptest::collection::vec;

use crate::{Expected, Theorem, TheoremError};

/// All of them.
pub const THEOREMS: &[Theorem] = &[P9, P9_PUBLISHED];

const P9: Theorem = Theorem {
    name: "P9",
    statement: "the exact mu^2 of a view is in [0, 1] Delta^2/sigma^2, grows with rounds and viewers, and is 0 out of reach",
    source: "derived: network-privacy.md, What one party sees of an averaging",
    assumptions: "any graph of 3 to 16 nodes and weights, one viewer or two, up to 8 rounds; a ring of 12 with weights 1/3 is uncovered node by node",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.9,
    check: |case| {
        if case.index() == 0 {
            let view = Gossip::from_dense(ring().view())?.view(&[0], 3)?;
            for (node, isolated) in view.isolated.iter().enumerate() {
                case.number(*isolated, if node.min(12 - node) <= 3 { 1.0 } else { 0.0 }, 1e-9);
            }
        }
        let (_, weights) = case.draw(mixing(3..=16))?;
        let nodes = weights.nodes();
        let (viewers, delta, sigma) = case.draw((vec(0..nodes, 2), 0.1..10.0, 0.1..10.0))?;
        let unit = Sensitivity::new(delta, Norm::L2, Adjacency::ReplaceNode)?;
        let (gossip, most) = (gossip(&weights)?, (delta / sigma) * (delta / sigma));
        let mut before = vec![0.0; nodes];
        for rounds in 0..=8 {
            let (one, two) = (gossip.view(&viewers[..1], rounds)?, gossip.view(&viewers, rounds)?);
            for loss in one.losses(unit, sigma)? {
                case.below_to(1e-9, loss.estimate, most);
                case.require("nothing of a node out of reach", loss.distance.is_some() || loss.estimate <= 0.0);
            }
            for (u, before) in before.iter().enumerate() {
                case.below_to(1e-6, before - 1e-6, one.isolated[u]);
                case.below_to(1e-6, one.isolated[u] - 1e-6, two.isolated[u]);
            }
            before = one.isolated;
        }
        Ok(())
    },
};

const P9_PUBLISHED: Theorem = Theorem {
    name: "P9-published",
    statement: "the losses of the messages, each by itself, add up to a bound on what a view gives away",
    source: "Cyffers, Even, Bellet, Massoulie (2022), as published: network-privacy.md",
    assumptions: "ring of 12, weights 1/3, viewer 0, node at distance 2: 1/3 after two rounds, 0.5439 after three, where the view gives away 1",
    expected: Expected::Fails,
    cost: 0,
    reaches: 0.0,
    check: |case| {
        let gossip = Gossip::from_dense(ring().view())?;
        case.number(gossip.sum_of_marginals(0, 2)?[2], 1.0 / 3.0, 1e-12);
        let sum = gossip.sum_of_marginals(0, 3)?[2];
        case.number(sum, 0.5439, 5e-5);
        // By hand: 3 m_1(1) - m_0(0) - m_1(0) is y_2.
        let mut statistic = [0.0; 12];
        for (node, weight) in [(0, 1.0), (1, 1.0), (2, 1.0), (0, -1.0), (1, -1.0)] {
            statistic[node] += weight;
        }
        let power = statistic[2] * statistic[2] / statistic.iter().map(|x| x * x).sum::<f64>();
        case.number(power, 1.0, 1e-12);
        let isolated = gossip.view(&[0], 3)?.isolated[2];
        case.number(isolated, 1.0, 1e-9);
        case.below(isolated, sum);
        Ok(())
    },
};

/// A ring of twelve with weights 1/3.
fn ring() -> Array2<f64> {
    Array2::from_shape_fn(
        (12, 12),
        |(i, j)| {
            if i == j || (i + 1) % 12 == j || (j + 1) % 12 == i { 1.0 / 3.0 } else { 0.0 }
        },
    )
}

fn gossip(weights: &MixingMatrix) -> Result<Gossip, TheoremError> {
    Ok(Gossip::from_rows((0..weights.nodes()).map(|i| weights.row(i)))?)
}
