//! How fast weights average: by formula where there is one.

use dido_topology::families::{Options, closed_form};
use dido_topology::{MixingMatrix, TopologyError};

/// The second largest singular value of mixing weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// The value.
    pub lambda: f64,
    /// `1 - lambda`.
    pub gap: f64,
    /// How far the two may be off.
    pub error: f64,
}

/// The spectrum of weights on the graph of a family with these options. Where all edges weigh the same and the family
/// has a closed form it is a formula, for any number of nodes; else a factorisation or a search, and nothing if that
/// does not converge.
///
/// # Errors
/// If a factorisation fails.
pub fn spectrum(family: &str, options: &Options, weights: &MixingMatrix) -> Result<Option<Spectrum>, TopologyError> {
    if let Some(weight) = common_weight(weights)
        && let Some(form) = closed_form(family, options)?
    {
        let gap = form.gap(weight);
        // The formula takes a handful of roundings.
        return Ok(Some(Spectrum { lambda: (1.0 - gap).max(0.0), gap, error: 4.0 * f64::EPSILON }));
    }
    match weights.extreme_eigenvalues() {
        Ok(found) => Ok(Some(Spectrum { lambda: found.magnitude(), gap: found.gap(), error: found.error })),
        Err(TopologyError::SpectrumNotConverged { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The weight of every edge, if it is one to the last bit.
fn common_weight(weights: &MixingMatrix) -> Option<f64> {
    let mut common = None::<f64>;
    for i in 0..weights.nodes() {
        let (columns, values) = weights.row(i);
        for (_, &weight) in columns.iter().zip(values).filter(|&(&j, _)| j > i) {
            if common.get_or_insert(weight).to_bits() != weight.to_bits() {
                return None;
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use dido_topology::{families, weights};

    /// Every family with a formula, by every rule: what the formula says is what the factorisation says.
    #[test]
    fn formulas_and_factorisations_agree() {
        let mut by_formula = 0;
        for family in families::ALL {
            for nodes in [2, 3, 4, 5, 8, 9, 16] {
                let options = Options { nodes: Some(nodes), ..Options::default() };
                let Ok(sample) = families::build(family.name, &options) else { continue };
                for rule in weights::ALL {
                    let Ok(weights) = rule.build(&sample.graph) else { continue };
                    let found = spectrum(family.name, &options, &weights).unwrap().unwrap();
                    let exact = weights.extreme_eigenvalues().unwrap();
                    let (name, rule) = (family.name, rule.name);
                    assert!((found.lambda - exact.magnitude()).abs() < 1e-13, "{name} {rule} {nodes}: {found:?}");
                    assert!((found.gap - exact.gap()).abs() < 1e-13, "{name} {rule} {nodes}: {found:?}");
                    by_formula += usize::from(found.error.to_bits() == (4.0 * f64::EPSILON).to_bits());
                }
            }
        }
        assert!(by_formula > 150, "{by_formula} by a formula");
    }
}
