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
