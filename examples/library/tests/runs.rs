//! The program runs a study, and a second time finds that nothing is left to compute.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

#[test]
fn a_study_runs_through_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../nuclei/study.toml");
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_library-example"))
            .args([study, folder.path().to_str().unwrap()])
            .env("XDG_STATE_HOME", folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run().contains("Which parameters matter for dice?"));
    assert!(folder.path().join("report.html").is_file());
    assert!(run().contains("\"version\":1"), "the summary of the run that is there");
}
