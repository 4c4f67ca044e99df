//! Samples of records: what is drawn, what is computed from it, and what it costs.

mod common;

use common::{Peek, keys, parties};
use dido_mechanisms::{
    Accountant, Adjacency, Adversary, Batch, Event, Gate, Ledger, MechanismError, Norm, Pld, Public,
    Sampling as Scheme, Sensitivity,
};
use dido_optimizers::{
    Algorithm, Clip, Declaration, InProcess, Node, Noise, Parties, Sampling, Schedule, Stop, plan, run,
};
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

use Adjacency::{AddRemoveRecord, ReplaceNode, ReplaceRecord};

const RECORDS: usize = 5;

fn complete(nodes: usize) -> InProcess {
    InProcess::new(weights::metropolis(&families::complete(nodes).unwrap()))
}

/// Every node holds the five unit vectors with target 1: what is released tells who was drawn.
fn unit_vectors(nodes: usize, adjacency: Adjacency) -> Parties {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = Shard::checked(Array2::eye(RECORDS), Array1::ones(RECORDS), bounds).unwrap();
    let declaration = Declaration::least_squares(RECORDS, bounds, Weighting::NodeMean, vec![RECORDS; nodes]).unwrap();
    parties(&declaration, &vec![shard; nodes], 1, adjacency, None, 3)
}

/// How often each set of records was drawn, by its bits, over nodes and rounds; what is seen is checked against the set, which
/// makes `weight` times the sum over the batch.
fn drawn(sampling: Sampling, adjacency: Adjacency, weight: f64, rounds: u32) -> Vec<u32> {
    let (nodes, mut counts) = (2, vec![0; 1 << RECORDS]);
    let mut parties = unit_vectors(nodes, adjacency);
    let mut peek = Peek::new(parties.start(&[0.0; RECORDS]), sampling, None);
    run(&mut peek, &mut parties, &mut complete(nodes), &Noise::None, 0..rounds, |_, peek, _| {
        for node in 0..nodes {
            let row = peek.estimate().rows().row(node, 0);
            // The gradient of (x_k - 1)^2 / 2 at 0 is -e_k, and s_i = 1 / 5.
            let expected = |drawn: bool| if drawn { -weight / RECORDS as f64 } else { 0.0 };
            assert!(row.iter().all(|&g| (g - expected(g != 0.0)).abs() < 1e-15), "{row:?}");
            counts[row.iter().enumerate().map(|(k, g)| usize::from(*g != 0.0) << k).sum::<usize>()] += 1;
        }
        true
    })
    .unwrap();
    counts
}

/// Chi-square of the counts against probabilities; sets that are impossible must not occur.
fn chi_square(counts: &[u32], probability: impl Fn(usize) -> f64) -> f64 {
    let total = f64::from(counts.iter().sum::<u32>());
    let term = |(set, &count): (usize, &u32)| {
        let expected = total * probability(set);
        assert!(expected > 0.0 || count == 0, "the set {set:b} was drawn {count} times");
        if expected > 0.0 { (f64::from(count) - expected).powi(2) / expected } else { 0.0 }
    };
    counts.iter().enumerate().map(term).sum()
}

/// The mean, over all batches with their probabilities, of what a node computes: it must be the gradient, -1/5 everywhere.
fn assert_unbiased(weight: f64, probability: impl Fn(usize) -> f64) {
    let mean = |k: usize| -> f64 {
        let batches = (0..1 << RECORDS).filter(|set| set >> k & 1 == 1);
        batches.map(|set| -weight / RECORDS as f64 * probability(set)).sum()
    };
    assert!((0..RECORDS).all(|k| (mean(k) + 1.0 / RECORDS as f64).abs() < 1e-15));
}

/// 4000 draws of 2 of 5: all ten pairs alike. With 9 degrees of freedom chi-square is above 39 with probability 1e-5; the seed
/// is fixed, so it cannot flake.
#[test]
fn batches_without_replacement_are_uniform_and_unbiased() {
    let probability = |set: usize| if set.count_ones() == 2 { 0.1 } else { 0.0 };
    assert_unbiased(2.5, probability);
    let counts = drawn(Sampling::Records(2), Adjacency::ReplaceRecord, 2.5, 2000);
    assert!(chi_square(&counts, probability) < 39.0, "{counts:?}");
}

/// 4000 Poisson samples at a rate of 0.3: all 32 sets with the probability of their coins. With 31 degrees of freedom
/// chi-square is above 75 with probability 2e-5; the seed is fixed.
#[test]
fn poisson_samples_have_independent_coins_and_are_unbiased() {
    let probability = |set: usize| (0..RECORDS).map(|k| if set >> k & 1 == 1 { 0.3 } else { 0.7 }).product::<f64>();
    assert_unbiased(1.0 / 0.3, probability);
    let counts = drawn(Sampling::Poisson(0.3), Adjacency::AddRemoveRecord, 1.0 / 0.3, 2000);
    assert!(chi_square(&counts, probability) < 75.0, "{counts:?}");
}

