//! The real transport, on loopback: the bits of the simulator, and nobody who does not belong.
#![cfg(feature = "grpc")]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{Finish, Log, Outcome, Tapped, World};
use dido_network::grpc::{Authority, CredentialFiles, Credentials, Grpc, Issued, Peer, Setup, Timing};
use dido_network::{Event, Halt, PartyId, PartyNetwork, Transport, length};
use tempfile::TempDir;

fn id(node: usize) -> PartyId {
    PartyId(u32::try_from(node).unwrap())
}

fn name(node: usize) -> String {
    format!("hospital-{node}")
}

fn write(path: &Path, text: &str) {
    let file = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path);
    file.unwrap().write_all(text.as_bytes()).unwrap();
}

/// A consortium with an authority: addresses that nobody else uses, and certificates.
struct Consortium {
    folder: TempDir,
    authority: Authority,
    addresses: Vec<SocketAddr>,
}

impl Consortium {
    fn of(nodes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // All at once, so that they differ; they are free again at the end.
        let listeners: Vec<TcpListener> = (0..nodes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let addresses = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
        let authority = Authority::new("an authority for tests", 2).unwrap();
        write(&folder.path().join("authority.pem"), authority.certificate());
        Self { folder, authority, addresses }
    }

    fn credentials(&self, label: &str, issued: &Issued, name: &str) -> Credentials {
        let at = |ending: &str| self.folder.path().join(format!("{label}.{ending}"));
        write(&at("pem"), &issued.certificate);
        write(&at("key"), &issued.key);
        let authority = self.folder.path().join("authority.pem");
        Credentials::read(&CredentialFiles { authority, certificate: at("pem"), key: at("key") }, name).unwrap()
    }

    fn setup(&self, world: &World, node: usize) -> Setup {
        let credentials = self.credentials(&name(node), &self.authority.issue(&name(node), 1).unwrap(), &name(node));
        let peer = |id: PartyId| {
            let address = Some(self.addresses[id.node()].to_string());
            Peer { id, name: name(id.node()), address }
        };
        Setup {
            me: id(node),
            listen: Some(self.addresses[node]),
            peers: world.neighbours(id(node)).into_iter().map(peer).collect(),
            credentials,
            timing: Timing::default(),
            longest: length(common::DIM).unwrap(),
        }
    }
}

/// A life of a party on the network, killed at the `kill`-th point it passes.
fn life(
    world: &World,
    setup: Setup,
    folder: &Path,
    log: &Log,
    all: &Finish,
    kill: Option<u32>,
) -> Result<Outcome, Halt> {
    let me = setup.me;
    let inner = Grpc::start(setup).unwrap();
    let passed = AtomicU32::new(0);
    let fuse = move |_| kill == Some(passed.fetch_add(1, Ordering::Relaxed));
    let mut settings = world.settings(me);
    settings.ask_after = Duration::from_millis(200);
    let transport = Tapped { inner, me, log: log.clone() };
    let network = PartyNetwork::new(settings, World::journal(me, folder), transport).unwrap().with_fuse(fuse);
    world.live(me, network, all)
}

/// Parties start one after the other, the last one long after the first; one can only call, and one is killed twice.
#[test]
fn parties_on_the_network_have_the_bits_of_the_simulator() {
    let world = World::ring(4);
    let consortium = Consortium::of(4);
    let (expected, log, all) = (world.simulate(), Log::default(), Finish::of(4, true));
    let folders: Vec<TempDir> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let found: Vec<Outcome> = thread::scope(|scope| {
        let parties: Vec<_> = [2, 0, 3, 1]
            .into_iter()
            .map(|node| {
                let mut setup = consortium.setup(&world, node);
                // Party 3 has no address: it is the one that calls.
                setup.peers.iter_mut().filter(|peer| peer.id == id(3)).for_each(|peer| peer.address = None);
                setup.listen = setup.listen.filter(|_| node != 3);
                let (world, log, all, folder) = (&world, &log, &all, folders[node].path());
                let party = scope.spawn(move || {
                    let kills = if node == 1 { [Some(4), Some(9), None] } else { [None; 3] };
                    let lives = kills.into_iter().map(|kill| life(world, setup.clone(), folder, log, all, kill));
                    let killed = |life: &Result<Outcome, Halt>| matches!(life, Err(Halt::Killed));
                    (node, lives.into_iter().find(|life| !killed(life)).unwrap().unwrap())
                });
                thread::sleep(Duration::from_millis(300));
                party
            })
            .collect();
        let mut found: Vec<(usize, Outcome)> = parties.into_iter().map(|party| party.join().unwrap()).collect();
        found.sort_by_key(|(node, _)| *node);
        found.into_iter().map(|(_, outcome)| outcome).collect()
    });
    assert_eq!(found, expected);
    assert_eq!(log.frames() as u64, 4 * world.exchanges());
}

/// What a party tells within some seconds, up to the first event that is asked for.
fn wait(party: &mut Grpc, what: impl Fn(&Event) -> bool) -> Event {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if let Some(event) = party.next(Duration::from_millis(200))
            && what(&event)
        {
            return event;
        }
    }
    panic!("nothing of the kind happened");
}

