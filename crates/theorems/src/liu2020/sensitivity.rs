//! The sensitivity of a gradient: never exceeded, and attained.

use dido_geometry::norm;
use dido_linalg::spectral_norm;
use dido_mechanisms::Adjacency;
use dido_mechanisms::least_squares::{WorstCase, l2_sensitivity, worst_case_pair};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::any;

use crate::sample::{difference, norm1, sizes, vectors};
use crate::{Case, Expected, Theorem, TheoremError};

pub const A1: Theorem = Theorem {
    name: "A1",
    statement: "replacing the data of a node moves its gradient by at most D*(dX^2 B, dX dy) in L2 and sqrt(m) D* in L1",
    source: "paper A, privacy theorem, corrected: liu2020.md, Privacy",
    assumptions: "m <= 6, up to 4 rows, dX, dy, B in [0.1, 10], any data within them, half of them near the worst pair",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.9,
    check: |case| {
        let drawn = Node::draw(case)?;
        let moved = difference(&drawn.gradient(&drawn.one), &drawn.gradient(&drawn.other));
        let bound = l2_sensitivity(Adjacency::ReplaceNode, drawn.x_bound, drawn.y_bound, drawn.radius, drawn.dim)?;
        case.below(norm(&moved), bound.l2());
        case.below(norm1(&moved), bound.l1(drawn.dim));
        Ok(())
    },
};

pub const A1_RECORD: Theorem = Theorem {
    name: "A1-record",
    statement: "adding or removing a record moves the gradient by at most P + Q in L2 and sqrt(m) (P + Q) in L1, P = Rx^2 B, Q = Rx Ry",
    source: "derived: liu2020.md, Privacy",
    assumptions: "as A1; every tenth case is the record that attains it",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.99,
    check: |case| {
        let mut drawn = Node::draw(case)?;
        if case.index().is_multiple_of(10) {
            let flat = |length: f64| vec![length / (drawn.dim as f64).sqrt(); drawn.dim];
            (drawn.one, drawn.point) = ((vec![flat(drawn.x_bound)], vec![-drawn.y_bound]), flat(drawn.radius));
        }
        let bound = l2_sensitivity(Adjacency::AddRemoveRecord, drawn.x_bound, drawn.y_bound, drawn.radius, drawn.dim)?;
        // One row alone: within the bounds of the node it is within those of a record.
        let moved = drawn.gradient(&(drawn.one.0[..1].to_vec(), drawn.one.1[..1].to_vec()));
        case.below(norm(&moved), bound.l2());
        case.below(norm1(&moved), bound.l1(drawn.dim));
        Ok(())
    },
};

pub const A2: Theorem = Theorem {
    name: "A2",
    statement: "D* and sqrt(m) D* are attained: by one row in each data set (m >= 2), by two numbers (m = 1)",
    source: "derived: liu2020.md, Privacy; D* = 2.9201 and D_1 = 2.5671 for dX = 1.3, dy = 0.7, B = 0.9",
    assumptions: "m in 1..=8, dX, dy, B in [0.1, 10], also dy = 0",
    expected: Expected::Holds,
    cost: 2,
    reaches: 0.0,
    check: |case| {
        for (dim, golden) in [(1, 2.5671), (2, 2.9201), (8, 2.9201)] {
            case.number(l2_sensitivity(Adjacency::ReplaceNode, 1.3, 0.7, 0.9, dim)?.l2(), golden, 5e-5);
        }
        let (x, y, radius) = case.draw((sizes(), sizes(), sizes()))?;
        let y = if case.index() % 8 == 7 { 0.0 } else { y };
        for dim in 1..=8 {
            let bound = l2_sensitivity(Adjacency::ReplaceRecord, x, y, radius, dim)?;
            let WorstCase { record, other, point } = worst_case_pair(x, y, radius, dim)?;
            let [one, two] = [record, other].map(|(row, target)| gradient(&[row], &[target], &point));
            let moved = difference(&one, &two);
            case.equal(norm(&moved) / bound.l2(), 1.0, 1e-12);
            case.equal(norm1(&moved) / bound.l1(dim), 1.0, 1e-12);
        }
        Ok(())
    },
};

/// Rows and targets.
type Data = (Vec<Vec<f64>>, Vec<f64>);

/// Two data sets of a node and a point, within bounds.
struct Node {
    dim: usize,
    x_bound: f64,
    y_bound: f64,
    radius: f64,
    one: Data,
    other: Data,
    point: Vec<f64>,
}

impl Node {
    fn draw(case: &mut Case) -> Result<Self, TheoremError> {
        let (dim, rows, near) = case.draw((1_usize..=6, 1_usize..=4, any::<bool>()))?;
        let [x_bound, y_bound, radius] = case.draw([sizes(), sizes(), sizes()])?;
        let worst = worst_case_pair(x_bound, y_bound, radius, dim)?;
        let mut data = |record: &(Vec<f64>, f64)| -> Result<Data, TheoremError> {
            let x = case.draw(vec(vec(-1.0..1.0, dim), rows))?;
            if near {
                let row = record.0.iter().zip(&x[0]).map(|(a, b)| a + 0.05 * x_bound * b).collect();
                return Ok((within(vec![row], x_bound)?, vec![record.1]));
            }
            Ok((within(x, x_bound)?, case.draw(vectors(rows, y_bound))?))
        };
        let (one, other) = (data(&worst.record)?, data(&worst.other)?);
        let point = if near { worst.point } else { case.draw(vectors(dim, radius))? };
        Ok(Self { dim, x_bound, y_bound, radius, one, other, point })
    }

    fn gradient(&self, (x, y): &Data) -> Vec<f64> {
        gradient(x, y, &self.point)
    }
}

/// The rows, scaled so that the spectral norm of their matrix is the bound.
fn within(rows: Vec<Vec<f64>>, bound: f64) -> Result<Vec<Vec<f64>>, TheoremError> {
    let matrix = Array2::from_shape_fn((rows.len(), rows[0].len()), |(r, k)| rows[r][k]);
    let scale = bound * (1.0 - 1e-14) / spectral_norm(matrix.view())?.max(f64::MIN_POSITIVE);
    Ok(rows.into_iter().map(|row| row.into_iter().map(|x| x * scale).collect()).collect())
}

/// `X' (X b - y)`, by plain loops.
fn gradient(rows: &[Vec<f64>], y: &[f64], b: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; b.len()];
    for (x, y) in rows.iter().zip(y) {
        let residual = x.iter().zip(b).map(|(x, b)| x * b).sum::<f64>() - y;
        g.iter_mut().zip(x).for_each(|(g, x)| *g += residual * x);
    }
    g
}
