//! The front page and the other pages show no figure of speed that the tables of benchmarks do not hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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

/// Words that make a number before them a claim.
const COMPARED: [&str; 8] =
    ["faster", "slower", "quicker", "narrower", "less time", "less memory", "longer than", "as fast"];

/// What a page claims outside of code and outputs: numbers with their comparison, such as `1.63 times faster`, and rates.
fn claims(text: &str) -> Vec<(&str, &str)> {
    text.split("```").step_by(2).flat_map(claims_of).collect()
}

fn claims_of(plain: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, _) in plain.match_indices(|c: char| c.is_ascii_digit()) {
        if at > 0 && plain[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.') {
            continue;
        }
        let rest = &plain[at..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let said = after.trim_start_matches([' ', '*', '\n']);
        let rate = ["Mpx/s", "tasks/s", "rows/s"].iter().any(|unit| said.starts_with(unit));
        let times = ["times ", "x ", "% "].iter().find_map(|unit| said.strip_prefix(unit));
        if rate || times.is_some_and(|rest| COMPARED.iter().any(|word| rest.starts_with(word))) {
            found.push((number.trim_matches('.'), plain[at..].lines().next().unwrap_or_default()));
        }
    }
    found
}

/// All pages but those that record figures.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_page = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".md") && !name.starts_with("benchmark")
    };
    let below = folders.iter().flat_map(|folder| pages(folder));
    below.chain(files.into_iter().filter(is_page)).collect()
}

#[test]
fn claims_of_speed_on_other_pages_are_those_of_the_tables() {
    let recorded = [page("docs/benchmarks.md"), page("docs/explanation/benchmark-history.md")].join("\n");
    let recorded = numbers(&recorded);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages(&root.join("docs")).into_iter().chain([root.join("README.md")]);
    let mut count = 0;
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        count += claims(&text).len();
        for (number, line) in claims(&text) {
            assert!(recorded.contains(number), "not in the tables: {number} in {}: {line}", path.display());
        }
    }
    assert!(count >= 2, "the claims of the front page were not found");
}

#[test]
fn claims_are_told_from_other_numbers() {
    let text = "It is 1.63 times faster, **35.0 x narrower**, 12 % slower at 5.4 Mpx/s. It waits 20 ms, 3 times.\n\
                ```\n9 times faster\n```\n7 times\nthe memory";
    let found: Vec<&str> = claims(text).into_iter().map(|(number, _)| number).collect();
    assert_eq!(found, ["1.63", "35.0", "12", "5.4"]);
}

#[test]
fn numbers_are_found_as_they_are_written() {
    assert_eq!(
        numbers("SALib 1.6. **0.38 s**, 4096²; 2.5 x"),
        BTreeSet::from(["1.6", "0.38", "4096", "2.5"])
    );
}
