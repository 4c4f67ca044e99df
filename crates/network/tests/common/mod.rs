//! A small experiment that runs in the simulator and by parties, and transports that watch.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Adjacency, Adversary, Entry, Gate, Grid, Key, Ledger};
use dido_network::{
    Event, Halt, Hash, Journal, Manifest, Message, Owner, PartyId, PartyNetwork, Patience, RunFacts, RunId, Settings,
    Transport,
};
use dido_optimizers::{
    Algorithm, DIGing, Declaration, InProcess, Network, Noise, Parties, ProjectedDgd, Schedule, Stop, agree, run,
};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{MixingMatrix, families, weights};
use ndarray::{Array1, Array2};
use serde_json::json;

pub const DIM: usize = 3;
pub const RUN: RunId = RunId(*b"one of the runs.");

/// An experiment.
#[derive(Clone)]
pub struct World {
    pub declaration: Declaration,
    pub shards: Vec<Shard>,
    pub weights: MixingMatrix,
    pub rounds: u32,
    pub averaging: u32,
    /// Two averages in a round, in place of one.
    pub tracking: bool,
}

/// What comes out at one party.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub model: Vec<u64>,
    pub entries: Vec<Entry>,
}

impl World {
    /// On a ring, with 5, 6, 7, ... records.
    pub fn ring(nodes: usize) -> Self {
        let bounds = RecordBounds::new(1.0, 1.0).unwrap();
        let shards: Vec<Shard> = (0..nodes)
            .map(|node| {
                let wave = |k: usize| 0.5 * ((node * 61 + k * 37) as f64).sin();
                let x = Array2::from_shape_fn((5 + node, DIM), |(r, k)| wave(7 * r + k));
                let y = Array1::from_shape_fn(5 + node, |r| wave(100 + r));
                Shard::clipped(x, y, bounds).unwrap()
            })
            .collect();
        let records = shards.iter().map(Shard::records).collect();
        let declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, records).unwrap();
        let weights = weights::metropolis(&families::ring(nodes).unwrap());
        Self { declaration, shards, weights, rounds: 6, averaging: 3, tracking: false }
    }

    pub fn nodes(&self) -> usize {
        self.shards.len()
    }

    /// All averages of a run.
    pub fn exchanges(&self) -> u64 {
        u64::from(self.rounds * (1 + u32::from(self.tracking)) + self.averaging)
    }

    fn noise() -> Noise {
        Noise::DiscreteLaplace { scale: Schedule::power(0.7, 2.0, 0.2), grid: Grid::new(-24).unwrap() }
    }

    fn gate(declaration: &Declaration, nodes: impl Iterator<Item = u32>) -> Gate {
        let keys = nodes.map(|node| Key::derive(11, node, 0)).collect();
        Gate::exact(Adjacency::ReplaceRecord, Adversary::AllMessages, declaration.class_of(), None, keys)
    }

    fn algorithm(&self, parties: &Parties) -> Box<dyn Algorithm> {
        let (start, step) = (parties.start(&[0.0; DIM]), Schedule::power(0.4, 2.0, 0.3));
        let ball = Set::from(L2Ball::new(1.0).unwrap());
        if self.tracking {
            Box::new(DIGing::new(ball, step, 2, start))
        } else {
            Box::new(ProjectedDgd::new(ball, step, 2, start))
        }
    }

    /// All in one process.
    pub fn simulate(&self) -> Vec<Outcome> {
        let declaration = self.declaration.clone().by_node();
        let nodes = u32::try_from(self.nodes()).unwrap();
        let gate = Self::gate(&declaration, 0..nodes);
        let mut parties = Parties::new(declaration, &self.shards, 1, gate).unwrap();
        let mut network = InProcess::new(self.weights.clone());
        let model = self.drive(&mut parties, &mut network).unwrap();
        let classes = &parties.gate().ledger().classes;
        let outcome = |(model, class): (&[u64], &dido_mechanisms::ClassLedger)| Outcome {
            model: model.to_vec(),
            entries: class.entries.clone(),
        };
        model.chunks_exact(DIM).zip(classes).map(outcome).collect()
    }

    fn drive(&self, parties: &mut Parties, network: &mut dyn Network) -> Result<Vec<u64>, Stop> {
        let mut algorithm = self.algorithm(parties);
        run(algorithm.as_mut(), parties, network, &Self::noise(), 0..self.rounds, |_, _, _| true)?;
        let model = agree(algorithm.estimate().clone(), network, self.rounds, self.averaging)?;
        Ok(model.rows().as_slice().iter().map(|x| x.to_bits()).collect())
    }

    pub fn neighbours(&self, me: PartyId) -> Vec<PartyId> {
        let (nodes, _) = self.weights.row(me.node());
        nodes.iter().filter(|node| **node != me.node()).map(|node| PartyId(u32::try_from(*node).unwrap())).collect()
    }

    pub fn settings(&self, me: PartyId) -> Settings {
        let (nodes, weights) = self.weights.row(me.node());
        Settings {
            run: RUN,
            me,
            row: (nodes.to_vec(), weights.to_vec()),
            manifest: Manifest::of(&[("experiment", &json!({ "rounds": self.rounds }))]),
            largest: DIM,
            patience: Patience::Wait,
            ask_after: Duration::from_millis(5),
        }
    }

    pub fn facts(me: PartyId) -> RunFacts {
        RunFacts { run: RUN, from: me, manifest: Hash::of(b"manifest"), data: "data".to_owned() }
    }

    pub fn owner(me: PartyId) -> Owner {
        Owner { party: me.to_string(), data_set: "records".to_owned() }
    }

    pub fn journal(me: PartyId, folder: &Path) -> Journal {
        Journal::open(folder, &Self::owner(me), &Self::facts(me)).unwrap()
    }

    /// One life of a party: up to its end, or to what halts it. It stays for its neighbours until `all` are done.
    pub fn live<T: Transport>(&self, me: PartyId, network: PartyNetwork<T>, all: &Finish) -> Result<Outcome, Halt> {
        let mut network = network.stopped_by(Arc::clone(&all.over));
        let records = vec![self.declaration.records()[me.node()]];
        let total = self.declaration.records().iter().sum();
        let declaration =
            Declaration::least_squares(DIM, self.declaration.bounds(), Weighting::Pooled, records).unwrap();
        let declaration = declaration.within(self.nodes(), total).unwrap();
        let gate = Self::gate(&declaration, std::iter::once(me.0));
        let mut parties = Parties::new(declaration, &self.shards[me.node()..=me.node()], 1, gate).unwrap();
        let model = self.drive(&mut parties, &mut network).map_err(halt)?;
        let ledger: Ledger = parties.gate().ledger().clone();
        if all.left.fetch_sub(1, Ordering::SeqCst) == 1 && all.is_announced {
            all.over.store(true, Ordering::SeqCst);
        }
        let missing = network.finish(&ledger, Duration::from_mins(1))?;
        assert!(missing.is_empty() || all.is_announced, "{me} did not hear from {missing:?}");
        Ok(Outcome { model, entries: ledger.classes[0].entries.clone() })
    }
}