/// Foreign authority, certificate of somebody who is no neighbour, expired, plaintext: turned away, each with a reason at one end
/// at least, while an honest neighbour gets through.
#[test]
fn who_does_not_belong_is_turned_away() {
    let world = World::ring(3);
    let consortium = Consortium::of(3);
    let mut party =
        Grpc::start(Setup { peers: consortium.setup(&world, 0).peers, ..consortium.setup(&world, 0) }).unwrap();
    let address = party.listening().unwrap();

    let stranger = |credentials: Credentials, called: &str| {
        let peer = Peer { id: id(0), name: called.to_owned(), address: Some(address.to_string()) };
        let (me, peers, listen) = (id(1), vec![peer], None);
        let (timing, longest) = (Timing::default(), length(common::DIM).unwrap());
        Grpc::start(Setup { me, listen, peers, credentials, timing, longest }).unwrap()
    };
    let refused = |party: &mut Grpc, part: &str| {
        wait(party, |event| matches!(event, Event::Refused(_, why) if why.contains(part)));
    };
    let is_down = |part: &'static str| move |event: &Event| matches!(event, Event::Down(_, why) if why.contains(part));

    // Signed by somebody else.
    let other = Authority::new("somebody else", 1).unwrap();
    let mut foreign =
        stranger(consortium.credentials("foreign", &other.issue(&name(1), 1).unwrap(), &name(1)), &name(0));
    refused(&mut party, "UnknownIssuer");
    drop(foreign.next(Duration::ZERO));
    drop(foreign);
    // A party of the consortium, but not of this edge.
    let outsider = consortium.authority.issue("hospital-9", 1).unwrap();
    let outsider = stranger(consortium.credentials("outsider", &outsider, "hospital-9"), &name(0));
    refused(&mut party, "hospital-9 is no neighbour");
    drop(outsider);
    // The right certificate, and the party that is called is not the one that was meant.
    let honest = || consortium.credentials("honest", &consortium.authority.issue(&name(1), 1).unwrap(), &name(1));
    let mut confused = stranger(honest(), &name(2));
    wait(&mut confused, is_down("not valid for name"));
    drop(confused);
    // No TLS.
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    refused(&mut party, "corrupt");
    let mut rest = vec![];
    // Whatever is answered, it ends.
    plain.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let _ = plain.read_to_end(&mut rest);
    // An honest neighbour.
    let honest = stranger(honest(), &name(0));
    wait(&mut party, |event| matches!(event, Event::Up(peer) if *peer == id(1)));
    drop(honest);
}

#[test]
fn certificates_are_checked_before_anything_is_sent() {
    let consortium = Consortium::of(1);
    let refused = |label: &str, issued: &Issued, name: &str| {
        let at = |ending: &str| consortium.folder.path().join(format!("{label}.{ending}"));
        write(&at("pem"), &issued.certificate);
        write(&at("key"), &issued.key);
        let authority = consortium.folder.path().join("authority.pem");
        let files = CredentialFiles { authority, certificate: at("pem"), key: at("key") };
        Credentials::read(&files, name).map(|_| ()).unwrap_err().to_string()
    };
    let issued = consortium.authority.issue(&name(0), 1).unwrap();
    let contains = |text: String, part: &str| assert!(text.contains(part), "{part}: {text}");
    contains(refused("a", &issued, "hospital-7"), "a.pem: the certificate is for hospital-0, not for hospital-7");
    contains(
        refused("b", &consortium.authority.issue_from(&name(0), -3, 1).unwrap(), &name(0)),
        "b.pem: the certificate has expired",
    );
    contains(refused("c", &consortium.authority.issue_from(&name(0), 3, 1).unwrap(), &name(0)), "not valid yet");
    let mixed = Issued { key: consortium.authority.issue(&name(0), 1).unwrap().key, ..issued.clone() };
    contains(refused("d", &mixed, &name(0)), "d.key: the key does not fit the certificate");
    contains(refused("e", &Issued { certificate: String::new(), ..issued.clone() }, &name(0)), "e.pem: no certificate");
    contains(refused("f", &Issued { key: "x".to_owned(), ..issued.clone() }, &name(0)), "f.key: no private key");
    let open = consortium.folder.path().join("g.key");
    fs::write(&open, &issued.key).unwrap();
    fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    contains(refused("g", &issued, &name(0)), "g.key: others can read it");
    for wrong in ["", "a b", "hospital_3/..", "10.0.0.1", "x.", "ä"] {
        assert!(consortium.authority.issue(wrong, 1).is_err(), "{wrong:?}");
    }
    // An authority is the same after it was stored.
    let (certificate, key) = (consortium.authority.certificate(), consortium.authority.key());
    let again = Authority::from_pem(certificate, key).unwrap();
    let setup = consortium.credentials("h", &again.issue(&name(0), 1).unwrap(), &name(0));
    assert!(setup.own().days_left() <= 1 && Arc::new(setup).own().names == [name(0)]);
}
