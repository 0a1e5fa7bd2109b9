//! Programs that serve many tasks.

use crate::shell::Shell;
use crate::study::{changed, failure, run};

/// Reads a line, hands on the mask, answers; `{}` stands for what comes before the answer.
fn server(before: &str) -> String {
    let path = |name: &str| format!("$(printf %s \"$line\" | sed 's/.*\"{name}\":\"\\([^\"]*\\)\".*/\\1/')");
    format!(
        "echo started >&2\nwhile read -r line; do\n  count=$((count + 1))\n  cp \"{}\" \"{}\"\n  {before}\n  echo '{{\"ok\":true}}'\ndone\n",
        path("bw"),
        path("kept")
    )
}

fn serving(before: &str) -> Shell {
    changed(
        &server(before),
        r#"["sh", "keep.sh", "{level}", "{bw}", "{kept}"], "files""#,
        r#"["sh", "keep.sh"], "serve": true, "files""#,
    )
}

#[test]
fn one_process_does_many_tasks() {
    let shell = serving("echo \"$line\" >&2");
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    let logs = std::fs::read_dir(shell.path("run/logs/keep")).unwrap();
    let logs: Vec<String> = logs.map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap()).collect();
    let started = logs.iter().filter(|log| log.contains("started")).count();
    assert!(logs.len() > 4 && started <= 2, "{} logs of {started} processes", logs.len());
    let line = logs[0].lines().find(|line| line.starts_with('{')).unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["version"], &line["task"]), (&1.into(), &"keep".into()));
    assert!(
        line["parameters"]["level"].is_i64()
            && line["inputs"]["bw"].as_str().unwrap().ends_with("inputs/bw.tif")
    );
}

#[test]
fn a_process_that_dies_between_tasks_is_replaced() {
    assert_eq!(run(&serving("[ $count -lt 3 ] || exit 9")).exit, 0);
}

#[test]
fn a_process_that_always_dies_fails_its_task() {
    let said = failure(&serving("exit 9"));
    assert!(said.contains("ended with exit code 9"), "{said}");
}

#[test]
fn answers_are_understood_or_refused() {
    let cases = [
        (r#"echo '{"ok":false,"error":"no tissue"}'; continue"#, "failed: no tissue"),
        ("echo hello; continue", "did not answer with a JSON object: hello"),
        (r#"echo '{"ok":1}'; continue"#, "answered neither"),
        (r#"echo '{"ended":"bored"}'; continue"#, "which the task does not list in `ends`"),
    ];
    for (before, expected) in cases {
        let said = failure(&serving(before));
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_status_ends_the_part() {
    let shell = changed(
        &server(r#"echo '{"ended":"bored"}'; continue"#),
        r#"["sh", "keep.sh", "{level}", "{bw}", "{kept}"], "files": ["keep.sh"], "memory": "200 MiB", "time": "20 s" },"#,
        r#"["sh", "keep.sh"], "serve": true, "files": ["keep.sh"] }, "ends": ["bored"],"#,
    );
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    assert!(shell.read("run/rows.csv").contains("bored"), "{}", shell.read("run/rows.csv"));
}

#[test]
fn a_process_that_hangs_is_stopped() {
    let shell = serving("sleep 60");
    let text = shell.read("workflow.json").replace("20 s", "300 ms");
    shell.write("workflow.json", text);
    let said = failure(&shell);
    assert!(said.contains("was stopped: it took more than its 0.3 s"), "{said}");
}

#[test]
fn placeholders_of_a_server_are_refused() {
    let shell = changed("", r#""files""#, r#""serve": true, "files""#);
    let said = shell.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("arguments without placeholders"), "{said}");
}
