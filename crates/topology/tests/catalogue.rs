//! Families and rules by name: every one at every size, and what a command line is told when its options do not fit.

mod common;

use common::check_mixing;
use dido_topology::families::{self, ALL, Options, build};
use dido_topology::{Graph, TopologyError, weights};

/// The options of a family for `n` nodes, as sparse as it allows for the random ones.
fn options(name: &str, n: usize) -> Options {
    let mut options = Options { nodes: Some(n), ..Options::default() };
    match name {
        "erdos-renyi" => options.p = Some(0.5),
        "random-regular" => options.degree = Some(if n < 4 { n.saturating_sub(1) } else { 3 + n % 2 }),
        "watts-strogatz" => (options.degree, options.p) = (Some(if n == 1 { 0 } else { 4 }), Some(0.3)),
        "barabasi-albert" => options.degree = Some(2),
        "geometric" => options.radius = Some(0.5),
        "block-model" => (options.blocks, options.p_in, options.p_out) = (Some(n.min(3)), Some(0.9), Some(0.4)),
        _ => {}
    }
    options
}

fn is_file(name: &str) -> bool {
    ["edge-list", "graphml", "dot"].contains(&name)
}

/// The sizes for which a family with these options is not defined.
fn undefined(name: &str, n: usize) -> bool {
    match name {
        "hypercube" => !n.is_power_of_two(),
        "margulis" => n.isqrt().pow(2) != n,
        "barbell" => n < 4,
        "lollipop" => n < 2,
        "watts-strogatz" => n > 1 && n <= 4,
        "barabasi-albert" => n <= 2,
        _ => false,
    }
}

/// Whether a rule is tried on a graph: uniform weights are for regular ones, and the searches for the fastest take
/// seconds on many edges (`tests/properties.rs` has some of up to 150).
fn serves(rule: &str, graph: &Graph) -> bool {
    match rule {
        "uniform" => (0..graph.nodes()).all(|i| graph.degree(i) == graph.degree(0)),
        "fdla" | "fmmc" => graph.edges().count() <= 24,
        _ => true,
    }
}

#[test]
fn every_family_at_every_size_averages_with_every_rule() {
    for family in ALL.iter().filter(|family| !is_file(family.name)) {
        for n in 1..=40 {
            let built = family.build(&options(family.name, n));
            if undefined(family.name, n) {
                let refused = built.unwrap_err();
                assert!(matches!(refused, TopologyError::Parameter { .. }), "{refused}");
                continue;
            }
            let sample = built.unwrap();
            assert_eq!(sample.graph.nodes(), n, "{}", family.name);
            assert!(family.is_random() || sample.attempts == 1);
            for rule in weights::ALL.iter().filter(|rule| serves(rule.name, &sample.graph)) {
                check_mixing(&rule.build(&sample.graph).unwrap(), &sample.graph, rule.nonnegative);
            }
        }
    }
}

#[test]
fn the_names_are_those_of_the_command_line() {
    let names: Vec<&str> = ALL.iter().map(|family| family.name).collect();
    let expected = "ring path star complete binary-tree grid torus hypercube barbell lollipop exponential \
                    one-peer-exponential margulis erdos-renyi random-regular watts-strogatz barabasi-albert geometric \
                    block-model edge-list graphml dot";
    assert_eq!(names.join(" "), expected);
    let everything = Options {
        nodes: Some(4),
        p: Some(0.5),
        edges: Some(4),
        degree: Some(2),
        rows: Some(2),
        cols: Some(2),
        dims: Some(vec![2, 2]),
        clique: Some(2),
        path: Some(0),
        radius: Some(1.0),
        base: Some(2),
        sizes: Some(vec![2, 2]),
        blocks: Some(2),
        p_in: Some(0.5),
        p_out: Some(0.5),
        seed: Some(1),
        file: Some("graph.txt".into()),
    };
    let given: Vec<&str> = everything.given().collect();
    assert!(ALL.iter().flat_map(|family| family.options).all(|option| given.contains(option)));
    assert!(given.iter().all(|option| ALL.iter().any(|family| family.options.contains(option))));
    assert!(ALL.iter().all(|family| family.build(&everything).is_err()));
}