/// Nodes, lanes and rounds draw for themselves: 1000 rounds of 2 nodes with 2 lanes, each with one of 5 records. Two rows agree
/// with probability 1/5: 200 +- 13 rounds; five standard deviations are allowed for, and the seed is fixed.
#[test]
fn nodes_lanes_and_rounds_draw_for_themselves() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = Shard::checked(Array2::eye(RECORDS), Array1::ones(RECORDS), bounds).unwrap();
    let declaration = Declaration::least_squares(RECORDS, bounds, Weighting::NodeMean, vec![RECORDS; 2]).unwrap();
    let mut parties = parties(&declaration, &[shard.clone(), shard], 2, Adjacency::ReplaceRecord, None, 5);
    let mut peek = Peek::new(parties.start(&[0.0; RECORDS]), Sampling::Records(1), None);
    let (mut last, mut agree) = (vec![9; 4], [0; 4]);
    run(&mut peek, &mut parties, &mut complete(2), &Noise::None, 0..1000, |_, peek, _| {
        let rows = peek.estimate().rows();
        let drawn: Vec<usize> =
            (0..4).map(|row| rows.row(row / 2, row % 2).iter().position(|g| *g != 0.0).unwrap()).collect();
        agree[0] += u32::from(drawn[0] == drawn[1]);
        agree[1] += u32::from(drawn[0] == drawn[2]);
        agree[2] += u32::from(drawn[1] == drawn[3]);
        agree[3] += u32::from(drawn[0] == last[0]);
        last = drawn;
        true
    })
    .unwrap();
    assert!(agree.iter().all(|agree| (135..265).contains(agree)), "{agree:?}");
}

fn hinge(records: Vec<usize>) -> Declaration {
    Declaration::new(Loss::Hinge, 2, RecordBounds::new(1.5, 1.0).unwrap(), Weighting::NodeMean, records).unwrap()
}

fn shards(records: &[usize]) -> Vec<Shard> {
    let of = |&n: &usize| {
        let x = Array2::from_shape_fn((n, 2), |(r, k)| ((r * 7 + k * 5) % 11) as f64 / 11.0);
        Shard::checked(x, Array1::ones(n), RecordBounds::new(1.5, 1.0).unwrap()).unwrap()
    };
    records.iter().map(of).collect()
}

const CASES: [(Sampling, Adjacency); 8] = [
    (Sampling::All, Adjacency::AddRemoveRecord),
    (Sampling::OneRecord, Adjacency::ReplaceRecord),
    (Sampling::OneRecord, Adjacency::ReplaceNode),
    (Sampling::Records(3), Adjacency::ReplaceRecord),
    (Sampling::Records(3), Adjacency::ReplaceNode),
    (Sampling::Records(4), Adjacency::ReplaceRecord),
    (Sampling::Poisson(0.2), Adjacency::AddRemoveRecord),
    (Sampling::Poisson(1.0), Adjacency::AddRemoveRecord),
];

/// Two classes of nodes, every scheme with a relation that it speaks of, clipped in either way or not: the ledger of the run is
/// that of the plan, and its events are what is written here by hand.
#[test]
fn the_ledger_of_a_run_is_planned_and_has_the_right_events() {
    let (records, sigma) = (vec![6, 4, 6], 0.9);
    let declaration = hinge(records.clone());
    let noise = Noise::Gaussian(Schedule::constant(sigma));
    for (sampling, adjacency) in CASES {
        for clip in [None, Some(Clip::Record(0.4)), Some(Clip::Gradient(0.3))] {
            let mut parties = parties(&declaration, &shards(&records), 1, adjacency, None, 1);
            let mut peek = Peek::new(parties.start(&[0.0; 2]), sampling, clip);
            run(&mut peek, &mut parties, &mut complete(3), &noise, 0..4, |_, _, _| true).unwrap();
            let planned = plan(&declaration, adjacency, Adversary::AllMessages, None, &noise, 4, |parties| {
                Box::new(Peek::new(parties.start(&[0.0; 2]), sampling, clip))
            })
            .unwrap();
            assert_eq!(parties.gate().ledger(), &planned);
            for (class, n) in planned.classes.iter().zip([6, 4]) {
                let expected = event(sampling, adjacency, clip, n, sigma);
                assert_eq!((class.entries.len(), class.entries[0].releases), (1, 4));
                same(class.entries[0].event, expected);
            }
        }
    }
}

