//! The plan is the run: the dry run writes, entry by entry, the ledger that the run on data writes.

mod common;

use common::problem;
use dido_mechanisms::{Accountant, Adjacency, Adversary, Budget, Event, Gate, MechanismError, Pure, Zcdp};
use dido_optimizers::{
    Algorithm, Declaration, Dgd, InProcess, Noise, OptimizerError, Parties, ProjectedDgd, Schedule, Stop, plan, run,
};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::Axis;
use proptest::prelude::*;

const DIM: usize = 3;

fn schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        (0.1..2.0).prop_map(Schedule::constant),
        (0.1..2.0, 0.5..5.0, 0.0..1.5).prop_map(|(c, d, e)| Schedule::power(c, d, e)),
        (0.1..2.0, 0.7..1.05).prop_map(|(c, q)| Schedule::geometric(c, q)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_plan_is_the_ledger_of_the_run(
        step in schedule(),
        scale in prop::option::of(schedule()),
        rounds in 1_u32..25,
        seed in 0_u64..100,
        adjacency in prop::sample::select(vec![
            Adjacency::ReplaceNode, Adjacency::ReplaceRecord, Adjacency::AddRemoveRecord,
        ]),
        weighting in prop::sample::select(vec![Weighting::Pooled, Weighting::NodeMean, Weighting::Sum]),
        projected in any::<bool>(),
    ) {
        let problem = problem(seed, 4, 6, DIM, weighting);
        let projected = projected || scale.is_some();
        let noise = scale.map_or(Noise::None, Noise::Laplace);
        let build = |parties: &Parties| -> Box<dyn Algorithm> {
            let start = parties.start(&[0.0; DIM]);
            if projected {
                Box::new(ProjectedDgd::new(problem.ball.clone(), step.clone(), 0, start))
            } else {
                Box::new(Dgd::new(step.clone(), 0, start))
            }
        };
        let planned = plan(&problem.declaration, adjacency, Adversary::AllMessages, None, &noise, rounds, build).unwrap();
        let mut parties = problem.parties(2, adjacency, None, seed);
        let mut algorithm = build(&parties);
        let mut network = InProcess::new(weights::metropolis(&families::path(4).unwrap()));
        run(algorithm.as_mut(), &mut parties, &mut network, &noise, 0..rounds, |_, _, _| true).unwrap();
        prop_assert_eq!(parties.gate().ledger(), &planned);
        prop_assert_eq!(planned.releases_per_node(), u64::from(rounds));
    }
}

/// Nodes that declare other record counts have ledgers of their own, and the guarantee is that of the worst.
#[test]
fn nodes_with_other_declarations_have_their_own_ledger() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::NodeMean, vec![10, 5, 10, 20]).unwrap();
    let noise = Noise::Laplace(Schedule::constant(1.0));
    let ball = dido_geometry::Set::from(dido_geometry::L2Ball::new(1.0).unwrap());
    let ledger = plan(&declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 3, |parties| {
        Box::new(ProjectedDgd::new(ball, Schedule::constant(0.5), 0, parties.start(&[0.0; DIM])))
    })
    .unwrap();
    let nodes: Vec<_> = ledger.classes.iter().map(|class| class.nodes.clone()).collect();
    assert_eq!(nodes, [vec![0, 2], vec![1], vec![3]]);
    let sensitivity = |class: usize| match ledger.classes[class].entries[0].event {
        Event::Laplace { sensitivity, .. } => sensitivity.l2(),
        other => panic!("there is Laplace noise, not {}", other.name()),
    };
    assert!((sensitivity(1) / sensitivity(0) - 2.0).abs() < 1e-12, "half as many records, twice the sensitivity");
    assert!((sensitivity(2) / sensitivity(0) - 0.5).abs() < 1e-12);
    assert_eq!(Zcdp::default().bound(&ledger, 1e-5).unwrap().node, 1);
    assert_eq!(ledger.classes[0].entries.len(), 1, "equal releases are one entry");
}

/// A ledger of a run without noise promises nothing.
#[test]
fn without_noise_epsilon_is_infinite() {
    let problem = problem(1, 3, 6, DIM, Weighting::Pooled);
    let ledger = plan(
        &problem.declaration,
        Adjacency::ReplaceRecord,
        Adversary::AllMessages,
        None,
        &Noise::None,
        2,
        |parties| Box::new(Dgd::new(Schedule::constant(0.1), 0, parties.start(&[0.0; DIM]))),
    )
    .unwrap();
    assert!(Pure.bound(&ledger, 0.0).unwrap().epsilon.is_infinite());
    assert!(Zcdp::default().bound(&ledger, 1e-5).unwrap().epsilon.is_infinite());
}

/// Noise cannot hide what has no bound: descent on the whole space is refused in its plan, before any data is seen.
#[test]
fn noise_on_an_unbounded_set_is_refused() {
    let problem = problem(1, 3, 6, DIM, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::constant(1.0));
    let refused =
        plan(&problem.declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 2, |parties| {
            Box::new(Dgd::new(Schedule::constant(0.1), 0, parties.start(&[0.0; DIM])))
        });
    assert!(matches!(refused, Err(Stop::Unbounded { round: 0 })));
}

