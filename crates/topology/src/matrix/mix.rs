//! The averaging kernel `x_i <- sum_j w_ij x_j`.
//!
//! Every output is the plain sum of its products in ascending node order, started from the first product, with no
//! fused operation: the same bits for any width of the machine's vectors, any blocking and any number of threads.

#![allow(clippy::inline_always, reason = "the loops are compiled inside the dispatch on the instruction set")]

use std::ops::Range;

use dido_geometry::simd::prefetch;
use dido_geometry::{kernel, parallel};

use super::MixingMatrix;
use super::panels::NEAR;

/// Columns per block: the rows of a neighbourhood then stay in the first-level cache when rows are wide.
const BLOCK: usize = 400;

/// Multiply-adds of a mixing pass below which threads do not pay.
pub(super) const WORTH_THREADS: usize = 400_000;
/// Rows ahead whose new parts are asked for. A short row is too soon over, and its neighbours come in the same lines.
const ROWS_AHEAD: usize = 2;
/// Numbers of a row that is not short.
const LONG: usize = 32;

impl MixingMatrix {
    /// Averages rows of `width` numbers (lanes x dim): `out_i = sum_j w_ij x_j`; both arrays are `nodes x width`.
    ///
    /// # Panics
    /// If the arrays do not have that size.
    ///
    /// # Complexity
    /// `O((nodes + 2 edges) width)`. For many nodes whose neighbours are far from them in memory, columns are mixed from
    /// a copy whose place stays with the thread: up to 1 KiB for each node.
    pub fn mix(&self, width: usize, x: &[f64], out: &mut [f64]) {
        self.mix_range(0..self.nodes(), width, x, out);
    }

    /// The same by the threads of the current pool where there is enough to do, and the same bits whatever their number.
    ///
    /// # Panics
    /// As [`mix`](Self::mix).
    pub fn mix_on_threads(&self, width: usize, x: &[f64], out: &mut [f64]) {
        let (n, cost) = (self.nodes(), self.columns.len() * width);
        if self.prefers_panels(n, width) {
            assert_eq!((x.len(), out.len()), (n * width, n * width), "input and output of {n} nodes, width {width}");
            // Sharing out the nodes would make every thread copy the rows of all of them.
            self.mix_panels(0..n, width, x, out, cost);
        } else {
            parallel::for_each_range(n, out, cost, WORTH_THREADS, |nodes, out| self.mix_range(nodes, width, x, out));
        }
    }

    /// The rows `nodes` of [`mix`](Self::mix) only, `out` being `nodes.len() x width`: so threads can share the work.
    ///
    /// # Panics
    /// If the range leaves the matrix or an array has the wrong size.
    pub fn mix_range(&self, nodes: Range<usize>, width: usize, x: &[f64], out: &mut [f64]) {
        assert!(nodes.start <= nodes.end && nodes.end <= self.nodes(), "{nodes:?} of {} nodes", self.nodes());
        assert_eq!(x.len(), self.nodes() * width, "input of {} nodes, width {width}", self.nodes());
        assert_eq!(out.len(), nodes.len() * width, "output of {} nodes, width {width}", nodes.len());
        if self.prefers_panels(nodes.len(), width) {
            self.mix_panels(nodes, width, x, out, 0);
        } else {
            let offsets = &self.offsets[nodes.start..=nodes.end];
            mix_rows(offsets, &self.columns, &self.weights, width, x, out);
        }
    }
}

/// One weighted sum of rows of `x`, the same bits as a row of [`MixingMatrix::mix`] with the same weights and rows:
/// `out = sum_k weights[k] * x[columns[k]]`, `x` being any number of rows as wide as `out`.
///
/// It is what a party calls that holds the rows of its neighbourhood only, in ascending node order.
///
/// # Panics
/// If there is no weight, there are not as many columns as weights, or a column leaves `x`.
pub fn weighted_rows(columns: &[usize], weights: &[f64], x: &[f64], out: &mut [f64]) {
    assert!(!weights.is_empty() && columns.len() == weights.len(), "{} columns", columns.len());
    mix_rows(&[0, weights.len()], columns, weights, out.len(), x, out);
}

kernel! {
    pub(super) fn mix_rows(
        offsets: &[usize], columns: &[usize], weights: &[f64], width: usize, x: &[f64], out: &mut [f64],
    ) = mix_loop;
}

#[inline(always)]
fn mix_loop(offsets: &[usize], columns: &[usize], weights: &[f64], width: usize, x: &[f64], out: &mut [f64]) {
    let last = offsets.len().saturating_sub(2);
    let asks = last > 0 && width >= LONG && size_of_val(x) > NEAR;
    let mut start = 0;
    while start < width {
        let end = width.min(start + BLOCK);
        for (i, row) in offsets.windows(2).enumerate() {
            if asks {
                // Where neighbours are near in memory the last one is new, and the others were read for rows before.
                let ahead = (i + ROWS_AHEAD).min(last);
                let newest = columns[offsets[ahead + 1] - 1];
                prefetch_row(&x[newest * width + start..newest * width + end]);
                prefetch_row(&out[ahead * width + start..ahead * width + end]);
            }
            let range = row[0]..row[1];
            let out = &mut out[i * width + start..i * width + end];
            weighted_block(&columns[range.clone()], &weights[range], |j| &x[j * width + start..j * width + end], out);
        }
        start = end;
    }
}

/// Asks for every line of memory that holds a part of the row.
#[inline(always)]
pub(super) fn prefetch_row(row: &[f64]) {
    row.iter().step_by(8).for_each(prefetch);
    row.last().into_iter().for_each(prefetch);
}

/// Four neighbours a pass, then the remaining ones in a last pass.
#[inline(always)]
fn weighted_block<'a>(columns: &[usize], weights: &[f64], row: impl Fn(usize) -> &'a [f64], out: &mut [f64]) {
    let (column_fours, columns) = columns.as_chunks::<4>();
    let (weight_fours, weights) = weights.as_chunks::<4>();
    let mut first = true;
    for (columns, weights) in column_fours.iter().zip(weight_fours) {
        pass(*weights, columns.map(&row), first, out);
        first = false;
    }
    match (columns, weights) {
        (&[a, b, c], &[u, v, w]) => pass([u, v, w], [row(a), row(b), row(c)], first, out),
        (&[a, b], &[u, v]) => pass([u, v], [row(a), row(b)], first, out),
        (&[a], &[u]) => pass([u], [row(a)], first, out),
        _ => {}
    }
}

/// `out (+)= sum_k weights[k] rows[k]`, in the order of `k`; the first pass overwrites.
#[inline(always)]
fn pass<const K: usize>(weights: [f64; K], rows: [&[f64]; K], first: bool, out: &mut [f64]) {
    let rows = rows.map(|row| &row[..out.len()]);
    if first {
        for (c, out) in out.iter_mut().enumerate() {
            let mut sum = weights[0] * rows[0][c];
            for k in 1..K {
                sum += weights[k] * rows[k][c];
            }
            *out = sum;
        }
    } else {
        for (c, out) in out.iter_mut().enumerate() {
            let mut sum = *out;
            for k in 0..K {
                sum += weights[k] * rows[k][c];
            }
            *out = sum;
        }
    }
}
