//! A whole round of an algorithm, all nodes on one thread.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dido_benches::{CASES, Problem, Run, ball, criterion, fits};
use dido_optimizers::{Algorithm, Dgd, Noise, Parties, ProjectedDgd, Schedule};

fn rounds(c: &mut Criterion) {
    let mut group = c.benchmark_group("round");
    for case in CASES {
        let problem = Problem::new(case);
        for lanes in [1, 32].into_iter().filter(|lanes| fits(case, *lanes)) {
            let start = |parties: &Parties| parties.start(&vec![0.0; case.dim]);
            let step = Schedule::constant(0.1);
            let name = format!("{} lanes {lanes}", case.name);
            group.throughput(Throughput::Elements((case.nodes * lanes) as u64));

            let id = BenchmarkId::new("Dgd", &name);
            let ready = || problem.ready(lanes, Noise::None, |p| Dgd::new(step.clone(), 0, start(p)));
            group.bench_function(id, |b| play(b, ready()));

            let id = BenchmarkId::new("ProjectedDgd with Laplace noise", &name);
            let noise = Noise::Laplace(Schedule::constant(0.01));
            let ready =
                || problem.ready(lanes, noise.clone(), |p| ProjectedDgd::new(ball(), step.clone(), 0, start(p)));
            group.bench_function(id, |b| play(b, ready()));
        }
    }
}

fn play<A: Algorithm>(b: &mut criterion::Bencher, mut run: Run<A>) {
    b.iter(|| run.next_round());
}

criterion_group! { name = benches; config = criterion(); targets = rounds }
criterion_main!(benches);
