//! The parts of a round that do not draw: gradient, mixing, projection.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dido_benches::{CASES, Problem, ball, criterion, fits};
use dido_geometry::Rows;
use dido_problems::{LeastSquares, Objective, Weighting};

/// One lane reads Gram matrices packed in tiles, 32 lanes read panels of columns.
fn gradient(c: &mut Criterion) {
    let mut group = c.benchmark_group("gradient");
    for case in CASES {
        let problem = Problem::new(case);
        for (kernel, lanes) in [("packed", 1), ("panels", 32)].into_iter().filter(|(_, lanes)| fits(case, *lanes)) {
            let objective = LeastSquares::new(&problem.shards, Weighting::Pooled, lanes).expect("shards of a problem");
            let shape = problem.shape(lanes);
            let x = vec![0.5; shape.len()];
            let mut out = vec![0.0; shape.len()];
            group.throughput(Throughput::Elements((shape.nodes * lanes) as u64));
            group.bench_function(BenchmarkId::new(kernel, format!("{} lanes {lanes}", case.name)), |b| {
                b.iter(|| objective.gradient(0..shape.nodes, black_box(&x), &mut out));
            });
        }
    }
}

fn mixing(c: &mut Criterion) {
    let mut group = c.benchmark_group("mixing");
    for case in CASES {
        let problem = Problem::new(case);
        for lanes in [1, 32].into_iter().filter(|lanes| fits(case, *lanes)) {
            let shape = problem.shape(lanes);
            let x = vec![0.5; shape.len()];
            let mut out = vec![0.0; shape.len()];
            group.throughput(Throughput::Elements((shape.nodes * lanes) as u64));
            group.bench_function(format!("{} lanes {lanes}", case.name), |b| {
                b.iter(|| problem.weights.mix(lanes * shape.dim, black_box(&x), &mut out));
            });
        }
    }
}

/// Of points inside the ball, as most are in a run.
fn projection(c: &mut Criterion) {
    let mut group = c.benchmark_group("projection");
    for case in CASES {
        let shape = Problem::new(case).shape(1);
        let mut x = Rows::from_vec(shape, vec![0.1; shape.len()]);
        group.throughput(Throughput::Elements(shape.nodes as u64));
        group.bench_function(case.name, |b| b.iter(|| ball().project(black_box(&mut x))));
    }
}

criterion_group! { name = benches; config = criterion(); targets = gradient, mixing, projection }
criterion_main!(benches);
