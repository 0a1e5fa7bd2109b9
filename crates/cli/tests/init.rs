//! `onceflow init`: studies to start from, and problems in other forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

#[test]
fn what_init_writes_passes_the_check() {
    for words in
        ["init -o study.toml", "init study.toml --workflow nuclei-paper", "init --model -o study.toml"]
    {
        let shell = Shell::new();
        shell.ok(words);
        // The template names an image that is not there yet.
        let said = shell.ok("check study.toml --without-images");
        assert!(!said.stdout.contains("error"), "{words}\n{said}");
        shell.ok("sample --problem study.toml --phase screen -o X.csv");
    }
    insta::assert_snapshot!("template", Shell::new().run("init"));
}

#[test]
fn an_own_workflow_is_named_relative_to_the_study() {
    let shell = Shell::new();
    shell.write("work/flow.json", include_str!("../../study/src/shipped/nuclei.json"));
    shell.ok("init --workflow work/flow.json -o work/study.toml");
    assert!(shell.read("work/study.toml").contains("\"flow.json\""), "{}", shell.read("work/study.toml"));
    shell.ok("check work/study.toml --without-images");
}

#[test]
fn nothing_is_replaced_without_force() {
    let shell = Shell::new();
    shell.write("study.toml", "mine");
    insta::assert_snapshot!("exists", shell.run("init -o study.toml"));
    assert_eq!(shell.read("study.toml"), "mine");
    shell.ok("init -o study.toml --force");
    assert_ne!(shell.read("study.toml"), "mine");
}

#[test]
fn problems_go_to_a_study_and_back() {
    let shell = Shell::new();
    shell.write("params.txt", "a 0 1 g unif\nb 2 3 g2 logunif\n");
    shell.ok("init --from params.txt -o study.toml");
    insta::assert_snapshot!("from-salib", shell.read("study.toml"));
    shell.ok("init --from study.toml --to salib -o problem.json");
    insta::assert_snapshot!("to-salib", shell.read("problem.json"));
    let sample = |problem: &str| {
        shell.ok(&format!("sample --problem {problem} --method saltelli --n 4 --seed 1")).stdout
    };
    assert_eq!(sample("params.txt"), sample("study.toml"));
    assert_eq!(sample("params.txt"), sample("problem.json"));
    shell.write("p.txt", "a 0 1\nb 2 3\n");
    shell.ok("init --from p.txt -o p.toml");
    shell.write(
        "p.toml",
        shell.read("p.toml") + "\n[[phase]]\nname = 's'\nmethod = 'moat'\ntrajectories = 4\n",
    );
    insta::assert_snapshot!("to-dakota", shell.run("init --from p.toml --to dakota"));
}

#[test]
fn what_another_tool_cannot_say_is_told() {
    let shell = Shell::new();
    shell.write(
        "study.toml",
        "name = 'a'\n[parameters]\nx = { from = 0, to = 10, step = 1 }\nmode = ['a', 'b']\n",
    );
    insta::assert_snapshot!("losses", shell.run("init --from study.toml --to salib"));
}

