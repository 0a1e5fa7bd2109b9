//! Runs by other processes: the same bytes as by threads, whoever is killed, and clear words where workers cannot work.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use shell::{Said, Shell};
use studies::changed;

const QUIET: &str = "--store none --costs none --pictures none";

/// Two images in parts, rows that are compared with the reference row, and a phase that follows from another.
fn study() -> String {
    let parts =
        "[parts]\nsize = 150\n\n[[image]]\nname = \"two\"\nfile = \"synth:400x300?seed=5\"\n\n[parameters]";
    let later = "[[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\n\
        keep = { phase = \"screen\", metric = \"change\", share = 0.05, at_most = 2 }\n\n[run]";
    changed("[parameters]", parts)
        .replace("96x80", "400x300")
        .replace("64 MiB", "512 MiB")
        .replace("[run]", later)
}

fn same_bytes(shell: &Shell, one: &str, other: &str) {
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        let [one, other] = [one, other].map(|folder| shell.read(&format!("{folder}/{name}")));
        assert!(one == other, "{name} differs");
    }
}

/// Starts a command without waiting for it; what it says goes into a file of this name.
fn start(shell: &Shell, words: &str, log: &str) -> Child {
    let mut command = shell::command(&shell.path(""));
    let log = std::fs::File::create(shell.path(log)).unwrap();
    command.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command.spawn().unwrap()
}

/// The workers of a run, by its folder as they were given it.
fn workers(manager: u32) -> Vec<u32> {
    let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &manager.to_string()]).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Whether there was such a process.
fn kill(process: u32) -> bool {
    Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status().unwrap().success()
}

fn ended(child: &mut Child) -> i32 {
    let limit = Instant::now() + Duration::from_secs(120);
    while Instant::now() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("it does not end");
}