/// When a run is over.
#[derive(Debug)]
pub struct Finish {
    left: AtomicUsize,
    over: Arc<AtomicBool>,
    /// By somebody who sees all, in place of the parties: a party that comes back when all others have gone would wait for them.
    is_announced: bool,
}

impl Finish {
    pub fn of(nodes: usize, is_announced: bool) -> Self {
        Self { left: AtomicUsize::new(nodes), over: Arc::default(), is_announced }
    }
}

/// What stopped a party.
pub fn halt(stop: Stop) -> Halt {
    match stop {
        Stop::Network { source, .. } => *source.downcast().expect("a party halts for a reason"),
        stop => panic!("{stop}"),
    }
}

/// Every frame that was ever sent, by sender and exchange: there may be one of each.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Sent>>);

type Sent = BTreeMap<(PartyId, u64), Vec<u8>>;

impl Log {
    /// Frames, each counted once.
    pub fn frames(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// A transport that looks at what is sent.
pub struct Tapped<T> {
    pub inner: T,
    pub me: PartyId,
    pub log: Log,
}

impl<T: Transport> Transport for Tapped<T> {
    fn send(&mut self, to: PartyId, message: Message) {
        if let Message::Push(bytes) = &message {
            let step = u64::from_le_bytes(bytes[32..40].try_into().unwrap());
            let mut log = self.log.0.lock().unwrap();
            let first = log.entry((self.me, step)).or_insert_with(|| bytes.to_vec());
            assert_eq!(**first, **bytes, "{} sent two frames for exchange {step}", self.me);
        }
        self.inner.send(to, message);
    }

    fn next(&mut self, wait: Duration) -> Option<Event> {
        self.inner.next(wait)
    }

    fn close(&mut self) {
        self.inner.close();
    }
}
