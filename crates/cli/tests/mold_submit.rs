//! `onceflow mold submit` and `follow` on scripted batch systems that also answer garbage, and on a real Slurm where one was
//! started.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;
use shell::{Said, Shell};

/// A job of the fake: waits for those before it, runs its script, and is killed at its limit (a minute is a second here).
const JOB: &str = r#"#!/bin/sh
n=$1; s="$FAKE/$n.sh"
say() { echo "$1" > "$FAKE/$n.part"; mv "$FAKE/$n.part" "$FAKE/$n.state"; }
for d in $(sed -n 's/^#SBATCH --dependency=afterok://p;s/^#PBS -W depend=afterok://p' "$s" | tr ':' ' '); do
  while :; do
    [ -f "$FAKE/$n.cancel" ] && { say CANCELLED; exit; }
    case $(cat "$FAKE/${d%.fake}.state") in COMPLETED) break ;; PENDING|RUNNING) sleep 0.05 ;; *) say CANCELLED; exit ;; esac
  done
done
say RUNNING
minutes=$(sed -n 's/^#SBATCH --time=//p;s/^#PBS -l walltime=00:0\([0-9]\):.*/\1/p' "$s")
setsid sh "$s" > /dev/null 2>&1 & p=$!
i=0
while kill -0 $p 2>/dev/null; do
  [ -f "$FAKE/$n.cancel" ] && { kill -9 -- -$p; say CANCELLED; exit; }
  [ $i -ge $(( (minutes + 1) * 20 )) ] && { kill -9 -- -$p; say TIMEOUT; exit; }
  sleep 0.05; i=$(( i + 1 ))
done
if wait $p; then say COMPLETED; else say FAILED; fi
"#;
/// Begins a job; where `mute` is, its answer is lost.
const BEGIN: &str = r#"
[ -f "$FAKE/refuse" ] && { echo "error: invalid account" >&2; exit 1; }
n=$(( $(cat "$FAKE/last" 2>/dev/null || echo 100) + 1 )); echo $n > "$FAKE/last"
echo PENDING > "$FAKE/$n.state"
sed -n 's/^#SBATCH --job-name=//p;s/^#PBS -N //p' "$FAKE/script" > "$FAKE/$n.name"; mv "$FAKE/script" "$FAKE/$n.sh"
setsid sh "$FAKE/../bin/job" $n > /dev/null 2>&1 < /dev/null &
[ -f "$FAKE/mute" ] && { rm "$FAKE/mute"; echo "Batch job submission failed: Socket timed out" >&2; exit 1; }
"#;
/// Every third answer is garbage or an error.
const SQUEUE: &str = r#"#!/bin/sh
c=$(( $(cat "$FAKE/calls" 2>/dev/null || echo 0) + 1 )); echo $c > "$FAKE/calls"
if [ $(( c % 3 )) = 2 ]; then echo "slurm_load_jobs error: Socket timed out"; exit 1; fi
for last; do :; done
case "$*" in
  *--name*) for f in "$FAKE"/*.name; do
    n=$(basename "$f" .name); [ "$(cat "$f")" = "$last" ] && echo "$n|$(cat "$FAKE/$n.state")|None"; done ;;
  *PENDING,RUNNING*) cat "$FAKE/load" 2>/dev/null ;;
  *) for n in $(echo "$last" | tr , ' '); do [ -f "$FAKE/$n.state" ] && echo "$n|$(cat "$FAKE/$n.state")|None"; done ;;
esac
exit 0
"#;
const QSTAT: &str = r#"#!/bin/sh
for n in $(echo "$*" | tr ' ' '\n' | grep fake); do
  echo "Job Id: $n"
  case $(cat "$FAKE/${n%.fake}.state") in
    PENDING) echo "    job_state = H" ;;
    RUNNING) echo "    job_state = R" ;;
    COMPLETED) printf '    job_state = F\n    Exit_status = 0\n' ;;
    TIMEOUT) printf '    job_state = F\n    Exit_status = -29\n' ;;
    CANCELLED) echo "    job_state = F" ;;
    *) printf '    job_state = F\n    Exit_status = 1\n' ;;
  esac
done
exit 0
"#;
const CANCEL: &str = "#!/bin/sh\nfor n; do touch \"$FAKE/${n%.fake}.cancel\"; done\n";
/// The other machine is another folder of this one.
const SSH: &str = "#!/bin/sh\nfor last; do :; done\necho ssh >> \"$FAKE/remote\"\nexec sh -c \"$last\"\n";
const RSYNC: &str = r#"#!/bin/sh
shift
for to; do :; done
to=${to#login:}
while [ $# -gt 1 ]; do from=${1#login:}; mkdir -p "$to"; case $from in */) from=$from. ;; esac; cp -a "$from" "$to"; shift; done
"#;

