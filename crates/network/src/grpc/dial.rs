//! The side that calls.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};

use super::links::Links;
use super::wire::party_client::PartyClient;
use super::{Peer, Timing, hear};
use crate::{Event, PartyId};

/// Between two attempts, at first and at most.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(3);

/// All that one dialler needs.
pub(super) struct Dialler {
    pub me: PartyId,
    pub peer: Peer,
    pub address: String,
    pub connector: TlsConnector,
    pub links: Arc<Links>,
    pub events: mpsc::Sender<Event>,
    pub timing: Timing,
    pub limit: usize,
}

impl Dialler {
    /// Keeps a connection to the neighbour alive, unless it has opened one itself.
    pub async fn run(self) {
        let mut pause = SHORTEST;
        // Both sides can dial: the one with the lower number begins.
        if self.peer.id < self.me {
            tokio::time::sleep(LONGEST / 3).await;
        }
        loop {
            let ended = self.links.ended.notified();
            if self.links.is_connected(self.peer.id) {
                pause = SHORTEST;
                ended.await;
                continue;
            }
            drop(ended);
            if let Err(why) = self.dial().await {
                let event = Event::Down(self.peer.id, format!("{}: {why}", self.address));
                if !self.links.is_connected(self.peer.id) && self.events.send(event).await.is_err() {
                    return;
                }
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(LONGEST);
        }
    }

    /// One connection, from its beginning to its end.
    async fn dial(&self) -> Result<(), String> {
        let channel = self.connect().await?;
        let mut client = PartyClient::new(channel).max_decoding_message_size(self.limit);
        let Some(taken) = self.links.take(self.peer.id, self.me) else { return Ok(()) };
        let answer = client.exchange(ReceiverStream::new(taken.outgoing)).await;
        let incoming = match answer {
            Ok(answer) => answer.into_inner(),
            Err(status) => {
                self.links.give_back(self.peer.id, taken.number);
                return Err(status.message().to_owned());
            }
        };
        hear(self.peer.id, taken.number, incoming, &taken.over, &self.links, &self.events).await;
        Ok(())
    }

    /// A channel to the neighbour, whose certificate has been verified.
    async fn connect(&self) -> Result<Channel, String> {
        let Timing { connect, keepalive, keepalive_timeout, .. } = self.timing;
        let name = ServerName::try_from(self.peer.name.clone()).map_err(|error| error.to_string())?;
        // The connection is made once: afterwards the channel is at its end.
        let once = Arc::new(std::sync::Mutex::new(Some((self.connector.clone(), self.address.clone(), name))));
        let make = tower::service_fn(move |_| {
            let once = once.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            async move {
                let (connector, address, name) = once.ok_or_else(|| std::io::Error::other("closed"))?;
                let stream = TcpStream::connect(&address).await?;
                stream.set_nodelay(true)?;
                let stream = connector.connect(name, stream).await?;
                Ok::<_, std::io::Error>(TokioIo::new(stream))
            }
        });
        let endpoint = Endpoint::from_static("http://party")
            .connect_timeout(connect)
            .http2_keep_alive_interval(keepalive)
            .keep_alive_timeout(keepalive_timeout)
            .keep_alive_while_idle(true);
        let channel = tokio::time::timeout(connect, endpoint.connect_with_connector(make)).await;
        channel.map_err(|_| "no answer".to_owned())?.map_err(|error| innermost(&error))
    }
}

/// The first cause of an error.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source()).last().map_or_else(String::new, ToString::to_string)
}
