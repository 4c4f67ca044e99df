//! A private value is cloned, which would be released twice.
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Node, Sampling, Stop};

struct Tries {
    x: Public,
}

impl Algorithm for Tries {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&self.x, all)?;
        self.x = node.release(g.clone())?;
        self.x = node.release(g)?;
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
