//! Connected graphs and mixing weights drawn at random, for property tests: strategies of [proptest](https://docs.rs/proptest).
//!
//! ```
//! use dido_topology::strategies;
//! use proptest::prelude::*;
//!
//! proptest!(|((graph, weights) in strategies::mixing(2..=20))| {
//!     prop_assert_eq!(graph.nodes(), weights.nodes());
//!     prop_assert!(weights.second_largest_singular_value().unwrap() < 1.0);
//! });
//! ```

use std::ops::RangeInclusive;

use proptest::prelude::{Strategy, any};
use proptest::sample::select;

use crate::families::{self, FamilyInfo, Options};
use crate::{Graph, MixingMatrix, weights};

/// A connected graph with so many nodes, of any family that is not read from a file, random ones included.
///
/// Families that exist for special numbers of nodes only come up where the number is one of theirs.
pub fn graphs(nodes: RangeInclusive<usize>) -> impl Strategy<Value = Graph> {
    let families: Vec<&FamilyInfo> = families::ALL.iter().filter(|family| !family.options.contains(&"file")).collect();
    (nodes, select(families), 0.3..1.0, any::<u64>())
        .prop_filter_map("a graph of this family with so many nodes", |(nodes, family, p, seed)| {
            Some(family.build(&options(family, nodes, p, seed)).ok()?.graph)
        })
}

/// A graph as [`graphs`] draws it, with weights of any rule that serves it: negative ones too, see
/// [`MixingMatrix::is_nonnegative`].
pub fn mixing(nodes: RangeInclusive<usize>) -> impl Strategy<Value = (Graph, MixingMatrix)> {
    (graphs(nodes), select(weights::ALL)).prop_filter_map("weights of this rule", |(graph, rule)| {
        let weights = rule.build(&graph).ok()?;
        Some((graph, weights))
    })
}

/// What a family takes, with `p` for every probability and share.
fn options(family: &FamilyInfo, nodes: usize, p: f64, seed: u64) -> Options {
    let given = |name: &str| family.options.contains(&name);
    // Even, as rings of neighbours need it, and below the number of nodes.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small count")]
    let degree = 2 * (p * (nodes.saturating_sub(1) / 2) as f64).ceil() as usize;
    Options {
        nodes: Some(nodes),
        p: given("p").then_some(p),
        degree: given("degree").then_some(degree),
        radius: given("radius").then_some(p),
        blocks: given("blocks").then_some(2),
        p_in: given("p-in").then_some(p),
        p_out: given("p-out").then_some(0.4),
        seed: given("seed").then_some(seed),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;

    /// 2000 draws of a fixed sequence; a family with one chance in 20 at one size in 8 is missed with probability 4e-6.
    #[test]
    fn every_family_comes_up_at_some_size_and_all_sizes_are_asked_for() {
        for family in families::ALL.iter().filter(|family| !family.options.contains(&"file")) {
            let built = |nodes| family.build(&options(family, nodes, 0.7, 1)).is_ok();
            assert!((2..=9).any(built), "{}", family.name);
        }
        let mut runner = TestRunner::deterministic();
        let graphs = graphs(2..=9);
        let mut sizes = [0; 10];
        for _ in 0..2000 {
            sizes[graphs.new_tree(&mut runner).unwrap().current().nodes()] += 1;
        }
        assert!(sizes[..2] == [0, 0] && sizes[2..].iter().all(|&count| count > 100), "{sizes:?}");
    }
}