#[test]
fn options_reach_the_family() {
    let nodes = |n| Options { nodes: Some(n), ..Options::default() };
    let graph = |name: &str, options: Options| build(name, &options).unwrap().graph;
    assert_eq!(graph("grid", nodes(12)), families::grid(&[3, 4]).unwrap());
    assert_eq!(graph("torus", nodes(7)), families::ring(7).unwrap());
    assert_eq!(graph("grid", Options { rows: Some(2), ..nodes(12) }), families::grid(&[2, 6]).unwrap());
    assert_eq!(graph("grid", Options { cols: Some(2), ..nodes(12) }), families::grid(&[6, 2]).unwrap());
    let dims = Options { dims: Some(vec![2, 3, 2]), ..nodes(12) };
    assert_eq!(graph("torus", dims), families::torus(&[2, 3, 2]).unwrap());
    assert_eq!(graph("barbell", nodes(10)), families::barbell(3, 4).unwrap());
    assert_eq!(graph("barbell", Options { clique: Some(4), ..nodes(10) }), families::barbell(4, 2).unwrap());
    assert_eq!(graph("lollipop", nodes(9)), families::lollipop(5, 4).unwrap());
    let lollipop = Options { clique: Some(3), path: Some(6), ..Options::default() };
    assert_eq!(graph("lollipop", lollipop), families::lollipop(3, 6).unwrap());
    assert_eq!(graph("exponential", nodes(30)), families::exponential(30, 2).unwrap());
    assert_eq!(graph("exponential", Options { base: Some(5), ..nodes(30) }), families::exponential(30, 5).unwrap());

    let seeded = |options: Options| Options { seed: Some(5), ..options };
    let gnp = families::erdos_renyi(20, 0.3, 5).unwrap();
    assert_eq!(build("erdos-renyi", &seeded(Options { p: Some(0.3), ..nodes(20) })).unwrap(), gnp);
    let gnm = families::erdos_renyi_edges(20, 60, 5).unwrap();
    assert_eq!(build("erdos-renyi", &seeded(Options { edges: Some(60), ..nodes(20) })).unwrap(), gnm);
    assert_ne!(
        build("erdos-renyi", &Options { p: Some(0.3), ..nodes(20) }).unwrap(),
        gnp,
        "the seed is 0 unless given"
    );
    let regular = families::random_regular(20, 3, 5).unwrap();
    assert_eq!(build("random-regular", &seeded(Options { degree: Some(3), ..nodes(20) })).unwrap(), regular);
    let small_world = families::watts_strogatz(20, 4, 0.2, 5).unwrap();
    let asked = seeded(Options { degree: Some(4), p: Some(0.2), ..nodes(20) });
    assert_eq!(build("watts-strogatz", &asked).unwrap(), small_world);
    let scale_free = families::barabasi_albert(20, 2, 5).unwrap();
    assert_eq!(graph("barabasi-albert", seeded(Options { degree: Some(2), ..nodes(20) })), scale_free);
    let near = families::random_geometric(20, 0.5, 5).unwrap();
    assert_eq!(build("geometric", &seeded(Options { radius: Some(0.5), ..nodes(20) })).unwrap(), near);
    let blocks = families::stochastic_block_model(&[7, 7, 6], 0.8, 0.2, 5).unwrap();
    let probabilities = seeded(Options { p_in: Some(0.8), p_out: Some(0.2), ..nodes(20) });
    assert_eq!(build("block-model", &Options { blocks: Some(3), ..probabilities.clone() }).unwrap(), blocks);
    assert_eq!(build("block-model", &Options { sizes: Some(vec![7, 7, 6]), ..probabilities }).unwrap(), blocks);
}

