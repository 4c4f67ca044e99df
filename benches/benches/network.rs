//! Network differential privacy: the views of all nodes of a hypercube after ten rounds, on one thread and on all.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dido_mechanisms::network::Gossip;
use dido_topology::{families, weights};

const ROUNDS: usize = 10;

fn network(c: &mut Criterion) {
    let mut group = c.benchmark_group("network");
    group.sample_size(10);
    for dimension in [6, 10] {
        let weights = weights::metropolis(&families::hypercube(dimension).expect("a hypercube"));
        let gossip = Gossip::from_rows((0..weights.nodes()).map(|i| weights.row(i))).expect("finite weights");
        let nodes = gossip.nodes();
        group.bench_function(format!("one view, {nodes} nodes"), |b| b.iter(|| gossip.view(black_box(&[0]), ROUNDS)));
        group.bench_function(format!("all views, {nodes} nodes"), |b| b.iter(|| gossip.all_views(black_box(ROUNDS))));
    }
    group.finish();
}

criterion_group!(benches, network);
criterion_main!(benches);
