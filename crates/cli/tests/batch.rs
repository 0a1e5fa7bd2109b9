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
if [ -f "$FAKE/late" ]; then sleep "$(cat "$FAKE/late")"; rm -f "$FAKE/late"; fi
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
/// An array of PBS has two tasks or more.
const QSUB: &str = r#"#!/bin/sh
if grep -q '^#PBS -J 0-0' "$1"; then echo "qsub: illegal -J value" >&2; exit 1; fi
n=$(( $(cat "$FAKE/last" 2>/dev/null || echo 0) + 1 )); echo $n > "$FAKE/last"
last=$(sed -n 's/^#PBS -J 0-//p' "$1")
for i in $(seq 0 "$last"); do
  PBS_JOBID="$n[$i].fake" PBS_ARRAY_INDEX=$i setsid sh "$1" > "$FAKE/out-$n-$i" 2>&1 < /dev/null &
  echo $! > "$FAKE/pid-$n-$i"
done
echo "$n[].fake"
"#;
/// As OpenPBS does: an array whose tasks are all over is an error without -x, beside the table of the others, and the end is 35.
const QSTAT: &str = r#"#!/bin/sh
x=; e=0; table=
for job; do
  case $job in -x) x=1; continue ;; -*) continue ;; esac
  n=${job%%\[*}; lines=; alive=
  [ "$n" -le "$(cat "$FAKE/last")" ] || { echo "qstat: Unknown Job Id $job.fake" >&2; e=153; continue; }
  for f in "$FAKE/pid-$n"-*; do
    i=${f##*-}; s=X; if kill -0 "$(cat "$f")" 2>/dev/null; then s=R; alive=1; fi
    lines="$lines$n[$i].fake onceflow me 00:00:01 $s workq
"
  done
  if [ -z "$alive$x" ]; then
    echo "qstat: $n[].fake Job has finished, use -x or -H to obtain historical job information" >&2; e=35; continue
  fi
  table="$table$n[].fake onceflow me 0 B workq
$lines"
done
if [ -n "$table" ]; then
  echo "Job id            Name             User              Time Use S Queue"
  echo "----------------  ---------------- ----------------  -------- - -----"
  printf '%s' "$table"
fi
exit $e
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

/// Whether a bucket has results.
fn has_results(shell: &Shell) -> bool {
    std::fs::read_dir(shell.path("run/work")).is_ok_and(|mut work| {
        work.any(|entry| {
            std::fs::read_dir(entry.unwrap().path().join("results")).is_ok_and(|mut r| r.next().is_some())
        })
    })
}

/// Runs on a fake, kills a task once it works, and kills the submitter when it is asked for.
fn disturbed(system: &str, kills_submitter: bool) {
    let (shell, environment) = fakes();
    shell.write("study.toml", study());
    let words = format!("run study.toml -o run {QUIET} --reuse none --on {system}:2 --lease 3");
    let mut submitter = start(&shell, &words, &environment, "log");
    while !has_results(&shell) {
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
fn a_dry_run_prints_the_script_of_pbs() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    shell.write("lab.toml", "[site]\naccount = \"lab7\"\npartition = \"long\"\ntime = \"2:00:00\"\n");
    let said = shell.ok("run study.toml -o run --on pbs:1 --profile lab.toml --dry-run");
    for line in [
        "#PBS -J 0-1",
        "#PBS -A lab7",
        "#PBS -q long",
        "#PBS -l walltime=2:00:00",
        "#PBS -l select=1:ncpus=1:mem=",
    ] {
        assert!(said.stdout.lines().any(|found| found.starts_with(line)), "{line}: {said}");
    }
    assert!(!shell.exists("run"));
}

/// The memory of a job comes from the plan: a larger image needs more.
#[test]
fn jobs_ask_for_the_memory_that_the_plan_needs() {
    let shell = Shell::new();
    let megabytes = |size: &str| -> u64 {
        let study = changed("64 MiB", "64 GiB").replace("96x80", size);
        shell.write("study.toml", study);
        let said = shell.ok("run study.toml -o run --on slurm:2 --dry-run");
        let line = said.stdout.lines().find_map(|line| line.strip_prefix("#SBATCH --mem=")).unwrap();
        line.trim_end_matches('M').parse().unwrap()
    };
    let (small, large) = (megabytes("96x80"), megabytes("6000x5000"));
    assert!((500..700).contains(&small) && large > small + 200, "{small} and {large} MiB");
}

#[test]
fn arrays_are_no_larger_than_the_site_allows_and_the_rest_is_another() {
    let (shell, environment) = fakes();
    shell.write("study.toml", study()).write("lab.toml", "[site]\nmost_tasks = 2\n");
    let words = format!("run study.toml -o run {QUIET} --reuse none --on slurm:3 --profile lab.toml");
    let mut submitter = start(&shell, &words, &environment, "log");
    assert!(submitter.wait().unwrap().success(), "{}", shell.read("log"));
    assert!(shell.read("run/work/workers-1.sh").contains("--array=0-1\n"));
    assert!(shell.exists("fake/pid-1-1") && !shell.exists("fake/pid-1-2"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

/// An answer that takes long holds up submitting and nothing else: the manager goes on to give signs.
#[test]
fn a_late_answer_of_the_scheduler_is_waited_for_while_the_manager_lives() {
    let (shell, environment) = fakes();
    shell.write("study.toml", study()).write("fake/late", "6");
    let mut submitter =
        start(&shell, &format!("run study.toml -o run {QUIET} --on slurm:2"), &environment, "log");
    while !shell.exists("run/work/now") {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut signs = std::collections::BTreeSet::new();
    while shell.exists("fake/late") {
        let sign = std::fs::metadata(shell.path("run/work/manager")).and_then(|file| file.modified());
        signs.extend(sign.ok());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(signs.len() >= 3, "{} signs while sbatch took 6 s", signs.len());
    assert!(submitter.wait().unwrap().success(), "{}", shell.read("log"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

/// The processes of a fake that live.
fn alive(shell: &Shell) -> usize {
    let files = std::fs::read_dir(shell.path("fake")).unwrap().map(|entry| entry.unwrap().path());
    let is_task = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("pid-");
    let lives = |path: std::path::PathBuf| {
        let pid = std::fs::read_to_string(path).unwrap();
        std::process::Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success()
    };
    files.filter(is_task).filter(|path| lives(path.clone())).count()
}

/// Ctrl-C once a job has left a result.
fn interrupted(how: &str) -> (Shell, Vec<(&'static str, String)>, String) {
    let (shell, environment) = fakes();
    shell.write("study.toml", study().replace("trajectories = 12", "trajectories = 60"));
    let words = format!("run study.toml -o run {QUIET} --reuse none --on slurm:2 --on-interrupt {how}");
    let mut submitter = start(&shell, &words, &environment, "log");
    while !has_results(&shell) {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(5));
    }
    let _asked = std::process::Command::new("kill").args(["-INT", &submitter.id().to_string()]).status();
    assert_eq!(submitter.wait().unwrap().code(), Some(130), "{}", shell.read("log"));
    (shell, environment, words)
}

#[test]
fn ctrl_c_cancels_jobs_and_the_same_command_goes_on() {
    let (shell, environment, words) = interrupted("cancel");
    let limit = std::time::Instant::now() + Duration::from_secs(30);
    while alive(&shell) > 0 {
        assert!(std::time::Instant::now() < limit, "jobs were left");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start(&shell, &words, &environment, "log").wait().unwrap().success(), "{}", shell.read("log"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

#[test]
fn ctrl_c_can_leave_jobs_whose_results_the_same_command_takes() {
    let (shell, environment, words) = interrupted("leave");
    assert!(alive(&shell) > 0, "jobs go on");
    assert!(start(&shell, &words, &environment, "log").wait().unwrap().success(), "{}", shell.read("log"));
    assert_eq!(shell.read("fake/last").trim(), "1", "no other job was needed");
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

#[test]
fn a_pbs_array_that_is_over_before_its_work_is_followed_by_another() {
    let (shell, environment) = fakes();
    shell.write("study.toml", study());
    let words = format!("run study.toml -o run {QUIET} --reuse none --on pbs:2 --lease 3");
    let mut submitter = start(&shell, &words, &environment, "log");
    while !has_results(&shell) {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(5));
    }
    for task in ["fake/pid-1-0", "fake/pid-1-1"] {
        let _gone = std::process::Command::new("kill").args(["-9", shell.read(task).trim()]).status();
    }
    assert!(submitter.wait().unwrap().success(), "{}", shell.read("log"));
    assert!(shell.read("fake/last").trim() != "1", "another array was submitted");
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
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

/// Attempts at buckets of the phase that is being computed.
fn attempts(shell: &Shell) -> Vec<String> {
    let phase = std::fs::read_to_string(shell.path("run/work/now")).unwrap_or_default();
    let entries = std::fs::read_dir(shell.path(&format!("run/work/{phase}/leases"))).into_iter().flatten();
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Buckets that a worker was the first to take, and of which there are no results.
fn held_by(shell: &Shell, worker: &str) -> Vec<String> {
    let phase = std::fs::read_to_string(shell.path("run/work/now")).unwrap_or_default();
    let holds = |bucket: &String| {
        let attempt = shell.path(&format!("run/work/{phase}/leases/{bucket}.1"));
        let text = std::fs::read_to_string(attempt).unwrap_or_default();
        let done = shell.exists(&format!("run/work/{phase}/results/{bucket}.json"));
        !done && text.contains(&format!("\"{worker}\""))
    };
    let buckets = attempts(shell).into_iter().filter_map(|name| Some(name.strip_suffix(".1")?.to_owned()));
    buckets.filter(holds).collect()
}

/// The workers that run on each node of a real Slurm.
fn workers_of_nodes() -> std::collections::BTreeMap<String, Vec<String>> {
    let mut nodes = std::collections::BTreeMap::new();
    let words = ["--noheader", "--array", "--format=%i %N", "--states=R"];
    let listed = std::process::Command::new("squeue").args(words).output().unwrap();
    for line in String::from_utf8(listed.stdout).unwrap().lines() {
        if let Some((id, node)) = line.trim().split_once(' ') {
            let workers: &mut Vec<String> = nodes.entry(node.to_owned()).or_default();
            workers.push(format!("slurm-{}", id.replace('_', "-")));
        }
    }
    nodes
}

/// In the second tier: `SLURM_CONF` names a Slurm of virtual nodes (scripts/slurm), `ONCEFLOW_SLURM` its folder.
#[test]
fn a_real_slurm_that_loses_a_node_changes_no_byte() {
    let Ok(folder) = std::env::var("ONCEFLOW_SLURM") else {
        println!("skipped: ONCEFLOW_SLURM names no Slurm");
        return;
    };
    let shell = Shell::new();
    shell.write("study.toml", study().replace("trajectories = 12", "trajectories = 200"));
    let words = format!("run study.toml -o run {QUIET} --reuse none --on slurm:3 --lease 5 --memory 600MiB");
    let mut submitter = start(&shell, &words, &[], "log");
    while !shell.exists("run/work/now") {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(20));
    }
    // The node is lost while its workers hold buckets.
    let (node, workers) = loop {
        assert!(submitter.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        let workers = workers_of_nodes();
        let busy = |workers: &Vec<String>| workers.iter().any(|worker| !held_by(&shell, worker).is_empty());
        if let Some(node) = workers.into_iter().find(|(_, workers)| busy(workers)) {
            break node;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/slurm");
    let killed = std::process::Command::new(script).args(["kill", &folder, &node]).status().unwrap();
    let death = std::time::Instant::now();
    assert!(killed.success());
    let mut lost: Vec<String> = workers.iter().flat_map(|worker| held_by(&shell, worker)).collect();
    assert!(!lost.is_empty(), "the node was lost with buckets");
    while !lost.is_empty() {
        assert!(
            submitter.try_wait().unwrap().is_none(),
            "{lost:?} were not begun again: {}",
            shell.read("log")
        );
        let attempts = attempts(&shell);
        lost.retain(|bucket| !attempts.contains(&format!("{bucket}.2")));
        std::thread::sleep(Duration::from_millis(20));
    }
    let again = death.elapsed();
    println!("the buckets of the lost node {node} were begun again after {again:?}");
    assert!(again < Duration::from_secs(45), "it took {again:?}");
    assert!(shell.read("log").contains("is computed again"), "{}", shell.read("log"));
    assert!(submitter.wait().unwrap().success(), "{}", shell.read("log"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}
