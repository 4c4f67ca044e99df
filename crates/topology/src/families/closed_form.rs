//! Families whose Laplacian has a spectrum by formula.

use super::options::{Ask, Options};
use crate::TopologyError;
use crate::spectra::ClosedForm;

/// The spectrum of the family of this name, by formula; nothing if there is none. No graph is built.
///
/// ```
/// use dido_topology::families::{Options, closed_form};
///
/// let torus = Options { rows: Some(1000), cols: Some(1000), ..Options::default() };
/// let form = closed_form("torus", &torus)?.unwrap();
/// assert!((form.gap(1.0 / 5.0) / 7.8957e-6 - 1.0).abs() < 1e-4);
/// assert_eq!(closed_form("margulis", &Options { nodes: Some(100), ..Options::default() })?, None);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If an option without which there is no graph is missing, or there are no or too many nodes.
///
/// # Complexity
/// `O(n log n)`.
pub fn closed_form(name: &str, options: &Options) -> Result<Option<ClosedForm>, TopologyError> {
    let form = |family: &'static str| Ask { family, options };
    match name {
        "ring" => ClosedForm::ring(form("ring").nodes()?),
        "path" => ClosedForm::path(form("path").nodes()?),
        "star" => ClosedForm::star(form("star").nodes()?),
        "complete" => ClosedForm::complete(form("complete").nodes()?),
        "torus" => ClosedForm::torus(&form("torus").sides()?),
        "hypercube" => match form("hypercube").nodes()? {
            nodes if nodes.is_power_of_two() => ClosedForm::hypercube(nodes.ilog2() as usize),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }
    .map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{ALL, build};

    /// Whatever has a closed form at 2 to 24 nodes has the spectrum of the graph of that name.
    #[test]
    fn closed_forms_are_those_of_the_graphs() {
        let mut found = 0;
        for family in ALL {
            for nodes in 2..=24 {
                let options = Options { nodes: Some(nodes), ..Options::default() };
                let (Ok(Some(form)), Ok(sample)) = (closed_form(family.name, &options), build(family.name, &options))
                else {
                    continue;
                };
                let exact = sample.graph.laplacian_eigenvalues().unwrap();
                assert!(form.laplacian().iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-12 * nodes as f64));
                found += 1;
            }
        }
        assert_eq!(found, 5 * 23 + 4, "five families of any size, the hypercube of 2, 4, 8 and 16");
    }
}
