//! Drawing noise: the random words of one stream per node, and what is made of them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dido_benches::{CASES, Problem, criterion, keys};
use dido_geometry::Rows;
use dido_mechanisms::{DiscreteGaussian, DiscreteLaplace, ExactNoise, Gaussian, Grid, Laplace, Purpose, Stream};
use rand::Rng;

fn noise(c: &mut Criterion) {
    let mut group = c.benchmark_group("noise");
    for case in CASES {
        let shape = Problem::new(case).shape(1);
        let keys = keys(shape.nodes, 1);
        group.throughput(Throughput::Elements(shape.len() as u64));

        let mut words = vec![0; 8 * shape.len()];
        let mut round = 0;
        group.bench_function(format!("words/{}", case.name), |b| {
            b.iter(|| {
                let stream = next(&mut round);
                for (key, words) in keys.iter().zip(words.chunks_exact_mut(8 * shape.dim)) {
                    key.rng(stream).fill_bytes(words);
                }
            });
        });

        let laplace = Laplace::new(1.0).expect("a positive scale");
        let mut rows = Rows::zeros(shape);
        group.bench_function(format!("Laplace/{}", case.name), |b| {
            b.iter(|| laplace.add_simulated(&keys, next(&mut round), &mut rows).expect("one key per row"));
        });

        let gaussian = Gaussian::new(1.0).expect("a positive standard deviation");
        group.bench_function(format!("Gaussian/{}", case.name), |b| {
            b.iter(|| gaussian.add_simulated(&keys, next(&mut round), &mut rows).expect("one key per row"));
        });

        // Scale 1 on the grid 2^-20: a million steps.
        let grid = Grid::new(-20).expect("an ordinary step");
        let discrete = DiscreteLaplace::new(1.0, grid).expect("a positive scale");
        group.bench_function(format!("discrete Laplace/{}", case.name), |b| {
            b.iter(|| discrete.add_keyed(&keys, next(&mut round), &mut rows).expect("a sound generator"));
        });
        let discrete = DiscreteGaussian::new(1.0, grid).expect("a positive scale");
        group.bench_function(format!("discrete Gaussian/{}", case.name), |b| {
            b.iter(|| discrete.add_keyed(&keys, next(&mut round), &mut rows).expect("a sound generator"));
        });
    }
}

/// The stream of the next round.
fn next(round: &mut u32) -> Stream {
    *round += 1;
    Stream::new(*round, Purpose::Noise, 0).expect("the first draw of a round")
}

criterion_group! { name = benches; config = criterion(); targets = noise }
criterion_main!(benches);
