//! `onceflow memo` and `onceflow plan --attributes`, as a shell user meets them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod shell;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use shell::{Said, Shell, command};

/// A folder with a program `clean` that makes `out` of `in`, and counts its runs.
fn shell() -> Shell {
    let shell = Shell::new();
    let script = "#!/bin/sh\necho run >> runs\ntr a-z A-Z < in > out\nchmod 640 out\necho cleaned\necho careful >&2\nexit ${CODE:-0}\n";
    shell.write("clean", script).write("in", "text");
    std::fs::set_permissions(shell.path("clean"), std::fs::Permissions::from_mode(0o755)).unwrap();
    shell
}

fn runs(shell: &Shell) -> usize {
    std::fs::read_to_string(shell.path("runs")).unwrap_or_default().lines().count()
}

const CLEAN: &str = "memo --store store --reads in --writes out";

fn stated(said: &Said) -> (i32, &str, &str) {
    (said.exit, &said.stdout, &said.stderr)
}

#[test]
fn a_known_command_gives_what_it_gave() {
    let shell = shell();
    let first = shell.run(&format!("{CLEAN} -- ./clean"));
    assert_eq!(stated(&first), (0, "cleaned\n", "careful\n"));
    std::fs::remove_file(shell.path("out")).unwrap();
    let again = shell.run(&format!("{CLEAN} -- ./clean"));
    assert_eq!(stated(&again), stated(&first));
    assert_eq!((runs(&shell), shell.read("out").as_str()), (1, "TEXT"));
    assert_eq!(shell.path("out").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    // Another content of the program is another command.
    shell.write("clean", shell.read("clean").replace("cleaned", "done"));
    std::fs::set_permissions(shell.path("clean"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(shell.run(&format!("{CLEAN} -- ./clean")).stdout, "done\n");
    let known = shell.ok(&format!("{CLEAN} --dry-run --json -- ./clean")).json();
    assert_eq!((known["version"].as_u64(), known["known"].as_bool()), (Some(1), Some(true)));
    assert_eq!(runs(&shell), 2);
}

#[test]
fn why_and_the_list_of_products_speak_of_commands() {
    let shell = shell();
    shell.ok(&format!("{CLEAN} --attr scan=2 -- ./clean"));
    let listed = shell.ok("products ls --store store --json").json();
    let key = listed["products"][0]["key"].as_str().unwrap().to_owned();
    let why = shell.ok(&format!("products why {key} --store store --json")).json();
    let memo = &why["products"][0]["memo"];
    assert_eq!((memo["title"].as_str(), memo["exit"].as_i64()), (Some("./clean"), Some(0)));
    let gave: Vec<_> =
        memo["gave"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(gave, ["standard output", "standard error", "out"]);
    let text = shell.ok(&format!("products why {key} --store store")).stdout;
    for line in ["memo    ./clean, exit code 0", "value scan = 2", "read in = ", "gave out, 4 B"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(shell.ok("products verify --store store").stdout.contains("results are sound"));
}

#[test]
fn explanations_say_why_it_ran() {
    let shell = shell();
    let explain = |more: &str| shell.ok(&format!("{CLEAN} --explain {more} -- ./clean")).stderr;
    assert!(explain("").contains("since no result of this program with these outputs is kept"));
    assert!(explain("").contains("did not run"));
    shell.write("in", "other");
    let changed = explain("");
    assert!(changed.contains("memo:   read in has another content"), "{changed}");
    let value = explain("--attr scan=2");
    assert!(value.contains("memo:   value scan is new"), "{value}");
    let value = explain("--attr scan=3");
    assert!(value.contains("memo:   value scan was 2, is 3"), "{value}");
}

#[test]
fn environment_and_standard_input_are_attributes_when_they_are_named() {
    let shell = shell();
    let code = |value: &str| {
        shell.run_with(&format!("{CLEAN} --env CODE --keep-failures -- ./clean"), "", &[("CODE", value)]).exit
    };
    assert_eq!([code("4"), code("5"), code("4"), code("0")], [4, 5, 4, 0]);
    assert_eq!(runs(&shell), 3);
    let count = |input: &str| shell.run_with("memo --store store --explain --reads - -- cat", input, &[]);
    assert_eq!(count("a\n").stdout, "a\n");
    assert_eq!(count("b\n").stdout, "b\n");
    let again = count("a\n");
    assert!(again.stdout == "a\n" && again.stderr.contains("did not run"), "{again}");
    // Without it a command finds nothing there; without a store it is the same.
    for store in ["store", "none"] {
        let said =
            |reads: &str| shell.run_with(&format!("memo --store {store} {reads} -- cat"), "a\n", &[]).stdout;
        assert_eq!((said("").as_str(), said("--reads -").as_str()), ("", "a\n"), "{store}");
    }
}

#[test]
fn each_bad_case_has_its_own_words() {
    let shell = shell();
    let said = |words: &str, exit: i32, text: &str| {
        let said = shell.run(words);
        assert!(said.exit == exit && said.stderr.contains(text), "onceflow {words}\n{said}");
    };
    said("memo --store store --writes none -- true", 0, "warning: not kept: none was not written");
    said("memo --store store --explain -- false", 1, "warning: not kept: the command ended with exit code 1");
    said("memo --store store --reads none -- true", 2, "none: expected a file to read, found no such file");
    said("memo --store store --reads in --writes in -- true", 2, "either read or written, found both");
    said("memo --store store --attr x=1 x=2 -- true", 2, "`x` stands twice");
    said("memo --store store --attr x -- true", 2, "expected a name and a value");
    said("memo --store store -- ./no-such", 3, "there is no such program");
    said(
        "memo --store store --reads in -- sh -c 'echo more >> in'",
        0,
        "in was changed while the command ran",
    );
    said(
        "memo --store store -- head -c 70000000 /dev/zero",
        0,
        "warning: not kept: it wrote more than 67108864 bytes",
    );
    said("memo --store store", 2, "required arguments");
    // A store that cannot be used costs what it would have kept.
    shell.write("file", "x");
    said("memo --store file -- true", 0, "warning: nothing is kept");
    assert_eq!(shell.ok("memo --store none -- echo alone").stdout, "alone\n");
    assert_eq!(shell.run("memo --store none -- sh -c 'exit 9'").exit, 9);
    said("memo --store none --dry-run -- true", 2, "there is no store");
    said("memo --store none --reads in --writes in -- true", 2, "either read or written, found both");
    said("memo --store none --audit -- true", 0, "audit: nothing to compare with");
}

#[test]
fn a_command_that_calls_itself_is_refused() {
    let shell = Shell::new();
    let program = env!("CARGO_BIN_EXE_onceflow");
    shell.write("again", format!("#!/bin/sh\nexec {program} memo --store store -- ./again\n"));
    std::fs::set_permissions(shell.path("again"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = shell.run("memo --store store -- ./again");
    assert!(said.exit == 2 && said.stderr.contains("found a recursive call of `./again`"), "{said}");
    // Another command inside is no recursion.
    shell.write("again", format!("#!/bin/sh\nexec {program} memo --store store -- echo inner\n"));
    assert_eq!(shell.ok("memo --store store -- ./again").stdout, "inner\n");
}

/// A caller whose command runs `script`, killed once the script has written the file `pid`; then another command of the same name
/// that is fast. Gives what became of `out`.
#[cfg(target_os = "linux")]
fn killed(shell: &Shell, script: &str) -> String {
    let program = |text: &str| {
        shell.write("slow", text);
        std::fs::set_permissions(shell.path("slow"), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    // Both are the same command: what differs stands in a file that is not declared.
    program("#!/bin/sh\n. ./script\n");
    shell.write("script", script);
    let words = ["memo", "--store", "store", "--writes", "out", "--", "./slow"];
    let mut killed = command(&shell.path("")).args(words).stdin(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !shell.exists("pid") || !shell.read("pid").ends_with('\n') {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(10));
    }
    shell.write("script", "echo fast > out\n");
    killed.kill().unwrap();
    killed.wait().unwrap();
    // It computes only when all processes of the one before are gone.
    shell.ok("memo --store store --writes out -- ./slow");
    let status = format!("/proc/{}/status", shell.read("pid").trim());
    let status = std::fs::read_to_string(status).unwrap_or_default();
    assert!(status.is_empty() || status.contains("State:\tZ"), "the command still runs: {status}");
    thread::sleep(Duration::from_millis(2500));
    let listed = shell.ok("products ls --store store --json").json();
    assert_eq!(listed["products"].as_array().unwrap().len(), 1);
    shell.read("out")
}

#[cfg(target_os = "linux")]
#[test]
fn a_caller_that_is_killed_leaves_nothing_behind() {
    let shell = Shell::new();
    assert_eq!(killed(&shell, "echo $$ > pid\nsleep 2\necho slow > out\n"), "fast\n");
}

#[test]
fn processes_that_ask_at_once_compute_once() {
    let shell = shell();
    shell.write("slow", "#!/bin/sh\necho run >> runs\nsleep 1\ncp in out\n");
    std::fs::set_permissions(shell.path("slow"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let words = ["memo", "--store", "store", "--reads", "in", "--writes", "out", "--", "./slow"];
    let all: Vec<_> = (0..4).map(|_| command(&shell.path("")).args(words).spawn().unwrap()).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    assert_eq!((runs(&shell), shell.read("out").as_str()), (1, "text"));
}

#[test]
fn an_audit_says_when_what_is_declared_does_not_decide() {
    let shell = shell();
    shell.write("hidden", "1");
    let words = "memo --store store --reads in --writes out --audit -- sh -c 'cat in hidden > out'";
    assert!(shell.ok(words).stderr.contains("audit: nothing to compare with"));
    assert!(shell.ok(words).stderr.contains("audit: the same as is kept"));
    shell.write("hidden", "2");
    let said = shell.run(words);
    assert!(said.exit == 1 && said.stderr.contains("audit: out differ"), "{said}");
}

#[test]
fn a_trace_warns_of_files_that_are_not_declared() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let shell = shell();
    shell.write("hidden", "1");
    let said = shell.ok(
        "memo --store store --trace --reads in --writes out -- sh -c 'cat in hidden > out; echo x > side'",
    );
    assert!(said.stderr.contains("hidden without --reads: a change of it would not be noticed"), "{said}");
    assert!(said.stderr.contains("side without --writes: it would not be restored"), "{said}");
    let said =
        shell.ok("memo --store store --trace --reads in hidden --writes out -- sh -c 'cat in hidden > out'");
    assert!(said.stderr.contains("all files it reads and writes are declared"), "{said}");
}

/// Figure 4 of the data-minimisation paper.
const PAPER: &str = include_str!("../../../examples/memo/registration.toml");

#[test]
fn the_papers_table_is_printed() {
    let shell = Shell::new();
    shell.write("graph.toml", PAPER);
    insta::assert_snapshot!("attributes", shell.ok("plan graph.toml --attributes").stdout);
    let json = shell.ok("plan graph.toml --attributes --json").json();
    let passes = json["graphs"][0]["passes"].as_array().unwrap();
    let bytes: Vec<_> = passes.iter().map(|pass| pass["least"]["bytes"].as_u64().unwrap()).collect();
    assert_eq!(bytes, [20, 28, 36, 44, 52]);
    assert!(passes.iter().all(|pass| pass["proved"] == true));
    assert_eq!(passes[4]["chained_bytes"], 40);
}

#[test]
fn tasks_of_a_study_are_identified_by_digests_and_parameters() {
    let shell = Shell::new();
    let study = "name = \"s\"\nworkflow = \"nuclei\"\nimages = [\"synth:96x80?seed=3\"]\n\n[parameters]\n\
        G1 = { from = 5, to = 80, step = 5 }\n\n[[metric]]\nname = \"change\"\nof = \"nuclei\"\n\
        measure = \"pixel_difference\"\nagainst = \"default\"\n\n[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n";
    shell.write("study.toml", study);
    insta::assert_snapshot!("attributes-study", shell.ok("plan study.toml --attributes").stdout);
    let json = shell.ok("plan study.toml --attributes --json").json();
    let graphs = json["graphs"].as_array().unwrap();
    assert!(graphs.iter().all(|graph| graph["passes"][0]["proved"] == true));
}

#[test]
fn what_is_wrong_with_a_described_graph_is_said_with_file_and_line() {
    let shell = Shell::new();
    let said = |text: &str, place: &str, words: &str| {
        shell.write("graph.toml", text);
        let said = shell.run("plan graph.toml --attributes");
        assert!(said.exit == 2 && said.stderr.contains(place) && said.stderr.contains(words), "{said}");
    };
    said(&PAPER.replace("passes = 5", "passes = 0"), "graph.toml:", "loop `level` has no passes");
    said(&PAPER.replace("bytes = 6", "bytes = -6"), "graph.toml:8:9", "a size in bytes such as 8");
    said(
        &PAPER.replacen("\"register\", \"resample\"]", "\"regster\"]", 1),
        "graph.toml:4:11",
        "target `regster` is no block",
    );
    said(&PAPER.replace("barrier = true", "barier = true"), "graph.toml:48:1", "write `barrier`");
    let missing = shell.run("plan none.toml --attributes");
    assert!(missing.exit == 2 && missing.stderr.contains("none.toml"), "{missing}");
}
