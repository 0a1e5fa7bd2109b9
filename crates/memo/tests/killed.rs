//! Callers that are killed at any moment: no process of their commands goes on, no lock stays, and nothing wrong is kept.
//! `ONCEFLOW_KILLS` says how many kills there must be at least.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use onceflow_memo::{BlockStore, MemoCommand, MemoSource, block};
use onceflow_products::{ProductStore, StoreOptions};
use tempfile::TempDir;

/// What a caller does, and in which folder: this program started again.
const CALLER: &str = "ONCEFLOW_TEST_CALLER";

fn start(folder: &Path, what: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_caller", "--nocapture"])
        .env(CALLER, what)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: what the callers of the others do.
#[test]
fn the_caller() {
    let folder = std::env::current_dir().unwrap();
    match std::env::var(CALLER).as_deref() {
        Ok("script") => drop(run(&script(&folder), &folder)),
        Ok("steps") => drop(steps(&folder)),
        Ok("blocks") => drop(blocks(&folder)),
        _ => {}
    }
}

fn store(folder: &Path) -> ProductStore {
    ProductStore::open(folder.join("store"), &StoreOptions::default()).unwrap()
}

fn run(command: &MemoCommand, folder: &Path) -> MemoSource {
    let outcome = command.run(&store(folder), &mut || {}).unwrap();
    assert_eq!((outcome.exit, outcome.not_kept), (0, None));
    outcome.source
}

/// A command that does what the file `script` says, which is not declared: it is the same command when the file changes.
fn script(folder: &Path) -> MemoCommand {
    let line = format!("cd {} && . ./script", folder.display());
    MemoCommand {
        command: ["sh", "-c", &line].map(str::to_owned).to_vec(),
        writes: vec![folder.join("out")],
        ..MemoCommand::default()
    }
}

fn wait_for(path: &Path, words: &str) {
    let start = Instant::now();
    while !fs::read_to_string(path).is_ok_and(|text| text.ends_with('\n')) {
        assert!(start.elapsed() < Duration::from_secs(60), "{words}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Kills a caller once its command has written the file `pid`, and lets another compute at once. Gives what becomes of `out`.
fn after_a_kill(text: &str) -> String {
    let folder = TempDir::new().unwrap();
    let (folder, pid) = (folder.path(), folder.path().join("pid"));
    fs::write(folder.join("script"), text).unwrap();
    let mut caller = start(folder, "script");
    wait_for(&pid, text);
    fs::write(folder.join("script"), "echo fast > out\n").unwrap();
    caller.kill().unwrap();
    caller.wait().unwrap();
    assert_eq!(run(&script(folder), folder), MemoSource::Ran, "{text}");
    let status = format!("/proc/{}/status", fs::read_to_string(pid).unwrap().trim());
    let status = fs::read_to_string(status).unwrap_or_default();
    assert!(status.is_empty() || status.contains("State:\tZ"), "a process still runs: {text}{status}");
    // What would be written later was not written.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(fs::read_dir(folder.join("store/memo-locks")).unwrap().count(), 0, "{text}");
    fs::read_to_string(folder.join("out")).unwrap()
}

#[test]
fn no_process_of_a_killed_caller_writes_its_outputs() {
    let late = "'echo $$ > pid; sleep 3; echo late > out'";
    let scripts = [
        "echo $$ > pid; sleep 3; echo late > out\n".to_owned(),
        // A process of the command, one in another session, and one without a parent that waits for it.
        format!("sh -c {late} & wait\n"),
        format!("setsid sh -c {late} & wait\n"),
        format!("(setsid sh -c {late} > /dev/null 2>&1 &)\nsleep 3\n"),
        // The command has ended, and what it left holds its output.
        format!("(setsid sh -c {late} &)\n"),
    ];
    thread::scope(|scope| {
        let all =
            scripts.map(|text| scope.spawn(move || assert_eq!(after_a_kill(&text), "fast\n", "{text}")));
        all.into_iter().for_each(|one| one.join().unwrap());
    });
}

#[test]
fn a_process_that_a_command_left_goes_on_when_its_caller_is_done() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("script"), "(sleep 1; echo left > side) > /dev/null 2>&1 &\necho done > out\n")
        .unwrap();
    assert_eq!(run(&script(folder), folder), MemoSource::Ran);
    wait_for(&folder.join("side"), "the process was ended");
}

/// Commands one after the other, each with a short output and one that is kept in pieces.
fn steps(folder: &Path) -> Vec<MemoSource> {
    let step = |number: u32| {
        let (small, large) = (folder.join(format!("small{number}")), folder.join(format!("large{number}")));
        let line = format!(
            "echo {number} > {}; yes {number} | head -c 5000000 > {}",
            small.display(),
            large.display()
        );
        let command = ["sh", "-c", &line].map(str::to_owned).to_vec();
        run(&MemoCommand { command, writes: vec![small, large], ..MemoCommand::default() }, folder)
    };
    (0..4).map(step).collect()
}

fn check_steps(folder: &Path) {
    for number in 0..4 {
        assert_eq!(fs::read_to_string(folder.join(format!("small{number}"))).unwrap(), format!("{number}\n"));
        let large = fs::read(folder.join(format!("large{number}"))).unwrap();
        assert!(large == format!("{number}\n").repeat(2_500_000).as_bytes(), "large{number}");
    }
}

/// A loop of blocks, each with a value that decides those after it.
fn blocks(folder: &Path) -> Vec<u64> {
    let store = BlockStore::open(folder.join("store"), "killed", "1").unwrap();
    let mut value = vec![1_u64; 20_000];
    for level in 0..20_u64 {
        store.record("level", &level.to_le_bytes());
        let before = value.clone();
        value = block!(&store, "level", [level]; {
            before.iter().zip(1..).map(|(x, place)| x.wrapping_mul(31).wrapping_add(place + level)).collect::<Vec<u64>>()
        })
        .unwrap();
    }
    store.flush().unwrap();
    value
}

/// Kills a caller at ever other moments until there were enough kills and one got through; each time what is kept is sound.
fn kill_again_and_again(what: &str, check: &dyn Fn(&Path)) {
    let least: u64 = std::env::var("ONCEFLOW_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut kills = 0;
    let mut state = 1_u64;
    while kills < least {
        let folder = TempDir::new().unwrap();
        let mut delay = 0;
        loop {
            let mut caller = start(folder.path(), what);
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            delay += (state >> 33) % 40;
            thread::sleep(Duration::from_millis(delay));
            let ended = caller.try_wait().unwrap();
            caller.kill().unwrap();
            let status = ended.unwrap_or(caller.wait().unwrap());
            if folder.path().join("store").is_dir() {
                let damaged = store(folder.path()).verify(|_, _| {}).unwrap().damaged;
                assert_eq!(damaged, [], "after {kills} kills");
            }
            if status.success() {
                break;
            }
            kills += 1;
        }
        check(folder.path());
    }
}

#[test]
fn commands_that_are_killed_again_and_again_give_what_they_give_alone() {
    kill_again_and_again("steps", &|folder| {
        check_steps(folder);
        let names: [PathBuf; 2] = ["small1", "large2"].map(|name| folder.join(name));
        names.iter().for_each(|name| fs::remove_file(name).unwrap());
        assert_eq!(steps(folder), [MemoSource::Known; 4]);
        check_steps(folder);
    });
}

#[test]
fn blocks_that_are_killed_again_and_again_give_what_they_give_alone() {
    let alone = TempDir::new().unwrap();
    let expected = blocks(alone.path());
    kill_again_and_again("blocks", &|folder| assert_eq!(blocks(folder), expected));
}
