//! Programs that work object by object or tile by tile: they are given what is new, and rows are those of a run without reuse.

use std::process::Stdio;

use crate::shell::{self, Said, Shell};
use crate::study::{HEAD, changed, failure, run};

const OBJECTS: &str = r#""time": "20 s", "per_object": "some""#;
const TILES: &str = r#""time": "20 s", "per_tile": 32"#;

/// A study whose program takes the objects of a mask that are large enough, so that rows have most of them in common.
fn filtered(declared: &str) -> Shell {
    let shell = changed("", r#""time": "20 s""#, declared);
    let workflow = [
        (r#""default": 3 } },"#, r#""default": 3 }, "least": { "type": "integer", "default": 5 } },"#),
        (r#""bw": "mask","#, r#""bw": "mask", "some": "mask","#),
        (r#""{bw}""#, r#""{some}""#),
        (r#""in": ["bw"], "reads""#, r#""in": ["some"], "reads""#),
        (
            r#""tasks": [
      { "task": "keep""#,
            r#""tasks": [
      { "task": "filter", "op": "mask.area_filter", "in": ["bw"], "reads": { "from": "least", "below": 100000, "connectivity": 8 }, "out": ["some"], "ends": ["no_candidates"] },
      { "task": "keep""#,
        ),
    ];
    let study = [
        ("level = { from = 1, to = 6, step = 1 }", "least = { from = 1, to = 61, step = 10 }"),
        ("trajectories = 2", "trajectories = 6"),
    ];
    replace(&shell, "workflow.json", &workflow);
    replace(&shell, "study.toml", &study);
    shell
}

fn replace(shell: &Shell, name: &str, texts: &[(&str, &str)]) {
    let replaced = texts.iter().fold(shell.read(name), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in {name}");
        text.replace(from, to)
    });
    shell.write(name, replaced);
}

/// The same with a program that writes down how many pixels of the mask it is given are set, and what `work` makes of the mask;
/// `$2` is its file, `$3` that of the output. What is made again for pictures of the report does not count.
fn noting(declared: &str, work: &str) -> Shell {
    let shell = filtered(declared);
    let folder = shell.path("").display().to_string();
    let count = format!("tail -c +{} \"$2\" | tr -d '\\000' | wc -c", HEAD + 1);
    let note = format!("case $PWD in */run/*|*/none/*) {count} >> {folder}given ;; esac");
    shell.write("keep.sh", format!("echo \"level $1\"\n{note}\n{work}\n"));
    shell
}

/// The pixels it was given, run by run, since it was asked last.
fn given(shell: &Shell) -> Vec<u64> {
    let text = if shell.exists("given") { shell.read("given") } else { String::new() };
    shell.write("given", "");
    text.lines().map(|line| line.trim().parse().unwrap()).collect()
}

/// Runs with all reuse and with none, one task at a time: the same rows; what was given in each, and what was said.
fn both(shell: &Shell) -> (Vec<u64>, Vec<u64>, Said) {
    let said = shell.run("run study.toml -o run --allow-commands --workers 1 --json");
    assert_eq!(said.exit, 0, "{said}");
    let all = given(shell);
    shell.ok("run study.toml -o none --allow-commands --workers 1 --reuse none");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("run/{name}")), shell.read(&format!("none/{name}")), "{name}");
    }
    (all, given(shell), said)
}

#[test]
fn objects_that_are_known_are_not_given_again() {
    let shell = noting(OBJECTS, "cp \"$2\" \"$3\"");
    let (all, none, said) = both(&shell);
    let counts = &said.json()["objects"]["keep"];
    let number = |name: &str| counts[name].as_u64().unwrap();
    // The first instance is run twice and in two halves.
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2] + all[3]);
    // Some later ones are run whole as well, to be compared.
    let new = number("pixels_asked") - number("pixels_known");
    assert!(new <= all[0] + all[4..].iter().sum::<u64>(), "{all:?}");
    assert!(number("known") > 0 && number("asked") > number("known"), "{counts}");
    assert!(all.iter().sum::<u64>() < none.iter().sum::<u64>() * 3 / 4, "{all:?}\n{none:?}");
    assert!(said.stderr.contains("objects one by one") && said.stderr.contains("keep"), "{said}");
}

#[test]
fn tiles_that_are_known_are_not_given_again() {
    let shell = noting(TILES, "cp \"$2\" \"$3\"");
    let (all, none, said) = both(&shell);
    assert!(all.iter().sum::<u64>() < none.iter().sum::<u64>(), "{all:?}\n{none:?}");
    let counts = &said.json()["objects"]["keep"];
    // Nine tiles of a part of 96 x 80 pixels.
    assert!(
        counts["asked"].as_u64().unwrap().is_multiple_of(9) && counts["known"].as_u64() > Some(9),
        "{counts}"
    );
}

#[test]
fn a_program_that_serves_is_given_objects_too() {
    let path = |name: &str| format!("$(printf %s \"$line\" | sed 's/.*\"{name}\":\"\\([^\"]*\\)\".*/\\1/')");
    let server = format!(
        "while read -r line; do\n cp \"{}\" \"{}\"\n echo given >&2\n echo '{{\"ok\":true}}'\ndone\n",
        path("some"),
        path("kept")
    );
    let shell = filtered(OBJECTS);
    let serves = r#"["sh", "keep.sh"], "serve": true"#;
    replace(&shell, "workflow.json", &[(r#"["sh", "keep.sh", "{level}", "{some}", "{kept}"]"#, serves)]);
    shell.write("keep.sh", server);
    let (.., said) = both(&shell);
    assert!(said.json()["objects"]["keep"]["known"].as_u64() > Some(0), "{said}");
}

#[test]
fn a_wrong_promise_fails_with_the_first_instance() {
    let tail = format!("{{ head -c {HEAD} \"$2\"; tail -c +{} \"$2\" |", HEAD + 1);
    let cases = [
        // The first pixel that is set, of all there are.
        (OBJECTS, "LC_ALL=C sed 's/\\xff/\\x00/'", "gives other results for 1 of "),
        (OBJECTS, "tr '\\000\\377' '\\377\\000'", "outside the objects it was given; remove \"per_object\""),
        (
            TILES,
            "LC_ALL=C sed 's/\\xff/\\x00/'",
            "looks at other units, or further than its halo of 0 pixels",
        ),
    ];
    for (declared, work, expected) in cases {
        let shell = noting(declared, &format!("{tail} {work}; }} > \"$3\""));
        let said = failure(&shell);
        assert!(said.contains(expected), "{said}");
        assert!(given(&shell).len() <= 4, "it is not run again");
    }
}

#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_rows() {
    let shell = noting(OBJECTS, "cp \"$2\" \"$3\"");
    let folder = shell.path("").display().to_string();
    // The sixth run hangs until it is allowed to go on.
    let script = shell.read("keep.sh");
    let hang = format!(
        "[ -e {folder}go ] || [ $(wc -l < {folder}given) -lt 6 ] || {{ touch {folder}hangs; sleep 300; }}"
    );
    shell.write("keep.sh", format!("{script}{hang}\n"));
    let mut command = shell::command(&shell.path(""));
    command.args("run study.toml -o run --allow-commands --workers 1".split(' '));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !shell.exists("hangs") {
        assert!(std::time::Instant::now() < until, "it did not come to its sixth run");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    shell.write("go", "");
    let said = run(&shell);
    assert!(said.exit == 0 && said.stderr.contains("going on"), "{said}");
    shell.ok("run study.toml -o none --allow-commands --reuse none");
    assert_eq!(shell.read("run/rows.csv"), shell.read("none/rows.csv"));
}
