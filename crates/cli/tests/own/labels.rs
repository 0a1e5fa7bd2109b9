//! A program that makes labels: objects are what it numbered, whether they touch or not.

use crate::shell::Shell;
use crate::study::{SCRIPT, changed, run};

/// The study with two phases, whose metrics look at objects.
fn labelled(kind: &str) -> Shell {
    let shell = changed(SCRIPT, r#""kept": "mask""#, &format!(r#""kept": "{kind}""#));
    let objects = "[[metric]]\nname = \"objects\"\nof = \"kept\"\nmeasure = \"objects\"\n\n";
    let f1 = "[[metric]]\nname = \"f1\"\nof = \"kept\"\nmeasure = \"object_f1\"\nagainst = \"default\"\n\n";
    let distance = "[[metric]]\nname = \"distance\"\nof = \"kept\"\nmeasure = \"hausdorff_distance\"\nagainst = \"default\"\n\n";
    let later = "[[phase]]\nname = \"later\"\nmethod = \"vbd\"\nbase = 2\nkeep = [\"G1\"]\n\n";
    let study = shell.read("study.toml").replace("[[phase]]", &format!("{objects}{f1}{distance}[[phase]]"));
    shell.write("study.toml", study.replace("[run]", &format!("{later}[run]")));
    shell
}

fn column(shell: &Shell, name: &str) -> Vec<f64> {
    let rows = shell.read("run/rows.csv");
    let mut lines = rows.lines();
    let place = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn objects_are_those_of_the_labels() {
    let (mask, labels) = (labelled("mask"), labelled("labels"));
    for shell in [&mask, &labels] {
        shell.ok("check study.toml");
        let said = run(shell);
        assert_eq!(said.exit, 0, "{said}");
    }
    // The script hands on a mask of 0 and 255: as labels this is one object, whatever its pieces.
    assert!(column(&mask, "objects").iter().any(|objects| *objects > 1.0), "{}", mask.read("run/rows.csv"));
    assert!(
        column(&labels, "objects").iter().all(|objects| *objects <= 1.0),
        "{}",
        labels.read("run/rows.csv")
    );
    assert_eq!(column(&mask, "change"), column(&labels, "change"));
    assert_eq!(column(&mask, "distance"), column(&labels, "distance"));
    // The reference row is kept for the second phase with its labels.
    assert_eq!(column(&labels, "f1")[0], 1.0);
    let later: Vec<f64> = column(&labels, "f1").split_off(column(&labels, "f1").len() - 6);
    assert!(later.iter().all(|f1| [0.0, 1.0].contains(f1)), "{later:?}");
}

#[test]
fn rows_with_labels_are_the_same_with_every_reuse() {
    let shell = labelled("labels");
    assert_eq!(run(&shell).exit, 0);
    shell.ok("run study.toml -o none --allow-commands --reuse none");
    assert_eq!(shell.read("run/rows.csv"), shell.read("none/rows.csv"));
}
