//! A neighbour that breaks the rules, and a party that has forgotten something: the run stops, and says why.
//!
//! Party 0 of two is real; party 1 is played by the test, message by message.

mod common;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use common::{Finish, RUN, World};
use dido_network::{
    Event, Farewell, Faults, Frame, Halt, Hash, Hello, Hub, Journal, Manifest, Memory, Message, PROTOCOL, PartyId,
    PartyNetwork, Patience, Transport, Waiting,
};
use serde_json::json;

const VICTIM: PartyId = PartyId(0);
const ATTACKER: PartyId = PartyId(1);

fn hello(world: &World) -> Hello {
    let manifest = world.settings(VICTIM).manifest;
    Hello { version: PROTOCOL, run: RUN, manifest, incarnation: 1, process: 7, seen: None }
}

fn frame(step: u64, first: f64) -> Message {
    Message::Push(Frame::encode(RUN, ATTACKER, step, &[first, 0.0, 0.0]).into())
}

/// What halts the party when its neighbour says this, and what it says back.
fn halted(messages: impl FnOnce(&World) -> Vec<Message>) -> (Halt, Vec<Message>, tempfile::TempDir) {
    let world = World::ring(3);
    // Two parties of a ring of three: the third never comes.
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(Faults::NONE, 0);
    let mut attacker: Memory = hub.join(ATTACKER, &[VICTIM]);
    let (told, waits) = mpsc::channel();
    let halt = thread::scope(|scope| {
        let victim = scope.spawn(|| {
            let mut settings = world.settings(VICTIM);
            settings.patience = Patience::Stop(Duration::from_secs(2));
            let transport = hub.join(VICTIM, &world.neighbours(VICTIM));
            let network = PartyNetwork::new(settings, World::journal(VICTIM, folder.path()), transport).unwrap();
            let network = network.watched(move |waiting| drop(told.send(waiting.clone())));
            world.live(VICTIM, network, &Finish::of(3, true)).unwrap_err()
        });
        while !matches!(attacker.next(Duration::from_secs(5)), Some(Event::Up(_))) {}
        for message in messages(&world) {
            attacker.send(VICTIM, message);
        }
        victim.join().unwrap()
    });
    // Who waits has been told for whom: the third party, at least.
    let waits: Vec<Waiting> = waits.into_iter().collect();
    let absent = |waiting: &Waiting| waiting.step == 0 && waiting.missing.iter().any(|(id, _)| *id == PartyId(2));
    assert!(waits.iter().all(absent) && (!waits.is_empty() || !matches!(halt, Halt::Straggler { .. })));
    let said = std::iter::from_fn(|| attacker.next(Duration::ZERO)).filter_map(|event| match event {
        Event::Message(_, message) => Some(message),
        _ => None,
    });
    let said = said.collect();
    (halt, said, folder)
}

#[test]
fn two_frames_for_one_exchange_are_evidence() {
    let greeting = |world: &World| Message::Hello(Arc::new(hello(world)));
    let (halt, said, folder) = halted(|world| vec![greeting(world), frame(0, 1.0), frame(0, 1.0), frame(0, 2.0)]);
    assert!(matches!(halt, Halt::Equivocation { from: ATTACKER, step: 0, .. }), "{halt}");
    assert!(said.iter().any(|message| matches!(message, Message::Bye(Farewell::Equivocation))));
    // Both are in the journal, byte for byte, and it is still whole.
    let journal = std::fs::read(folder.path().join("journal")).unwrap();
    for first in [1.0, 2.0] {
        let bytes = Frame::encode(RUN, ATTACKER, 0, &[first, 0.0, 0.0]);
        assert!(journal.windows(bytes.len()).any(|window| window == bytes));
    }
    assert_eq!(Journal::inspect(folder.path()).unwrap().1[0].committed, 1);
}

#[test]
fn a_party_that_has_forgotten_a_frame_sends_nothing() {
    let (halt, said, _) = halted(|world| {
        vec![Message::Hello(Arc::new(Hello { seen: Some((5, Hash::of(b"a later frame"))), ..hello(world) }))]
    });
    assert!(matches!(halt, Halt::RolledBack { by: ATTACKER, step: 5, .. }), "{halt}");
    assert!(!said.iter().any(|message| matches!(message, Message::Push(_))), "{said:?}");
    // The same where the number fits and the bytes do not.
    let (halt, said, _) = halted(|world| {
        vec![Message::Hello(Arc::new(Hello { seen: Some((0, Hash::of(b"another frame"))), ..hello(world) }))]
    });
    assert!(matches!(halt, Halt::RolledBack { step: 0, .. }), "{halt}");
    assert!(!said.iter().any(|message| matches!(message, Message::Push(_))), "{said:?}");
}

