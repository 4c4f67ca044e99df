//! Mixing by panels: for many nodes whose neighbours are anywhere in memory.
//!
//! Row by row, each neighbour on a random graph is a row in main memory, on a page of its own, and main memory is slow at
//! that. So the rows are copied to panels: eight columns of all nodes, one line of the cache each, close together. A
//! panel fits into the third-level cache; it is mixed there, and the mixture is copied out. Main memory then sees each
//! row in order. The sums are those of the row path, in the same order: the same bits.

#![allow(clippy::inline_always, reason = "the loops are compiled inside the dispatch on the instruction set")]

use std::cell::Cell;
use std::ops::Range;

use dido_geometry::simd::prefetch;
use dido_geometry::{kernel, parallel};

use super::MixingMatrix;
use super::mix::{WORTH_THREADS, prefetch_row};

/// Numbers in a line of the cache, and columns of a panel.
const COLUMNS: usize = 8;
/// Panels that are copied together: rows are read and written in long pieces, and memory is bounded for wide ones.
const TOGETHER: usize = 8;
/// How many neighbours ahead lines of a panel are asked for.
const ENTRIES_AHEAD: usize = 32;
/// How many rows ahead the pieces of rows are asked for.
const ROWS_AHEAD: usize = 4;

/// Entries per row that must reach far: with fewer the copies cost more than the misses.
const FAR_ENTRIES: usize = 3;
/// Bytes that a core keeps near anyhow: the size of a second-level cache.
pub(super) const NEAR: usize = 1 << 20;
/// Bytes of rows up to which none of them is far: the third-level cache holds them.
const FAR: usize = 12 << 20;
/// Bytes of a panel that stay in that cache while others pass through it.
const CACHED: usize = 16 << 20;

/// One row of a panel.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([f64; COLUMNS]);

