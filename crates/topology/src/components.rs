//! Which parts of a graph cannot hear of each other.

use std::fmt;

/// The connected components of a graph, each ascending, in the order of their smallest node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components(pub Vec<Vec<usize>>);

/// Lists so many components, and so many nodes of each, before it shortens.
const LISTED: usize = 8;

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} components:", self.0.len())?;
        for (k, nodes) in self.0.iter().take(LISTED).enumerate() {
            let listed: Vec<String> = nodes.iter().take(LISTED).map(ToString::to_string).collect();
            write!(f, "{} {{{}", if k == 0 { "" } else { "," }, listed.join(", "))?;
            match nodes.len().saturating_sub(LISTED) {
                0 => write!(f, "}}")?,
                more => write!(f, ", and {more} more}}")?,
            }
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}
