//! The real network: gRPC over mutual TLS, one port, no server but the parties themselves.
//!
//! Every neighbour that has an address is called, and every neighbour may call: whoever opens the connection, one stays for each
//! edge. So a party that can only call out takes part. The identity of a message is the verified certificate of its connection.

mod accept;
mod authority;
mod credentials;
mod dial;
mod envelope;
mod links;

#[allow(missing_docs, clippy::all, clippy::pedantic, reason = "made from proto/")]
mod wire {
    tonic::include_proto!("dido.network.v1");
}

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::{Event, Message, PartyId, Transport};
use dial::Dialler;
use links::Links;
use wire::Envelope;
use wire::party_server::{Party, PartyServer};

pub use authority::{Authority, AuthorityError, Issued};
pub use credentials::{Certified, CredentialError, CredentialFiles, Credentials, is_party_name};

/// A neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its number.
    pub id: PartyId,
    /// The name in its certificate.
    pub name: String,
    /// Where it can be called, as `host:port`; nothing if it only calls.
    pub address: Option<String>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Until a call is answered.
    pub connect: Duration,
    /// Between two signs of life on a quiet connection.
    pub keepalive: Duration,
    /// Until such a sign is answered: then the connection is taken for dead.
    pub keepalive_timeout: Duration,
    /// At the end, for what is still to be sent.
    pub close: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            keepalive: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(10),
            close: Duration::from_secs(2),
        }
    }
}

/// A party on the network.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its number.
    pub me: PartyId,
    /// Where it is called; nothing if it only calls.
    pub listen: Option<SocketAddr>,
    /// Its neighbours.
    pub peers: Vec<Peer>,
    /// Its certificate.
    pub credentials: Credentials,
    /// How long things may take.
    pub timing: Timing,
    /// The longest frame, in bytes.
    pub longest: usize,
}

/// Beside a frame: for the envelope, and for the first message, whose length depends on the files of the consortium.
const OVERHEAD: usize = 256 << 10;
/// Events that wait for the party. When they are many nothing more is read from the neighbours.
const EVENTS: usize = 64;
/// For tasks to end. None of them computes.
const LEAVING: Duration = Duration::from_millis(500);

/// The transport of a party on its own machine.
#[derive(Debug)]
pub struct Grpc {
    runtime: Option<Runtime>,
    links: Arc<Links>,
    events: mpsc::Receiver<Event>,
    listening: Option<SocketAddr>,
    close: Duration,
}

impl Grpc {
    /// Listens, and begins to call the neighbours.
    ///
    /// # Errors
    /// If nobody can listen at the address.
    pub fn start(setup: Setup) -> io::Result<Self> {
        let Setup { me, listen, peers, credentials, timing, longest } = setup;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let (links, limit) = (Links::new(), longest.saturating_add(OVERHEAD));
        let (send, events) = mpsc::channel(EVENTS);
        let mut listening = None;
        if let Some(address) = listen {
            let listener = runtime.block_on(TcpListener::bind(address))?;
            listening = Some(listener.local_addr()?);
            let acceptor = TlsAcceptor::from(Arc::clone(&credentials.server));
            let (accepted, incoming) = mpsc::channel(1);
            let (most, names) = (16 + 4 * peers.len(), Arc::new(Peers(peers.clone())));
            runtime.spawn(accept::accept(listener, acceptor, names, most, accepted, send.clone()));
            let desk = Desk { links: Arc::clone(&links), events: send.clone() };
            let service = PartyServer::new(desk).max_decoding_message_size(limit);
            let server = Server::builder()
                .concurrency_limit_per_connection(2)
                .max_concurrent_streams(2)
                .http2_keepalive_interval(Some(timing.keepalive))
                .http2_keepalive_timeout(Some(timing.keepalive_timeout))
                .add_service(service);
            runtime.spawn(server.serve_with_incoming(ReceiverStream::new(incoming)));
        }
        let connector = TlsConnector::from(Arc::clone(&credentials.client));
        for peer in peers {
            if let Some(address) = peer.address.clone() {
                let (connector, links, events) = (connector.clone(), Arc::clone(&links), send.clone());
                runtime.spawn(Dialler { me, peer, address, connector, links, events, timing, limit }.run());
            }
        }
        Ok(Self { runtime: Some(runtime), links, events, listening, close: timing.close })
    }

    /// Where this party is called.
    pub fn listening(&self) -> Option<SocketAddr> {
        self.listening
    }
}

impl Transport for Grpc {
    fn send(&mut self, to: PartyId, message: Message) {
        self.links.send(to, envelope::encode(&message));
    }

    fn next(&mut self, wait: Duration) -> Option<Event> {
        let runtime = self.runtime.as_ref()?;
        runtime.block_on(async { tokio::time::timeout(wait, self.events.recv()).await.ok().flatten() })
    }

    fn close(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Whoever does not listen any more is not waited for.
            let _ = runtime.block_on(async { tokio::time::timeout(self.close, self.links.close()).await });
            runtime.shutdown_timeout(LEAVING);
        }
    }
}

impl Drop for Grpc {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Until the port is free again.
            runtime.shutdown_timeout(LEAVING);
        }
    }
}

/// The neighbours by name.
pub(crate) struct Peers(Vec<Peer>);

impl Peers {
    /// The neighbour that a certificate is for.
    fn named(&self, names: &[String]) -> Option<PartyId> {
        self.0.iter().find(|peer| names.contains(&peer.name)).map(|peer| peer.id)
    }
}

/// Who calls, as its certificate says.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    id: PartyId,
}

/// The service of a party.
struct Desk {
    links: Arc<Links>,
    events: mpsc::Sender<Event>,
}

#[tonic::async_trait]
impl Party for Desk {
    type ExchangeStream = Pin<Box<dyn Stream<Item = Result<Envelope, Status>> + Send>>;

    async fn exchange(&self, request: Request<Streaming<Envelope>>) -> Result<Response<Self::ExchangeStream>, Status> {
        let caller = request.extensions().get::<Caller>().cloned();
        let Caller { id, .. } = caller.ok_or_else(|| Status::unauthenticated("no certificate"))?;
        let taken = self.links.take(id, id).ok_or_else(|| Status::already_exists("there is a connection already"))?;
        let (links, events, over) = (Arc::clone(&self.links), self.events.clone(), Arc::clone(&taken.over));
        let incoming = request.into_inner();
        tokio::spawn(async move { hear(id, taken.number, incoming, &over, &links, &events).await });
        Ok(Response::new(Box::pin(ReceiverStream::new(taken.outgoing).map(Ok))))
    }
}

/// Passes on what a neighbour says, until the connection ends.
async fn hear(
    peer: PartyId,
    number: u64,
    mut incoming: Streaming<Envelope>,
    over: &Notify,
    links: &Links,
    events: &mpsc::Sender<Event>,
) {
    let mut open = events.send(Event::Up(peer)).await.is_ok();
    let mut why = String::new();
    while open {
        let next = tokio::select! {
            () = over.notified() => break,
            next = incoming.message() => next,
        };
        open = match next.map(|envelope| envelope.map(envelope::decode)) {
            Ok(Some(Some(message))) => events.send(Event::Message(peer, message)).await.is_ok(),
            Ok(Some(None)) => {
                why.push_str("it sent what is no message");
                false
            }
            Ok(None) => {
                why.push_str("it closed the connection");
                false
            }
            Err(status) => {
                why = dial::innermost(&status);
                false
            }
        };
    }
    if links.give_back(peer, number) {
        // The party has gone if this fails.
        let _ = events.send(Event::Down(peer, why)).await;
    }
}
