//! No crate has a cycle between its top-level modules, and few have many of them.
//!
//! A module depends on another when its code, tests left out, names it: `crate::other`, an item that the root takes from
//! it (`pub use other::Item;`), or `super::other` where that reaches the root.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most top-level modules of a crate.
const MOST: usize = 20;

/// Crates that may have more, and why.
const MORE: [(&str, usize, &str); 1] = [("kernels", 22, "one module for each family of image operations")];

/// For each top-level module, the other ones that it uses.
type ModuleGraph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn top_level_modules_have_no_cycle() {
    let cycles: Vec<String> = crates()
        .iter()
        .filter_map(|folder| {
            Some(format!("{}: {}", name_of(folder), cycle(&module_graph(folder))?.join(" -> ")))
        })
        .collect();
    assert!(cycles.is_empty(), "{}", cycles.join("\n"));
}

#[test]
fn crates_have_few_top_level_modules() {
    for folder in crates() {
        let name = name_of(&folder);
        let most =
            MORE.iter().find(|(crate_name, ..)| *crate_name == name).map_or(MOST, |(_, most, _)| *most);
        let found = module_graph(&folder).len();
        assert!(found <= most, "{name} has {found} top-level modules, at most {most} are allowed");
    }
}

#[test]
fn uses_are_found_in_code_and_not_in_tests_or_comments() {
    let code = "use crate::{a, b::{c, d}};\n// crate::comment\nfn f() { crate::e::g() }\n\
                #[cfg(test)]\nuse crate::{test_only, test_two};\nuse super::h;\n#[cfg(test)]\nmod tests { use crate::t; }\n";
    let found = |depth| names_at_root(&without_tests(code), depth).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(found(1), "a b e h");
    assert_eq!(found(2), "a b e");
    let root = "mod a;\npub use a::{Item, sub::Other};\nuse b::C as D;\n";
    let homes = homes(root);
    assert_eq!(homes.get("Item"), Some(&"a".to_owned()));
    assert_eq!(homes.get("Other"), Some(&"a".to_owned()));
    assert_eq!(homes.get("D"), Some(&"b".to_owned()));
}

#[test]
fn a_cycle_is_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = ModuleGraph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            graph.entry((*to).to_owned()).or_default();
        }
        graph
    };
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap(), ["b", "c", "b"]);
}

fn crates() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut found: Vec<PathBuf> = ["crates", "examples"]
        .iter()
        .flat_map(|folder| fs::read_dir(workspace.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .collect();
    found.sort();
    assert!(found.len() > 15, "found {found:?}");
    found
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

fn module_graph(folder: &Path) -> ModuleGraph {
    let source = folder.join("src");
    let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|path| path.is_file());
    let root = without_tests(&fs::read_to_string(root.unwrap()).unwrap());
    let (modules, homes) = (declared(&root), homes(&root));
    let uses = |module: &String| {
        let used = uses_of(&source, module, 1);
        let used = used.into_iter().map(|name| homes.get(&name).cloned().unwrap_or(name));
        used.filter(|name| name != module && modules.contains(name)).collect()
    };
    modules.iter().map(|module| (module.clone(), uses(module))).collect()
}

/// The names at the crate's root that a module and those below it use.
fn uses_of(folder: &Path, module: &str, depth: usize) -> BTreeSet<String> {
    let inside = folder.join(module);
    let files = [inside.with_extension("rs"), inside.join("mod.rs")];
    let file = files.iter().find(|file| file.is_file()).expect("a declared module has a file");
    let text = without_tests(&fs::read_to_string(file).unwrap());
    let mut names = names_at_root(&text, depth);
    for below in declared(&text) {
        names.extend(uses_of(&inside, &below, depth + 1));
    }
    names
}

/// The code of a file without comments and without what is compiled for tests only.
fn without_tests(text: &str) -> String {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut parts = code.split("#[cfg(test)]");
    let mut kept = parts.next().unwrap().to_owned();
    for part in parts {
        kept.push_str(after_item(part));
    }
    kept
}

/// What follows the item at the beginning of a text.
fn after_item(text: &str) -> &str {
    let is_use = text.trim_start().trim_start_matches("pub(crate) ").starts_with("use ");
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}' && !is_use) {
            return &text[at + 1..];
        }
    }
    ""
}

/// The modules that have a file of their own.
fn declared(text: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        Some(line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// From the names that the root takes from its modules to these modules.
fn homes(root: &str) -> BTreeMap<String, String> {
    let mut homes = BTreeMap::new();
    for statement in root.split(';').map(str::trim) {
        let Some((before, path)) = statement.split_once("use ") else { continue };
        if !(before.is_empty() || before.starts_with("pub") || before.ends_with('\n')) {
            continue;
        }
        let path = path.trim_start_matches("crate::").trim_start_matches("self::");
        let home = first_word(path);
        let names = words(path).into_iter().filter(|name| *name != home);
        homes.extend(names.map(|name| (name.to_owned(), home.to_owned())));
    }
    homes
}

/// What stands after `crate::`, and after as many `super::` as lead from the file to the root.
fn names_at_root(text: &str, depth: usize) -> BTreeSet<String> {
    let from_super = "super::".repeat(depth);
    let mut names = after(text, "crate::");
    names.extend(after(text, &from_super));
    names.remove("super");
    names
}

fn after(text: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        match text[at + prefix.len()..].strip_prefix('{') {
            Some(group) => names.extend(group_heads(group)),
            None => names.extend([first_word(&text[at + prefix.len()..]).to_owned()]),
        }
    }
    names
}

/// The first word of every item of a group that was opened by a brace.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut item) = (0, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(std::mem::take(&mut item)),
            c => item.push(c),
        }
    }
    heads.push(item);
    heads.iter().map(|item| first_word(item.trim()).to_owned()).filter(|word| !word.is_empty()).collect()
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

/// A way from a module back to itself.
fn cycle(graph: &ModuleGraph) -> Option<Vec<String>> {
    graph.keys().find_map(|start| {
        let mut paths = vec![vec![start.clone()]];
        let mut seen = BTreeSet::new();
        while let Some(path) = paths.pop() {
            for next in &graph[path.last().unwrap()] {
                let longer = [path.as_slice(), std::slice::from_ref(next)].concat();
                if next == start {
                    return Some(longer);
                }
                if seen.insert(next.clone()) {
                    paths.push(longer);
                }
            }
        }
        None
    })
}
