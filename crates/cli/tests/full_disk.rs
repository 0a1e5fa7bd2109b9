//! A disk that is full, at every place where a run writes: it says so, and goes on when there is space again.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;
mod studies;

use std::path::{Path, PathBuf};
use std::process::Command;

use shell::Shell;
use studies::STUDY;

/// A small disk of its own, where the system lets us have one.
struct Disk(PathBuf);

impl Disk {
    fn mount(path: PathBuf, kibibytes: u32) -> Option<Self> {
        std::fs::create_dir_all(&path).unwrap();
        let options = format!("size={kibibytes}k");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(path))
    }

    fn resize(&self, kibibytes: u32) {
        let options = format!("remount,size={kibibytes}k");
        let resized = Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap();
        assert!(resized.success());
    }

    /// Files that a run was writing when it ended.
    fn unfinished(&self) -> Vec<PathBuf> {
        let hidden =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let files = std::fs::read_dir(self.0.join("first")).into_iter().flatten();
        files.map(|entry| entry.unwrap().path()).filter(|path| hidden(path)).collect()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Sizes from too small for the first line of the journal up to enough for all.
#[test]
fn a_full_disk_is_said_and_the_run_goes_on_when_there_is_space() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let Some(disk) = Disk::mount(shell.path("disk"), 4) else {
        eprintln!("skipped: this user may not mount a small disk");
        return;
    };
    let mut places = std::collections::BTreeSet::new();
    for kibibytes in [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024] {
        disk.resize(kibibytes);
        let said = shell.run("run study.toml -o disk/first");
        if said.exit == 0 {
            break;
        }
        assert_eq!(said.exit, 3, "{said}");
        assert!(said.stderr.contains("cannot write") && said.stderr.contains("space"), "{said}");
        assert!(!shell.exists("disk/first/run.json"), "{said}");
        assert_eq!(disk.unfinished(), Vec::<PathBuf>::new(), "{said}");
        places.insert(said.stderr.lines().find(|line| line.contains("cannot write")).unwrap().to_owned());
    }
    assert!(shell.exists("disk/first/run.json"), "a mebibyte is enough");
    assert!(places.len() > 1, "it failed at several places: {places:?}");
    shell.ok("run study.toml -o undisturbed");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("disk/first/{name}")), shell.read(&format!("undisturbed/{name}")));
    }
}

/// The same where workers write: they and their manager say it, and the same command goes on.
#[test]
fn a_full_disk_of_workers_is_said_and_the_run_goes_on_when_there_is_space() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY.replace("64 MiB", "512 MiB"));
    let Some(disk) = Disk::mount(shell.path("disk"), 4) else {
        eprintln!("skipped: this user may not mount a small disk");
        return;
    };
    let mut refusals = 0;
    for kibibytes in [16, 48, 96, 192, 512, 4096] {
        disk.resize(kibibytes);
        let said = shell.run("run study.toml -o disk/first --on local:2 --lease 2");
        if said.exit == 0 {
            break;
        }
        assert_eq!(said.exit, 3, "{said}");
        assert!(said.stderr.contains("space"), "{said}");
        assert!(!shell.exists("disk/first/run.json"), "{said}");
        refusals += 1;
    }
    assert!(shell.exists("disk/first/run.json"), "4 MiB are enough");
    assert!(refusals > 1, "it failed {refusals} times");
    shell.ok("run study.toml -o undisturbed");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("disk/first/{name}")), shell.read(&format!("undisturbed/{name}")));
    }
}

/// A store of results on a disk that is full, at ever other places: the run gives what it gives without one, and says what it could
/// not keep; what it could keep is sound.
#[test]
fn a_full_disk_of_the_store_costs_results_of_earlier_runs_and_nothing_else() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let Some(disk) = Disk::mount(shell.path("disk"), 4) else {
        eprintln!("skipped: this user may not mount a small disk");
        return;
    };
    shell.ok("run study.toml -o undisturbed --store none");
    let (mut said_so, mut taken) = (0, 0);
    for kibibytes in [4, 32, 96, 160, 256, 400, 700, 16_384] {
        disk.resize(kibibytes);
        let folder = format!("run-{kibibytes}");
        let said = shell.ok(&format!("run study.toml -o {folder} --store disk/store --json"));
        let products = said.json()["tasks"]["by"]["products"].as_f64().unwrap();
        let refused = ["Not all results could be kept", "results of earlier runs are not used"];
        let all = format!("{}{}", said.stderr, shell.read(&format!("{folder}/answer.txt")));
        said_so += u32::from(refused.iter().any(|words| all.contains(words)));
        taken += u32::from(products > 0.0);
        for name in ["rows.csv", "metrics.csv", "indices.json"] {
            let found = shell.read(&format!("{folder}/{name}"));
            assert_eq!(found, shell.read(&format!("undisturbed/{name}")), "{kibibytes} KiB: {name}");
        }
    }
    assert!(said_so >= 2, "{said_so} runs said that the disk was full");
    let last = shell.ok("run study.toml -o last --store disk/store --json");
    taken += u32::from(last.json()["tasks"]["by"]["products"].as_f64().unwrap() > 0.0);
    assert!(taken >= 1, "with room results are kept and taken");
    shell.ok("products verify --store disk/store");
}
