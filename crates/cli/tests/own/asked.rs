//! One instance of a workflow, to be looked at.

use crate::shell::Shell;
use crate::study::{SCRIPT, study};

#[test]
fn a_row_is_made_with_values_of_ones_own() {
    let shell = study(SCRIPT);
    let said = shell.ok("run study.toml --row reference -p level=6 -p G1=40 -o look --allow-commands");
    for name in ["look/01-image.png", "look/06-kept.png", "look/keep/"] {
        assert!(said.stdout.lines().any(|line| line == name), "{said}");
    }
    let mut names: Vec<String> = std::fs::read_dir(shell.path("look/keep"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["command.sh", "inputs", "keep.sh", "log.txt", "outputs"]);
    assert_eq!(shell.read("look/keep/log.txt"), "level 6\n");
    let output = || std::fs::read(shell.path("look/keep/outputs/kept.tif")).unwrap();
    let made = output();
    std::fs::remove_file(shell.path("look/keep/outputs/kept.tif")).unwrap();
    let again = std::process::Command::new(shell.path("look/keep/command.sh")).output().unwrap();
    assert_eq!((again.stdout, output()), (b"level 6\n".to_vec(), made));
}

#[test]
fn one_task_and_what_it_needs() {
    let shell = study("exit 1\n");
    let said = shell.ok("run study.toml --row 2 --task threshold -o look");
    let names: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(
        names,
        ["look/01-image.png", "look/02-rc.png", "look/03-rc_recon.png", "look/04-diff.png", "look/05-bw.png"]
    );
}

#[test]
fn rows_are_those_of_the_study() {
    let shell = study(SCRIPT);
    shell.ok("run study.toml -o run --allow-commands");
    shell.ok("run study.toml --row 5 --image one -o one --allow-commands");
    shell.ok("report run --row 5 --image one -o two --allow-commands");
    for name in ["06-kept.png", "keep/log.txt", "keep/inputs/bw.tif"] {
        let read = |folder: &str| std::fs::read(shell.path(&format!("{folder}/{name}"))).unwrap();
        assert_eq!(read("one"), read("two"), "{name}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let shell: Shell = study(SCRIPT);
    let cases = [
        ("--row 99 -o look", "a number from 0 to 6"),
        ("--row 1 --task keeep -o look", "did you mean `keep`?"),
        ("--row 1 -p levle=3 -o look", "did you mean `level`?"),
        ("--row 1 -p level=high -o look", "`level` cannot have the value high"),
        ("--row 1 --image two -o look", "the study has no image `two`"),
        ("--row first -o look", "the word reference"),
    ];
    for (words, expected) in cases {
        let said = shell.run(&format!("run study.toml {words} --allow-commands"));
        assert!(said.exit == 2 && said.stderr.contains(expected), "{words}\n{said}");
    }
}