#[test]
fn one_process_and_many_give_the_same_bytes() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    let threads = shell.ok(&format!("run study.toml -o threads {QUIET} --json"));
    let asked =
        |said: &Said| serde_json::from_str::<serde_json::Value>(&said.stdout).unwrap()["tasks"].clone();
    for count in [1, 2, 4] {
        let run = shell.ok(&format!("run study.toml -o local-{count} {QUIET} --on local:{count} --json"));
        same_bytes(&shell, "threads", &format!("local-{count}"));
        let (one, other) = (asked(&threads), asked(&run));
        assert_eq!((&other["asked"], &other["resumed"]), (&one["asked"], &one["resumed"]), "{run}");
        let by: u64 = other["by"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        let [computed, failed] = ["computed", "failed"].map(|name| other[name].as_u64().unwrap());
        assert_eq!(by + computed + failed, other["asked"].as_u64().unwrap(), "the account balances: {run}");
    }
    let left: Vec<String> = std::fs::read_dir(shell.path("local-4/work"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !["job.json", "ended", "manager", "logs", "scratch"].contains(&name.as_str()))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let again = shell.ok(&format!("run study.toml -o local-4 {QUIET} --on local:4"));
    assert!(again.stderr.contains("complete: nothing to compute"), "{again}");
}

/// Kills workers and managers at ever other moments. `ONCEFLOW_KILLS` says how many kills there must be in one run; a study that
/// is over before them is too small, and a larger one is taken.
#[test]
fn killed_workers_and_managers_change_no_byte() {
    let least: u64 = std::env::var("ONCEFLOW_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let enough = (0..6).any(|doubled| killed_so_often(least, (4 + least / 4) << doubled));
    assert!(enough, "no run was so long that {least} kills had a place in it");
}

/// Whether there were so many kills in a run of so many trajectories, whose bytes must be those of an undisturbed one.
fn killed_so_often(least: u64, trajectories: u64) -> bool {
    let shell = Shell::new();
    let rows = format!("trajectories = {trajectories}");
    shell.write("study.toml", study().replace("trajectories = 4", &rows));
    let run = format!("run study.toml -o killed {QUIET} --reuse none --on local:3 --lease 2");
    let (mut kills, mut moment) = (0_u64, 17_u64);
    let mut manager = start(&shell, &run, "log-0");
    let exit = loop {
        moment = (moment * 31 + 7) % 211;
        std::thread::sleep(Duration::from_millis(60 + moment));
        if let Some(status) = manager.try_wait().unwrap() {
            break status.code();
        }
        if kills >= least {
            break Some(ended(&mut manager));
        }
        if kills % 5 == 4 {
            kills += 1;
            manager.kill().unwrap();
            manager.wait().unwrap();
            manager = start(&shell, &run, &format!("log-{kills}"));
        } else if let Some(worker) = workers(manager.id()).get(moment as usize % 3) {
            // Only a worker that was there counts.
            kills += u64::from(kill(*worker));
        }
    };
    let said = std::fs::read_dir(shell.path("")).unwrap().map(|entry| entry.unwrap().path());
    let said: String =
        said.filter(|path| path.is_file()).map(|p| std::fs::read_to_string(p).unwrap()).collect();
    assert_eq!(exit, Some(0), "{said}");
    shell.ok(&format!("run study.toml -o undisturbed {QUIET}"));
    same_bytes(&shell, "killed", "undisturbed");
    kills >= least
}

#[test]
fn workers_that_are_started_by_hand_help() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    let mut manager = start(&shell, &format!("run study.toml -o run {QUIET} --on folder"), "log");
    while !shell.exists("run/work/now") {
        assert!(manager.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(10));
    }
    let one = shell.ok("work run --bucket 0 --json --store none --costs none");
    assert!(one.stdout.contains("\"buckets\":1") || one.stdout.contains("\"buckets\":0"), "{one}");
    let [mut first, mut second] = ["w1", "w2"]
        .map(|name| start(&shell, &format!("work run --name {name} --store none --costs none"), name));
    assert_eq!(ended(&mut manager), 0, "{}", shell.read("log"));
    assert_eq!((ended(&mut first), ended(&mut second)), (0, 0), "{}{}", shell.read("w1"), shell.read("w2"));
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

#[test]
fn ctrl_c_drains_the_workers_and_the_same_command_goes_on() {
    let shell = Shell::new();
    shell.write("study.toml", study().replace("trajectories = 4", "trajectories = 24"));
    let run = format!("run study.toml -o run {QUIET} --reuse none --on local:2");
    let mut manager = start(&shell, &run, "log");
    while !shell.exists("run/work/now") {
        assert!(manager.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(700));
    let processes = workers(manager.id());
    let _asked = Command::new("kill").args(["-INT", &manager.id().to_string()]).status();
    assert_eq!(ended(&mut manager), 130, "{}", shell.read("log"));
    for process in processes {
        let alive = Command::new("kill").args(["-0", &process.to_string()]).status().unwrap();
        assert!(!alive.success(), "the worker {process} is still there");
    }
    assert!(shell.read("log").contains("stopped: the rows that were done"), "{}", shell.read("log"));
    shell.ok(&run);
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    same_bytes(&shell, "run", "threads");
}

/// Files as a loss of power leaves them: empty, cut, or of something else.
#[test]
fn damaged_files_cost_time_and_no_byte() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    shell.ok(&format!("run study.toml -o threads {QUIET}"));
    let damages: [(&str, &[u8]); 8] = [
        ("results/000000.json", b""),
        ("results/000001.json", b"{\"rows\":"),
        ("results/000002.json", b"\xff\xfe"),
        ("leases/000001.1", b""),
        ("leases/000002.1", b"{}\nbeat\nreleased\ngarbage"),
        ("buckets/000003.json", b""),
        ("cut.json", b"{}"),
        ("cut.json", b""),
    ];
    for (number, (name, bytes)) in damages.into_iter().enumerate() {
        let folder = format!("run-{number}");
        let mut manager =
            start(&shell, &format!("run study.toml -o {folder} {QUIET} --on folder --lease 2"), "log");
        while !shell.exists(&format!("{folder}/work/now")) {
            assert!(manager.try_wait().unwrap().is_none(), "{}", shell.read("log"));
            std::thread::sleep(Duration::from_millis(10));
        }
        for bucket in [0, 1] {
            shell.ok(&format!("work {folder} --bucket {bucket} --store none --costs none"));
        }
        manager.kill().unwrap();
        manager.wait().unwrap();
        let phase = shell.read(&format!("{folder}/work/now"));
        shell.write(&format!("{folder}/work/{phase}/{name}"), bytes);
        let again = shell.ok(&format!("run study.toml -o {folder} {QUIET} --on local:2 --lease 2"));
        for file in ["rows.csv", "metrics.csv", "indices.json"] {
            let [one, other] = ["threads", &folder].map(|run| shell.read(&format!("{run}/{file}")));
            assert!(one == other, "{file} differs after damage of {name}: {again}");
        }
    }
}

#[test]
fn workers_that_cannot_work_say_why() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    let refused = |words: &[&str], exit: i32| {
        let said = shell.run("work run --store none --costs none");
        assert_eq!(said.exit, exit, "{said}");
        assert!(words.iter().all(|word| said.stderr.contains(word)), "{said}");
    };
    refused(&["run has no buckets to compute", "no such folder on this machine", "shares"], 2);
    let mut manager = start(&shell, &format!("run study.toml -o run {QUIET} --on folder"), "log");
    while !shell.exists("run/work/now") {
        assert!(manager.try_wait().unwrap().is_none(), "{}", shell.read("log"));
        std::thread::sleep(Duration::from_millis(10));
    }
    manager.kill().unwrap();
    manager.wait().unwrap();
    shell.write("study.toml", study().replace("seed=5", "seed=6"));
    refused(&["another form of this study", "changed since"], 2);
    shell.write("study.toml", study());
    let job = shell.read("run/work/job.json");
    let own = env!("CARGO_PKG_VERSION");
    shell.write(
        "run/work/job.json",
        job.replace(&format!("\"program\": \"{own}\""), "\"program\": \"9.8.7\""),
    );
    refused(&["another version of onceflow", "onceflow 9.8.7", own], 3);
    shell.write("run/work/job.json", "{");
    refused(&["job.json is damaged"], 2);
    std::fs::remove_file(shell.path("study.toml")).unwrap();
    shell.write("run/work/job.json", job);
    refused(&["the study of the run is not on this machine", "study.toml"], 2);
}
