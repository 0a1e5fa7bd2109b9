//! Images that cannot be read: found before any row is run, and without harm to the others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;
mod studies;

use pictures::grey_png;
use shell::Shell;
use studies::{STUDY, broken_tile};

/// A study of image `a`, which can be read, and of another file; the truth of both is that of `a`.
fn study(other: &str, rule: &str) -> String {
    let (start, end) = (STUDY.find("[[image]]").unwrap(), STUDY.find("[parameters]").unwrap());
    let image = |name: &str, file: &str| format!("[[image]]\nname = \"{name}\"\nfile = \"{file}\"\n\n");
    let other = if other.is_empty() { String::new() } else { image("b", other) };
    let images = image("a", "synth:300x300?seed=3") + &other;
    let text = format!("{}{images}{}", &STUDY[..start], &STUDY[end..]);
    text.replace("against = \"truth\"", "against = \"default\"")
        .replace("[run]\n", &format!("[run]\n{rule}\n"))
}

/// The fields of a column, by its name.
fn column(table: &str, name: &str) -> Vec<String> {
    let mut lines = table.lines();
    let place = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

#[test]
fn a_truncated_image_stops_a_run_before_its_first_row() {
    let shell = Shell::new();
    let whole = grey_png(300, &(0..300 * 300).map(|n| (n * 7919 % 251) as u8).collect::<Vec<_>>());
    shell.write("b.png", &whole[..whole.len() / 2]).write("study.toml", study("b.png", ""));
    let (checked, said) = (shell.run("check study.toml"), shell.run("run study.toml -o run"));
    assert_eq!((checked.exit, said.exit), (2, 2), "{checked}\n{said}");
    for text in [&checked.stderr, &said.stderr] {
        assert!(text.contains("cannot read the image b.png"), "{text}");
    }
    assert!(!shell.exists("run"), "nothing is written");
}

#[test]
fn an_unreadable_image_is_left_out_where_the_study_says_so() {
    let shell = Shell::new();
    shell.write("study.toml", study("none.png", "unreadable = \"skip\"")).write("alone.toml", study("", ""));
    let checked = shell.ok("check study.toml");
    assert!(checked.stderr.contains("image b is left out, since it cannot be read"), "{checked}");
    let said = shell.ok("run study.toml -o run");
    assert!(said.stderr.contains("image b is left out"), "{said}");
    assert!(said.stdout.contains("image b is left out"), "the answer says so too: {said}");
    shell.ok("run alone.toml -o alone");
    for file in ["rows.csv", "metrics.csv"] {
        assert_eq!(shell.read(&format!("run/{file}")), shell.read(&format!("alone/{file}")), "{file}");
    }
    shell.write("study.toml", study("", "unreadable = \"skip\"").replace("synth:300x300?seed=3", "none.png"));
    let said = shell.run("run study.toml -o nothing");
    assert!(said.exit == 2 && said.stderr.contains("no image of the study can be read"), "{said}");
}

#[test]
fn an_image_that_turns_out_to_be_unreadable_costs_the_others_nothing() {
    let shell = Shell::new();
    broken_tile(&shell);
    shell.write("alone.toml", study("", ""));
    shell.ok("run alone.toml -o alone");
    let alone = shell.read("alone/rows.csv");

    shell.write("study.toml", study("b.tif", "unreadable = \"skip\""));
    shell.ok("check study.toml");
    let said = shell.run("run study.toml -o skip");
    assert_eq!(said.exit, 1, "{said}");
    assert!(
        said.stdout.contains("Image b could not be read while rows ran, and rows are computed without it"),
        "{said}"
    );
    let rows = shell.read("skip/rows.csv");
    for name in ["status", "dice", "change"] {
        assert_eq!(column(&rows, name), column(&alone, name), "{name}");
    }
    let metrics = shell.read("skip/metrics.csv");
    let (images, statuses) = (column(&metrics, "image"), column(&metrics, "status"));
    for (image, status) in images.iter().zip(&statuses) {
        assert_eq!(status == "ok", image == "a", "{image}: {status}");
    }

    shell.write("study.toml", study("b.tif", "stop_above = 1"));
    let said = shell.run("run study.toml -o stop");
    assert_eq!(said.exit, 1, "{said}");
    assert!(column(&shell.read("stop/rows.csv"), "status").iter().all(|status| status != "ok"), "{said}");
    let metrics = shell.read("stop/metrics.csv");
    let of_a: Vec<String> = column(&metrics, "image")
        .into_iter()
        .zip(column(&metrics, "change"))
        .filter(|(image, _)| image == "a")
        .map(|(_, change)| change)
        .collect();
    assert_eq!(
        of_a,
        column(&shell.read("alone/metrics.csv"), "change"),
        "results of the other image are kept"
    );
}

#[test]
fn a_truth_that_is_a_mask_is_noted_where_objects_are_matched() {
    let shell = Shell::new();
    shell.ok("image synth --width 300 --height 300 --seed 1 -o a.png --truth labels.png");
    let labels = pictures::read(&shell.path("labels.png"));
    let values: Vec<u8> = labels.as_u16().map_or_else(
        || labels.as_u8().unwrap().iter().map(|label| if *label > 0 { 255 } else { 0 }).collect(),
        |values| values.iter().map(|label| if *label > 0 { 255 } else { 0 }).collect(),
    );
    shell.write("mask.png", grey_png(300, &values));
    let with = |truth: &str, measure: &str| {
        let image = STUDY.replace("file = \"synth:96x80?seed=3\"", "file = \"a.png\"");
        let image = image.replace("truth = \"synth:96x80?seed=3\"", &format!("truth = \"{truth}\""));
        shell.write("study.toml", image.replace("measure = \"dice\"", &format!("measure = \"{measure}\"")));
        shell.ok("check study.toml").stderr
    };
    let note = "the truth of image one is a mask";
    assert!(with("mask.png", "object_f1").contains(note), "{}", with("mask.png", "object_f1"));
    assert!(!with("mask.png", "dice").contains(note));
    assert!(!with("labels.png", "object_f1").contains(note));
}