/// An interrupted run goes on with the bits of the straight run, and its streams are not used again.
#[test]
fn a_resumed_run_equals_the_straight_run() {
    let problem = problem(7, 4, 6, DIM, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::power(0.5, 1.0, 0.2));
    let budget = Some(Budget::new(50.0, 1e-5).unwrap());
    let network = || InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
    let make = |parties: &Parties| {
        ProjectedDgd::new(problem.ball.clone(), Schedule::constant(0.3), 10, parties.start(&[0.0; DIM]))
    };
    let mut straight = problem.parties(2, Adjacency::ReplaceRecord, budget, 3);
    let mut expected = make(&straight);
    run(&mut expected, &mut straight, &mut network(), &noise, 0..40, |_, _, _| true).unwrap();

    let mut first = problem.parties(2, Adjacency::ReplaceRecord, budget, 3);
    let mut before = make(&first);
    run(&mut before, &mut first, &mut network(), &noise, 0..40, |round, _, _| round < 17).unwrap();
    let state: Vec<Vec<f64>> = before.state().iter().map(|value| value.rows().as_slice().to_vec()).collect();
    let ledger = first.gate().ledger().clone();
    assert_eq!(ledger.releases_per_node(), 18, "the observer stops after round 17");

    let mut second = problem.parties(2, Adjacency::ReplaceRecord, budget, 3);
    second.resume(ledger, 18).unwrap();
    let mut after = make(&second);
    for (value, stored) in after.state().into_iter().zip(&state) {
        value.rows_mut().as_mut_slice().copy_from_slice(stored);
    }
    let again = run(&mut after.clone(), &mut second, &mut network(), &noise, 17..18, |_, _, _| true);
    assert!(matches!(again, Err(Stop::Mechanism(MechanismError::RepeatedStream { round: 17, current: 18 }))));
    run(&mut after, &mut second, &mut network(), &noise, 18..40, |_, _, _| true).unwrap();
    assert_eq!(after.estimate().rows().as_slice(), expected.estimate().rows().as_slice());
    assert_eq!(after.released().rows().as_slice(), expected.released().rows().as_slice());
    assert_eq!(second.gate().ledger(), straight.gate().ledger());
}

/// Under add/remove the true number of records is protected: it changes neither the run's acceptance nor its factors.
#[test]
fn under_add_remove_the_number_of_records_is_not_looked_at() {
    let problem = problem(9, 4, 6, DIM, Weighting::Pooled);
    let fewer: Vec<Shard> = problem
        .shards
        .iter()
        .map(|s| {
            let keep: Vec<usize> = (0..s.records() - 1).collect();
            Shard::checked(s.x().select(Axis(0), &keep), s.y().select(Axis(0), &keep), s.bounds()).unwrap()
        })
        .collect();
    let declaration = &problem.declaration;
    assert!(matches!(
        declaration.objective(Adjacency::ReplaceRecord, &fewer, 1),
        Err(OptimizerError::Records { node: 0, found: 5, declared: 6 })
    ));
    let loss = declaration.objective(Adjacency::AddRemoveRecord, &fewer, 1).unwrap();
    assert!((loss.scale(0) - 4.0 / 24.0).abs() < 1e-16, "the declared divisor, not the counted one");
}

/// A stored ledger is taken over before the first release, and opens no round again.
#[test]
fn a_gate_in_use_takes_over_no_ledger() {
    let problem = problem(7, 4, 6, DIM, Weighting::Pooled);
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
    let mut dgd = Dgd::new(Schedule::constant(0.1), 0, parties.start(&[0.0; DIM]));
    let mut network = InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
    run(&mut dgd, &mut parties, &mut network, &Noise::None, 0..3, |_, _, _| true).unwrap();
    let ledger = parties.gate().ledger().clone();
    assert_eq!(parties.resume(ledger.clone(), 3), Err(MechanismError::Resumed));
    let mut fresh = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
    let early = fresh.resume(ledger.clone(), 2);
    assert_eq!(early, Err(MechanismError::RepeatedStream { round: 2, current: 2 }));
    fresh.resume(ledger, 3).unwrap();
}

/// A ledger of another run is not taken over.
#[test]
fn a_foreign_ledger_is_refused() {
    let problem = problem(7, 4, 6, DIM, Weighting::Pooled);
    let ledger =
        |adjacency, class_of: &[usize]| Gate::plan(adjacency, Adversary::AllMessages, class_of, None).ledger().clone();
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
    for foreign in [ledger(Adjacency::ReplaceNode, &[0; 4]), ledger(Adjacency::ReplaceRecord, &[0, 0, 0, 1])] {
        assert_eq!(parties.resume(foreign, 0), Err(MechanismError::OtherLedger));
    }
}

/// Parties, gate and network of different sizes or classes do not run together.
#[test]
fn parts_that_do_not_fit_are_refused() {
    let problem = problem(7, 4, 6, DIM, Weighting::Pooled);
    for class_of in [vec![0; 3], vec![0, 0, 1, 1]] {
        let gate = Gate::plan(Adjacency::ReplaceRecord, Adversary::AllMessages, &class_of, None);
        let refused = Parties::new(problem.declaration.clone(), &problem.shards, 1, gate);
        assert!(matches!(refused, Err(OptimizerError::Classes)));
    }
    let gate = || Gate::plan(Adjacency::ReplaceRecord, Adversary::AllMessages, &[0; 4], None);
    let too_few = Parties::new(problem.declaration.clone(), &problem.shards[..3], 1, gate());
    assert!(matches!(too_few, Err(OptimizerError::Count { what: "shards", found: 3, declared: 4 })));

    let mut parties = Parties::new(problem.declaration.clone(), &problem.shards, 1, gate()).unwrap();
    let mut dgd = Dgd::new(Schedule::constant(0.1), 0, parties.start(&[0.0; DIM]));
    let mut network = InProcess::new(weights::metropolis(&families::ring(5).unwrap()));
    let stop = run(&mut dgd, &mut parties, &mut network, &Noise::None, 0..1, |_, _, _| true);
    assert!(matches!(stop, Err(Stop::Nodes { network: 5, parties: 4 })));
}
