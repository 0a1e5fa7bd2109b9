//! The front page shows no figure that the table of benchmarks does not hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

/// Every number of a text, as it is written.
fn numbers(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect()
}

fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn figures_of_the_front_page_are_those_of_the_table() {
    let (readme, table) = (page("README.md"), page("docs/benchmarks.md"));
    let section = readme.split("## Figures").nth(1).unwrap().split("\n## ").next().unwrap();
    let (shown, recorded) = (numbers(section), numbers(&table));
    assert!(shown.len() > 15, "the section was not found: {shown:?}");
    let unknown: Vec<&&str> = shown.difference(&recorded).collect();
    assert!(unknown.is_empty(), "not in docs/benchmarks.md: {unknown:?}");
}

#[test]
fn numbers_are_found_as_they_are_written() {
    assert_eq!(
        numbers("SALib 1.6. **0.38 s**, 4096²; 2.5 x"),
        BTreeSet::from(["1.6", "0.38", "4096", "2.5"])
    );
}
