//! Sequences that cannot be are refused, and the message says where.

use dido_topology::sequence::{
    Constant, DENSE_NODES, EdgeFailures, NodeActivation, NodeOutages, OnePeerExponential, Outage, Recorded,
    SequenceError, estimate_contraction, product,
};
use dido_topology::{RoundMatrix, Sequence, TopologyError, families, weights};

fn message<T>(result: Result<T, TopologyError>) -> String {
    result.err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn a_round_refuses_what_is_not_doubly_stochastic_and_stays_valid() {
    let mut round = RoundMatrix::identity(3);
    let mut refused = |edges: &[(usize, usize, f64)]| {
        let refused = message(round.set(3, [0, 1], edges.iter().copied()));
        assert_eq!(round, RoundMatrix::identity(3));
        refused
    };
    assert_eq!(refused(&[(0, 3, 0.1)]), "edge 0-3 leaves the graph: its nodes are 0 to 2");
    assert!(refused(&[(1, 1, 0.1)]).starts_with("node 1 is joined to itself"));
    assert_eq!(refused(&[(1, 2, 0.1)]), "edge 1-2 leads to node 2, which sleeps in this round");
    assert!(refused(&[(0, 1, 0.1), (1, 0, 0.1)]).starts_with("edge 0-1 is given more than once"));
    assert!(refused(&[(0, 1, f64::NAN)]).contains("must be finite"));
    assert!(refused(&[(0, 1, f64::MAX)]).starts_with("row 0 of the mixing matrix sums to"));
    assert_eq!(message(round.set(3, [3], [])), "node 3 does not exist: the nodes are 0 to 2");
    assert!(matches!(round.set(0, [], []), Err(TopologyError::NoNodes)));
    assert!(matches!(round.set(u32::MAX as usize, [], []), Err(TopologyError::TooManyNodes { .. })));
    assert!(matches!(round.set_metropolis(3, 0..3, [(0, 0)]), Err(TopologyError::SelfLoop { node: 0 })));
    round.set_metropolis(3, 0..3, [(2, 1), (0, 1)]).unwrap();
    assert_eq!(round, Constant(weights::metropolis(&families::path(3).unwrap())).round(0).unwrap());
}

#[test]
fn parameters_out_of_range_are_refused() {
    let ring = || families::ring(4).unwrap();
    let w = || weights::metropolis(&ring());
    for iota in [0.0, -0.5, 1.5, f64::NAN] {
        assert!(message(NodeActivation::bernoulli(ring(), iota, 0)).starts_with("the activation probability"));
    }
    for p in [-0.1, 1.1, f64::NAN] {
        assert!(message(EdgeFailures::new(w(), p, 0)).starts_with("the failure probability must lie in [0, 1], got "));
    }
    for active in [0, 5] {
        let refused = NodeActivation::fixed_size(ring(), active, 0);
        assert!(matches!(refused, Err(TopologyError::Sequence(SequenceError::ActiveNodes { nodes: 4, .. }))));
    }
    assert!(matches!(OnePeerExponential::new(0), Err(TopologyError::NoNodes)));
    assert!(matches!(OnePeerExponential::new(u32::MAX as usize), Err(TopologyError::TooManyNodes { .. })));
    let nobody = NodeOutages::new(Constant(w()), [Outage { node: 4, rounds: 0..1 }]);
    assert_eq!(message(nobody), "node 4 does not exist: the nodes are 0 to 3");
    let never = NodeOutages::new(Constant(w()), [Outage { node: 1, rounds: 5..5 }]);
    assert_eq!(message(never), "the outage of node 1 from round 5 to before 5 is empty");
}

#[test]
fn dense_answers_are_refused_for_many_nodes_and_few_rounds() {
    let many = OnePeerExponential::new(DENSE_NODES + 1).unwrap();
    assert!(matches!(product(&many, 0..1), Err(TopologyError::TooManyForDense { nodes: 2049, limit: 2048 })));
    assert!(matches!(estimate_contraction(&many, 0..9), Err(TopologyError::TooManyForDense { .. })));
    let few = OnePeerExponential::new(4).unwrap();
    assert_eq!(message(estimate_contraction(&few, 5..8)), "3 rounds are too few for an estimate: it takes at least 4");
}

#[test]
fn recordings_refuse_rounds_they_do_not_have() {
    let recorded = Recorded::from_edges(2, 3, [(1, 0, 1, 0.5)]).unwrap();
    assert_eq!(recorded.round(0).unwrap(), RoundMatrix::identity(2));
    assert_eq!(message(recorded.round(3)), "round 3 is not recorded: there are 3, numbered from 0");
    assert!(matches!(Recorded::from_edges(2, 0, []), Err(TopologyError::Sequence(SequenceError::NoRounds))));
    assert!(matches!(Recorded::record(&recorded, 2..2), Err(TopologyError::Sequence(SequenceError::NoRounds))));
    assert!(matches!(
        Recorded::record(&recorded, 2..4),
        Err(TopologyError::Sequence(SequenceError::NotRecorded { round: 3, rounds: 3 }))
    ));
    assert!(matches!(
        Recorded::from_edges(2, 3, [(3, 0, 1, 0.5)]),
        Err(TopologyError::Sequence(SequenceError::NotRecorded { round: 3, .. }))
    ));
    let twice = Recorded::from_edges(2, 3, [(2, 0, 1, 0.5), (2, 1, 0, 0.5)]);
    assert!(message(twice).starts_with("round 2: edge 0-1 is given more than once"));
}

#[test]
fn errors_in_recordings_name_file_and_line() {
    let refused = |text: &str| message(Recorded::parse(&format!("nodes 3\nrounds 2\n{text}"), "w.txt"));
    assert_eq!(refused("0 0 1 0.5\n0 0 x 0.5"), "w.txt, line 4: 'x' is not a node");
    assert_eq!(refused("0 0 3 0.5"), "w.txt, line 3: there is no node 3: there are 3, from 0");
    assert_eq!(refused("2 0 1 0.5"), "w.txt, line 3: there is no round 2: there are 2, from 0");
    assert_eq!(
        refused("# none\n0 1 1 0.5"),
        "w.txt, line 4: node 1 is joined to itself; own weights are what rows leave over"
    );
    assert_eq!(refused("0 0 1 inf"), "w.txt, line 3: the weight is inf; it must be finite");
    assert_eq!(refused("0 0 1 half"), "w.txt, line 3: 'half' is not a weight");
    assert_eq!(refused("0 0 1 .5\n1 0 1 .5\n0 1 0 .5"), "w.txt, line 5: edge 1 0 of round 0 is already on line 3");
    assert_eq!(refused("0 0 1 .5\n0 asleep 2 1"), "w.txt, line 3: node 1 sleeps in round 0, says line 4");
    assert_eq!(refused("0 asleep 2 2"), "w.txt, line 3: node 2 is said twice to sleep in round 0");
    assert_eq!(refused("0 0 1"), "w.txt, line 3: '0 0 1' is neither 'round node node weight' nor 'round asleep nodes'");
    assert_eq!(refused("nodes 4"), "w.txt, line 3: 'nodes' is given twice");
    assert!(refused("1 0 1 1e300").starts_with("w.txt: round 1: row 0 of the mixing matrix sums to"));
    let refused = |text| message(Recorded::parse(text, "w.txt"));
    assert_eq!(refused("rounds 2\n0 0 1 0.5"), "w.txt, line 2: 'nodes' must come first");
    assert_eq!(refused("nodes 2"), "w.txt: 'rounds' is missing");
    assert_eq!(refused("nodes 2\nrounds 0"), "w.txt: a recorded sequence needs at least one round");
    assert!(message(Recorded::read("no/such/file")).starts_with("cannot read no/such/file: "));
    assert!(
        message(Recorded::from_edges(1, 1, []).unwrap().write("no/such/file"))
            .starts_with("cannot write no/such/file: ")
    );
}

#[test]
fn a_recording_is_written_to_a_file_and_read_back() {
    let text = "# Four nodes.\nnodes 4\nrounds 3\n2 2 3 0.1 # late\n0 1 0 0.25\n0 asleep 3\n1 asleep 3 0\n";
    let recorded = Recorded::parse(text, "text").unwrap();
    let written = "nodes 4\nrounds 3\n0 asleep 3\n1 asleep 0 3\n0 0 1 0.25\n2 2 3 0.1\n";
    assert_eq!(recorded.to_string(), written);
    assert_eq!(recorded.round(1).unwrap().awake(), [1, 2]);
    let file = std::env::temp_dir().join(format!("dido-topology-{}.rounds", std::process::id()));
    recorded.write(&file).unwrap();
    let read = Recorded::read(&file);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(read.unwrap(), recorded);
}