/// By hand: one record is worth `2 L / n` replaced and `L / n` added, `L = 1.5`, times the inverse of the share looked at.
fn event(sampling: Sampling, adjacency: Adjacency, clip: Option<Clip>, n: u64, sigma: f64) -> Event {
    let (share, looked_at) = match sampling {
        Sampling::All => (1.0, n),
        Sampling::OneRecord | Sampling::HiddenOneRecord(_) => (1.0 / n as f64, 1),
        Sampling::Records(k) => (k as f64 / n as f64, k as u64),
        Sampling::Poisson(rate) => (rate, n),
    };
    let longest = if let Some(Clip::Record(norm)) = clip { norm } else { 1.5 };
    let lengths = match adjacency {
        Adjacency::AddRemoveRecord => 1.0,
        Adjacency::ReplaceRecord => 2.0,
        Adjacency::ReplaceNode => 2.0 * looked_at as f64,
    };
    let mut value = lengths * longest / (n as f64 * share);
    if let Some(Clip::Gradient(norm)) = clip {
        value = value.min(2.0 * norm);
    }
    let event = Event::Gaussian { sensitivity: Sensitivity { value, norm: Norm::L2, adjacency }, sigma };
    let scheme = match (sampling, adjacency) {
        (_, Adjacency::ReplaceNode) | (Sampling::All | Sampling::HiddenOneRecord(_), _) => return event,
        (Sampling::OneRecord, _) => Scheme::OneOf { population: n },
        (Sampling::Records(k), _) => Scheme::WithoutReplacement { batch: k as u64, population: n },
        (Sampling::Poisson(rate), _) => Scheme::Poisson { rate },
    };
    event.on_sample(scheme).unwrap()
}

/// Equal but for the last places of the sensitivity.
fn same(found: Event, expected: Event) {
    let parts = |event: Event| match event {
        Event::Sampled { sampling, base } => (Some(sampling), Event::from(base)),
        event => (None, event),
    };
    let ((scheme, found), (expected_scheme, expected)) = (parts(found), parts(expected));
    let (Event::Gaussian { sensitivity: a, sigma: x }, Event::Gaussian { sensitivity: b, sigma: y }) =
        (found, expected)
    else {
        panic!("{found:?}, expected {expected:?}")
    };
    assert_eq!((scheme, a.norm, a.adjacency), (expected_scheme, b.norm, b.adjacency));
    assert!((a.value / b.value - 1.0).abs() < 1e-12 && (x - y).abs() < 1e-15, "{found:?}, expected {expected:?}");
}

/// The epsilon of a run is that of its release, composed by hand.
#[test]
fn the_epsilon_is_that_of_the_accountant() {
    let declaration = hinge(vec![50; 2]);
    let noise = Noise::Gaussian(Schedule::constant(2.0));
    for (sampling, adjacency) in
        [(Sampling::Records(5), Adjacency::ReplaceRecord), (Sampling::Poisson(0.1), Adjacency::AddRemoveRecord)]
    {
        let ledger = plan(&declaration, adjacency, Adversary::AllMessages, None, &noise, 20, |parties| {
            Box::new(Peek::new(parties.start(&[0.0; 2]), sampling, Some(Clip::Record(1.0))))
        })
        .unwrap();
        let one = event(sampling, adjacency, Some(Clip::Record(1.0)), 50, 2.0);
        let by_hand = Ledger::of(adjacency, Adversary::AllMessages, [(one, 20)]);
        let (found, expected) = [ledger, by_hand].map(|ledger| Pld.bound(&ledger, 1e-5).unwrap().epsilon).into();
        assert!((found / expected - 1.0_f64).abs() < 1e-6, "{found} {expected}");
        // Without the sample it would be far more.
        let whole =
            Ledger::of(adjacency, Adversary::AllMessages, [(event(Sampling::All, adjacency, None, 1, 2.0), 20)]);
        assert!(Pld.bound(&whole, 1e-5).unwrap().epsilon > 3.0 * found);
    }
}

