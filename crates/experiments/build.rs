//! What `dido doctor` tells of how it was built.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let asked = std::env::var("RUSTC").ok().and_then(|rustc| Command::new(rustc).arg("--version").output().ok());
    let version = asked.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let version = if version.trim().is_empty() { "unknown" } else { version.trim() };
    println!("cargo::rustc-env=DIDO_RUSTC={version}");
    let known = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=DIDO_TARGET={}", known("TARGET"));
    println!("cargo::rustc-env=DIDO_PROFILE={}", known("PROFILE"));
    let mut features: Vec<String> = std::env::vars()
        .filter_map(|(name, _)| name.strip_prefix("CARGO_FEATURE_").map(|f| f.to_lowercase().replace('_', "-")))
        .filter(|feature| feature != "default")
        .collect();
    features.sort();
    println!("cargo::rustc-env=DIDO_FEATURES={}", features.join(","));
}
