//! The crates depend on each other only as the design allows.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

/// Each crate and those of ours it may use.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("onceflow-study", &[]),
    ("onceflow-region", &[]),
    ("onceflow-costs", &["onceflow-study"]),
    ("onceflow-reuse", &["onceflow-study"]),
    ("onceflow-kernels", &["onceflow-region"]),
    ("onceflow-synth", &["onceflow-region"]),
    ("onceflow-sensitivity", &["onceflow-study"]),
    ("onceflow-runtime", &["onceflow-costs", "onceflow-region", "onceflow-reuse", "onceflow-study"]),
    (
        "onceflow-engine",
        &[
            "onceflow-costs",
            "onceflow-kernels",
            "onceflow-region",
            "onceflow-reuse",
            "onceflow-runtime",
            "onceflow-sensitivity",
            "onceflow-study",
            "onceflow-synth",
        ],
    ),
    // An example of what others build on the engine.
    ("own-operation", &["onceflow-engine", "onceflow-region", "onceflow-study"]),
    (
        "onceflow-cli",
        &[
            "onceflow-engine",
            "onceflow-kernels",
            "onceflow-region",
            "onceflow-reuse",
            "onceflow-sensitivity",
            "onceflow-study",
        ],
    ),
];

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<String, BTreeSet<String>> = ALLOWED
        .iter()
        .map(|(name, uses)| ((*name).to_string(), uses.iter().map(ToString::to_string).collect()))
        .collect();
    let found = graph();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        allowed.keys().collect::<Vec<_>>(),
        "a crate is new: add what it may use to ALLOWED"
    );
    for (name, uses) in &found {
        let more: Vec<_> = uses.difference(&allowed[name]).collect();
        assert!(more.is_empty(), "{name} may not depend on {more:?}");
    }
}

/// Our crates and which of ours each names, for building and for tests.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |v: &serde_json::Value| v["name"].as_str().unwrap().to_string();
    let ours = |n: &String| n.starts_with("onceflow");
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .map(|p| (name(p), p["dependencies"].as_array().unwrap().iter().map(name).filter(ours).collect()))
        .collect()
}