/// A scheme amplifies for one relation only, and probabilities and sizes have their ranges: refused in the plan.
#[test]
fn what_hides_nothing_is_refused() {
    let declaration = hinge(vec![6, 4, 6]);
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    let refused = |sampling, adjacency| {
        plan(&declaration, adjacency, Adversary::HiddenActivation, None, &noise, 1, |parties| {
            Box::new(Peek::new(parties.start(&[0.0; 2]), sampling, None))
        })
        .unwrap_err()
    };
    for (sampling, expected, found) in [
        (Sampling::OneRecord, ReplaceRecord, AddRemoveRecord),
        (Sampling::Records(2), ReplaceRecord, AddRemoveRecord),
        (Sampling::Poisson(0.1), AddRemoveRecord, ReplaceRecord),
        (Sampling::Poisson(0.1), AddRemoveRecord, ReplaceNode),
        (Sampling::HiddenOneRecord(0.1), ReplaceRecord, AddRemoveRecord),
        (Sampling::HiddenOneRecord(0.1), ReplaceRecord, ReplaceNode),
    ] {
        let stop = refused(sampling, found);
        let Stop::Mechanism(MechanismError::Sampling { expected: e, found: f, .. }) = stop else { panic!("{stop}") };
        assert_eq!((e, f), (expected, found), "{sampling:?}");
    }
    for count in [0, 5, 7] {
        let stop = refused(Sampling::Records(count), ReplaceRecord);
        assert!(matches!(stop, Stop::Sample { node, count: c, .. } if c == count && node == usize::from(count == 5)));
    }
    for bad in [0.0, -0.1, 1.5, f64::NAN] {
        assert!(matches!(refused(Sampling::Poisson(bad), AddRemoveRecord), Stop::Rate(_)));
        let stop = refused(Sampling::HiddenOneRecord(bad), ReplaceRecord);
        assert!(matches!(stop, Stop::Mechanism(MechanismError::Activation(_))));
    }
    for norm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let clipped = plan(&declaration, ReplaceRecord, Adversary::AllMessages, None, &noise, 1, |parties| {
            Box::new(Peek::new(parties.start(&[0.0; 2]), Sampling::All, Some(Clip::Record(norm))))
        });
        assert!(matches!(clipped, Err(Stop::Mechanism(MechanismError::Bound { .. }))), "{norm}");
    }
}

/// Two records with gradients of full length and opposite signs: the bound is attained, whatever is sampled, and by nothing
/// within the bounds passed.
#[test]
fn the_worst_pair_attains_the_clipped_sensitivity() {
    let (n, clip) = (4, 0.25);
    let declaration = hinge(vec![n]);
    let with = |first: f64| {
        let mut x = Array2::from_elem((n, 2), 0.3);
        x.row_mut(0).assign(&Array1::from(vec![1.2, 0.9 * first]));
        let mut y = Array1::ones(n);
        y[0] = first;
        // The same direction with either sign of the target.
        x[[0, 1]] = 0.9;
        Shard::checked(x, y, RecordBounds::new(1.5, 1.0).unwrap()).unwrap()
    };
    for (sampling, adjacency, bound) in [
        (Sampling::All, Adjacency::ReplaceRecord, 2.0 * clip / 4.0),
        (Sampling::Records(n), Adjacency::ReplaceRecord, 2.0 * clip / 4.0),
        (Sampling::Poisson(1.0), Adjacency::AddRemoveRecord, clip / 4.0),
    ] {
        let seen = |shard: Shard| {
            let mut parties = parties(&declaration, &[shard], 1, adjacency, None, 1);
            let mut peek = Peek::new(parties.start(&[0.0; 2]), sampling, Some(Clip::Record(clip)));
            run(&mut peek, &mut parties, &mut complete(1), &Noise::None, 0..1, |_, _, _| true).unwrap();
            peek.seen.rows().as_slice().to_vec()
        };
        let one = seen(with(1.0));
        let other = if adjacency == Adjacency::AddRemoveRecord {
            let shard = with(1.0);
            let keep = [1, 2, 3];
            let (x, y) = (shard.x().select(ndarray::Axis(0), &keep), shard.y().select(ndarray::Axis(0), &keep));
            seen(Shard::checked(x, y, shard.bounds()).unwrap())
        } else {
            seen(with(-1.0))
        };
        let moved = one.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(moved <= bound && moved > bound * (1.0 - 1e-12), "{sampling:?}: {moved} of {bound}");
    }
}

/// Says that two records were drawn from very many.
struct Lies(Public);
impl Algorithm for Lies {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let scheme = Scheme::WithoutReplacement { batch: 2, population: 1 << 40 };
        let g = node.gradient(&self.0, Batch::sampled([scheme].as_slice().into()))?;
        node.release(g).map(|_| ())
    }

    fn estimate(&self) -> &Public {
        &self.0
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![]
    }
}

/// Lies about the sample are read as orders: what is drawn is what is accounted for.
#[test]
fn a_batch_of_another_make_is_drawn_as_it_says() {
    let declaration = hinge(vec![6; 2]);
    let gate =
        Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, declaration.class_of(), None, keys(1, 2, 1));
    let mut parties = Parties::new(declaration, &shards(&[6, 6]), 1, gate).unwrap();
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    let mut lies = Lies(parties.start(&[0.0; 2]));
    run(&mut lies, &mut parties, &mut complete(2), &noise, 0..1, |_, _, _| true).unwrap();
    let Event::Sampled { sampling, .. } = parties.gate().ledger().classes[0].entries[0].event else { panic!() };
    assert_eq!(sampling, Scheme::WithoutReplacement { batch: 2, population: 6 });
}
