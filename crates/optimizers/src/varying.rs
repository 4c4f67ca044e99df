//! Averaging with weights that change from round to round.

use std::sync::Arc;

use dido_geometry::{Rows, parallel};
use dido_topology::{RoundMatrix, Sequence};

use crate::{InProcess, Network, NetworkError};

/// All nodes in one process, with the mixing weights `W(t)` of a sequence.
///
/// The weights follow from the number of the round alone: every average of a round, however many an algorithm asks for,
/// uses the same ones, and a run resumed at any round goes on as if it had not stopped.
#[derive(Clone, Debug)]
pub struct Varying {
    sequence: Arc<dyn Sequence>,
    weights: RoundMatrix,
    /// The round whose weights these are.
    round: Option<u32>,
}

/// Multiply-adds of a mixing pass below which threads do not pay.
const WORTH_THREADS: usize = 400_000;

impl InProcess {
    /// A network whose nodes mix in round `t` with the weights of round `t` of a sequence.
    ///
    /// ```
    /// use dido_geometry::{Rows, Shape};
    /// use dido_optimizers::{InProcess, Network};
    /// use dido_topology::{families, sequence::EdgeFailures, weights};
    ///
    /// // A ring that loses one message in ten.
    /// let lossy = EdgeFailures::new(weights::metropolis(&families::ring(4)?), 0.1, 7)?;
    /// let mut network = InProcess::varying(lossy);
    /// let mut x = Rows::from_vec(Shape { nodes: 4, lanes: 1, dim: 1 }, vec![4.0, 0.0, 0.0, 0.0]);
    /// for round in 0..100 {
    ///     network.average(round, &mut x).unwrap();
    /// }
    /// assert!(x.as_slice().iter().all(|v| (v - 1.0).abs() < 1e-12));
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    pub fn varying(sequence: impl Sequence + 'static) -> Varying {
        Varying { weights: RoundMatrix::identity(sequence.nodes()), sequence: Arc::new(sequence), round: None }
    }
}

impl Varying {
    fn fill(&mut self, round: u32) -> Result<(), NetworkError> {
        if self.round != Some(round) {
            // Should filling fail, the weights are of no round.
            self.round = None;
            self.sequence.fill(round, &mut self.weights)?;
            self.round = Some(round);
        }
        Ok(())
    }

    /// Where the weights come from.
    pub fn sequence(&self) -> &dyn Sequence {
        self.sequence.as_ref()
    }
}

impl Network for Varying {
    fn average(&mut self, round: u32, x: &mut Rows) -> Result<(), NetworkError> {
        self.fill(round)?;
        let shape = x.shape();
        let width = shape.lanes * shape.dim;
        let mut mixed = x.uninitialised_like();
        let cost = self.weights.nonzeros() * width;
        parallel::for_each_range(shape.nodes, mixed.as_mut_slice(), cost, WORTH_THREADS, |nodes, out| {
            self.weights.mix_range(nodes, width, x.as_slice(), out);
        });
        std::mem::swap(x, &mut mixed);
        Ok(())
    }

    fn nodes(&self) -> usize {
        self.sequence.nodes()
    }

    fn awake(&mut self, round: u32) -> Result<Option<Arc<[bool]>>, NetworkError> {
        self.fill(round)?;
        let nodes = self.weights.nodes();
        if self.weights.awake().len() == nodes {
            return Ok(None);
        }
        let mut awake = vec![false; nodes];
        self.weights.awake().iter().for_each(|&node| awake[node] = true);
        Ok(Some(awake.into()))
    }

    fn messages(&mut self, round: u32) -> Result<u64, NetworkError> {
        self.fill(round)?;
        Ok((self.weights.nonzeros() - self.weights.nodes()) as u64)
    }

    fn varies(&self) -> bool {
        true
    }
}
