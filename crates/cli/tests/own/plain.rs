//! A program that does what it should.

use crate::shell::Shell;
use crate::study::{SCRIPT, changed, failure, run, study};

#[test]
fn a_study_with_a_program_runs_and_is_not_run_twice() {
    let shell = study(SCRIPT);
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    assert_eq!(shell.read("run/rows.csv").lines().count(), 1 + 1 + 2 * 3);
    assert!(!shell.read("run/rows.csv").contains("failed"));
    assert!(run(&shell).stderr.contains("complete: nothing to compute"));
    let left: Vec<String> = std::fs::read_dir(shell.path("run"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("commands-"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "folders of tasks are gone");
}

#[test]
fn its_log_is_kept_and_found_for_every_row() {
    let shell = study(SCRIPT);
    assert_eq!(run(&shell).exit, 0);
    let rows = shell.read("run/rows.csv");
    let head: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let level = head.iter().position(|name| *name == "level").unwrap();
    for line in rows.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let said = shell.ok(&format!("report run --log --row {} --image one --task keep", fields[0]));
        assert_eq!(said.stdout, format!("level {}\n", fields[level]), "row {}", fields[0]);
    }
    let said = shell.run("report run --log --row 1 --image other");
    assert!(said.exit == 2 && said.stderr.contains("no log for row 1 on other"), "{said}");
}

#[test]
fn an_edited_script_is_run_again_and_an_untouched_study_is_not() {
    let shell = study(SCRIPT);
    assert_eq!(run(&shell).exit, 0);
    shell.write("keep.sh", format!("{SCRIPT}# changed\n"));
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    for line in [
        "task keep has changed since the last run: keep.sh",
        "other results   keep, compare",
        "run again       reconstruct, threshold: regions between tasks are not kept from run to run",
    ] {
        assert!(said.stderr.contains(line), "{line}\n{said}");
    }
    assert!(run(&shell).stderr.contains("complete: nothing to compute"));
}

#[test]
fn a_damaged_list_of_programs_is_not_taken_for_a_changed_one() {
    let shell = study(SCRIPT);
    assert_eq!(run(&shell).exit, 0);
    let rows = shell.read("run/rows.csv");
    shell.write("run/commands.json", "[{");
    let said = run(&shell);
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("run/commands.json is damaged") && said.stderr.contains("line 1"), "{said}");
    assert!(said.stderr.contains("--force") && shell.read("run/rows.csv") == rows, "{said}");
}

#[test]
fn it_finds_what_it_declares_and_nothing_else() {
    let shell = study("find . | sort; env | cut -d= -f1 | sort | tr '\\n' ' '; cp \"$2\" \"$3\"\n");
    shell.write("secret.txt", "x");
    assert_eq!(run(&shell).exit, 0);
    let said = shell.ok("report run --log --row 0 --image one").stdout;
    let (files, environment) = said.split_once("./outputs\n").unwrap();
    assert_eq!(files, ".\n./inputs\n./inputs/bw.tif\n./keep.sh\n");
    for name in ["HOME", "LANG", "OMP_NUM_THREADS", "ONCEFLOW_TASK", "PATH"] {
        assert!(environment.split_whitespace().any(|found| found == name), "{environment}");
    }
    assert!(!environment.contains("CARGO"), "{environment}");
}

#[test]
fn nothing_runs_unless_it_is_allowed() {
    let shell = study("touch ../../../ran\ncp \"$2\" \"$3\"\n");
    for words in ["run study.toml -o run", "run study.toml --row 0 -o look"] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        for part in ["keep `sh keep.sh {level} {bw} {kept}`", "--allow-commands", "ONCEFLOW_ALLOW_COMMANDS=1"]
        {
            assert!(said.stderr.contains(part), "{part}\n{said}");
        }
    }
    shell.ok("check study.toml");
    shell.ok("plan study.toml");
    shell.ok("run study.toml --dry-run");
    assert_eq!(shell.files(), ["keep.sh", "study.toml", "workflow.json"]);
    let said = shell.run_with("run study.toml -o run", "", &[("ONCEFLOW_ALLOW_COMMANDS", "1")]);
    assert_eq!(said.exit, 0, "{said}");
}

