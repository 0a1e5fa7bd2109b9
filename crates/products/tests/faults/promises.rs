//! The page that lists what the store promises names tests that there are, and every test of faults stands on it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn texts(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            texts(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn every_promise_has_a_test_and_every_fault_a_promise() {
    let page = fs::read_to_string("../../docs/explanation/reuse.md").unwrap();
    let table = page.split("| promise | test |").nth(1).unwrap().split("\n## ").next().unwrap();
    let named: BTreeSet<&str> = table.split('`').skip(1).step_by(2).filter(|name| name.len() > 20).collect();
    assert!(named.len() > 20, "the table was not found: {named:?}");
    let mut sources = Vec::new();
    texts(Path::new(".."), &mut sources);
    for name in &named {
        let function = format!("fn {}(", name.rsplit("::").next().unwrap());
        let is_variable = name.starts_with("ONCEFLOW_");
        assert!(
            is_variable || sources.iter().any(|(_, text)| text.contains(&function)),
            "there is no test {name}"
        );
    }
    for (path, text) in sources.iter().filter(|(path, _)| path.contains("tests/faults/")) {
        for test in text.split("#[test]\nfn ").skip(1).map(|rest| rest.split('(').next().unwrap()) {
            let own = path.ends_with("promises.rs") || test == "child";
            assert!(own || table.contains(test), "docs/explanation/reuse.md does not say {test}");
        }
    }
}
