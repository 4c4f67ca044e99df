//! What privacy costs besides noise: filters, dry runs, calibration. The sizes are those of the quickstart.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dido_benches::{ball, criterion};
use dido_mechanisms::{Adjacency, Adversary, Budget, Event, Filter, Norm, Sensitivity, calibrate};
use dido_optimizers::{Declaration, Noise, ProjectedDgd, Schedule, plan};
use dido_problems::{RecordBounds, Weighting};

const ROUNDS: u32 = 427;
const DIM: usize = 10;

fn accounting(c: &mut Criterion) {
    let mut group = c.benchmark_group("accounting");
    let budget = Budget::new(1.0, 1e-5).expect("a budget");
    group.bench_function("new filter", |b| b.iter(|| Filter::new(black_box(budget))));

    let sensitivity = Sensitivity::new(1e-6, Norm::L2, Adjacency::ReplaceRecord).expect("a sensitivity");
    let event = Event::Laplace { sensitivity, dim: DIM, scale: 1.0 };
    // At rho 5e-13 a release, some 1e10 releases keep this budget.
    let mut filter = Filter::new(budget);
    group.bench_function("charge", |b| b.iter(|| filter.charge(black_box(&event)).expect("within the budget")));

    let ratios: Vec<f64> = (0..ROUNDS).map(|t| 1.0 / f64::from(t + 1).sqrt()).collect();
    group.throughput(Throughput::Elements(ROUNDS.into()));
    group.bench_function("calibration", |b| {
        b.iter(|| calibrate::laplace_multiplier(black_box(&ratios), DIM, budget).expect("finite ratios"));
    });

    let bounds = RecordBounds::new(2.0, 1.0).expect("positive bounds");
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, vec![3604, 3604, 3604, 3604, 3603])
        .expect("five nodes");
    let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::AllMessages);
    for (name, noise) in [("constant", Schedule::constant(1.0)), ("decaying", Schedule::power(10.0, 10.0, 0.3))] {
        let noise = Noise::Laplace(noise);
        group.bench_function(format!("plan with {name} noise"), |b| {
            b.iter(|| {
                plan(&declaration, adjacency, adversary, Some(budget), &noise, ROUNDS, |parties| {
                    let step = Schedule::constant(0.1);
                    Box::new(ProjectedDgd::new(ball(), step, ROUNDS / 2, parties.start(&[0.0; DIM])))
                })
                .expect("within the budget")
            });
        });
    }
}

criterion_group! { name = benches; config = criterion(); targets = accounting }
criterion_main!(benches);
