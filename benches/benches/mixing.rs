//! Mixing weights times rows, `x <- W x`: ours, a dense product and `sprs`, beside a plain copy of the same arrays.
//!
//! `large`: 1e5 nodes of degree 8, rows of 100 numbers (80 MB read, 80 MB written), on a random graph, where every
//! neighbour is somewhere else in memory, and on a grid with diagonals, where the neighbours are near. Criterion's
//! throughput is in compulsory bytes: every row read once and written once, and the matrix read once. Two limits: the
//! copy, which moves the same rows, says what the memory allows, and so does `scale`, which writes by plain stores as `mix` must; `gather` adds up the nine rows of every node without
//! weights, which is what the processor allows for whoever reads rows where they are. `small`: sizes at which a dense
//! product is possible. `generation`: a random regular graph of a million nodes.

use std::hint::black_box;
use std::ops::Range;

use chacha20::ChaCha8Rng;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dido_geometry::{Pool, Rows, Shape, kernel, parallel};
use dido_topology::{Graph, MixingMatrix, families, weights};
use ndarray::{Array2, ArrayView2};
use rand::{RngExt, SeedableRng};
use sprs::{CsMat, TriMat};

const WIDTH: usize = 100;

/// The union of `degree / 2` random circles through all nodes; the few edges that two circles share count once.
fn circles(nodes: usize, degree: usize) -> Graph {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut edges = std::collections::BTreeSet::new();
    for _ in 0..degree / 2 {
        let mut order: Vec<usize> = (0..nodes).collect();
        for k in (1..nodes).rev() {
            order.swap(k, rng.random_range(0..=k));
        }
        edges.extend((0..nodes).map(|k| (order[k], order[(k + 1) % nodes])).map(|(i, j)| (i.min(j), i.max(j))));
    }
    Graph::from_edges(nodes, edges).expect("circles are connected")
}

/// A torus whose squares have their diagonals: degree 8.
fn kings(side: usize) -> Graph {
    let around = |r: usize, c: usize| (r % side) * side + c % side;
    let edges = (0..side).flat_map(|r| (0..side).map(move |c| (r, c))).flat_map(|(r, c)| {
        let here = around(r, c);
        [around(r, c + 1), around(r + 1, c), around(r + 1, c + 1), around(r + 1, c + side - 1)]
            .map(|there| (here.min(there), here.max(there)))
    });
    Graph::from_edges(side * side, edges).expect("the torus is simple")
}

fn sparse(w: &MixingMatrix) -> CsMat<f64> {
    let mut entries = TriMat::new((w.nodes(), w.nodes()));
    for i in 0..w.nodes() {
        let (columns, weights) = w.row(i);
        columns.iter().zip(weights).for_each(|(&j, &value)| entries.add_triplet(i, j, value));
    }
    entries.to_csr()
}

/// As in a run: from a pool, where a bundle begins at a cache line.
fn rows(nodes: usize) -> Rows {
    let mut rows = Pool::new().take(Shape { nodes, lanes: 1, dim: WIDTH });
    for (k, x) in rows.as_mut_slice().iter_mut().enumerate() {
        *x = ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
    }
    rows
}

/// The nine rows of each node, in the few of `circles` that have less the last of them more than once.
fn nines(w: &MixingMatrix) -> Vec<[usize; 9]> {
    let rows = (0..w.nodes()).map(|i| w.row(i).0);
    rows.map(|columns| std::array::from_fn(|k| columns[k.min(columns.len() - 1)])).collect()
}

kernel! {
    fn scale(factor: f64, x: &[f64], out: &mut [f64]) = scale_loop;
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled inside the dispatch on the instruction set")]
fn scale_loop(factor: f64, x: &[f64], out: &mut [f64]) {
    for (x, out) in x.iter().zip(out) {
        *out = factor * x;
    }
}

kernel! {
    fn gather(nines: &[[usize; 9]], x: &[f64], out: &mut [f64]) = gather_loop;
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled inside the dispatch on the instruction set")]
fn gather_loop(nines: &[[usize; 9]], x: &[f64], out: &mut [f64]) {
    for (nine, out) in nines.iter().zip(out.chunks_exact_mut(WIDTH)) {
        let rows = nine.map(|j| &x[j * WIDTH..][..WIDTH]);
        for (c, out) in out.iter_mut().enumerate() {
            *out = rows.iter().map(|row| row[c]).sum();
        }
    }
}

fn part(x: &[f64], nodes: Range<usize>) -> &[f64] {
    &x[nodes.start * WIDTH..nodes.end * WIDTH]
}

/// The rows once in and once out, and the matrix.
fn compulsory(w: &MixingMatrix) -> u64 {
    let entries: usize = (0..w.nodes()).map(|i| w.row(i).0.len()).sum();
    (2 * w.nodes() * WIDTH * 8 + entries * 16 + w.nodes() * 8) as u64
}

fn compare(c: &mut Criterion, name: &str, w: &MixingMatrix, dense: bool) {
    let (n, x) = (w.nodes(), rows(w.nodes()));
    let mut out = x.clone();
    let (x, out) = (x.as_slice(), out.as_mut_slice());
    let mut group = c.benchmark_group(format!("mixing/{name}"));
    group.sample_size(20).throughput(Throughput::Bytes(compulsory(w)));
    group.bench_function("copy", |b| b.iter(|| out.copy_from_slice(black_box(x))));
    group.bench_function("scale", |b| b.iter(|| scale(black_box(0.5), black_box(x), out)));
    group.bench_function("mix", |b| b.iter(|| w.mix(WIDTH, black_box(x), out)));
    if w.nodes() >= 10_000 {
        // Two cores share one memory.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        group.bench_function("copy on 2 threads", |b| {
            let copy = |nodes, out: &mut [f64]| out.copy_from_slice(part(x, nodes));
            b.iter(|| pool.install(|| parallel::for_each_range(n, out, 1, 0, copy)));
        });
        group.bench_function("mix on 2 threads", |b| {
            b.iter(|| pool.install(|| w.mix_on_threads(WIDTH, black_box(x), out)));
        });
        let nines = nines(w);
        group.bench_function("gather", |b| b.iter(|| gather(&nines, black_box(x), out)));
    }
    let other = sparse(w);
    let view = ArrayView2::from_shape((n, WIDTH), x).expect("n x width");
    group.bench_function("sprs", |b| b.iter(|| black_box(&other * &black_box(view))));
    if dense {
        let matrix = w.to_dense();
        let mut product = Array2::zeros((n, WIDTH));
        group.bench_function("dense", |b| {
            b.iter(|| ndarray::linalg::general_mat_mul(1.0, &matrix, &black_box(view), 0.0, &mut product));
        });
    }
    group.finish();
}

fn mixing(c: &mut Criterion) {
    for nodes in [16, 100, 1000] {
        compare(c, &format!("small-{nodes}"), &weights::metropolis(&circles(nodes, 8)), true);
    }
    compare(c, "ring-1000", &weights::metropolis(&families::ring(1000).expect("a ring")), true);
    compare(c, "large-random", &weights::metropolis(&circles(100_000, 8)), false);
    compare(c, "large-torus", &weights::metropolis(&kings(316)), false);
}

fn generation(c: &mut Criterion) {
    let mut group = c.benchmark_group("generation");
    group.sample_size(10);
    let million = || families::random_regular(1_000_000, 8, black_box(1)).expect("a connected graph");
    group.bench_function("random-regular-1e6-8", |b| b.iter(million));
    group.finish();
}

criterion_group!(benches, mixing, generation);
criterion_main!(benches);
