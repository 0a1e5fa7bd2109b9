//! The example in C, compiled and run against the library; and the functions with pointers that a C program may get wrong.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, unsafe_code)]

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

use onceflow_memo_c::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folder of the shared library: that of this test, or the one above it.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let name = format!("{}onceflow_memo_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folders = [folder.clone(), folder.parent().unwrap().to_path_buf()];
    folders.into_iter().find(|folder| folder.join(&name).is_file()).unwrap()
}

/// The example, compiled; none where there is no C compiler.
fn compiled(folder: &Path) -> Option<PathBuf> {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no C compiler `cc` on this machine");
        return None;
    }
    let program = folder.join("levels");
    let library = library();
    let built = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(root().join("examples/memo/levels.c"))
        .arg(format!("-I{}", root().join("crates/capi/include").display()))
        .arg(format!("-L{}", library.display()))
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .args(["-lonceflow_memo_c", "-lm", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

fn levels(program: &Path, folder: &str, environment: &[(&str, &str)], prm: [&str; 5]) -> (String, String) {
    let mut command = Command::new(program);
    command.args([folder, "a.img", "b.img"]).args(prm).env_remove("ONCEFLOW_MEMO_AUDIT");
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_c_program_computes_levels_once() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let store = folder.path().join("store").display().to_string();
    let sum = |said: &str| said.split("sum").nth(1).unwrap().to_owned();
    let run = |prm: [&str; 5]| levels(&program, &store, &[], prm);
    let (alone, warned) = levels(&program, "none", &[], ["1", "2", "9", "4", "5"]);
    assert!(alone.starts_with("5 of 5") && warned.contains("nothing is kept"), "{alone}{warned}");
    let first = run(["1", "2", "3", "4", "5"]);
    assert_eq!((first.0.starts_with("5 of 5"), first.1.as_str()), (true, ""));
    let again = run(["1", "2", "3", "4", "5"]);
    assert!(again.0.starts_with("0 of 5"), "{}", again.0);
    assert_eq!(sum(&again.0), sum(&first.0));
    let other = run(["1", "2", "9", "4", "5"]).0;
    assert!(other.starts_with("3 of 5"), "{other}");
    assert_eq!(sum(&other), sum(&alone), "the same bytes as without a store");
    let audited = levels(&program, &store, &[("ONCEFLOW_MEMO_AUDIT", "1")], ["1", "2", "3", "4", "5"]);
    assert!(audited.0.starts_with("5 of 5") && audited.1.is_empty(), "{}", audited.1);
}

/// Kills the program at ever other moments, `ONCEFLOW_KILLS` times at least, until it gets through: the sum is that of a program that
/// was not killed, and what is kept is sound.
#[test]
fn a_c_program_that_is_killed_again_and_again_gives_what_it_gives_alone() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let prm = ["1", "2", "3", "4", "5"];
    let sum = |said: &str| said.split("sum").nth(1).unwrap().to_owned();
    let alone = sum(&levels(&program, "none", &[], prm).0);
    let least: u64 = std::env::var("ONCEFLOW_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let (mut kills, mut runs) = (0, 0);
    while kills < least {
        runs += 1;
        let store = folder.path().join(format!("store{runs}")).display().to_string();
        for delay in (0..).map(|step| std::time::Duration::from_micros(step * 700)) {
            let mut command = Command::new(&program);
            command.args([&store, "a.img", "b.img"]).args(prm).env_remove("ONCEFLOW_MEMO_AUDIT");
            let mut caller = command.stdout(std::process::Stdio::null()).spawn().unwrap();
            std::thread::sleep(delay);
            caller.kill().unwrap();
            if caller.wait().unwrap().success() {
                break;
            }
            kills += 1;
        }
        let (again, warned) = levels(&program, &store, &[], prm);
        assert!(again.starts_with("0 of 5") && warned.is_empty(), "{again}{warned}");
        assert_eq!(sum(&again), alone);
        let audited = levels(&program, &store, &[("ONCEFLOW_MEMO_AUDIT", "1")], prm);
        assert!(audited.1.is_empty(), "{}", audited.1);
    }
}

fn words() -> String {
    // SAFETY: it is never null, and stays until the next error.
    unsafe { CStr::from_ptr(onceflow_error()) }.to_str().unwrap().to_owned()
}

#[test]
fn wrong_pointers_and_names_are_errors_and_null_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = |text: &str| CString::new(text).unwrap();
    let (path, name, block_name) = (text(folder.path().to_str().unwrap()), text("test"), text("block"));
    // SAFETY: each pointer is null, or a text that lives as long as this function.
    unsafe {
        assert!(onceflow_open(path.as_ptr(), null(), null()).is_null());
        assert!(words().contains("the name of the program"), "{}", words());
        assert!(onceflow_open(text("/dev/null/x").as_ptr(), name.as_ptr(), null()).is_null());
        let not_text = [0xff_u8, 0];
        assert!(onceflow_open(not_text.as_ptr().cast::<c_char>(), name.as_ptr(), null()).is_null());
        assert!(words().contains("UTF-8"), "{}", words());
        assert!(onceflow_begin(null_mut(), block_name.as_ptr()).is_null());
        assert_eq!(
            (onceflow_known(null_mut()), onceflow_end(null_mut()), onceflow_close(null_mut())),
            (0, 0, 0)
        );
        assert_eq!(onceflow_flush(null_mut()), 0);

        let store = onceflow_open(path.as_ptr(), name.as_ptr(), null());
        assert!(onceflow_begin(store, null()).is_null());
        let block = onceflow_begin(store, block_name.as_ptr());
        assert_eq!(onceflow_attribute(block, name.as_ptr(), null(), 8), -1);
        assert!(words().contains("expected 8 bytes as the argument `value`, found null"), "{}", words());
        assert_eq!(onceflow_attribute_file(block, text("/no/such/file").as_ptr()), -1);
        assert_eq!(onceflow_attribute_integer(block, name.as_ptr(), 1), 0);
        assert_eq!(onceflow_known(block), 0);
        let mut value = 7_u64;
        let place = (&raw mut value).cast();
        assert_eq!(onceflow_product(block, name.as_ptr(), place, 8), 0);
        assert_eq!(onceflow_product(block, name.as_ptr(), place, 8), -1, "twice");
        assert_eq!(onceflow_end(block), 0);
        assert_eq!(onceflow_flush(store), 0);
        let other = onceflow_open(path.as_ptr(), name.as_ptr(), null());
        let known = onceflow_begin(other, block_name.as_ptr());
        onceflow_attribute_integer(known, name.as_ptr(), 1);
        assert_eq!(onceflow_known(known), 1, "it is kept, though the first store is open");
        assert_eq!((onceflow_end(known), onceflow_close(other)), (0, 0));

        // A block keeps its store open.
        let block = onceflow_begin(store, block_name.as_ptr());
        assert_eq!(onceflow_close(store), 0);
        assert_eq!(onceflow_attribute_integer(block, name.as_ptr(), 1), 0);
        assert_eq!(onceflow_known(block), 1);
        assert_eq!(onceflow_product(block, name.as_ptr(), place, 4), -1);
        assert!(words().contains("expected 8 bytes as they were kept, found room for 4"), "{}", words());
        value = 0;
        assert_eq!((onceflow_product(block, name.as_ptr(), (&raw mut value).cast(), 8), value), (0, 7));
        assert_eq!(onceflow_abandon(block), 0);
    }
}

#[test]
fn attributes_of_a_described_graph_are_given_as_text() {
    let path = CString::new(root().join("examples/memo/registration.toml").to_str().unwrap()).unwrap();
    let mut text = vec![1_u8; 10_000];
    // SAFETY: the texts live as long as this function, and their lengths are right.
    unsafe {
        let needed = onceflow_attributes(path.as_ptr(), null_mut(), 0);
        assert_eq!(onceflow_attributes(path.as_ptr(), text.as_mut_ptr().cast(), text.len()), needed);
        let found = CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
        assert!(found.contains("52") && found.contains("proved: no attributes have fewer bytes"), "{found}");
        let mut short = [1_u8; 5];
        assert_eq!(onceflow_attributes(path.as_ptr(), short.as_mut_ptr().cast(), 5), needed);
        assert_eq!(short[4], 0);
        assert_eq!(onceflow_attributes(c"/no/such".as_ptr(), null_mut(), 0), -1);
    }
    assert!(words().contains("/no/such"), "{}", words());
}
