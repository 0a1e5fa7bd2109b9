//! Narrow terminals: no line is wider than the terminal, no word is lost, and tables stay tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;
mod studies;

use shell::Shell;
use studies::STUDY;

const COMMANDS: [(&str, &str); 8] = [
    ("check", "check study.toml"),
    ("plan", "plan study.toml --workers 2 --memory 1GiB"),
    ("tasks", "plan study.toml --tasks"),
    ("rules", "plan study.toml --rules"),
    ("buckets", "plan study.toml --reuse task --merge rtma --max-bucket-size 3 --workers 2 --memory 1GiB"),
    ("why-row", "why study.toml --row 3"),
    ("why-bucket", "why study.toml --reuse task --merge rtma --max-bucket-size 3 --bucket 0"),
    ("status", "status first"),
];

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    shell
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn at(shell: &Shell, command: &str, columns: usize) -> String {
    let said = shell.run_with(command, "", &[("COLUMNS", &columns.to_string())]);
    assert_eq!(said.exit, 0, "{command}\n{said}");
    said.stdout
}

#[test]
fn lines_fit_and_lose_no_word() {
    let shell = shell();
    for (_, command) in COMMANDS {
        let wide = shell.ok(command).stdout;
        for columns in [60, 80] {
            let narrow = at(&shell, command, columns);
            let longest = narrow.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= columns, "{command}\n{narrow}");
            assert_eq!(words(&narrow), words(&wide), "{command}");
        }
    }
}

#[test]
fn tables_stay_readable_on_sixty_columns() {
    let shell = shell();
    for (name, command) in COMMANDS {
        if name != "status" {
            insta::assert_snapshot!(name, at(&shell, command, 60));
        }
    }
}

#[test]
fn a_table_that_has_no_room_is_printed_in_two() {
    let shell = shell();
    let (wide, narrow) =
        (shell.ok("plan study.toml --compare").stdout, at(&shell, "plan study.toml --compare", 60));
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let heads: Vec<_> = narrow.lines().filter(|line| line.trim_start().starts_with("level")).collect();
    assert_eq!(heads.len(), 2, "{narrow}");
    assert_eq!(narrow.lines().filter(|line| !line.is_empty()).count(), 2 * wide.lines().count(), "{narrow}");
}

#[test]
fn a_file_gets_lines_as_they_are() {
    let shell = shell();
    let long = shell.ok("plan study.toml --rules").stdout;
    assert!(long.lines().any(|line| line.chars().count() > 100), "{long}");
}

/// The first number before a word of a text, without commas.
fn number_before(text: &str, word: &str) -> u64 {
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let at = words.iter().position(|found| found.trim_end_matches([',', ':']) == word).unwrap();
    words[at - 1].replace(',', "").parse().unwrap()
}

#[test]
fn json_says_the_counts_of_the_text() {
    let shell = shell();
    let (text, json) = (shell.ok("plan study.toml").stdout, shell.ok("plan study.toml --json").json());
    assert_eq!(json["rows"], number_before(&text, "rows"), "{text}");
    assert_eq!(json["parts"], number_before(&text, "part"), "{text}");
    assert_eq!(json["instances"], number_before(&text, "instances"), "{text}");
    let (text, json) = (shell.ok("status first").stdout, shell.ok("status first --json").json());
    assert_eq!(json["instances"]["of"], number_before(&text, "instances"), "{text}");
    let computed: u64 =
        json["stages"].as_array().unwrap().iter().map(|stage| stage["computed"].as_u64().unwrap()).sum();
    let lines = text.lines().filter(|line| line.contains(" of at most "));
    assert_eq!(computed, lines.map(|line| number_before(line, "of")).sum::<u64>(), "{text}");
    let (text, json) = (shell.ok("check study.toml").stdout, shell.ok("check study.toml --json").json());
    assert_eq!(json["summary"]["phases"][0]["rows_at_most"], number_before(&text, "rows"), "{text}");
    assert_eq!(json["summary"]["workflow"]["tasks"], number_before(&text, "tasks"), "{text}");
    let bucket = "why study.toml --reuse task --merge rtma --max-bucket-size 3 --bucket 0";
    let (text, json) = (shell.ok(bucket).stdout, shell.ok(&format!("{bucket} --json")).json());
    assert!(text.starts_with(&format!("bucket 0 of {},", json["buckets"])), "{text}");
    assert_eq!(json["instances"].as_u64(), Some(json["rows"].as_array().unwrap().len() as u64));
}
