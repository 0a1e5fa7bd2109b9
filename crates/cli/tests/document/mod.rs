//! A page of documentation whose commands can be run.
#![allow(unreachable_pub, reason = "as in the other parts of these tests")]

mod fence;

use std::path::Path;
use std::process::{Command, Stdio};

pub use fence::{Document, Part, Step};

/// The library for C programs, by the name that a linker takes.
const C_LIBRARY: &str = "onceflow_memo_c";

/// What running a page showed.
pub struct Ran {
    /// What is not as the page says.
    pub complaints: Vec<String>,
    /// The page with outputs as they are.
    pub text: String,
}

impl Document {
    /// Runs all commands in order in a fresh folder that holds a copy of `examples`.
    pub fn run(&self, examples: &Path) -> Ran {
        let folder = tempfile::tempdir().unwrap();
        if examples.exists() {
            copy(examples, &folder.path().join("examples"));
        }
        if self.steps().any(|step| step.command.contains(C_LIBRARY)) {
            place_c_library(folder.path());
        }
        let mut ran = Ran { complaints: Vec::new(), text: String::new() };
        let mut skipping = false;
        for part in &self.parts {
            match part {
                Part::Text(line) => push(&mut ran.text, line),
                Part::File { name, lines } => {
                    write(&folder.path().join(name), lines);
                    lines.iter().for_each(|line| push(&mut ran.text, line));
                }
                Part::Step(step) => {
                    skipping = skipping || self.must_skip(step);
                    let printed = if skipping { None } else { self.step(step, folder.path(), &mut ran) };
                    step.written.iter().for_each(|line| push(&mut ran.text, line));
                    printed.as_ref().unwrap_or(&step.shown).iter().for_each(|line| push(&mut ran.text, line));
                }
            }
        }
        ran
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().filter_map(|part| match part {
            Part::Step(step) => Some(step),
            Part::Text(_) | Part::File { .. } => None,
        })
    }

    /// What follows a command that cannot be run here depends on it.
    fn must_skip(&self, step: &Step) -> bool {
        let calls = |program: &str| match program {
            "cc" => step.command.split_whitespace().any(|word| word == program),
            _ => step.command.contains(program),
        };
        let functions =
            ["python-task", "refused/workflow.json"].iter().any(|name| step.command.contains(name));
        let lacking = ["python3", "awk", "cc"].into_iter().find(|p| calls(p) && !is_installed(p));
        let lacking =
            lacking.or((functions && !has_numpy()).then_some("python3 of 3.11 or later with NumPy"));
        if let Some(program) = lacking {
            eprintln!("skipped: {}:{} and what follows: there is no {program} here", self.name, step.line);
        }
        lacking.is_some()
    }

    /// Runs a command; what it printed, when the page says something else.
    fn step(&self, step: &Step, folder: &Path, ran: &mut Ran) -> Option<Vec<String>> {
        let (exit, printed) = run(&step.command, folder);
        let place = format!("{}:{}: $ {}", self.name, step.line, step.command);
        if exit != step.exit {
            let printed = printed.join("\n");
            ran.complaints
                .push(format!("{place}\nexpected exit code {}, found {exit}:\n{printed}", step.exit));
        }
        if step.shown.is_empty() || matches(trimmed(&step.shown), &printed) {
            return None;
        }
        let said: Vec<String> = step.shown.iter().map(|line| format!("- {line}")).collect();
        let found: Vec<String> = printed.iter().map(|line| format!("+ {line}")).collect();
        ran.complaints.push(format!("{place}\n{}\n{}", said.join("\n"), found.join("\n")));
        Some(printed)
    }
}

/// The header and the library for C where a user finds them who has built it in the folder of the repository. The library is that of
/// this build.
fn place_c_library(folder: &Path) {
    let name = format!("{}{C_LIBRARY}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = std::env::current_exe().unwrap().parent().unwrap().join(&name);
    assert!(built.is_file(), "expected the library for C at {}", built.display());
    let place = folder.join("target/release");
    std::fs::create_dir_all(&place).unwrap();
    std::os::unix::fs::symlink(built, place.join(&name)).unwrap();
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/include");
    copy(&header, &folder.join("crates/capi/include"));
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}

fn write(path: &Path, lines: &[String]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn is_installed(program: &str) -> bool {
    let status =
        Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Whether functions in Python can be run.
fn has_numpy() -> bool {
    let script = "import sys, numpy; sys.exit(sys.version_info < (3, 11))";
    let found = Command::new("python3").args(["-c", script]).output();
    found.is_ok_and(|output| output.status.success())
}

/// Exit code and lines of both streams, as a terminal would show them.
fn run(command: &str, folder: &Path) -> (i32, Vec<String>) {
    let binary = Path::new(env!("CARGO_BIN_EXE_onceflow")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    for (name, _) in
        std::env::vars().filter(|(name, _)| name.starts_with("ONCEFLOW_") || name.contains("COLOR"))
    {
        shell.env_remove(name);
    }
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder).env("PATH", path);
    shell.env("LC_ALL", "C.UTF-8").env_remove("COLUMNS").env("ONCEFLOW_PROGRESS", "never");
    // The width for which help is broken into lines.
    if command.contains("--help") {
        shell.env("COLUMNS", "100");
    }
    // What the tester's own runs left behind is neither read nor added to.
    shell.env("ONCEFLOW_COSTS", "none").env("ONCEFLOW_STORE", "none");
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    (output.status.code().unwrap_or(-1), trimmed(&lines).to_vec())
}

/// Without empty lines at both ends.
fn trimmed(lines: &[String]) -> &[String] {
    let Some(first) = lines.iter().position(|line| !line.is_empty()) else { return &[] };
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap();
    &lines[first..=last]
}

/// Line by line; a line `...` stands for any number of lines.
fn matches(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((dots, rest)) if dots.trim() == "..." => {
            (0..=printed.len()).any(|from| matches(rest, &printed[from..]))
        }
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| line == first && matches(rest, others))
        }
    }
}
