//! The crates depend on each other exactly as written here: an edge that is new, or no longer needed, fails.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

/// A crate, the crates of this workspace that it uses, and those that only its tests use.
type Crate = (&'static str, &'static [&'static str], &'static [&'static str]);

const CRATES: [Crate; 26] = [
    ("allocator", &[], &[]),
    ("study", &[], &[]),
    ("region", &[], &[]),
    ("store", &["region"], &[]),
    ("imageio", &["region", "store"], &[]),
    ("synth", &["region"], &[]),
    ("costs", &["study"], &[]),
    ("reuse", &["study"], &[]),
    ("sensitivity", &["study"], &[]),
    ("kernels", &["region", "reuse"], &[]),
    ("runtime", &["region", "reuse", "study"], &[]),
    ("cluster", &["region", "reuse", "runtime", "study"], &[]),
    ("products", &["region", "store"], &[]),
    ("memo", &["products", "region"], &[]),
    ("capi", &["memo", "reuse", "study"], &[]),
    ("report", &["reuse", "sensitivity", "study"], &[]),
    ("programs", &["imageio", "kernels", "region", "runtime", "study"], &[]),
    (
        "nuclei",
        &["imageio", "kernels", "region", "reuse", "runtime", "sensitivity", "store", "study"],
        &["synth"],
    ),
    (
        "engine",
        &[
            "cluster",
            "costs",
            "imageio",
            "kernels",
            "nuclei",
            "products",
            "programs",
            "region",
            "report",
            "reuse",
            "runtime",
            "sensitivity",
            "store",
            "study",
            "synth",
        ],
        &[],
    ),
    ("terminal", &["engine", "study"], &[]),
    (
        "cli",
        &[
            "allocator",
            "engine",
            "imageio",
            "kernels",
            "memo",
            "region",
            "sensitivity",
            "store",
            "study",
            "terminal",
        ],
        &["capi"],
    ),
    (
        "py",
        &[
            "allocator",
            "cli",
            "engine",
            "imageio",
            "kernels",
            "memo",
            "region",
            "sensitivity",
            "study",
            "terminal",
        ],
        &[],
    ),
    // The product does not contain the benchmarks: no crate uses this one.
    (
        "bench",
        &[
            "allocator",
            "cluster",
            "costs",
            "engine",
            "imageio",
            "kernels",
            "memo",
            "products",
            "programs",
            "region",
            "reuse",
            "runtime",
            "sensitivity",
            "store",
            "study",
            "terminal",
        ],
        &[],
    ),
    // Examples of programs that others build on the engine.
    ("library-example", &["engine"], &[]),
    ("memo-example", &["memo"], &[]),
    ("own-operation", &["engine", "region", "study"], &[]),
];

/// Names of crates.
type Names = BTreeSet<String>;

#[test]
fn dependencies_are_those_of_the_design() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Names>();
    let design: BTreeMap<String, (Names, Names)> =
        CRATES.iter().map(|(name, uses, tests)| ((*name).to_owned(), (names(uses), names(tests)))).collect();
    assert_eq!(design.len(), CRATES.len(), "a crate is listed twice");
    assert_eq!(graph(), design, "left: the manifests, right: CRATES");
}

#[test]
fn dependencies_have_no_cycle() {
    let mut below = BTreeSet::new();
    for (name, uses, tests) in &CRATES {
        for used in uses.iter().chain(*tests) {
            assert!(below.contains(used), "{name} uses {used}, which must be listed above it");
        }
        below.insert(*name);
    }
}

/// The crates of this workspace: which of ours each names for building, and which for tests only.
fn graph() -> BTreeMap<String, (Names, Names)> {
    let packages = metadata()["packages"].as_array().unwrap().clone();
    packages.iter().map(|package| (name_of(package), dependencies(package))).collect()
}

fn dependencies(package: &serde_json::Value) -> (Names, Names) {
    let ours = package["dependencies"].as_array().unwrap().iter().filter(|d| !d["path"].is_null());
    let (tests, uses): (Vec<_>, Vec<_>) = ours.partition(|d| d["kind"] == "dev");
    let names = |found: Vec<&serde_json::Value>| found.into_iter().map(name_of).collect::<Names>();
    (names(uses), names(tests))
}

fn name_of(value: &serde_json::Value) -> String {
    value["name"].as_str().unwrap().trim_start_matches("onceflow-").to_owned()
}

fn metadata() -> serde_json::Value {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
