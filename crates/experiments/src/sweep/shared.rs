//! Data and reference optima that cells have in common: read and computed once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toml::Table;

use crate::config::Config;
use crate::error::ExperimentError;
use crate::run::Inputs;
use crate::spec::Spec;

/// Keys on which neither data nor reference optima depend. Whatever is not listed here keeps cells apart.
const IRRELEVANT: [&str; 9] =
    ["name", "seed", "lanes", "rounds", "averaging_rounds", "observe_every", "remarks", "graph", "algorithm"];

/// The inputs of cells that are under way or to come.
#[derive(Default)]
pub struct Shared {
    known: Mutex<HashMap<String, Arc<Slot>>>,
}

/// Nothing until somebody has read it; locked while somebody does.
type Slot = Mutex<Option<Arc<Inputs>>>;

/// What distinguishes the inputs of an experiment.
///
/// # Panics
/// Never: a checked configuration has a TOML form.
pub fn key(config: &Config) -> String {
    let mut table = Table::try_from(config).expect("a checked configuration has a TOML form");
    for key in IRRELEVANT {
        table.remove(key);
    }
    if let Some(privacy) = table.get_mut("privacy").and_then(toml::Value::as_table_mut) {
        // Where records are added or removed, their counts are not compared.
        privacy.retain(|key, _| key == "adjacency");
    }
    table.to_string()
}

impl Shared {
    /// The inputs of `spec`, read by whoever asks first; others wait.
    ///
    /// # Errors
    /// If the data cannot be used.
    pub fn inputs(&self, spec: &Spec, key: &str) -> Result<Arc<Inputs>, ExperimentError> {
        let slot = self.known.lock().unwrap_or_else(PoisonError::into_inner).entry(key.to_owned()).or_default().clone();
        let mut inputs = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*inputs {
            Some(inputs) => Ok(inputs.clone()),
            None => Ok(inputs.insert(Arc::new(Inputs::new(spec)?)).clone()),
        }
    }

    /// Forgets inputs that no cell needs any more.
    pub fn forget(&self, key: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{data, load, metrics};

    fn spec(changed: &[&str]) -> Spec {
        let overrides: Vec<String> = changed.iter().map(|&key| key.to_owned()).collect();
        Spec::new(load("quickstart", &overrides).unwrap()).unwrap()
    }

    /// What has one key has the same data and optima, here computed for each by itself.
    #[test]
    fn experiments_with_one_key_have_equal_inputs() {
        let base = spec(&[]);
        let of = |spec: &Spec| {
            let data = data::prepare(spec).unwrap();
            let targets: Vec<Vec<f64>> = data.parties.iter().map(|party| party.y.to_vec()).collect();
            (targets, data.held_out.y.to_vec(), format!("{:?}", metrics::references(spec, &data).unwrap()))
        };
        let inputs = of(&base);
        for changed in [
            &["seed=5", "lanes=3", "rounds=10", "averaging_rounds=3", "observe_every=2", "remarks=[]"][..],
            &["graph={ kind = 'star', weights = 'lazy-metropolis' }"],
            &[
                "algorithm={ kind = 'pdop', set = { kind = 'l2-ball', radius = 0.1 }, step = { kind = 'constant', c = 0.3 } }",
            ],
            &["privacy.budget.epsilon=3", "privacy.noise.mechanism=gaussian", "privacy.adversary={ neighbour = 1 }"],
        ] {
            let other = spec(changed);
            assert_eq!(key(&base.config), key(&other.config), "{changed:?}");
            assert!(inputs == of(&other), "{changed:?}");
        }
    }

    #[test]
    fn what_changes_data_or_optima_changes_the_key() {
        let base = key(&spec(&[]).config);
        for changed in [
            "data.held_out.seed=4",
            "data.row_norm=1.9",
            "data.target.scale=2",
            "data.partition.column=education",
            "objective.loss={ kind = 'huber', width = 1 }",
            "baseline=centralised",
            "privacy.adjacency=replace-node",
        ] {
            assert_ne!(base, key(&spec(&[changed]).config), "{changed}");
        }
    }
}
