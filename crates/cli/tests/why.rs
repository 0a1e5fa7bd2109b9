//! `onceflow why`: what a plan says of a row, a task and a bucket.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::STUDY;

#[test]
fn a_row_is_explained() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let said = shell.ok("why study.toml --row 3");
    insta::assert_snapshot!("row", said.stdout);
    let json = shell.ok("why study.toml --row 3 --task t4 --json").json();
    assert_eq!((json["row"].as_u64(), json["tasks"].as_array().unwrap().len()), (Some(3), 1));
    let task = &json["tasks"][0];
    assert_eq!(task["task"], "t4");
    assert!(task["rows"].as_array().unwrap().iter().any(|row| row == 3));
}

#[test]
fn a_bucket_is_explained() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let options = "--reuse task --merge rtma --max-bucket-size 3";
    insta::assert_snapshot!("bucket", shell.ok(&format!("why study.toml {options} --bucket 0")).stdout);
    let json = shell.ok(&format!("why study.toml {options} --bucket 0 --json")).json();
    assert!(json["instances"].as_u64().unwrap() <= 3);
    let row = shell.ok(&format!("why study.toml {options} --row 1"));
    assert!(row.stdout.contains("is in bucket"), "{}", row.stdout);
}

#[test]
fn what_is_not_there_is_refused() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    for wrong in
        ["--row 9999", "--row 1 --task t44", "--bucket 0", "--reuse task --merge rtma --bucket 999", ""]
    {
        let refused = shell.run(&format!("why study.toml {wrong}"));
        assert_eq!(refused.exit, 2, "{wrong}");
    }
    assert!(shell.run("why study.toml --row 1 --task t44").stderr.contains("did you mean `t4`?"));
}
