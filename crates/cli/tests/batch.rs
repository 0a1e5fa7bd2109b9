//! Runs on batch systems: scripted fakes of their commands, which also answer garbage, and a real Slurm where one was started.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::time::Duration;

use shell::Shell;
use studies::changed;

const QUIET: &str = "--store none --costs none --pictures none";

/// Starts each task of an array in the background, as its script says.
const SBATCH: &str = r#"#!/bin/sh
if [ -f "$FAKE/refuse" ]; then echo "sbatch: error: invalid account" >&2; exit 1; fi
n=$(( $(cat "$FAKE/last" 2>/dev/null || echo 0) + 1 )); echo $n > "$FAKE/last"
last=$(sed -n 's/^#SBATCH --array=0-//p' "$2")
for i in $(seq 0 "$last"); do
  SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=$i setsid sh "$2" > "$FAKE/out-$n-$i" 2>&1 < /dev/null &
  echo $! > "$FAKE/pid-$n-$i"
done
echo "Welcome to the site"
echo "$n;fake"
"#;
/// Lists what lives; every third answer is garbage or an error.
const SQUEUE: &str = r#"#!/bin/sh
c=$(( $(cat "$FAKE/calls" 2>/dev/null || echo 0) + 1 )); echo $c > "$FAKE/calls"
if [ $(( c % 3 )) = 2 ]; then echo "slurm_load_jobs error: Socket timed out"; exit $(( c % 2 )); fi
for f in "$FAKE"/pid-*; do
  id=${f##*/pid-}; s=COMPLETED; kill -0 "$(cat "$f")" 2>/dev/null && s=RUNNING
  [ -f "$FAKE/gone-$id" ] && s=NODE_FAIL
  echo "$(echo "$id" | tr - _)|$s|None"
done
"#;
const SCANCEL: &str =
    "#!/bin/sh\nfor f in \"$FAKE\"/pid-*; do kill \"$(cat \"$f\")\" 2>/dev/null; done; exit 0\n";
const QSUB: &str = r#"#!/bin/sh
n=$(( $(cat "$FAKE/last" 2>/dev/null || echo 0) + 1 )); echo $n > "$FAKE/last"
last=$(sed -n 's/^#PBS -J 0-//p' "$1")
for i in $(seq 0 "$last"); do
  PBS_JOBID="$n[$i].fake" PBS_ARRAY_INDEX=$i setsid sh "$1" > "$FAKE/out-$n-$i" 2>&1 < /dev/null &
  echo $! > "$FAKE/pid-$n-$i"
done
echo "$n[].fake"
"#;
const QSTAT: &str = r#"#!/bin/sh
echo "Job id            Name             User              Time Use S Queue"
echo "----------------  ---------------- ----------------  -------- - -----"
for f in "$FAKE"/pid-*; do
  id=${f##*/pid-}
  if kill -0 "$(cat "$f")" 2>/dev/null; then echo "${id%-*}[${id#*-}].fake onceflow me 00:00:01 R workq"; fi
done
exit 0
"#;

/// A shell with fakes of the commands of a batch system, and where they keep their state.
fn fakes() -> (Shell, Vec<(&'static str, String)>) {
    let shell = Shell::new();
    let scripts = [
        ("sbatch", SBATCH),
        ("squeue", SQUEUE),
        ("sacct", "#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n"),
        ("scancel", SCANCEL),
        ("qsub", QSUB),
        ("qstat", QSTAT),
        ("qdel", SCANCEL),
    ];
    for (name, script) in scripts {
        let name = format!("bin/{name}");
        shell.write(&name, script);
        std::fs::set_permissions(shell.path(&name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::create_dir(shell.path("fake")).unwrap();
    let path = format!("{}:{}", shell.path("bin").display(), std::env::var("PATH").unwrap());
    let environment = vec![("PATH", path), ("FAKE", shell.path("fake").display().to_string())];
    (shell, environment)
}

fn study() -> String {
    let parts = "[parts]\nsize = 150\n\n[parameters]";
    changed("[parameters]", parts)
        .replace("96x80", "600x500")
        .replace("trajectories = 4", "trajectories = 12")
}

fn start(shell: &Shell, words: &str, environment: &[(&'static str, String)], log: &str) -> Child {
    let mut command = shell::command(&shell.path(""));
    let log = std::fs::File::create(shell.path(log)).unwrap();
    command.args(words.split_whitespace()).envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

fn same_bytes(shell: &Shell, one: &str, other: &str) {
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        let [one, other] = [one, other].map(|folder| shell.read(&format!("{folder}/{name}")));
        assert!(one == other, "{name} differs");
    }
}

/// Runs on a fake, kills a task once it works, and kills the submitter when it is asked for.
fn disturbed(system: &str, kills_submitter: bool) {
    let (shell, environment) = fakes();
    shell.write("study.toml", study());
    let words = format!("run study.toml -o run {QUIET} --reuse none --on {system}:2 --lease 3");
    let mut submitter = start(&shell, &words, &environment, "log");
    let began = || {
        std::fs::read_dir(shell.path("run/work")).is_ok_and(|mut work| {
            work.any(|entry| {
                std::fs::read_dir(entry.unwrap().path().join("results")).is_ok_and(|mut r| r.next().is_some())
            })
        })
    };
    while !began() {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(5));
    }
    let task = shell.read("fake/pid-1-0");
    shell.write("fake/gone-1-0", "");
    let _gone = std::process::Command::new("kill").args(["-9", task.trim()]).status();
    if kills_submitter {
        submitter.kill().unwrap();
        submitter.wait().unwrap();
        submitter = start(&shell, &words, &environment, "log-2");
    }
    let ended = submitter.wait().unwrap();
    assert!(ended.success(), "{}", shell.read(if kills_submitter { "log-2" } else { "log" }));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

#[test]
fn a_slurm_that_loses_a_node_and_answers_garbage_changes_no_byte() {
    disturbed("slurm", false);
}

#[test]
fn the_same_command_goes_on_with_jobs_whose_submitter_died() {
    disturbed("slurm", true);
}

#[test]
fn a_pbs_that_loses_a_task_changes_no_byte() {
    disturbed("pbs", false);
}

#[test]
fn a_dry_run_prints_the_script_with_what_the_profile_says() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    shell.write(
        "lab.toml",
        "[site]\naccount = \"lab7\"\ntime = \"2:00:00\"\nprologue = [\"export A=1\"]\nworkers = 12\n",
    );
    let said = shell
        .ok("run study.toml -o run --on slurm --profile lab.toml --workers 2 --memory '2 GiB' --dry-run");
    for line in [
        "#SBATCH --array=0-11",
        "#SBATCH --account=lab7",
        "#SBATCH --time=2:00:00",
        "#SBATCH --cpus-per-task=2",
        "export A=1",
    ] {
        assert!(said.stdout.lines().any(|found| found == line), "{line}: {said}");
    }
    assert!(!shell.exists("run"));
    let refused = shell.run("run study.toml -o run --on slum:3");
    assert!(refused.exit == 2 && refused.stderr.contains("slurm:N"), "{refused}");
}

#[test]
fn a_batch_system_that_takes_no_job_is_said() {
    let (shell, environment) = fakes();
    shell.write("study.toml", study()).write("fake/refuse", "");
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let said = shell.run_with(&format!("run study.toml -o run {QUIET} --on slurm:2"), "", &environment);
    assert_eq!(said.exit, 3, "{said}");
    assert!(
        said.stderr.contains("slurm does not take the workers") && said.stderr.contains("invalid account"),
        "{said}"
    );
}

#[test]
fn a_folder_that_nodes_do_not_see_is_said() {
    let (shell, environment) = fakes();
    // Jobs that end at once without a word, as where the folder of their output does not exist.
    shell.write("bin/sbatch", "#!/bin/sh\nn=$(( $(cat \"$FAKE/last\" 2>/dev/null || echo 0) + 1 )); echo $n > \"$FAKE/last\"\necho $n\n");
    shell.write("bin/squeue", "#!/bin/sh\nexit 0\n");
    shell.write("study.toml", study());
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let said = shell.run_with(&format!("run study.toml -o run {QUIET} --on slurm:2"), "", &environment);
    assert_eq!(said.exit, 3, "{said}");
    assert!(said.stderr.contains("nodes do not see this folder"), "{said}");
}

/// In the second tier: `SLURM_CONF` names a Slurm of virtual nodes (scripts/slurm), `ONCEFLOW_SLURM` its folder.
#[test]
fn a_real_slurm_that_loses_a_node_changes_no_byte() {
    let Ok(folder) = std::env::var("ONCEFLOW_SLURM") else {
        println!("skipped: ONCEFLOW_SLURM names no Slurm");
        return;
    };
    let shell = Shell::new();
    shell.write("study.toml", study().replace("trajectories = 12", "trajectories = 24"));
    let words = format!("run study.toml -o run {QUIET} --reuse none --on slurm:3 --lease 5 --memory 600MiB");
    let mut submitter = start(&shell, &words, &[], "log");
    while !shell.exists("run/work/now") {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(3));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/slurm");
    let killed = std::process::Command::new(script).args(["kill", &folder, "n1"]).status().unwrap();
    assert!(killed.success());
    let ended = submitter.wait().unwrap();
    assert!(ended.success(), "{}", shell.read("log"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}
