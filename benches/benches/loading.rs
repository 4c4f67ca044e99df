//! Loading CSV and LIBSVM, beside counting the lines of the same bytes.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dido_data::{Options, Source, read};
use rand::{RngExt, SeedableRng};

/// Records of the files.
const RECORDS: usize = 50_000;

/// Twenty numbers of six digits in a row.
fn csv() -> String {
    let mut random = chacha20::ChaCha8Rng::seed_from_u64(1);
    let mut text = (0..20).map(|k| format!("x{k}")).collect::<Vec<_>>().join(",") + "\n";
    for _ in 0..RECORDS {
        let row: Vec<String> = (0..20).map(|_| format!("{:.6}", random.random_range(-1.0..1.0))).collect();
        text += &(row.join(",") + "\n");
    }
    text
}

/// Fourteen ones of 123 features in a row, as the data set a9a has them.
fn libsvm() -> String {
    let mut random = chacha20::ChaCha8Rng::seed_from_u64(2);
    let mut text = String::new();
    for _ in 0..RECORDS {
        text += if random.random() { "+1" } else { "-1" };
        for k in 0..14 {
            write!(text, " {}:1", k * 8 + random.random_range(1..=8)).expect("a string takes everything");
        }
        text += "\n";
    }
    text
}

fn loading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loading");
    group.sample_size(10);
    for (name, text) in [("csv", csv()), ("libsvm", libsvm())] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{name}/lines"), |bencher| {
            bencher.iter(|| black_box(&text).bytes().filter(|byte| *byte == b'\n').count());
        });
        let options = Options { format: Some(name.parse().expect("a format")), ..Options::default() };
        let source = Source::bytes(name, text);
        group.bench_function(format!("{name}/read"), |bencher| {
            bencher.iter(|| read(black_box(&source), &options).expect("a valid file"));
        });
    }
    group.finish();
}

criterion_group!(benches, loading);
criterion_main!(benches);
