//! The program, run three times.
#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn levels_with_an_equal_beginning_are_computed_once() {
    let folder = tempfile::tempdir().unwrap();
    let run = |prm: [&str; 5]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_memo-example"));
        let output = program.arg(folder.path()).args(["a.img", "b.img"]).args(prm).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let first = run(["1", "2", "3", "4", "5"]);
    let again = run(["1", "2", "3", "4", "5"]);
    let other = run(["1", "2", "9", "4", "5"]);
    assert!(first.starts_with("5 of 5") && again.starts_with("0 of 5") && other.starts_with("3 of 5"));
    assert_eq!(first.split(',').nth(1), again.split(',').nth(1));
}
