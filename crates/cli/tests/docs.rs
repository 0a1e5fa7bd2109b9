//! What the documentation says is what happens: its commands are run, its outputs compared, its links followed.
//!
//! In a block that is fenced as `console` a line that begins with `$ ` is a command (lines that begin with `> ` carry it
//! on). All commands of a page run in order in one folder, which holds a copy of `examples/`, with `onceflow` on the
//! path. Pages that compile C find the header and the library as in the repository. Each must end with exit code 0, or with N where the fence says `console exit=N`. Lines below a command are what
//! it prints, both streams together; a line `...` stands for any lines, and no lines leave the output unsaid. A fence
//! with `file=NAME` writes its text into the folder. `ONCEFLOW_BLESS=1 cargo test -p onceflow-cli --test docs` rewrites
//! outputs that are not what is printed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]
#![cfg(unix)]

mod document;
mod shell;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use document::Document;
use shell::Shell;

#[test]
fn pages_say_what_commands_print() {
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let pages = pages().into_iter().map(|page| scope.spawn(move || run(&page)));
        pages.collect::<Vec<_>>().into_iter().flat_map(|page| page.join().unwrap()).collect()
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n\n"));
}

fn run(page: &Path) -> Vec<String> {
    let document = Document::read(page);
    let ran = document.run(&root().join("examples"));
    if std::env::var_os("ONCEFLOW_BLESS").is_some() {
        std::fs::write(page, &ran.text).unwrap();
        return Vec::new();
    }
    ran.complaints
}

#[test]
fn every_verb_has_its_section_and_every_option_a_word() {
    let guide = commands();
    for verb in verbs() {
        assert!(
            guide.contains(&format!("\n## `onceflow {verb}`")),
            "docs/reference/commands has no section on `{verb}`"
        );
        // Its options are those of another program: crates/bench/tests/help.rs looks for them.
        if verb == "bench" {
            continue;
        }
        let section = guide.split(&format!("\n## `onceflow {verb}`")).nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let help = Shell::new().ok(&format!("{verb} --help")).stdout;
        for option in options(&help) {
            let shared = ["--force", "--help", "--progress"].contains(&option.as_str());
            let place = if shared { guide.as_str() } else { section };
            assert!(
                mentions(place, &option),
                "docs/reference/commands does not say {option} under `onceflow {verb}`"
            );
        }
        let variables = help.split("[env: ").skip(1).filter_map(|rest| rest.split([']', '=']).next());
        for variable in variables {
            assert!(guide.contains(variable), "docs/reference/commands does not say {variable}");
        }
    }
}

/// The pages on commands, one after the other.
fn commands() -> String {
    let pages = pages_under(&root().join("docs/reference/commands"));
    assert!(pages.len() >= 4, "{pages:?}");
    pages.iter().map(|page| format!("{}\n## \n", std::fs::read_to_string(page).unwrap())).collect()
}

/// The verbs that the help of the command lists.
fn verbs() -> Vec<String> {
    let help = Shell::new().ok("--help").stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let verbs = list.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    let verbs: Vec<String> = verbs.filter(|verb| verb != "help").collect();
    assert!(verbs.len() >= 8, "{verbs:?}");
    verbs
}

/// Long options of a help text: they stand first in their line, or behind the short one.
fn options(help: &str) -> BTreeSet<String> {
    let option = |line: &str| {
        let line = line.trim_start();
        let line =
            if line.starts_with("--") { line } else { line.split_once(", ").map_or("", |(_, long)| long) };
        let name: String = line.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        (name.starts_with("--") && name.len() > 2).then_some(name)
    };
    let options: BTreeSet<String> =
        help.lines().filter(|l| l.trim_start().starts_with('-')).filter_map(option).collect();
    assert!(options.contains("--help"), "{options:?}");
    options
}

/// Whether a text holds the option as a whole word.
fn mentions(text: &str, option: &str) -> bool {
    let goes_on = |c: char| c.is_ascii_lowercase() || c == '-';
    text.match_indices(option).any(|(at, _)| !text[at + option.len()..].starts_with(goes_on))
}

#[test]
fn links_lead_somewhere() {
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    for page in pages().into_iter().chain(others) {
        let text = std::fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').map_or((link, None), |(f, h)| (f, Some(h)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: the link `{link}` leads nowhere", page.display());
            if let Some(heading) = heading {
                let text = std::fs::read_to_string(&target).unwrap();
                let found = text.lines().filter(|l| l.starts_with('#')).any(|line| anchor(line) == heading);
                assert!(found, "{}: no heading is `{link}`", page.display());
            }
        }
    }
}

/// The anchor that readers of Markdown make of a heading.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn the_machinery_itself_finds_lies() {
    let lie = "```console\n$ echo one\ntwo\n```\n";
    let [complaint] = &Document::new("lie.md", lie).run(Path::new("/nowhere")).complaints[..] else {
        panic!()
    };
    assert!(
        complaint.contains("lie.md:2") && complaint.contains("- two") && complaint.contains("+ one"),
        "{complaint}"
    );
    let failing = "```console\n$ false\n```\n";
    assert_eq!(Document::new("f.md", failing).run(Path::new("/nowhere")).complaints.len(), 1);
    let true_ones = "```text file=a/b.txt\nx\ny\nz\n```\n\n```console\n$ cat a/b.txt\nx\n...\nz\n$ echo \\\n> a\na\n```\n\
                     ```console exit=3\n$ exit 3\n```\n";
    let ran = Document::new("t.md", true_ones).run(Path::new("/nowhere"));
    assert_eq!((ran.complaints, ran.text.as_str()), (vec![], true_ones));
    assert_eq!(Document::new("lie.md", lie).run(Path::new("/nowhere")).text, lie.replace("two", "one"));
}

/// README.md and every page of docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages = pages_under(&root().join("docs"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// Every page in a folder and the folders below it, sorted.
fn pages_under(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let below = folders.iter().flat_map(|folder| pages_under(folder));
    let mut pages: Vec<PathBuf> = files.into_iter().filter(is_page).chain(below).collect();
    pages.sort();
    pages
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
