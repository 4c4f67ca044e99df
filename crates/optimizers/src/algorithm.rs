//! What an algorithm is.

use dido_mechanisms::Public;

use crate::{Node, Stop};

/// An algorithm, written once, as one node lives it.
///
/// It knows no graph, socket, clock, file or other node; what it does to data, it does through its [`Node`].
/// Everything it keeps between rounds is [`Public`], since nothing private outlives a round.
pub trait Algorithm {
    /// One synchronous round.
    ///
    /// # Errors
    /// If the budget is spent, a number is not finite, or the network fails.
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop>;

    /// Its current answer, a post-processing of what was released: it may always be shown.
    fn estimate(&self) -> &Public;

    /// Everything it keeps between rounds, in a fixed order: what a checkpoint stores and restores.
    fn state(&mut self) -> Vec<&mut Public>;
}
