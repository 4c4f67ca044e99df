//! The numbers of a private value are read.
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Node, Sampling, Stop};

struct Tries {
    x: Public,
}

impl Algorithm for Tries {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&self.x, all)?;
        let leak = g.rows.as_slice()[0];
        self.x.rows_mut().as_mut_slice()[0] = leak;
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
