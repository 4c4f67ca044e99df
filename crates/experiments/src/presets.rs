//! Experiments and data that come with the program.

/// The names of the presets.
pub const NAMES: [&str; 3] = ["quickstart", "svm", "a9a"];

/// The names of the comparisons.
pub const COMPARISONS: [&str; 1] = ["table1"];

/// The TOML of a preset.
pub fn find(name: &str) -> Option<&'static str> {
    match name {
        "quickstart" => Some(include_str!("../presets/quickstart.toml")),
        "svm" => Some(include_str!("../presets/svm.toml")),
        "a9a" => Some(include_str!("../presets/a9a.toml")),
        _ => None,
    }
}

/// The TOML of a comparison.
pub fn comparison(name: &str) -> Option<&'static str> {
    (name == "table1").then_some(include_str!("../presets/table1.toml"))
}

/// The names of the data sets.
pub const DATA: [&str; 3] = ["cps1988", "spambase", "a9a"];

/// The bytes of a data set named `builtin:NAME`.
pub fn data(name: &str) -> Option<&'static [u8]> {
    match name {
        "cps1988" => Some(include_bytes!("../data/cps1988.csv.gz")),
        "a9a" => Some(include_bytes!("../../problems/data/a9a.gz")),
        "spambase" => Some(include_bytes!("../data/spambase.csv.gz")),
        _ => None,
    }
}
