//! A private value is sent to the neighbours.
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Node, Sampling, Stop};

struct Tries {
    x: Public,
}

impl Algorithm for Tries {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        let mut g = node.gradient(&self.x, all)?;
        node.average(&mut [&mut g])?;
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
