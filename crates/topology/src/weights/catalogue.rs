//! The rules by name, for a command line and for tables.

use super::{best_constant, fdla, fmmc, lazy_metropolis, max_degree, metropolis, olshevsky, sinkhorn, uniform};
use crate::{Graph, MixingMatrix, TopologyError};

/// A rule by name.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// Its name on a command line.
    pub name: &'static str,
    /// Whether it promises that no weight is negative, whatever the graph.
    pub nonnegative: bool,
    build: fn(&Graph) -> Result<MixingMatrix, TopologyError>,
}

impl RuleInfo {
    /// The weights of this rule on a graph.
    ///
    /// # Errors
    /// Those of the rule.
    pub fn build(&self, graph: &Graph) -> Result<MixingMatrix, TopologyError> {
        (self.build)(graph)
    }
}

/// The rule with this name.
///
/// ```
/// use dido_topology::{families, weights};
///
/// let star = families::star(6)?;
/// let lambda = weights::rule("fmmc")?.build(&star)?.second_largest_singular_value()?;
/// assert!((lambda - 0.8).abs() < 1e-6);
/// assert!(weights::rule("magic").unwrap_err().to_string().starts_with("there is no weight rule 'magic'; the rules are"));
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If there is no such rule (the error lists them).
pub fn rule(name: &str) -> Result<&'static RuleInfo, TopologyError> {
    ALL.iter().find(|rule| rule.name == name).ok_or_else(|| {
        let known = ALL.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
        TopologyError::UnknownRule { name: name.to_owned(), known }
    })
}

/// All rules; `sinkhorn` scales the pattern of all ones on the edges and the diagonal.
pub const ALL: &[RuleInfo] = &[
    RuleInfo { name: "metropolis", nonnegative: true, build: |graph| Ok(metropolis(graph)) },
    RuleInfo { name: "lazy-metropolis", nonnegative: true, build: |graph| Ok(lazy_metropolis(graph)) },
    RuleInfo { name: "olshevsky", nonnegative: true, build: |graph| Ok(olshevsky(graph)) },
    RuleInfo { name: "max-degree", nonnegative: true, build: |graph| Ok(max_degree(graph)) },
    RuleInfo { name: "uniform", nonnegative: true, build: uniform },
    RuleInfo { name: "best-constant", nonnegative: false, build: best_constant },
    RuleInfo { name: "sinkhorn", nonnegative: true, build: |graph| sinkhorn(graph, |_, _| 1.0) },
    RuleInfo { name: "fdla", nonnegative: false, build: |graph| Ok(fdla(graph)?.weights) },
    RuleInfo { name: "fmmc", nonnegative: true, build: |graph| Ok(fmmc(graph)?.weights) },
];