#[test]
fn what_never_repeats_is_run_for_each_row_and_what_is_close_is_noted() {
    // Rows enough for some that are equal.
    let more = |shell: &Shell| {
        shell.write("study.toml", shell.read("study.toml").replace("trajectories = 2", "trajectories = 8"));
    };
    let planned =
        |shell: &Shell| shell.ok("plan study.toml --json").json()["tasks"]["planned"].as_u64().unwrap();
    let exact = study(SCRIPT);
    let never = changed(SCRIPT, r#""time": "20 s""#, r#""repeats": "never""#);
    more(&exact);
    more(&never);
    assert!(planned(&never) > planned(&exact), "{} {}", planned(&never), planned(&exact));
    // Rows that differ in nothing that the tasks before it read share those, and not it: one for each row and comparison.
    let said = run(&never);
    assert_eq!(said.exit, 0, "{said}");
    let trace: serde_json::Value = serde_json::from_str(&never.read("run/trace.json")).unwrap();
    let runs =
        trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["name"] == "keep").count();
    assert_eq!(runs, 25);
    let close = changed(SCRIPT, r#""time": "20 s""#, r#""repeats": "close""#);
    assert_eq!(run(&close).exit, 0);
    assert!(close.read("run/report.html").contains("declared close"));
}

#[test]
fn a_program_that_is_not_there_is_the_machines_fault() {
    let missing = changed(SCRIPT, r#"["sh", "#, r#"["no-such-program-here", "#);
    let said = run(&missing);
    assert!(said.exit == 3 && said.stderr.contains("install no-such-program-here"), "{said}");
    let container = changed(SCRIPT, r#""files""#, r#""container": "x.sif", "files""#);
    container.write("x.sif", "x");
    let said =
        container.run_with("run study.toml -o run --allow-commands", "", &[("PATH", "/bin-not-there")]);
    assert!(said.exit == 3 && said.stderr.contains("install apptainer"), "{said}");
}

#[test]
fn a_container_is_started_by_whoever_can() {
    let shell = changed(SCRIPT, r#""files""#, r#""container": "x.sif", "files""#);
    shell.write("x.sif", "x");
    // What is asked of it is printed; the words after the image are run.
    shell.write("bin/apptainer", "#!/bin/sh\necho \"$@\"\nwhile [ \"$1\" != \"${1%.sif}\" ] || [ $# -gt 5 ]; do case $1 in *.sif) shift; break;; esac; shift; done\nexec \"$@\"\n");
    let program = shell.path("bin/apptainer");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", shell.path("bin").display(), std::env::var("PATH").unwrap());
    let said = shell.run_with("run study.toml -o run --allow-commands", "", &[("PATH", &path)]);
    assert_eq!(said.exit, 0, "{said}");
    let log = shell.ok("report run --log --row 0 --image one").stdout;
    for part in [
        "exec --containall --net --network none --bind ",
        "/x.sif sh keep.sh 3 inputs/bw.tif outputs/kept.tif",
    ] {
        assert!(log.contains(part), "{log}");
    }
}

#[test]
fn check_looks_at_the_files() {
    let missing = study(SCRIPT);
    std::fs::remove_file(missing.path("keep.sh")).unwrap();
    let said = missing.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("workflow.json:13"), "{said}");
    let outside = study(SCRIPT);
    std::fs::remove_file(outside.path("keep.sh")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", outside.path("keep.sh")).unwrap();
    let said = outside.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("a link that leads out of it"), "{said}");
    let above = changed(SCRIPT, r#""files": ["keep.sh"]"#, r#""files": ["../keep.sh"]"#);
    let said = above.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("without `..`"), "{said}");
}

#[test]
fn the_cost_of_a_program_is_not_known_before_it_ran() {
    let shell = study(SCRIPT);
    let costs = [("ONCEFLOW_COSTS", "costs.jsonl"), ("ONCEFLOW_ALLOW_COMMANDS", "1")];
    let time = |words: &str| {
        let said = shell.run_with(words, "", &costs);
        assert_eq!(said.exit, 0, "{said}");
        said.stdout.lines().find(|line| line.starts_with("time ")).unwrap().to_owned()
    };
    let before = time("plan study.toml");
    assert!(before.ends_with("; the cost of 1 program is not known before a first run)"), "{before}");
    assert_eq!(shell.run_with("plan study.toml --json", "", &costs).json()["costs"]["unknown"], 1);
    shell.run_with("run study.toml -o run", "", &costs);
    assert!(!time("plan study.toml").contains("not known"));
}

#[test]
fn programs_of_a_workflow_share_their_declarations() {
    let own = r#""files": ["keep.sh"], "memory": "200 MiB", "time": "20 s""#;
    let slow = "sleep 5\n";
    let shell = changed(slow, own, r#""files": ["keep.sh"]"#);
    let text = shell
        .read("workflow.json")
        .replace(r#""stages":"#, r#""programs": { "memory": "200 MiB", "time": "200 ms" }, "stages":"#);
    shell.write("workflow.json", &text);
    shell.ok("check study.toml");
    assert!(failure(&shell).contains("it took more than its 0.2 s"));
    // What a program says itself counts.
    let patient = text.replace(r#""files": ["keep.sh"]"#, r#""files": ["keep.sh"], "time": "20 s""#);
    let shell = study(SCRIPT);
    shell.write("workflow.json", patient);
    assert_eq!(run(&shell).exit, 0);
    shell.write("workflow.json", text.replace("\"time\": \"200 ms\"", "\"tme\": 3"));
    let said = shell.run("check study.toml");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.to_string().contains("`tme`"), "{said}");
}

#[test]
fn a_skeleton_of_an_own_workflow_is_checked_and_run() {
    let shell = Shell::new();
    insta::assert_snapshot!("skeleton", shell.ok("init --program -o mine/study.toml"));
    let said = shell.ok("check mine/study.toml");
    assert!(!said.to_string().contains("warning"), "{said}");
    shell.ok("run mine/study.toml -o run --allow-commands");
    assert!(shell.read("run/answer.txt").contains("invert"), "{}", shell.read("run/answer.txt"));
    assert_eq!(shell.run("init --program -o mine/study.toml").exit, 2, "nothing is replaced");
    // A study of the workflow, in another folder.
    shell.ok("init --workflow mine/workflow.json -o elsewhere.toml");
    std::fs::create_dir(shell.path("sub")).unwrap();
    shell.ok("init --workflow mine/workflow.json -o sub/study.toml");
    for study in ["elsewhere.toml", "sub/study.toml"] {
        let said = shell.ok(&format!("check {study} --without-images"));
        assert!(!said.to_string().contains("warning"), "{said}");
    }
    assert!(shell.read("sub/study.toml").contains("\"../mine/workflow.json\""));
}
