//! The side that is called: TCP and TLS, before anything is read.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use super::credentials::Certified;
use super::{Caller, Peers};
use crate::Event;

/// A caller has so long to show its certificate.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// A connection of a neighbour that has been verified.
pub(super) struct Verified {
    stream: TlsStream<TcpStream>,
    caller: Caller,
    _permit: OwnedSemaphorePermit,
}

/// Accepts neighbours for ever. At most `most` connections are open, or in the making, at one time; whoever is not a neighbour
/// gets nothing but the end of the connection.
pub(super) async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    peers: Arc<Peers>,
    most: usize,
    accepted: mpsc::Sender<io::Result<Verified>>,
    events: mpsc::Sender<Event>,
) {
    let places = Arc::new(Semaphore::new(most));
    loop {
        let Ok(permit) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, from)) = listener.accept().await else {
            // Out of descriptors, say: others end meanwhile.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (acceptor, peers, accepted, events) =
            (acceptor.clone(), Arc::clone(&peers), accepted.clone(), events.clone());
        tokio::spawn(async move {
            match verify(stream, &acceptor, &peers).await {
                Ok((stream, caller)) => {
                    // The server has gone if this fails.
                    let _ = accepted.send(Ok(Verified { stream, caller, _permit: permit })).await;
                }
                // Somebody who is turned away cannot fill the queue: what does not fit is not told.
                Err(why) => drop(events.try_send(Event::Refused(address(from), why))),
            }
        });
    }
}

async fn verify(
    stream: TcpStream,
    acceptor: &TlsAcceptor,
    peers: &Peers,
) -> Result<(TlsStream<TcpStream>, Caller), String> {
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let handshake = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
    let stream = handshake
        .map_err(|_| format!("no certificate within {} s", HANDSHAKE.as_secs()))?
        .map_err(|error| error.to_string())?;
    let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first()).ok_or("no certificate")?;
    let certified = Certified::of(shown)?;
    let caller =
        peers.named(&certified.names).ok_or_else(|| format!("{} is no neighbour", certified.names.join(", ")))?;
    Ok((stream, Caller { id: caller }))
}

fn address(from: SocketAddr) -> String {
    from.ip().to_string()
}

impl Connected for Verified {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.caller.clone()
    }
}

impl AsyncRead for Verified {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Verified {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
