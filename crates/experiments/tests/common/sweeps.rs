//! The files of sweeps, and their bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Bench;

/// The only folder of a sweep below `out`.
pub fn sweep_folder(bench: &Bench, out: &str) -> PathBuf {
    let entries = fs::read_dir(bench.path(out).join("clinics")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("sweep-");
    let all: Vec<PathBuf> = entries.filter(name).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

/// The rows of `cells.csv` by their columns.
pub fn rows(bench: &Bench, out: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(sweep_folder(bench, out).join("cells.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Results name the folder they were written to: whoever compares bytes writes to one, and gives it another name.
pub fn set_aside(bench: &Bench, name: &str) {
    fs::rename(bench.path("results"), bench.path(name)).unwrap();
}

/// The files below two folders are the same, byte for byte but for what a clock says.
pub fn assert_same_bytes(a: &Path, b: &Path) {
    let names = |root: &Path| {
        let mut all = BTreeSet::new();
        files(root, root, &mut all);
        all
    };
    assert_eq!(names(a), names(b));
    for name in names(a) {
        let read = |root: &Path| timeless(&name, fs::read(root.join(&name)).unwrap());
        assert!(read(a) == read(b), "{} differs between {} and {}", name.display(), a.display(), b.display());
    }
}

fn files(root: &Path, folder: &Path, into: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, into);
        } else {
            into.insert(path.strip_prefix(root).unwrap().to_owned());
        }
    }
}

/// A file without its seconds: the keys `seconds` and `timing` of a summary, and the row of a report that shows them.
fn timeless(name: &Path, bytes: Vec<u8>) -> Vec<u8> {
    match name.file_name().unwrap().to_str().unwrap() {
        "summary.json" => {
            let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
            let keys = summary.as_object_mut().unwrap();
            let known = keys.len();
            keys.retain(|key, _| key != "seconds" && key != "timing");
            assert!(keys.len() < known, "a summary has its seconds");
            summary.to_string().into_bytes()
        }
        "report.html" => {
            let text = String::from_utf8(bytes).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with("<tr><th scope=\"row\">Time"));
            lines.collect::<Vec<_>>().join("\n").into_bytes()
        }
        _ => bytes,
    }
}
