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

#[test]
fn objects_that_were_known_are_told_with_the_rows_they_came_from() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o out --workers 1");
    let table = shell.read("out/objects.csv");
    assert!(table.starts_with("phase,task,site,row,objects,known,from\n"), "{table}");
    let known = |line: &&str| {
        let fields: Vec<&str> = line.split(',').collect();
        fields[1] == "t6_flood" && fields[5] != "0"
    };
    let line = table.lines().skip(1).find(known).expect("a row that knew objects");
    let fields: Vec<&str> = line.split(',').collect();
    let (row, from) = (fields[3], fields[6].split([':', ' ']).next().unwrap());
    assert!(from.parse::<u32>().unwrap() < row.parse().unwrap(), "one worker knows what came before: {line}");
    let said = shell.ok(&format!("why study.toml --row {row} --task t6_flood --run out")).stdout;
    assert!(said.contains(&format!("in the run {} of its {} object", fields[5], fields[4])), "{said}");
    assert!(said.contains(&format!("from row {from}")), "{said}");
}
