//! Messages as protobuf, and back.

use std::sync::Arc;

use super::wire::{Bye, Envelope, Field, Hello, Pull, Push, Seen, bye::Reason, envelope::Message as Body};
use crate::{Farewell, Hash, Manifest, Message, RunId};

/// The most fields that a manifest of another party may have, and the longest path.
const MOST_FIELDS: usize = 1 << 14;
const LONGEST_PATH: usize = 200;

/// A message as it is sent.
pub(super) fn encode(message: &Message) -> Envelope {
    let body = match message {
        Message::Hello(hello) => Body::Hello(Hello {
            version: hello.version,
            run: hello.run.0.to_vec(),
            fields: hello.manifest.fields().iter().map(field).collect(),
            incarnation: hello.incarnation,
            process: hello.process,
            seen: hello.seen.map(|(exchange, hash)| Seen { exchange, hash: hash.0.to_vec() }),
        }),
        Message::Push(bytes) => Body::Push(Push { frame: bytes.to_vec() }),
        Message::Pull(exchange) => Body::Pull(Pull { exchange: *exchange }),
        Message::Bye(farewell) => Body::Bye(bye(farewell)),
    };
    Envelope { message: Some(body) }
}

/// A message as it came; nothing of what is none.
pub(super) fn decode(envelope: Envelope) -> Option<Message> {
    Some(match envelope.message? {
        Body::Hello(hello) => {
            let fits = |field: &Field| field.path.len() <= LONGEST_PATH;
            if hello.fields.len() > MOST_FIELDS || !hello.fields.iter().all(fits) {
                return None;
            }
            let of = |field: Field| crate::Field { path: field.path, hash: field.hash.to_le_bytes() };
            let seen = match hello.seen {
                None => None,
                Some(Seen { exchange, hash }) => Some((exchange, Hash(hash.try_into().ok()?))),
            };
            Message::Hello(Arc::new(crate::Hello {
                version: hello.version,
                run: RunId(hello.run.try_into().ok()?),
                manifest: Manifest::from_fields(hello.fields.into_iter().map(of).collect()),
                incarnation: hello.incarnation,
                process: hello.process,
                seen,
            }))
        }
        Body::Push(Push { frame }) => Message::Push(frame.into()),
        Body::Pull(Pull { exchange }) => Message::Pull(exchange),
        Body::Bye(Bye { reason, version, field }) => Message::Bye(match Reason::try_from(reason).ok()? {
            Reason::Done => Farewell::Done,
            Reason::Stopping => Farewell::Stopping,
            Reason::Version => Farewell::Version(version),
            Reason::Run => Farewell::Run,
            Reason::Manifest if field.len() <= LONGEST_PATH => Farewell::Manifest(field),
            Reason::Manifest | Reason::Unknown => return None,
            Reason::Stale => Farewell::Stale,
            Reason::Equivocation => Farewell::Equivocation,
            Reason::Protocol => Farewell::Protocol,
        }),
    })
}

fn field(field: &crate::Field) -> Field {
    Field { path: field.path.clone(), hash: u64::from_le_bytes(field.hash) }
}

fn bye(farewell: &Farewell) -> Bye {
    let (mut version, mut field) = (0, String::new());
    let reason = match farewell {
        Farewell::Done => Reason::Done,
        Farewell::Stopping => Reason::Stopping,
        Farewell::Version(ours) => {
            version = *ours;
            Reason::Version
        }
        Farewell::Run => Reason::Run,
        Farewell::Manifest(path) => {
            field.clone_from(path);
            Reason::Manifest
        }
        Farewell::Stale => Reason::Stale,
        Farewell::Equivocation => Reason::Equivocation,
        Farewell::Protocol => Reason::Protocol,
    };
    Bye { reason: reason.into(), version, field }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use serde_json::json;

    use super::*;

    fn messages() -> Vec<Message> {
        let manifest = Manifest::of(&[("experiment", &json!({ "rounds": 3, "name": "x" }))]);
        let hello = crate::Hello {
            version: 1,
            run: RunId([7; 16]),
            manifest,
            incarnation: 3,
            process: u64::MAX,
            seen: Some((70_000, Hash::of(b"frame"))),
        };
        let unseen = crate::Hello { seen: None, ..hello.clone() };
        let farewells = [
            Farewell::Done,
            Farewell::Stopping,
            Farewell::Version(9),
            Farewell::Run,
            Farewell::Manifest("experiment.rounds".to_owned()),
            Farewell::Stale,
            Farewell::Equivocation,
            Farewell::Protocol,
        ];
        let mut messages = vec![
            Message::Hello(Arc::new(hello)),
            Message::Hello(Arc::new(unseen)),
            Message::Push(vec![1, 2, 3].into()),
            Message::Pull(u64::MAX),
        ];
        messages.extend(farewells.map(Message::Bye));
        messages
    }

    #[test]
    fn every_message_comes_back_from_its_bytes() {
        for message in messages() {
            let bytes = encode(&message).encode_to_vec();
            let back = decode(Envelope::decode(bytes.as_slice()).unwrap()).unwrap();
            assert_eq!(format!("{back:?}"), format!("{message:?}"));
        }
    }

    /// Cut anywhere, or with any bit flipped: a message or nothing, and never more memory than the bytes are worth.
    #[test]
    fn damaged_messages_are_refused_or_other_messages() {
        for message in messages() {
            let whole = encode(&message).encode_to_vec();
            let mut read = 0;
            for length in 0..whole.len() {
                read +=
                    usize::from(Envelope::decode(&whole[..length]).is_ok_and(|envelope| decode(envelope).is_some()));
            }
            for bit in 0..8 * whole.len() {
                let mut bytes = whole.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                read +=
                    usize::from(Envelope::decode(bytes.as_slice()).is_ok_and(|envelope| decode(envelope).is_some()));
            }
            assert!(read < 9 * whole.len());
        }
    }

    #[test]
    fn wrong_sizes_and_endless_lists_are_refused() {
        let Body::Hello(hello) = encode(&messages()[0]).message.unwrap() else { panic!("a hello") };
        let field = hello.fields[0].clone();
        for wrong in [
            Hello { run: vec![7; 15], ..hello.clone() },
            Hello { run: vec![7; 17], ..hello.clone() },
            Hello { seen: Some(Seen { exchange: 1, hash: vec![] }), ..hello.clone() },
            Hello { fields: vec![field.clone(); MOST_FIELDS + 1], ..hello.clone() },
            Hello { fields: vec![Field { path: "x".repeat(LONGEST_PATH + 1), ..field }], ..hello.clone() },
        ] {
            assert!(decode(Envelope { message: Some(Body::Hello(wrong)) }).is_none());
        }
        assert!(decode(Envelope { message: None }).is_none());
        for reason in [0, 9, -1] {
            assert!(decode(Envelope { message: Some(Body::Bye(Bye { reason, ..Bye::default() })) }).is_none());
        }
    }
}