#[test]
fn a_party_that_was_replaced_stops() {
    let (halt, ..) = halted(|_| vec![Message::Bye(Farewell::Stale)]);
    assert!(matches!(halt, Halt::Replaced { by: ATTACKER }), "{halt}");
}

#[test]
fn what_no_party_sends_ends_the_run() {
    let greeting = |world: &World| Message::Hello(Arc::new(hello(world)));
    let of_other = || Message::Push(Frame::encode(RUN, PartyId(2), 0, &[0.0; 3]).into());
    let long = || Message::Push(Frame::encode(RUN, ATTACKER, 0, &[0.0; 4]).into());
    let infinite = || Message::Push(Frame::encode(RUN, ATTACKER, 0, &[0.0, f64::INFINITY, 0.0]).into());
    for (message, part) in [
        (frame(2, 0.0), "a frame of exchange 2 in exchange 0"),
        (of_other(), "the sender is 2, not 1"),
        (long(), "bytes where a frame of 3 numbers has"),
        (infinite(), "number 1 is not finite"),
        (Message::Push(vec![].into()), "0 bytes"),
    ] {
        let (halt, said, _) = halted(|world| vec![greeting(world), message]);
        assert!(matches!(&halt, Halt::Protocol { from: ATTACKER, what } if what.contains(part)), "{part}: {halt}");
        assert!(said.iter().any(|message| matches!(message, Message::Bye(Farewell::Protocol))));
    }
}

/// Words do not put off the end of patience, nor the question for what is missing.
#[test]
fn a_neighbour_that_only_talks_is_a_straggler_too() {
    let greeting = |world: &World| Message::Hello(Arc::new(hello(world)));
    let (halt, said, _) = halted(|world| vec![greeting(world); 20_000]);
    assert!(matches!(halt, Halt::Straggler { .. }), "{halt}");
    assert!(said.iter().any(|message| matches!(message, Message::Pull(0))));
}

/// Refused at the first message, with the field; nothing else is heard of such a neighbour, and the run goes on without it.
#[test]
fn other_files_other_runs_and_strangers_are_not_heard() {
    let other = Manifest::of(&[("experiment", &json!({ "rounds": 7 }))]);
    for (of, farewell) in [
        (Hello { manifest: other, ..hello(&World::ring(3)) }, Farewell::Manifest("experiment.rounds".to_owned())),
        (Hello { version: 9, ..hello(&World::ring(3)) }, Farewell::Version(PROTOCOL)),
        (Hello { run: dido_network::RunId([0; 16]), ..hello(&World::ring(3)) }, Farewell::Run),
    ] {
        let (halt, said, _) = halted(|_| vec![Message::Hello(Arc::new(of)), frame(0, 1.0), frame(0, 2.0)]);
        assert!(matches!(halt, Halt::Straggler { .. }), "{halt}");
        assert!(said.iter().any(|message| matches!(message, Message::Bye(found) if *found == farewell)), "{said:?}");
        assert!(!said.iter().any(|message| matches!(message, Message::Push(_))), "{said:?}");
    }
    // Whoever has been refused, or has not said hello, cannot get in by saying that it is done.
    let refused = Hello { version: 9, ..hello(&World::ring(3)) };
    for first in [vec![], vec![Message::Hello(Arc::new(refused))]] {
        let rest = vec![Message::Bye(Farewell::Done), frame(0, 1.0), frame(0, 2.0), Message::Pull(0)];
        let (halt, said, _) = halted(|_| [first, rest].concat());
        assert!(matches!(halt, Halt::Straggler { .. }), "{halt}");
        assert!(!said.iter().any(|message| matches!(message, Message::Push(_))), "{said:?}");
    }
    // Whoever has not said hello.
    let (halt, ..) = halted(|_| vec![frame(0, 1.0), frame(0, 2.0)]);
    assert!(matches!(&halt, Halt::Straggler { missing, .. } if missing.contains(&ATTACKER)), "{halt}");
}
