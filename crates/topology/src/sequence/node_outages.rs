//! Nodes that are down for a while.

use std::ops::Range;

use super::{RoundMatrix, Sequence, SequenceError};
use crate::TopologyError;

/// A node that is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Which node.
    pub node: usize,
    /// The rounds without it.
    pub rounds: Range<u32>,
}

/// Another sequence some of whose nodes are down for stated rounds: they sleep, and the ends of each lost edge keep its
/// weight, as in [`EdgeFailures`](super::EdgeFailures).
///
/// The others keep the weights they have; they are not weighed anew.
#[derive(Clone, Debug)]
pub struct NodeOutages<S> {
    base: S,
    /// Ascending by node.
    outages: Vec<Outage>,
}

impl<S: Sequence> NodeOutages<S> {
    /// A node may be down several times; intervals may overlap.
    ///
    /// # Errors
    /// If a node does not exist or an interval of rounds is empty.
    pub fn new(base: S, outages: impl IntoIterator<Item = Outage>) -> Result<Self, TopologyError> {
        let mut outages: Vec<Outage> = outages.into_iter().collect();
        for Outage { node, rounds } in &outages {
            if *node >= base.nodes() {
                return Err(TopologyError::NoSuchNode { node: *node, nodes: base.nodes() });
            }
            if rounds.is_empty() {
                return Err(SequenceError::EmptyOutage { node: *node, start: rounds.start, end: rounds.end }.into());
            }
        }
        outages.sort_by_key(|outage| outage.node);
        Ok(Self { base, outages })
    }

    fn is_down(&self, node: usize, t: u32) -> bool {
        let first = self.outages.partition_point(|outage| outage.node < node);
        self.outages[first..].iter().take_while(|o| o.node == node).any(|o| o.rounds.contains(&t))
    }
}

impl<S: Sequence> Sequence for NodeOutages<S> {
    fn nodes(&self) -> usize {
        self.base.nodes()
    }

    /// # Complexity
    /// That of the other sequence, and, while a node is down, `O((nodes + edges) log outages)`.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        self.base.fill(t, round)?;
        if self.outages.iter().any(|outage| outage.rounds.contains(&t)) {
            round.retain_nodes(|node| !self.is_down(node, t));
        }
        Ok(())
    }
}