#[test]
fn senseless_wishes_are_refused() {
    let shell = Shell::new();
    shell.write("p.txt", "a 0 1\n");
    for (name, words) in [
        ("nothing-to-convert", "init --to salib"),
        ("no-such-workflow", "init --workflow nucleii"),
        ("no-workflow", "init --workflow p.txt"),
    ] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn an_account_of_what_is_written_is_json() {
    let shell = Shell::new();
    let planned = shell.ok("init --model -o a.toml --dry-run --json").json();
    assert_eq!((&planned["version"], &planned["written"]), (&1.into(), &false.into()));
    assert!(!shell.path("a.toml").exists());
    let written = shell.ok("init --model -o a.toml --json").json();
    assert_eq!(written["bytes"], shell.read("a.toml").len());
    assert_eq!(shell.run("init --model --json").exit, 2, "standard output cannot hold both");
}

#[test]
fn a_study_of_images_that_are_there_is_checked_and_run() {
    let shell = Shell::new();
    shell.write("slides/.keep", "").write("truth/notes.txt", "");
    for (seed, name, truth) in [(1, "a", "a-labels"), (2, "b", "of-none")] {
        shell.ok(&format!(
            "image synth --width 120 --height 90 --seed {seed} -o slides/{name}.png --truth truth/{truth}.png"
        ));
    }
    shell.write("slides/broken.png", "no image");
    let planned = shell.ok("init slides --truth truth --dry-run --json").json();
    assert_eq!(
        (&planned["images"], &planned["unreadable"], &planned["with_truth"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert!(!shell.exists("study.toml") && !shell.exists("images.csv"), "nothing is written");
    let said = shell.ok("init 'slides/*.png' --truth truth");
    for expected in [
        "1 cannot be read",
        "1 of 2 images; none for b; of no image: truth/of-none.png",
        "next: onceflow check study.toml",
    ] {
        assert!(said.stderr.contains(expected), "{expected}\n{said}");
    }
    assert_eq!(
        shell.read("images.csv"),
        "name,file,truth,um_per_pixel\na,slides/a.png,truth/a-labels.png,\nb,slides/b.png,,\n"
    );
    assert_eq!(shell.run("init 'slides/*.png'").exit, 2, "what is there stays");
    let checked = shell.ok("check study.toml");
    assert!(checked.stdout.contains("2, of which 1 with truth"), "{checked}");
    let few = shell.read("study.toml").replace("trajectories = 20", "trajectories = 2");
    let few = few.split("\n[[phase]]\nname   = \"decompose\"").next().unwrap().to_owned();
    shell.write("study.toml", few);
    shell.ok("run study.toml -o first");
}

#[test]
fn slides_of_a_project_lie_where_it_says() {
    let shell = Shell::new();
    shell.write("slides/.keep", "");
    shell.ok("image synth --width 64 --height 48 --seed 1 -o 'slides/a b.png' --truth t.png");
    shell.write(
        "project/project.qpproj",
        r#"{"version":"0.5.1","images":[{"serverBuilder":{"builderType":"rotated","builder":{"builderType":"uri",
        "uri":"../slides/a%20b.png"}},"entryID":1,"imageName":"a b.png"}]}"#,
    );
    shell.ok("init project/project.qpproj -o work.toml");
    assert!(
        shell.read("work-images.csv").contains("a b,slides/a b.png,,"),
        "{}",
        shell.read("work-images.csv")
    );
    shell.ok("check work.toml");
    for (words, expected) in [
        ("init --truth t", "--truth needs images"),
        ("init none.svs", "no image can be read"),
        ("init 'none/*.svs'", "no image in none/*.svs"),
        ("init slides -o -", "two files"),
        ("init a.toml -o b.toml", "two output files are named"),
        ("init slides --model", "images cannot be combined with --from, --model or --program"),
    ] {
        let said = shell.run(words);
        assert!(said.exit == 2 && said.stderr.contains(expected), "{words}\n{said}");
    }
}

#[test]
fn lists_and_patterns_name_images() {
    let shell = Shell::new();
    shell.write("slides/.keep", "");
    for seed in 1..4 {
        shell.ok(&format!(
            "image synth --width 64 --height 48 --seed {seed} -o slides/{seed}.png --truth t.png"
        ));
    }
    let study = |images: &str| {
        format!(
            "name = \"x\"\nworkflow = \"nuclei\"\nimages = {images}\n[parameters]\nG1 = {{ from = 5, to = 80, step = 5 }}\n\
             [[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n\
             [[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 2\n"
        )
    };
    shell.write("list.txt", "# slides\nslides/1.png\nslides/2.*\n");
    let list = "[\"slides/1.png\", \"slides/2.p?g\", \"**/3.png\"]";
    for (images, count) in [("\"slides/*.png\"", 3), (list, 3), ("\"list.txt\"", 2)] {
        shell.write("study.toml", study(images));
        let json = shell.run("check study.toml --json").json();
        assert_eq!(json["summary"]["images"], count, "{json}");
    }
    shell.write("study.toml", study("\"none/*.png\""));
    let said = shell.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("no file fits `none/*.png`"), "{said}");
    assert!(said.stderr.contains("study.toml:3:10"), "{said}");
    shell.write("study.toml", study("[\"slides/7.png\", \"slides/8.png\", \"slides/1.png\"]"));
    let said = shell.run("check study.toml");
    assert!(
        said.exit == 2 && said.stderr.contains("slides/7.png") && said.stderr.contains("slides/8.png"),
        "{said}"
    );
    let said = shell.run("plan study.toml");
    assert!(
        said.exit == 2 && said.stderr.contains("slides/7.png") && said.stderr.contains("slides/8.png"),
        "{said}"
    );
}
