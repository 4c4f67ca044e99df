//! What privacy costs besides noise: filters, dry runs, calibration. The sizes are those of the quickstart.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dido_benches::{ball, criterion};
use dido_mechanisms::{
    Accountant, Adjacency, Adversary, Base, Best, Budget, Event, Filter, Ledger, Norm, Odometer, Pld, Rdp, Sampling,
    Sensitivity, calibrate,
};
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

/// Gaussian noise of 0.8 clipping lengths on a Poisson sample of 1 %.
fn sampled(sigma: f64, steps: u64) -> Ledger {
    let adjacency = Adjacency::AddRemoveRecord;
    let sensitivity = Sensitivity::new(1.0, Norm::L2, adjacency).expect("a sensitivity");
    let sampling = Sampling::Poisson { rate: 0.01 };
    let event = Event::Sampled { sampling, base: Base::Gaussian { sensitivity, sigma } };
    Ledger::of(adjacency, Adversary::AllMessages, [(event, steps)])
}

/// 100 releases with a scale of their own each.
fn scales() -> Ledger {
    let adjacency = Adjacency::ReplaceRecord;
    let sensitivity = Sensitivity::new(1.0, Norm::L1, adjacency).expect("a sensitivity");
    let event = |t: u32| Event::Laplace { sensitivity, dim: 1, scale: 5.0 * f64::from(t + 10).powf(0.3) };
    Ledger::of(adjacency, Adversary::AllMessages, (0..100).map(|t| (event(t), 1)))
}

fn accountants(c: &mut Criterion) {
    let mut group = c.benchmark_group("accountants");
    let run = sampled(0.8, 10_000);
    group.bench_function("pld, sampled Gaussian", |b| b.iter(|| Pld.bound(black_box(&run), 1e-5).expect("covered")));
    let rdp = Rdp::default();
    group.bench_function("rdp, sampled Gaussian", |b| b.iter(|| rdp.bound(black_box(&run), 1e-5).expect("covered")));
    let scales = scales();
    group.bench_function("pld, 100 Laplace scales", |b| {
        b.iter(|| Pld.bound(black_box(&scales), 1e-5).expect("covered"));
    });
    let budget = Budget::new(3.0, 1e-5).expect("a budget");
    let sensitivity = Sensitivity::new(1.0, Norm::L2, Adjacency::AddRemoveRecord).expect("a sensitivity");
    group.bench_function("calibration, Gaussian", |b| {
        b.iter(|| calibrate::gaussian_sigma(sensitivity, black_box(budget)).expect("a delta"));
    });
    for (name, accountant) in [("rdp", &rdp as &dyn Accountant), ("pld", &Pld), ("best", &Best)] {
        group.bench_function(format!("calibration by {name}, sampled Gaussian"), |b| {
            b.iter(|| {
                calibrate::noise_multiplier(accountant, black_box(budget), |z| sampled(z, 10_000))
                    .expect("a multiplier")
            });
        });
    }
    let mut odometer = Odometer::new(budget).expect("a delta");
    let event = Event::Gaussian { sensitivity, sigma: 100.0 };
    group.bench_function("odometer", |b| {
        b.iter(|| {
            odometer.record(black_box(&event)).expect("covered");
            odometer.epsilon()
        });
    });
}

criterion_group! { name = benches; config = criterion(); targets = accounting, accountants }
criterion_main!(benches);