struct Fake {
    shell: Shell,
    environment: Vec<(&'static str, String)>,
}

impl Fake {
    fn new() -> Self {
        let shell = Shell::new();
        let begin =
            |copy: &str, answer: &str| format!("#!/bin/sh\ncp \"{copy}\" \"$FAKE/script\"{BEGIN}{answer}\n");
        let scripts = [
            ("job", JOB.to_owned()),
            ("sbatch", begin("$2", "echo Welcome; echo \"$n;fake\"")),
            ("squeue", SQUEUE.into()),
            ("sacct", "#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n".into()),
            ("scancel", CANCEL.into()),
            ("qsub", begin("$1", "echo \"$n.fake\"")),
            ("qstat", QSTAT.into()),
            (
                "qselect",
                "#!/bin/sh\ngrep -lx \"$3\" \"$FAKE\"/*.name | sed 's/.*\\///;s/.name/.fake/'\n".into(),
            ),
            ("qdel", CANCEL.into()),
            ("ssh", SSH.into()),
            ("rsync", RSYNC.into()),
        ];
        for (name, script) in scripts {
            let name = format!("bin/{name}");
            shell.write(&name, script);
            std::fs::set_permissions(shell.path(&name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::fs::create_dir(shell.path("fake")).unwrap();
        let path = format!("{}:{}", shell.path("bin").display(), std::env::var("PATH").unwrap());
        let environment = vec![("PATH", path), ("FAKE", shell.path("fake").display().to_string())];
        Self { shell, environment }
    }

    fn run(&self, words: &str) -> Said {
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.shell.run_with(words, "", &environment)
    }

    fn ok(&self, words: &str) -> Said {
        let said = self.run(words);
        assert_eq!(said.exit, 0, "onceflow {words}\n{said}");
        said
    }

    fn start(&self, words: &str) -> Child {
        let mut command = shell::command(&self.shell.path(""));
        command
            .args(words.split_whitespace())
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// A diamond whose tasks write down that they ran; `b` does this instead.
    fn workflow(&self, b: &str) {
        let out = self.shell.path("out").display().to_string();
        let text = format!(
            r#"{{"nodes": 4, "commands": {{"ST": "echo $ONCEFLOW_TASK $ONCEFLOW_NODES >> {out}"}}, "tasks": [
            {{"id": "a", "type": "ST", "size": 8, "seconds": {{"1": 4, "2": 2}}}},
            {{"id": "b", "type": "ST", "size": 8, "after": ["a"], "seconds": {{"2": 1}}, "command": "{b}"}},
            {{"id": "c", "type": "ST", "size": 8, "after": ["a"], "seconds": {{"1": 1}}}},
            {{"id": "d", "type": "ST", "size": 8, "after": ["b", "c"], "seconds": {{"1": 1}}}}]}}"#
        );
        self.shell.write("flow.json", text);
    }

    fn ran(&self) -> Vec<String> {
        let mut ran: Vec<String> = self.shell.read("out").lines().map(str::to_owned).collect();
        ran.sort();
        ran
    }

    fn result(&self) -> Value {
        serde_json::from_str(&self.shell.read("run/result.json")).unwrap()
    }
}

const SUBMIT: &str = "mold submit flow.json -o run --alpha 1 --allow-commands --on";
const FOLLOW: &str = "mold follow run --poll '0.1 s'";
const NORMAL: &str = "echo $ONCEFLOW_TASK $ONCEFLOW_NODES >> ../out; cd . # in the folder";

fn to_the_end(system: &str, more: &str) {
    let fake = Fake::new();
    fake.workflow(&NORMAL.replace("../out", &fake.shell.path("out").display().to_string()));
    fake.shell.write("known.csv", "task,size,nodes,seconds\nST,8,8,9\n");
    fake.ok(&format!("{SUBMIT} {system} {more} --machine hpc"));
    let said = fake.ok(&format!("{FOLLOW} --collect known.csv"));
    assert!(said.stdout.contains("4 of 4 ended well") && said.stdout.contains("predicted 4 s"), "{said}");
    assert_eq!(fake.ran(), ["a 2", "b 2", "c 1", "d 1"]);
    let result = fake.result();
    assert_eq!((&result["ok"], &result["tasks"][1]["attempts"]), (&4.into(), &1.into()));
    assert!(result["makespan"]["measured"].as_f64().unwrap() > 0.0);
    let known = fake.shell.read("known.csv");
    assert_eq!((known.lines().count(), known.matches(",hpc,8,1,cpu,").count()), (6, 2), "{known}");
    assert_eq!(fake.shell.read("run/performance.csv").lines().count(), 5);
    // What was collected is not collected again.
    fake.ok(&format!("{FOLLOW} --collect known.csv"));
    assert_eq!(fake.shell.read("known.csv"), known);
}

#[test]
fn a_workflow_on_a_slurm_that_answers_garbage_is_followed_to_its_score() {
    to_the_end("slurm", "");
}

#[test]
fn a_workflow_on_pbs_is_followed_to_its_score() {
    to_the_end("pbs", "--no-load");
}

#[test]
fn a_killed_follower_and_a_lost_answer_run_no_command_twice() {
    let fake = Fake::new();
    fake.workflow(&format!(
        "sleep 1; {}",
        NORMAL.replace("../out", &fake.shell.path("out").display().to_string())
    ));
    fake.shell.write("fake/mute", "");
    fake.ok(&format!("{SUBMIT} slurm"));
    let mut follower = fake.start("mold follow run --poll 1s");
    std::thread::sleep(Duration::from_millis(700));
    follower.kill().unwrap();
    follower.wait().unwrap();
    // As if it had been killed between a submission and its line in the journal.
    let journal = fake.shell.read("run/journal.jsonl");
    let sent = |line: &str| !(line.contains("\"job\":3") && line.contains("queued"));
    let cut: String = journal.lines().filter(|line| sent(line)).map(|line| format!("{line}\n")).collect();
    assert!(cut.len() < journal.len(), "{journal}");
    fake.shell.write("run/journal.jsonl", cut);
    fake.ok(FOLLOW);
    assert_eq!(fake.ran(), ["a 2", "b 2", "c 1", "d 1"]);
}

#[test]
fn a_job_at_its_limit_is_submitted_once_more_with_a_longer_one() {
    let fake = Fake::new();
    let (mark, out) = (fake.shell.path("mark"), fake.shell.path("out"));
    let (mark, out) = (mark.display(), out.display());
    fake.workflow(&format!("if [ -f {mark} ]; then echo b 2 >> {out}; else touch {mark}; sleep 60; fi"));
    fake.ok(&format!("{SUBMIT} slurm"));
    let said = fake.ok(FOLLOW);
    assert!(
        said.stderr.contains("b: is submitted again with a limit of") && said.stderr.contains("limit"),
        "{said}"
    );
    assert_eq!(fake.ran(), ["a 2", "b 2", "c 1", "d 1"]);
    assert_eq!(fake.result()["tasks"][1]["attempts"], 2);
    assert!(fake.shell.read("run/jobs/0002.2.sh").contains("--time="));
}

#[test]
fn a_failed_job_fails_those_behind_it_and_says_so() {
    let fake = Fake::new();
    fake.workflow("exit 7");
    fake.ok(&format!("{SUBMIT} slurm"));
    let said = fake.run(FOLLOW);
    assert_eq!(said.exit, 1, "{said}");
    assert!(
        said.stdout.contains("exit code 7") && said.stdout.contains("never started, since b failed"),
        "{said}"
    );
    assert_eq!(fake.ran(), ["a 2", "c 1"]);
    assert_eq!(fake.run(FOLLOW).exit, 1, "and so it stays");
}

#[test]
fn another_machine_is_reached_by_ssh_and_files_travel() {
    let fake = Fake::new();
    fake.workflow("st");
    let script = format!(
        "#!/bin/sh\necho \"$ONCEFLOW_TASK $ONCEFLOW_NODES\" >> {}\n",
        fake.shell.path("out").display()
    );
    fake.shell.write("bin-of-mine/st", &script);
    let program = r#"{"programs": {"st": {"file": "bin-of-mine/st", "blake3": "DIGEST"}}, "#;
    let text = fake.shell.read("flow.json").replacen('{', program, 1);
    fake.shell.write("flow.json", text.replace("DIGEST", "00"));
    let there = fake.shell.path("there");
    let submit = format!("{SUBMIT} slurm --ssh login:{}", there.display());
    let said = fake.run(&submit);
    assert!(said.exit == 2 && said.stderr.contains("is not the program that was registered"), "{said}");
    let is_digest = |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = said.stderr.split(|c: char| !c.is_ascii_alphanumeric()).find(is_digest).unwrap().to_owned();
    fake.shell.write("flow.json", text.replace("DIGEST", &digest));
    fake.ok(&submit);
    fake.ok(FOLLOW);
    assert_eq!(fake.ran(), ["a 2", "b 2", "c 1", "d 1"]);
    assert!(there.join("jobs/0001.1.end").is_file() && fake.shell.exists("run/jobs/0001.1.end"));
    assert!(fake.shell.read("fake/remote").lines().count() > 4);
}

#[test]
fn ctrl_c_leaves_the_jobs_and_cancel_ends_them() {
    let fake = Fake::new();
    fake.workflow("sleep 30");
    fake.ok(&format!("{SUBMIT} slurm"));
    let mut follower = fake.start("mold follow run --poll 1s");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = std::process::Command::new("kill").args(["-INT", &follower.id().to_string()]).status();
    assert!(killed.unwrap().success());
    assert_eq!(follower.wait().unwrap().code(), Some(130));
    assert!(!fake.shell.exists("fake/102.cancel"), "jobs stay");
    let said = fake.run(&format!("{FOLLOW} --cancel"));
    assert_eq!(said.exit, 1, "{said}");
    assert!(fake.shell.exists("fake/102.cancel") && said.stdout.contains("failed: cancelled"), "{said}");
}

#[test]
fn what_runs_on_the_cluster_is_the_load_of_the_plan() {
    let fake = Fake::new();
    fake.workflow("true");
    fake.shell.write("fake/load", "7|RUNNING|4|10:00|20:00\n");
    let said = fake.ok(&format!("{SUBMIT} slurm --json"));
    let found: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(found["makespan"], 604, "ten minutes until the cluster is free");
}

#[test]
fn what_cannot_be_submitted_is_refused_with_what_to_do() {
    let fake = Fake::new();
    fake.workflow("true");
    let said = fake.run("mold submit flow.json -o run --on slurm");
    assert!(
        said.exit == 2 && said.stderr.contains("--allow-commands") && said.stderr.contains("`true`"),
        "{said}"
    );
    let none = [("PATH", "/nowhere")];
    let said = fake.shell.run_with(&format!("{SUBMIT} slurm"), "", &none);
    assert!(said.exit == 3 && said.stderr.contains("no sbatch, no squeue, no scancel"), "{said}");
    let said = fake.shell.run_with(&format!("{SUBMIT} slurm --ssh login:/there"), "", &none);
    assert!(said.exit == 3 && said.stderr.contains("no ssh, no rsync"), "{said}");
    let said = fake.run("mold follow nothing");
    assert!(said.exit == 2 && said.stderr.contains("no submitted workflow"), "{said}");
    fake.shell.write("fake/refuse", "");
    let said = fake.run(&format!("{SUBMIT} slurm"));
    assert!(said.exit == 3 && said.stderr.contains("invalid account"), "{said}");
    std::fs::remove_file(fake.shell.path("fake/refuse")).unwrap();
    fake.ok(FOLLOW);
    let said = fake.run(&format!("{SUBMIT} slurm"));
    assert!(said.exit == 2 && said.stderr.contains("onceflow mold follow run"), "{said}");
}

#[test]
fn scripts_are_shown_without_being_submitted() {
    let fake = Fake::new();
    fake.workflow("true");
    let said = fake.ok("mold submit flow.json -o run --on pbs --dry-run");
    assert!(said.stdout.contains("#PBS -W depend=afterok:NUMBER-OF-b:NUMBER-OF-c"), "{said}");
    assert!(!fake.shell.exists("run"));
}

#[test]
fn a_plan_of_optimize_is_submitted_as_it_is() {
    let fake = Fake::new();
    fake.workflow("true");
    let plan = fake.ok("mold optimize flow.json --alpha 0 --json").stdout;
    fake.shell.write("plan.json", plan);
    let submit = "mold submit flow.json -o run --plan plan.json --on slurm --dry-run";
    let said = fake.ok(submit);
    assert!(said.stdout.contains("#SBATCH --nodes=1"), "{said}");
    fake.shell.write("plan.json", r#"{"order": ["a"], "counts": [3]}"#);
    let said = fake.run(submit);
    assert!(said.exit == 2 && said.stderr.contains("nodes of `a`: one of 1, 2"), "{said}");
}

/// In the second tier, as `docs/how-to/plan-a-cluster.md` says it: `SLURM_CONF` names a Slurm of at least 8 virtual nodes
/// (scripts/slurm), `ONCEFLOW_SLURM` its folder. The follower is killed on the way.
#[test]
fn twenty_tasks_of_neurostimulation_run_on_a_real_slurm() {
    if std::env::var_os("ONCEFLOW_SLURM").is_none() {
        println!("skipped: ONCEFLOW_SLURM names no Slurm");
        return;
    }
    let shell = Shell::new();
    shell.write("quick.csv", "task,machine,size,nodes,seconds\nST,virtual,8,1,24\nST,virtual,8,2,12\nST,virtual,8,4,6\nPT,virtual,8,1,3\nPT,virtual,8,2,2\n");
    shell.ok("mold workflow neurostimulation --trains 4 --nodes 8 --size 8 --counts 1,2,4 -o brain.json \
         --command 'ST=sleep $((24 / ONCEFLOW_NODES))' --command 'PT=sleep $((4 - ONCEFLOW_NODES))'");
    shell.ok("mold submit brain.json --performance quick.csv --alpha 0.8 --on slurm -o run --allow-commands");
    let mut command = shell::command(&shell.path(""));
    let mut follower =
        command.args(["mold", "follow", "run", "--poll", "1s"]).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(10));
    follower.kill().unwrap();
    follower.wait().unwrap();
    let said = shell.ok("mold follow run --poll '500 ms' --collect measured.csv");
    println!("{}", said.stdout);
    let result: Value = serde_json::from_str(&shell.read("run/result.json")).unwrap();
    assert_eq!(result["ok"], 20, "{said}");
    let (found, predicted) = (&result["makespan"]["measured"], &result["makespan"]["predicted"]);
    let ratio = found.as_f64().unwrap() / predicted.as_f64().unwrap();
    assert!((0.9..1.5).contains(&ratio), "{said}");
    assert_eq!(shell.read("measured.csv").matches("T,virtual,8,").count(), 20);
}
