//! `onceflow run` with what it cannot run: every message says what was expected, what was found and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;
mod studies;

use pictures::{deep_colour_png, grey_png};
use shell::{Said, Shell};
use studies::{STUDY, changed, with};

/// What is wrong, and a study in which it is.
fn studies() -> Vec<(&'static str, String)> {
    let image = |file: &str| changed("file = \"synth:96x80?seed=3\"", &format!("file = \"{file}\""));
    let truth = |file: &str| changed("truth = \"synth:96x80?seed=3\"", &format!("truth = \"{file}\""));
    vec![
        ("missing-image", image("none.png")),
        ("missing-truth", truth("none.png")),
        ("text", image("text.png")),
        ("truncated-head", image("head.png")),
        ("deep", image("deep.png")),
        ("no-tissue", image("synth:96")),
        ("truth-of-another-size", truth("synth:95x80?seed=3")),
        ("box-outside", changed("truth =", "box = [90, 0, 20, 20]\ntruth =")),
        ("measure", changed("measure = \"dice\"", "measure = \"dise\"")),
        ("absurd-resolution", with("[parts]\num_per_pixel = 1000")),
        (
            "unknown-resolution",
            image("small.png").replace("[parameters]", "[parts]\num_per_pixel = 0.25\n[parameters]"),
        ),
        ("parameter", changed("G1 =", "G9 =")),
        ("staging", changed("[run]\n", "[run]\nstaging = \"separated:writers=2,group=3\"\n")),
        ("no-workflow", changed("workflow = \"nuclei\"\n", "")),
        (
            "no-image",
            STUDY.split("[[image]]").next().unwrap().to_owned()
                + &STUDY[STUDY.find("[parameters]").unwrap()..],
        ),
        ("no-phase", STUDY[..STUDY.find("[[phase]]").unwrap()].to_owned()),
        (
            "no-resolution",
            image("small.png").replace(r#"measure = "dice""#, r#"measure = "objects_per_mm2""#),
        ),
        ("sheet-of-a-header", sheet("name,file,truth\n")),
        ("more-replicates-than-base", vbd("base = 4\nreplicates = 8")),
        ("too-many-replicates", vbd("base = 4096\nreplicates = 2048")),
        (
            "effects-of-lhs",
            changed("method = \"moat\"\ntrajectories = 4", "method = \"lhs\"\nrows = 8") + LATER,
        ),
        ("one-resample", changed("resamples = 50", "resamples = 1")),
        ("python", workflow("python.json")),
        ("grey-image", workflow("grey.json")),
        ("table", workflow("table.json").replace(r#"of = "nuclei""#, r#"of = "statistics""#)),
        ("kept-table", changed("[run]\n", "[run]\nkeep_regions = [\"statistics\"]\n")),
        ("command-file", workflow("command.json")),
    ]
}

/// A second phase whose parameters the first one chooses.
const LATER: &str =
    "\n[[phase]]\nname = \"later\"\nmethod = \"vbd\"\nbase = 8\nkeep = { phase = \"screen\" }\n";

/// The study with a second phase of this size.
fn vbd(size: &str) -> String {
    STUDY.to_owned() + &LATER.replace("base = 8", size)
}

/// The study with its images in a sheet, which is written as the study is read.
fn sheet(lines: &str) -> String {
    let (start, end) = (STUDY.find("[[image]]").unwrap(), STUDY.find("[parameters]").unwrap());
    assert!(lines.ends_with('\n'));
    format!("images = \"images.csv\"\n{}{}", &STUDY[..start], &STUDY[end..])
}

fn workflow(file: &str) -> String {
    changed("workflow = \"nuclei\"", &format!("workflow = \"{file}\""))
}

/// Descriptors that can be read but not run.
fn write_workflows(shell: &Shell) {
    let nuclei = include_str!("../../study/src/shipped/nuclei.json");
    let replaced = |from: &str, to: &str| {
        assert!(nuclei.contains(from), "{from} is not in the workflow");
        nuclei.replace(from, to)
    };
    let grow = r#""op": "nuclei.grow""#;
    shell.write("python.json", replaced(grow, r#""op": { "python": "steps.py:grow" }"#));
    shell.write(
        "command.json",
        replaced(grow, r#""op": { "command": ["sh", "grow.sh", "{G2}"], "files": ["grow.sh"] }"#),
    );
    shell.write("grey.json", replaced(r#""image": "rgb8""#, r#""image": "u8""#));
    shell.write("table.json", replaced(r#""outputs": ["nuclei"]"#, r#""outputs": ["statistics"]"#));
}

#[test]
fn studies_that_cannot_be_run() {
    let shell = Shell::new();
    let small = grey_png(96, &[200; 96 * 80]);
    shell.write("text.png", "no image at all\n").write("small.png", &small).write("head.png", &small[..20]);
    shell.write("deep.png", deep_colour_png(96, 80)).write("images.csv", "name,file,truth\n");
    write_workflows(&shell);
    for (name, study) in studies() {
        shell.write("study.toml", study);
        let said = shell.run("run study.toml -o first");
        assert_eq!(said.exit, 2, "{name}: {said}");
        assert!(!shell.exists("first"), "{name}: nothing is written");
        insta::assert_snapshot!(format!("refused-{name}"), said);
        let checked = shell.run("check study.toml");
        // A study for a model of one's own is complete without a workflow.
        if name != "no-workflow" {
            assert_eq!(checked.exit, 2, "check: {name}: {checked}");
            let missing: Vec<&str> = errors(&said).filter(|line| !checked.stderr.contains(line)).collect();
            assert!(missing.is_empty(), "{name}: check does not say {missing:?}\n{checked}");
        }
    }
}

/// The lines of all errors.
fn errors(said: &Said) -> impl Iterator<Item = &str> {
    said.stderr.lines().filter(|line| !line.starts_with("note: "))
}

#[test]
fn a_refusal_is_an_object_too() {
    let shell = Shell::new();
    shell.write("study.toml", changed("measure = \"dice\"", "measure = \"dise\""));
    let said = shell.run("run study.toml -o first --json");
    assert_eq!(said.json()["ok"], false);
}

#[test]
fn folders_that_cannot_be_written_are_the_environments_fault() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY).write("taken", "a file\n");
    for (name, folder) in [("taken", "taken"), ("below-a-file", "taken/below")] {
        let said = shell.run(&format!("run study.toml -o {folder}"));
        assert_eq!(said.exit, 3, "{said}");
        insta::assert_snapshot!(format!("unwritable-{name}"), said);
    }
    assert_eq!(shell.read("taken"), "a file\n");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    std::fs::create_dir(shell.path("locked")).unwrap();
    let allow = |name: &str, mode| {
        std::fs::set_permissions(shell.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("", 0o755);
    allow("locked", 0o555);
    let mut command = shell::command(&shell.path(""));
    // Whoever may do everything is not kept out, and lets somebody else try.
    if std::fs::write(shell.path("locked/probe"), "").is_ok() {
        std::fs::remove_file(shell.path("locked/probe")).unwrap();
        command.gid(NOBODY).uid(NOBODY);
    }
    let said = match command.args(["run", "study.toml", "-o", "locked/run"]).output() {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: another user may not start the program: {error}"),
    };
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(3), "{text}");
    assert!(text.contains("locked") && text.to_lowercase().contains("permission denied"), "{text}");
    assert!(!shell.exists("locked/run"));
}

/// The user and the group that own nothing.
#[cfg(unix)]
const NOBODY: u32 = 65534;

/// A bound on the size of files stands for a full disk: a write fails in the middle.
#[cfg(unix)]
#[test]
fn no_space_leaves_no_half_file() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o whole");
    for blocks in [0, 2, 8, 32] {
        let said = limited(&shell, blocks);
        assert_eq!(said.exit, 3, "{blocks} blocks: {said}");
        assert!(said.stderr.contains("cannot write"), "{said}");
        assert!(!shell.exists("first/run.json"));
        for entry in std::fs::read_dir(shell.path("first")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let same = ["rows.csv", "metrics.csv", "study.toml", "workflow.json", "indices.json"];
            assert!(!name.starts_with('.'), "{blocks} blocks leave {name}");
            if same.contains(&name.as_str()) {
                assert_eq!(
                    shell.read(&format!("first/{name}")),
                    shell.read(&format!("whole/{name}")),
                    "{blocks}"
                );
            }
        }
    }
    shell.ok("run study.toml -o first");
    assert_eq!(shell.read("first/rows.csv"), shell.read("whole/rows.csv"));
}

#[cfg(unix)]
fn limited(shell: &Shell, blocks: u32) -> Said {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" run study.toml -o first");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_onceflow")]);
    let output = command
        .current_dir(shell.path(""))
        .env("ONCEFLOW_COSTS", "none")
        .env("ONCEFLOW_STORE", "none")
        .output()
        .unwrap();
    Said {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
