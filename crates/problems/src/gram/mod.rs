//! Gram matrices of all nodes, laid out for the gradient `G_i x_i - c_i`.
//!
//! * [`tiles`]: one lane, half the memory by symmetry;
//! * [`panels`]: several lanes, every entry a plain ascending sum.
//!
//! The layouts add in different orders, so their results agree to rounding only. The choice depends on the number of
//! lanes alone, never on the machine or the threads. Nothing here uses fused multiply-add: within a layout the bits
//! are the same under every instruction set.

#![allow(clippy::inline_always, reason = "a kernel compiles the loops inlined into it for each instruction set")]

mod panels;
mod tiles;

use std::ops::Range;

use dido_geometry::kernel;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// Symmetric matrices `G_i` and vectors `c_i`, one pair per node.
pub(crate) struct Grams {
    dim: usize,
    lanes: usize,
    packed: Vec<f64>,
    linear: Vec<f64>,
}

impl Grams {
    /// Room for the nodes still to be pushed.
    pub(crate) fn new(nodes: usize, dim: usize, lanes: usize) -> Self {
        let mut grams = Self { dim, lanes, packed: Vec::new(), linear: Vec::with_capacity(nodes * dim) };
        grams.packed.reserve_exact(nodes * grams.stride());
        grams
    }

    /// Appends a node: `G = scale X'X`, `c = scale X'y`.
    pub(crate) fn push(&mut self, x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>, scale: f64) {
        let dim = self.dim;
        let x = x.as_standard_layout();
        let rows = x.as_slice().expect("the layout is standard");
        let (mut full, mut linear) = (vec![0.0; dim * dim], vec![0.0; dim]);
        let y: Vec<f64> = y.to_vec();
        accumulate(rows, &y, &mut full, &mut linear);
        self.linear.extend(linear.iter().map(|c| scale * c));
        let entry = |j: usize, k: usize| scale * full[j.min(k) * dim + j.max(k)];
        match self.lanes {
            1 => tiles::pack(dim, entry, &mut self.packed),
            _ => panels::pack(dim, entry, &mut self.packed),
        }
    }

    /// `G_i x_i - c_i` for the nodes of the range in every lane; `x`, `out`: nodes x lanes x dim.
    pub(crate) fn gradient(&self, nodes: Range<usize>, x: &[f64], out: &mut [f64]) {
        let length = nodes.len() * self.lanes * self.dim;
        assert_eq!(
            x.len(),
            length,
            "points of {} nodes x {} lanes x {} coordinates",
            nodes.len(),
            self.lanes,
            self.dim
        );
        assert_eq!(out.len(), length, "as many gradients as points");
        let packed = &self.packed[nodes.start * self.stride()..nodes.end * self.stride()];
        let linear = &self.linear[nodes.start * self.dim..nodes.end * self.dim];
        match self.lanes {
            1 => tiles::gradient(self.dim, packed, linear, x, out),
            lanes => panels::gradient(self.dim, lanes, packed, linear, x, out),
        }
    }

    /// The matrix `G_i` in full, dim x dim.
    pub(crate) fn matrix(&self, node: usize) -> Array2<f64> {
        let packed = &self.packed[node * self.stride()..][..self.stride()];
        Array2::from_shape_fn((self.dim, self.dim), |(j, k)| match self.lanes {
            1 => packed[tiles::position(self.dim, j.min(k), j.max(k))],
            _ => packed[panels::position(self.dim, j, k)],
        })
    }

    /// The vector `c_i`.
    pub(crate) fn vector(&self, node: usize) -> Array1<f64> {
        self.linear[node * self.dim..][..self.dim].to_vec().into()
    }

    /// Numbers per node in `packed`.
    fn stride(&self) -> usize {
        if self.lanes == 1 { tiles::len(self.dim) } else { panels::len(self.dim) }
    }
}

kernel! {
    /// Adds `X'X` to the upper triangle of `gram` and `X'y` to `linear`, record after record.
    fn accumulate(x: &[f64], y: &[f64], gram: &mut [f64], linear: &mut [f64]) = accumulate_loop;
}

#[inline(always)]
fn accumulate_loop(x: &[f64], y: &[f64], gram: &mut [f64], linear: &mut [f64]) {
    let dim = linear.len();
    for (x, y) in x.chunks_exact(dim).zip(y) {
        axpy_loop(*y, x, linear);
    }
    // Four records per pass over the matrix; each entry is still an ascending sum over the records.
    let mut blocks = x.chunks_exact(4 * dim);
    for block in &mut blocks {
        let (a, rest) = block.split_at(dim);
        let (b, rest) = rest.split_at(dim);
        let (c, d) = rest.split_at(dim);
        for (j, row) in gram.chunks_exact_mut(dim).enumerate() {
            let (aj, bj, cj, dj) = (a[j], b[j], c[j], d[j]);
            let row = &mut row[j..];
            for ((((g, a), b), c), d) in row.iter_mut().zip(&a[j..]).zip(&b[j..]).zip(&c[j..]).zip(&d[j..]) {
                *g = *g + aj * a + bj * b + cj * c + dj * d;
            }
        }
    }
    for x in blocks.remainder().chunks_exact(dim) {
        for (j, row) in gram.chunks_exact_mut(dim).enumerate() {
            axpy_loop(x[j], &x[j..], &mut row[j..]);
        }
    }
}

#[inline(always)]
fn axpy_loop(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops called directly are compiled for the baseline of the target, the kernels for this machine.
    #[test]
    fn the_bits_do_not_depend_on_the_instruction_set() {
        // Thirds are not exact, so any other order of the sums, or a fused operation, would show.
        let numbers =
            |n: usize, k: usize| -> Vec<f64> { (0..n).map(|i| ((i * k % 101) as f64 - 50.0) / 3.0).collect() };
        for dim in [1, 3, 8, 13, 50] {
            let (x, y) = (numbers(11 * dim, 37), numbers(11, 17));
            let (mut fast, mut plain) = (vec![0.0; dim * dim + dim], vec![0.0; dim * dim + dim]);
            let (gram, linear) = fast.split_at_mut(dim * dim);
            accumulate(&x, &y, gram, linear);
            let (gram, linear) = plain.split_at_mut(dim * dim);
            accumulate_loop(&x, &y, gram, linear);
            assert_eq!(fast, plain);

            let (gram, linear) = plain.split_at(dim * dim);
            let entry = |j: usize, k: usize| gram[j.min(k) * dim + j.max(k)];
            let (mut packed, points) = (Vec::new(), numbers(7 * dim, 29));
            tiles::pack(dim, entry, &mut packed);
            let (mut fast, mut plain) = (vec![f64::NAN; dim], vec![f64::NAN; dim]);
            tiles::gradient(dim, &packed, linear, &points[..dim], &mut fast);
            tiles::gradient_loop(dim, &packed, linear, &points[..dim], &mut plain);
            assert_eq!(fast, plain);

            packed.clear();
            panels::pack(dim, entry, &mut packed);
            let (mut fast, mut plain) = (vec![f64::NAN; 7 * dim], vec![f64::NAN; 7 * dim]);
            panels::gradient(dim, 7, &packed, linear, &points, &mut fast);
            panels::gradient_loop(dim, 7, &packed, linear, &points, &mut plain);
            assert_eq!(fast, plain);
        }
    }
}
