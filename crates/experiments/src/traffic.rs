//! What the parties send each other.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use dido_geometry::Rows;
use dido_mechanisms::Ledger;
use dido_optimizers::{Network, NetworkError};
use serde::{Deserialize, Serialize};

/// Messages of one lane along edges, one way, and the bytes of the numbers in them: eight for each. What a transport adds is not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A network that counts what goes through it.
pub struct Counted {
    network: Box<dyn Network>,
    traffic: Rc<Cell<Traffic>>,
}

impl Counted {
    /// The network, after some traffic; and the traffic so far, which it updates.
    pub fn new(network: Box<dyn Network>, before: Traffic) -> (Self, Rc<Cell<Traffic>>) {
        let traffic = Rc::new(Cell::new(before));
        (Self { network, traffic: traffic.clone() }, traffic)
    }
}

impl Network for Counted {
    fn average(&mut self, round: u32, x: &mut Rows) -> Result<(), NetworkError> {
        let more = self.network.messages(round)?;
        let Traffic { messages, bytes } = self.traffic.get();
        let size = (x.shape().dim * size_of::<f64>()) as u64;
        self.traffic.set(Traffic { messages: messages + more, bytes: bytes + more * size });
        self.network.average(round, x)
    }

    fn nodes(&self) -> usize {
        self.network.nodes()
    }

    fn spent(&mut self, ledger: &Ledger) {
        self.network.spent(ledger);
    }

    fn awake(&mut self, round: u32) -> Result<Option<Arc<[bool]>>, NetworkError> {
        self.network.awake(round)
    }

    fn messages(&mut self, round: u32) -> Result<u64, NetworkError> {
        self.network.messages(round)
    }

    fn varies(&self) -> bool {
        self.network.varies()
    }
}

#[cfg(test)]
mod tests {
    use dido_geometry::Shape;
    use dido_optimizers::InProcess;
    use dido_topology::{families, sequence, weights};

    use super::*;

    /// A ring of four has 8 messages in an average, and one less pair for each edge that fails.
    #[test]
    fn every_average_is_counted_once() {
        let weights = weights::metropolis(&families::ring(4).unwrap());
        let shape = Shape { nodes: 4, lanes: 3, dim: 5 };
        let (mut fixed, traffic) = Counted::new(Box::new(InProcess::new(weights.clone())), Traffic::default());
        let mut x = Rows::from_vec(shape, vec![1.0; 60]);
        for round in 0..7 {
            fixed.average(round, &mut x).unwrap();
        }
        assert_eq!(traffic.get(), Traffic { messages: 56, bytes: 56 * 40 });

        let failing = sequence::EdgeFailures::new(weights, 0.5, 3).unwrap();
        let sequence = failing.clone();
        let (mut varying, traffic) =
            Counted::new(Box::new(InProcess::varying(failing)), Traffic { messages: 1, bytes: 2 });
        let mut expected = 1;
        for round in 0..20 {
            varying.average(round, &mut x).unwrap();
            expected += 2 * sequence::Sequence::round(&sequence, round).unwrap().edges().count() as u64;
        }
        assert_eq!(traffic.get(), Traffic { messages: expected, bytes: 2 + 40 * (expected - 1) });
        assert!(expected < 8 * 20, "some edges fail");
    }
}
