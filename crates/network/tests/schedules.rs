//! Whatever goes wrong between parties and within them, every one of them sends one byte string in each exchange, and their models
//! and ledgers are those of the simulator, to the bit.
//!
//! 200 schedules: messages are lost, doubled and overtaken, and parties are killed up to four times each, at any place, with and
//! without a power cut that takes what was not yet on disk. The schedules follow from fixed seeds, but for the interleaving of
//! threads; the claim holds for every interleaving, so the test cannot flake.

mod common;

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use common::{Finish, Log, Outcome, Tapped, World};
use dido_mechanisms::Key;
use dido_mechanisms::{Purpose, Stream};
use dido_network::{Faults, Halt, Hub, Journal, PartyId, PartyNetwork};
use rand::RngExt;

/// What happens to one party.
struct Fate {
    /// Before which point of each of its lives it is killed.
    kills: Vec<u32>,
    /// Whether the machine loses its power then.
    power_cut: bool,
}

fn fate(seed: u64, me: PartyId) -> Fate {
    let mut rng = Key::derive(seed, me.0, 1).rng(Stream::new(0, Purpose::PublicCoin, 0).unwrap());
    let kills = if seed.is_multiple_of(10) { 0 } else { rng.random_range(0..=4) };
    let kills = (0..kills).map(|_| rng.random_range(0..40)).collect();
    Fate { kills, power_cut: rng.random_bool(0.5) }
}

/// All lives of a party.
fn live(world: &World, me: PartyId, hub: &Arc<Hub>, folder: &Path, fate: &Fate, log: &Log, all: &Finish) -> Outcome {
    for life in 0.. {
        let journal = World::journal(me, folder);
        let inner = hub.join(me, &world.neighbours(me));
        let transport = Tapped { inner, me, log: log.clone() };
        let mut left = fate.kills.get(life).copied();
        let fuse = move |_| {
            left = left.map(|left| left.wrapping_sub(1));
            left == Some(u32::MAX)
        };
        let network = PartyNetwork::new(world.settings(me), journal, transport).unwrap().with_fuse(fuse);
        match world.live(me, network, all) {
            Ok(outcome) => return outcome,
            Err(Halt::Killed) if fate.power_cut => lose_power(folder),
            Err(Halt::Killed) => {}
            Err(halt) => panic!("{me}, life {life}: {halt}"),
        }
    }
    unreachable!("the last life is not cut short")
}

/// What was not yet on disk is gone.
fn lose_power(folder: &Path) {
    let durable = Journal::durable(folder).unwrap();
    OpenOptions::new().write(true).open(folder.join("journal")).unwrap().set_len(durable).unwrap();
}

fn schedule(seed: u64) {
    let mut world = World::ring(3 + usize::try_from(seed % 3).unwrap());
    world.tracking = seed % 4 == 3;
    let faults = match seed % 5 {
        0 => Faults::NONE,
        k => Faults {
            lost: 0.05 * (k % 3) as f64,
            doubled: 0.1 * (k % 2) as f64,
            late: 4 * u32::try_from(k % 4).unwrap(),
        },
    };
    let expected = world.simulate();
    let (hub, log) = (Hub::new(faults, seed), Log::default());
    let fates: Vec<Fate> = (0..world.nodes()).map(|node| fate(seed, PartyId(u32::try_from(node).unwrap()))).collect();
    let is_quiet = faults == Faults::NONE && fates.iter().all(|fate| fate.kills.is_empty());
    let all = Finish::of(world.nodes(), !is_quiet);
    let folders: Vec<_> = (0..world.nodes()).map(|_| tempfile::tempdir().unwrap()).collect();
    let found: Vec<Outcome> = thread::scope(|scope| {
        let parties: Vec<_> = (0..world.nodes())
            .map(|node| {
                let (world, hub, log, all, fate, folder) =
                    (&world, &hub, &log, &all, &fates[node], folders[node].path());
                let me = PartyId(u32::try_from(node).unwrap());
                scope.spawn(move || live(world, me, hub, folder, fate, log, all))
            })
            .collect();
        parties.into_iter().map(|party| party.join().unwrap()).collect()
    });
    assert_eq!(found, expected, "seed {seed}");
    assert_eq!(log.frames() as u64, world.exchanges() * world.nodes() as u64, "seed {seed}");
    for (folder, outcome) in folders.iter().zip(&expected) {
        let (_, runs) = Journal::inspect(folder.path()).unwrap();
        let [run] = runs.as_slice() else { panic!("{} runs", runs.len()) };
        assert_eq!((&run.entries, run.committed, run.done), (&outcome.entries, world.exchanges(), true));
    }
}

/// Schedules at one time: they wait for the disk more than they compute.
const WORKERS: usize = 4;

#[test]
fn two_hundred_schedules_end_in_the_bits_of_the_simulator() {
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            scope.spawn(move || (worker..200).step_by(WORKERS).for_each(|seed| schedule(seed as u64)));
        }
    });
}
