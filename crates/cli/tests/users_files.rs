//! Files of the user are never replaced unasked; what a command wrote itself is written again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod model;
mod shell;
mod studies;

use shell::Shell;
use studies::STUDY;

const MINE: &str = "mine, and nowhere else\n";

/// Every verb that writes a file, with the file.
const WRITERS: [(&str, &str); 12] = [
    ("segment synth:60x40?seed=7 -o out.png", "out.png"),
    ("segment synth:60x40?seed=7 --labels out.tif", "out.tif"),
    ("segment synth:60x40?seed=7 --polygons out.geojson", "out.geojson"),
    ("features synth:60x40?seed=7 -o out.csv", "out.csv"),
    ("image synth --width 60 --height 40 -o tissue.png --truth out.png", "out.png"),
    ("image parts synth:60x40 --size 20 --picture out.png", "out.png"),
    ("sample --problem model.txt --method saltelli --n 8 -o X2.csv", "X2.csv"),
    ("sample --problem model.txt --method saltelli --n 8 -o X3.csv", "X3.csv.design.json"),
    ("extend --problem model.txt -X X.csv --n 32 -o more.csv", "more.csv"),
    ("analyze --problem model.txt --method vbd -X X.csv -Y Y.csv -o out.json --json", "out.json"),
    ("plan study.toml --export out.jsonl --graph plan.svg", "plan.svg"),
    ("run study.toml -o first --events out.jsonl", "out.jsonl"),
];

fn prepared() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY).write("model.txt", model::ISHIGAMI);
    shell.ok("sample --problem model.txt --method saltelli --n 16 -o X.csv");
    shell.write("Y.csv", model::answer(&shell.read("X.csv"), "y", model::ishigami));
    shell
}

#[test]
fn a_file_of_the_user_is_replaced_with_force_only() {
    for (command, file) in WRITERS {
        let shell = prepared();
        shell.write(file, MINE);
        let said = shell.run(command);
        assert_eq!(said.exit, 2, "{command}\n{said}");
        assert!(said.stderr.contains(&format!("{file} exists already")), "{command}\n{said}");
        assert!(said.stderr.contains("--force"), "{said}");
        assert_eq!(shell.read(file), MINE, "{command}");
        shell.ok(&format!("{command} --force"));
        assert_ne!(std::fs::read(shell.path(file)).unwrap(), MINE.as_bytes(), "{command}");
        // The file is now of the command, which may write it again.
        shell.ok(command);
        // A user's change makes it the user's.
        std::fs::write(shell.path(file), MINE).unwrap();
        assert_eq!(shell.run(command).exit, 2, "{command}");
        assert_eq!(shell.read(file), MINE, "{command}");
    }
    insta::assert_snapshot!("file", {
        let shell = prepared();
        shell.write("out.png", MINE);
        shell.run("segment synth:60x40?seed=7 -o out.png")
    });
}

#[test]
fn a_folder_of_results_keeps_the_files_of_the_user() {
    let shell = prepared();
    shell.write("masks/summary.csv", MINE);
    let many = "segment synth:60x40?seed=1 synth:60x40?seed=2 -o masks/";
    assert_eq!(shell.run(many).exit, 2);
    std::fs::remove_file(shell.path("masks/summary.csv")).unwrap();
    shell.write("masks/synth-60x40-seed-1.png", MINE);
    let said = shell.run(many);
    assert_eq!(said.exit, 1, "{said}");
    assert_eq!(shell.read("masks/synth-60x40-seed-1.png"), MINE);
    assert!(shell.exists("masks/synth-60x40-seed-2.png"));
    shell.ok(&format!("{many} --force"));
    let plots = "analyze --problem model.txt --method vbd -X X.csv -Y Y.csv --plots plots";
    shell.ok(plots);
    let file = std::fs::read_dir(shell.path("plots")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, MINE).unwrap();
    assert_eq!(shell.run(plots).exit, 2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MINE);
    shell.ok("run study.toml --row 0 -o look");
    shell.ok("run study.toml --row 0 -o look");
    let pictures = std::fs::read_dir(shell.path("look")).unwrap().map(|entry| entry.unwrap().path());
    let picture = pictures.into_iter().find(|path| path.extension().is_some_and(|e| e == "png")).unwrap();
    std::fs::write(picture, MINE).unwrap();
    assert_eq!(shell.run("run study.toml --row 0 -o look").exit, 2);
    shell.ok("run study.toml --row 0 -o look --force");
}

#[test]
fn a_run_takes_a_folder_of_its_own() {
    let shell = prepared();
    shell.write("results/report.html", MINE).write("results/notes.txt", MINE);
    let said = shell.run("run study.toml -o results");
    assert_eq!(said.exit, 2, "{said}");
    insta::assert_snapshot!("folder", said);
    assert_eq!(
        (shell.read("results/report.html"), shell.read("results/notes.txt")),
        (MINE.into(), MINE.into())
    );
    let here = shell.run("run study.toml -o .");
    assert_eq!(here.exit, 2, "{here}");
    assert!(!shell.exists("rows.csv"), "nothing is written beside the study");
    // The study alone is enough to tell that the folder is the user's.
    shell.write("alone/study.toml", STUDY);
    assert_eq!(shell.run("run alone/study.toml -o alone").exit, 2);
    // An empty folder is taken, and a run is continued, whatever was put beside its files.
    std::fs::create_dir(shell.path("first")).unwrap();
    shell.ok("run study.toml -o first");
    shell.write("first/notes.txt", MINE);
    shell.ok("run study.toml -o first");
    shell.write("study.toml", studies::changed("trajectories = 4", "trajectories = 5"));
    shell.ok("run study.toml -o first");
    assert_eq!(shell.read("first/notes.txt"), MINE);
    shell.ok("run study.toml -o results --force");
    assert_ne!(shell.read("results/report.html"), MINE);
}
