//! Workers of a run: what is told of them, what one that is lost costs, and what they share.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use shell::Shell;
use studies::changed;

const QUIET: &str = "--store none --costs none --pictures none";

/// A study of so many trajectories on an image in parts.
fn study(trajectories: usize) -> String {
    changed("[parameters]", "[parts]\nsize = 150\n\n[parameters]")
        .replace("96x80", "600x500")
        .replace("64 MiB", "512 MiB")
        .replace("trajectories = 4", &format!("trajectories = {trajectories}"))
}

fn same_bytes(shell: &Shell, one: &str, other: &str) {
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        let [one, other] = [one, other].map(|folder| shell.read(&format!("{folder}/{name}")));
        assert!(one == other, "{name} differs");
    }
}

/// A process that is ended with its test.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _gone = (self.0.kill(), self.0.wait());
    }
}

impl Started {
    fn ended(&mut self) -> i32 {
        let limit = Instant::now() + Duration::from_secs(240);
        while Instant::now() < limit {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end");
    }
}

fn start(shell: &Shell, words: &str, log: &str) -> Started {
    let mut command = shell::command(&shell.path(""));
    let log = std::fs::File::create(shell.path(log)).unwrap();
    command.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Started(command.spawn().unwrap())
}

/// A manager that waits for workers, once it has buckets.
fn managed(shell: &Shell, more: &str) -> Started {
    let mut manager = start(shell, &format!("run study.toml -o run {QUIET} --on folder {more}"), "log");
    while !shell.exists("run/work/now") {
        assert!(manager.0.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(10));
    }
    manager
}

/// Names in a folder of the phase that is being computed.
fn names(shell: &Shell, folder: &str) -> Vec<String> {
    let phase = shell.read("run/work/now");
    let entries = std::fs::read_dir(shell.path(&format!("run/work/{phase}/{folder}"))).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_killed_worker_costs_at_most_its_bucket_and_the_lease() {
    const LEASE: f64 = 4.0;
    let shell = Shell::new();
    shell.write("study.toml", study(40));
    let mut manager = managed(&shell, "--reuse none --lease 4");
    // One bucket after the other, until a worker dies over one.
    let killed = (0..).find(|bucket| {
        let words = format!("work run --bucket {bucket} --name first-{bucket} --store none --costs none");
        let mut worker = start(&shell, &words, "first");
        let (attempt, result) = (format!("{bucket:06}.1"), format!("{bucket:06}.json"));
        while !names(&shell, "leases").contains(&attempt) {
            assert!(manager.0.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        }
        worker.0.kill().unwrap();
        worker.0.wait().unwrap();
        !names(&shell, "results").contains(&result)
    });
    let (bucket, death) = (killed.unwrap(), SystemTime::now());
    let one = shell.ok(&format!("work run --bucket {bucket} --name second --store none --costs none"));
    assert!(one.stderr.contains("1 bucket computed"), "{one}");
    let phase = shell.read("run/work/now");
    let again = shell.path(&format!("run/work/{phase}/leases/{bucket:06}.2"));
    let begun = std::fs::metadata(again).unwrap().created().unwrap_or_else(|_| SystemTime::now());
    let waited = begun.duration_since(death).unwrap_or_default().as_secs_f64();
    assert!(waited <= LEASE + 3.0, "it was taken again {waited} s after the death of its worker");
    let mut rest = start(&shell, "work run --store none --costs none", "rest");
    // Attempts are there until the run is over.
    let mut attempts = Vec::new();
    while manager.0.try_wait().unwrap().is_none() {
        if shell.exists("run/work/now") {
            let found = std::panic::catch_unwind(|| names(&shell, "leases")).unwrap_or_default();
            attempts = if found.len() >= attempts.len() { found } else { attempts };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((manager.ended(), rest.ended()), (0, 0), "{}{}", shell.read("log"), shell.read("rest"));
    let again: Vec<&String> = attempts.iter().filter(|name| name.ends_with(".2")).collect();
    assert_eq!(again, [&format!("{bucket:06}.2")], "no other bucket was begun twice");
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

#[test]
fn status_tells_of_stages_work_and_the_answer_so_far() {
    let shell = Shell::new();
    shell.write("study.toml", study(40));
    let run = format!("run study.toml -o run {QUIET} --reuse none --on local:2 --bucket-time 1");
    let mut manager = start(&shell, &run, "log");
    let limit = Instant::now() + Duration::from_secs(200);
    let (status, text) = loop {
        assert!(Instant::now() < limit, "no answer came before the end: {}", shell.read("log"));
        let said = shell.run("status run --json");
        let status: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        let is_told = status["work"]["done_s"].as_f64().is_some_and(|done| done > 0.0);
        if status["state"] == "running" && is_told && !status["interim"].is_null() {
            break (status, shell.run("status run").stdout);
        }
        assert!(status["state"] != "complete", "it was over first: {status}");
    };
    let stages = status["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["computed"].as_u64().unwrap() > 0), "{status}");
    assert!(status["memory"]["largest_worker_bytes"].as_u64().unwrap() > 1 << 20, "{status}");
    let interim = &status["interim"];
    let (done, of) = (interim["parts"]["done"].as_u64().unwrap(), interim["parts"]["of"].as_u64().unwrap());
    assert!(done > 0 && done < of, "{interim}");
    assert!(interim["analyses"][0].is_object() && interim["phase"] == "screen", "{interim}");
    assert!(text.contains("work  ") && text.contains("so far  all rows at "), "{text}");
    assert_eq!(manager.ended(), 0, "{}", shell.read("log"));
    assert!(!shell.exists("run/interim.json"), "the answer takes its place");
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

/// A program that no parameter changes runs once at each part, and not once in each bucket.
#[test]
fn equal_tasks_of_other_buckets_come_from_the_store() {
    let shell = Shell::new();
    let ran = shell.path("ran").display().to_string();
    shell.write("study.toml", SLOW_STUDY).write("workflow.json", SLOW_WORKFLOW);
    shell.write("keep.sh", "cp \"$3\" \"$4\"\n");
    shell.write("first.sh", format!("echo x >> {ran}\nsleep 0.5\ncp \"$1\" \"$2\"\n"));
    let on = "--costs none --pictures none --allow-commands --merge trtma --max-buckets 3";
    let runs = |store: &str| {
        let run = format!("run-{store}");
        let words = format!("run study.toml -o {run} {on} --store {store} --on folder");
        let mut manager = start(&shell, &words, "log");
        while !shell.exists(&format!("{run}/work/now")) {
            assert!(manager.0.try_wait().unwrap().is_none(), "{}", shell.read("log"));
            std::thread::sleep(Duration::from_millis(10));
        }
        let phase = shell.path(&format!("{run}/work/{}", shell.read(&format!("{run}/work/now"))));
        let buckets = std::fs::read_dir(phase.join("buckets")).unwrap().count();
        for bucket in 0..buckets {
            let work = format!("work {run} --bucket {bucket} --store {store} --costs none --allow-commands");
            assert!(shell.ok(&work).stderr.contains("1 bucket computed"));
        }
        assert_eq!(manager.ended(), 0, "{}", shell.read("log"));
        let count = shell.read("ran").lines().count();
        std::fs::remove_file(shell.path("ran")).unwrap();
        (buckets, count)
    };
    let (buckets, alone) = runs("none");
    let (as_many, together) = runs("shared");
    assert!(buckets > 1 && as_many == buckets, "{buckets} and {as_many} buckets");
    // Parts may have equal masks, which are one too.
    assert!(together <= PARTS, "{together} runs: each worker takes what another one left");
    assert!(alone >= 2 * together, "{alone} runs without a store, {together} with one");
    same_bytes(&shell, "run-none", "run-shared");
    let answer = shell.read("run-shared/answer.txt");
    assert!(answer.contains(&format!("in {buckets} buckets for 16 workers: ")), "{answer}");
    let plan = shell.ok("plan study.toml --merge trtma --max-buckets 3 --on local:3");
    assert!(plan.stdout.contains(&format!("split      {buckets} buckets for 3 workers: ")), "{plan}");
    assert!(plan.stdout.contains("% more work than one"), "{plan}");
}

/// Parts of the study with programs.
const PARTS: usize = 4;

#[test]
fn a_folder_of_the_same_name_is_not_taken_for_that_of_the_run() {
    let shell = Shell::new();
    shell.write("study.toml", study(4));
    let mut manager = managed(&shell, "");
    let job: Value = serde_json::from_str(&shell.read("run/work/job.json")).unwrap();
    let token = job["token"].as_str().unwrap();
    let said = shell.run("work run --store none --costs none --token 0123456789abcdef");
    assert!(said.exit == 3 && said.stderr.contains("is not the one that the run was started in"), "{said}");
    // A copy, as on a machine that does not share the folder: no manager gives signs there.
    let copied = Command::new("cp").args(["-r"]).arg(shell.path("run")).arg(shell.path("copy")).status();
    assert!(copied.unwrap().success());
    let alone = shell.ok("work copy --store none --costs none");
    assert!(alone.stderr.contains("no sign of a manager in copy"), "{alone}");
    assert!(names(&shell, "results").is_empty(), "the run itself waits on");
    shell.ok(&format!("work run --store none --costs none --token {token}"));
    assert_eq!(manager.ended(), 0, "{}", shell.read("log"));
}

/// A command that takes long the first time only: its bucket is begun a second time, and the first results count.
#[test]
fn a_straggler_is_computed_twice_and_published_once() {
    let shell = Shell::new();
    let seen = shell.path("seen").display().to_string();
    shell.write("study.toml", SLOW_STUDY).write("workflow.json", SLOW_WORKFLOW);
    shell.write(
        "keep.sh",
        format!("if [ \"$1\" = 4 ] && mkdir {seen} 2>/dev/null; then sleep 60; fi\ncp \"$3\" \"$4\"\n"),
    );
    shell.write("first.sh", "cp \"$1\" \"$2\"\n");
    let began = Instant::now();
    let run = format!(
        "run study.toml -o run {QUIET} --allow-commands --merge trtma --max-buckets 3 --on local:2 --events events"
    );
    let mut manager = start(&shell, &run, "log");
    assert_eq!(manager.ended(), 0, "{}", shell.read("log"));
    assert!(shell.exists("seen"), "one command was slow");
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "the test waited too long for it: {:?}",
        began.elapsed()
    );
    let mut rows: Vec<(u64, u64)> = shell
        .read("events")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "row")
        .map(|event| (event["row"].as_u64().unwrap(), event["part"].as_u64().unwrap()))
        .collect();
    let told = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), told, "each row at each part is published once");
    shell.ok(&format!("run study.toml -o threads {QUIET} --allow-commands"));
    same_bytes(&shell, "run", "threads");
}

/// Two programs: one that reads no parameter that varies, and one that does.
const SLOW_WORKFLOW: &str = r#"{ "workflow": "own", "version": 1,
  "parameters": {
    "recon": { "type": "connectivity", "default": 8 },
    "holes": { "type": "connectivity", "default": 4 },
    "G1": { "type": "integer", "default": 20 },
    "level": { "type": "integer", "default": 3 }, "more": { "type": "integer", "default": 3 } },
  "regions": { "image": "rgb8", "rc": "u8", "rc_recon": "u8", "diff": "u8", "bw": "mask", "first": "mask", "kept": "mask" },
  "stages": [
    { "stage": "find", "in": ["image"], "out": ["bw"], "tasks": [
      { "task": "reconstruct", "op": "nuclei.reconstruct", "in": ["image"], "reads": { "reconConnectivity": "recon" }, "out": ["rc", "rc_recon"] },
      { "task": "threshold", "op": "nuclei.candidates", "in": ["rc", "rc_recon"], "reads": { "fillHolesConnectivity": "holes", "G1": "G1" }, "out": ["diff", "bw"] } ] },
    { "stage": "own", "in": ["bw"], "out": ["kept"], "tasks": [
      { "task": "first", "op": { "command": ["sh", "first.sh", "{bw}", "{first}"], "files": ["first.sh"], "memory": "20 MiB", "time": "90 s" },
        "in": ["bw"], "out": ["first"] },
      { "task": "keep", "op": { "command": ["sh", "keep.sh", "{level}", "{more}", "{first}", "{kept}"], "files": ["keep.sh"], "memory": "20 MiB", "time": "90 s" },
        "in": ["first"], "reads": ["level", "more"], "out": ["kept"] } ] } ],
  "outputs": ["kept"] }
"#;

const SLOW_STUDY: &str = r#"name = "slow"
workflow = "workflow.json"
seed = 1

[[image]]
name = "one"
file = "synth:200x160?seed=3"

[parts]
size = 100

[parameters]
level = { from = 1, to = 6, step = 1 }
more = { from = 1, to = 6, step = 1 }

[[metric]]
name = "change"
of = "kept"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 4

[run]
workers = 2
memory = "1 GiB"
resamples = 50
"#;
