//! A private value is kept for the next round.
use dido_mechanisms::{Private, Public};
use dido_optimizers::{Algorithm, Node, Sampling, Stop};

struct Tries<'a> {
    x: Public,
    kept: Option<Private<'a>>,
}

impl<'a> Algorithm for Tries<'a> {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        self.kept = Some(node.gradient(&self.x, all)?);
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.x
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x]
    }
}

fn main() {}
