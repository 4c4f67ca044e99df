//! The name of a specification.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::config::Config;

/// The first twelve hexadecimal digits of the SHA-256 of the specification and the version of this program.
///
/// Files count by their names, not by the folders they lie in; the contents of the files of a graph, `files`, are
/// public and count too. The data do not: the name of a result folder is public.
pub(super) fn digest(config: &Config, files: &str) -> String {
    let mut named = config.clone();
    let file_name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    for file in named.data.files_mut() {
        *file = file_name(Path::new(file)).unwrap_or_default();
    }
    for file in named.graph.files_mut() {
        *file = file_name(file).unwrap_or_default().into();
    }
    let text = toml::to_string(&named).expect("a parsed configuration has a TOML form");
    let hash = Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update(files).chain_update(text);
    hexadecimal(&hash.finalize()[..6])
}

/// The digits of a hash.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}