#[test]
fn options_that_do_not_fit_are_refused_by_name() {
    let none = Options::default;
    let nodes = |n| Options { nodes: Some(n), ..Options::default() };
    let refused = |name: &str, options: Options| build(name, &options).unwrap_err().to_string();
    assert!(refused("rign", none()).starts_with("there is no family 'rign'; the families are ring, path, star,"));
    assert_eq!(refused("ring", none()), "ring needs the option nodes");
    assert_eq!(refused("ring", nodes(0)), "a graph needs at least one node");
    assert_eq!(
        refused("ring", Options { seed: Some(1), ..nodes(5) }),
        "ring has no option 'seed'; its options are nodes"
    );
    assert_eq!(refused("torus", none()), "torus needs the option nodes, or rows and cols, or dims");
    assert_eq!(
        refused("torus", Options { rows: Some(5), ..nodes(12) }),
        "torus: rows must be a divisor of the 12 nodes, got 5"
    );
    assert_eq!(
        refused("grid", Options { cols: Some(0), ..nodes(12) }),
        "grid: cols must be a divisor of the 12 nodes, got 0"
    );
    let both = Options { rows: Some(2), dims: Some(vec![2, 2]), ..none() };
    assert_eq!(refused("grid", both), "grid takes dims or rows and cols, but not both");
    let contradiction = Options { rows: Some(3), cols: Some(4), ..nodes(10) };
    assert_eq!(refused("grid", contradiction), "grid: nodes must be 12, which the other options imply, got 10");
    assert_eq!(refused("barbell", nodes(3)), "barbell: nodes must be at least 2 x 2, the cliques, got 3");
    assert_eq!(refused("barbell", Options { path: Some(1), ..nodes(9) }), "barbell needs the option clique");
    assert_eq!(refused("lollipop", Options { clique: Some(3), ..none() }), "lollipop needs the option nodes or path");
    assert_eq!(refused("erdos-renyi", nodes(5)), "erdos-renyi needs the option p or edges");
    let both = Options { p: Some(0.5), edges: Some(5), ..nodes(5) };
    assert_eq!(refused("erdos-renyi", both), "erdos-renyi takes p or edges, but not both");
    assert_eq!(refused("random-regular", nodes(5)), "random-regular needs the option degree");
    let ps = Options { p_in: Some(0.5), p_out: Some(0.5), ..nodes(5) };
    assert_eq!(refused("block-model", ps.clone()), "block-model needs the option sizes, or nodes and blocks");
    let both = Options { sizes: Some(vec![5]), blocks: Some(1), ..ps.clone() };
    assert_eq!(refused("block-model", both), "block-model takes sizes or blocks, but not both");
    assert_eq!(
        refused("block-model", Options { blocks: Some(6), ..ps }),
        "block-model: blocks must be 1 to 5, the nodes, got 6"
    );
    assert_eq!(refused("dot", none()), "dot needs the option file");
    let missing = refused("edge-list", Options { file: Some("no/such/file".into()), ..none() });
    assert!(missing.starts_with("cannot read no/such/file: "), "{missing}");
}

/// Random ones too: what is expected is never far below what is drawn, so the limit holds; nothing is refused that is
/// small.
#[test]
fn edges_are_expected_before_they_are_drawn() {
    for (name, options) in [
        ("ring", Options { nodes: Some(17_000_000), ..Options::default() }),
        ("complete", Options { nodes: Some(100_000), ..Options::default() }),
        ("grid", Options { dims: Some(vec![3000, 3000]), ..Options::default() }),
        ("hypercube", Options { nodes: Some(1 << 21), ..Options::default() }),
        ("barbell", Options { nodes: Some(100_000), ..Options::default() }),
        ("lollipop", Options { clique: Some(10_000), path: Some(1), ..Options::default() }),
        ("exponential", Options { nodes: Some(1_000_000), ..Options::default() }),
        ("margulis", Options { nodes: Some(2100 * 2100), ..Options::default() }),
        ("erdos-renyi", Options { nodes: Some(100_000), p: Some(0.1), ..Options::default() }),
        ("erdos-renyi", Options { nodes: Some(100_000), edges: Some(20_000_000), ..Options::default() }),
        ("random-regular", Options { nodes: Some(100_000), degree: Some(1000), ..Options::default() }),
        ("watts-strogatz", Options { nodes: Some(100_000), degree: Some(1000), p: Some(0.1), ..Options::default() }),
        ("barabasi-albert", Options { nodes: Some(100_000), degree: Some(1000), ..Options::default() }),
        ("geometric", Options { nodes: Some(100_000), radius: Some(0.5), ..Options::default() }),
        (
            "block-model",
            Options { sizes: Some(vec![10_000; 2]), p_in: Some(0.1), p_out: Some(0.1), ..Options::default() },
        ),
    ] {
        let refused = build(name, &options);
        assert!(matches!(refused, Err(TopologyError::GraphTooLarge { family, .. }) if family == name), "{refused:?}");
    }
    let refused = build("complete", &Options { nodes: Some(100_000), ..Options::default() }).unwrap_err();
    assert_eq!(refused.to_string(), "complete: about 4999950000 edges are too many, at most 16000000 are built");
}