thread_local! {
    /// Panels and their mixtures. They stay, so that a round allocates nothing.
    static SCRATCH: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// The largest power of two that `|i - j|` reaches for at least [`FAR_ENTRIES`] entries per row on average; else 0.
pub(super) fn reach(offsets: &[usize], columns: &[usize]) -> usize {
    let mut count = [0_usize; usize::BITS as usize];
    for (i, row) in offsets.windows(2).enumerate() {
        for distance in columns[row[0]..row[1]].iter().filter_map(|&j| i.abs_diff(j).checked_ilog2()) {
            count[distance as usize] += 1;
        }
    }
    let mut far = 0;
    let enough = (offsets.len() - 1) * FAR_ENTRIES;
    let reached = (0..count.len()).rev().find(|&power| {
        far += count[power];
        far >= enough
    });
    reached.map_or(0, |power| 1 << power)
}

impl MixingMatrix {
    /// Whether panels are the faster way to mix so many rows of this width.
    ///
    /// They are where most neighbours are out of the reach of the second-level cache and the rows do not fit into the
    /// third, but a panel does. Each call copies the rows of all nodes, which a small part of them does not repay.
    pub(super) fn prefers_panels(&self, rows: usize, width: usize) -> bool {
        let row = width * size_of::<f64>();
        width >= 2 * COLUMNS
            && self.reach * row > NEAR
            && self.nodes() * row > FAR
            && self.nodes() * size_of::<Line>() <= CACHED
            && 2 * rows >= self.nodes()
    }

    /// The rows `nodes`, by panels; sizes are checked by the caller. The panels are shared among threads if they are worth
    /// it: `cost` multiply-adds in all.
    pub(super) fn mix_panels(&self, nodes: Range<usize>, width: usize, x: &[f64], out: &mut [f64], cost: usize) {
        let (n, rows) = (self.nodes(), nodes.len());
        if rows == 0 {
            return;
        }
        let offsets = &self.offsets[nodes.start..=nodes.end];
        let panels = width.div_ceil(COLUMNS);
        let together = panels.div_ceil(panels.div_ceil(TOGETHER).max(1));
        // A panel, and behind it its mixture.
        let size = n + rows;
        // Taken, not borrowed: while it waits for the others, a thread may be given another mixing to do.
        let mut lines = SCRATCH.take();
        lines.resize(together * size, Line([0.0; COLUMNS]));
        for start in (0..width).step_by((together * COLUMNS).max(1)) {
            let piece = start..width.min(start + together * COLUMNS);
            let lines = &mut lines[..piece.len().div_ceil(COLUMNS) * size];
            parallel::for_each_range(lines.len() / size, lines, cost, WORTH_THREADS, |panels, lines| {
                let first = start + panels.start * COLUMNS;
                pack(width, first..piece.end.min(start + panels.end * COLUMNS), x, size, lines);
                for (packed, mixed) in lines.chunks_exact_mut(size).map(|panel| panel.split_at_mut(n)) {
                    mix_panel(offsets, &self.columns, &self.weights, packed, mixed);
                }
            });
            parallel::for_each_range(rows, out, cost, WORTH_THREADS, |rows, out| {
                unpack(width, piece.clone(), &lines[n + rows.start..], size, out);
            });
        }
        SCRATCH.set(lines);
    }
}

kernel! {
    fn pack(width: usize, piece: Range<usize>, x: &[f64], size: usize, panels: &mut [Line]) = pack_loop;
}

kernel! {
    fn mix_panel(offsets: &[usize], columns: &[usize], weights: &[f64], panel: &[Line], mixed: &mut [Line])
        = mix_panel_loop;
}

kernel! {
    fn unpack(width: usize, piece: Range<usize>, mixed: &[Line], size: usize, out: &mut [f64]) = unpack_loop;
}

/// Columns `piece` of all rows of `x`, panel after panel, one every `size` lines. What is left of the last one keeps what it
/// held.
#[inline(always)]
fn pack_loop(width: usize, piece: Range<usize>, x: &[f64], size: usize, panels: &mut [Line]) {
    let rows = x.len() / width;
    let row = |i: usize| &x[i * width + piece.start..i * width + piece.end];
    for i in 0..rows {
        prefetch_row(row((i + ROWS_AHEAD).min(rows - 1)));
        let (lines, rest) = row(i).as_chunks::<COLUMNS>();
        for (k, line) in lines.iter().enumerate() {
            panels[k * size + i].0 = *line;
        }
        if !rest.is_empty() {
            panels[lines.len() * size + i].0[..rest.len()].copy_from_slice(rest);
        }
    }
}

/// The reverse, for as many rows as `out` has; `mixed` begins with the first of them.
#[inline(always)]
fn unpack_loop(width: usize, piece: Range<usize>, mixed: &[Line], size: usize, out: &mut [f64]) {
    let rows = out.len() / width;
    let place = |i: usize| i * width + piece.start..i * width + piece.end;
    for i in 0..rows {
        prefetch_row(&out[place((i + ROWS_AHEAD).min(rows - 1))]);
        let (lines, rest) = out[place(i)].as_chunks_mut::<COLUMNS>();
        for (k, line) in lines.iter_mut().enumerate() {
            *line = mixed[k * size + i].0;
        }
        if !rest.is_empty() {
            let line = &mixed[lines.len() * size + i].0;
            rest.copy_from_slice(&line[..rest.len()]);
        }
    }
}

#[inline(always)]
fn mix_panel_loop(offsets: &[usize], columns: &[usize], weights: &[f64], panel: &[Line], mixed: &mut [Line]) {
    let entries = columns.len();
    for (row, mixed) in offsets.windows(2).zip(mixed) {
        for &j in &columns[(row[0] + ENTRIES_AHEAD).min(entries)..(row[1] + ENTRIES_AHEAD).min(entries)] {
            prefetch(&panel[j].0[0]);
        }
        let (columns, weights) = (&columns[row[0]..row[1]], &weights[row[0]..row[1]]);
        // A row has its own weight at least.
        let mut sum = panel[columns[0]].0.map(|x| weights[0] * x);
        let (column_fours, columns) = columns[1..].as_chunks::<4>();
        let (weight_fours, weights) = weights[1..].as_chunks::<4>();
        for (columns, weights) in column_fours.iter().zip(weight_fours) {
            add(*weights, columns.map(|j| &panel[j].0), &mut sum);
        }
        for (&j, &w) in columns.iter().zip(weights) {
            add([w], [&panel[j].0], &mut sum);
        }
        mixed.0 = sum;
    }
}

/// `sum += weights[k] rows[k]`, in the order of `k`.
#[inline(always)]
fn add<const K: usize>(weights: [f64; K], rows: [&[f64; COLUMNS]; K], sum: &mut [f64; COLUMNS]) {
    for k in 0..K {
        for c in 0..COLUMNS {
            sum[c] += weights[k] * rows[k][c];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{complete, grid, path, random_regular, ring, star};
    use crate::matrix::mix::mix_rows;
    use crate::{Graph, weights};

    fn values(len: usize) -> Vec<f64> {
        (0..len).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect()
    }

    fn bits(x: &[f64]) -> Vec<u64> {
        x.iter().map(|v| v.to_bits()).collect()
    }

    /// The rows `nodes`, row by row.
    fn by_rows(w: &MixingMatrix, nodes: Range<usize>, width: usize, x: &[f64]) -> Vec<f64> {
        let mut out = vec![f64::NAN; nodes.len() * width];
        mix_rows(&w.offsets[nodes.start..=nodes.end], &w.columns, &w.weights, width, x, &mut out);
        out
    }

    /// All widths up to three times as many panels as are copied together; one node, no row, and fewer rows than are
    /// asked for ahead.
    #[test]
    fn panels_have_the_bits_of_rows() {
        let graphs: [Graph; 7] = [
            path(1).unwrap(),
            path(2).unwrap(),
            ring(30).unwrap(),
            star(17).unwrap(),
            complete(12).unwrap(),
            grid(&[5, 7]).unwrap(),
            random_regular(64, 5, 1).unwrap().graph,
        ];
        for graph in graphs {
            let w = weights::metropolis(&graph);
            let n = w.nodes();
            for width in 0..=130 {
                let x = values(n * width);
                for nodes in [0..n, 0..n / 2, n / 3..n, n / 2..n / 2] {
                    let mut out = vec![f64::NAN; nodes.len() * width];
                    w.mix_panels(nodes.clone(), width, &x, &mut out, 0);
                    assert_eq!(bits(&out), bits(&by_rows(&w, nodes.clone(), width, &x)), "{n}, {width}, {nodes:?}");
                }
            }
        }
    }

    /// On a size at which the rule takes panels: the public functions, whole and shared by two threads, one of which has
    /// too small a part for panels.
    #[test]
    fn threads_and_ways_of_mixing_agree_to_the_bit() {
        let (n, width) = (40_000, 53);
        let w = weights::metropolis(&random_regular(n, 6, 2).unwrap().graph);
        let cut = 31_000;
        assert!(w.prefers_panels(n, width) && w.prefers_panels(cut, width) && !w.prefers_panels(n - cut, width));
        let x = values(n * width);
        let expected = bits(&by_rows(&w, 0..n, width, &x));
        let mut out = vec![f64::NAN; n * width];
        w.mix(width, &x, &mut out);
        assert!(bits(&out) == expected);
        for threads in [1, 2, 3] {
            out.fill(f64::NAN);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| w.mix_on_threads(width, &x, &mut out));
            assert!(bits(&out) == expected, "{threads} threads");
        }
        out.fill(f64::NAN);
        let (before, after) = out.split_at_mut(cut * width);
        std::thread::scope(|scope| {
            scope.spawn(|| w.mix_range(0..cut, width, &x, before));
            scope.spawn(|| w.mix_range(cut..n, width, &x, after));
        });
        assert!(bits(&out) == expected);
    }

    /// By hand: on a ring a row has two entries besides its own, less than three; a complete graph of 12 has 110 entries of
    /// distance 2 or more, 72 of 4 or more and 20 of 8 or more, and 36 are asked for.
    #[test]
    fn the_reach_is_that_of_three_entries_per_row() {
        let reach = |graph: Graph| weights::metropolis(&graph).reach;
        assert_eq!(reach(path(1).unwrap()), 0);
        assert_eq!(reach(ring(100).unwrap()), 0);
        assert_eq!(reach(complete(12).unwrap()), 4);
        let near = Graph::from_edges(300, (0..300).flat_map(|i| (1..5).map(move |d| (i, i + d))).filter(|e| e.1 < 300));
        assert_eq!(reach(near.unwrap()), 2);
    }

    /// Rows are mixed as rows where neighbours are near, all of them are, or they are too many for the cache.
    #[test]
    fn only_many_far_neighbours_are_mixed_by_panels() {
        let random = weights::metropolis(&random_regular(50_000, 8, 3).unwrap().graph);
        assert!(random.prefers_panels(50_000, 100));
        assert!(!random.prefers_panels(50_000, 15) && !random.prefers_panels(50_000, 31));
        let local = weights::metropolis(&grid(&[224, 224]).unwrap());
        assert!(!local.prefers_panels(local.nodes(), 100));
        let many = weights::metropolis(&random_regular(300_000, 4, 3).unwrap().graph);
        assert!(!many.prefers_panels(300_000, 100));
    }
}
