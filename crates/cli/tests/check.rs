//! `onceflow check` on good and bad files of every kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

const STUDY: &str = r#"name = "small"
workflow = "nuclei"
seed = 7

[[image]]
name = "one"
file = "synth:512x512?seed=1"
box = [0, 0, 512, 512]

[parts]
um_per_pixel = 0.25

[parameters]
G1 = { from = 5, to = 80, step = 5 }
G2 = { from = 2, to = 40, step = 2 }

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 4
"#;

const STAGE: &str = r#"{
  "name": "Segmentation",
  "dr_args": [{"name": "in_rt", "type": "dr", "io": "input"}, {"name": "out_rt", "type": "dr", "io": "output"}],
  "tasks": [
    {"call": "ns::first", "args": [{"name": "in_rt", "type": "dr", "io": "input"}, {"name": "T1", "type": "double"},
       {"name": "out_rt", "type": "dr", "io": "output"}]}
  ]
}"#;

const TAVERNA: &str = r#"<workflow xmlns="http://taverna.sf.net/2008/xml/t2flow" version="1" producedBy="taverna-2.4.0">
  <dataflow id="d1" role="top"><name>W</name><inputPorts/><outputPorts/><processors/><conditions/><datalinks/></dataflow>
</workflow>"#;

const DAKOTA: &str = "\
method
  psuade_moat
    samples = 12
    partitions = 3
    seed = 500
variables
  continuous_design = 2
    lower_bounds 0 0
    upper_bounds 1 2
    descriptors 'a' 'b'
interface
  fork analysis_driver = 'run'
responses
  response_functions = 1
  no_gradients
  no_hessians
";

fn check(name: &str, text: &str) -> shell::Said {
    let shell = Shell::new();
    shell.write(name, text);
    shell.run(&format!("check {name}"))
}

#[test]
fn good_files_of_every_kind() {
    for (name, text) in [
        ("study.toml", STUDY),
        ("stage.json", STAGE),
        ("empty.t2flow", TAVERNA),
        (
            "problem.json",
            r#"{"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [2, 3]], "groups": ["g", "g2"]}"#,
        ),
        ("params.txt", "a 0 1\nb 2 3\n"),
        ("moat.in", DAKOTA),
        ("workflow.json", include_str!("../../study/src/shipped/nuclei.json")),
    ] {
        insta::assert_snapshot!(format!("good-{name}"), check(name, text));
    }
}

#[test]
fn bad_files_of_every_kind() {
    let unknown = STUDY.replace("G2 =", "G3 =").replace("trajectories = 4", "trajectory = 4");
    let workflow =
        include_str!("../../study/src/shipped/nuclei.json").replacen("\"nuclei.grow\"", "\"nuclei.grwo\"", 1);
    for (name, text) in [
        ("names.toml", unknown.as_str()),
        ("syntax.toml", "name = \"a\nseed = 1\n"),
        ("shipped.toml", &STUDY.replace("\"nuclei\"\nseed", "\"nucleii\"\nseed")),
        ("workflow.json", workflow.as_str()),
        ("stage.json", &STAGE.replace("\"T1\", \"type\": \"double\"", "\"T1\", \"type\": \"dubious\"")),
        ("broken.t2flow", &TAVERNA.replace("</dataflow>", "")),
        ("problem.json", r#"{"num_vars": 2, "names": ["a"], "bounds": [[0, 1], [3, 2]]}"#),
        ("params.txt", "a 0 1\nb 3 2\n"),
        ("moat.in", &DAKOTA.replace("upper_bounds 1 2", "upper_bounds 1")),
        ("nonsense.txt", "hello\n"),
    ] {
        let said = check(name, text);
        assert_eq!(said.exit, 2, "{name}\n{said}");
        insta::assert_snapshot!(format!("bad-{name}"), said);
    }
}

#[test]
fn json_counts_and_places_everything() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let json = shell.ok("check study.toml --json").json();
    assert_eq!(
        (json["version"].as_u64(), json["kind"].as_str(), json["ok"].as_bool()),
        (Some(1), Some("study"), Some(true))
    );
    assert_eq!(
        (json["errors"].as_u64(), json["warnings"].as_u64()),
        (Some(0), Some(1)),
        "the default of G2 lies outside its range"
    );
    let warning = &json["diagnostics"][0];
    assert_eq!(
        (warning["severity"].as_str(), warning["line"].as_u64(), warning["column"].as_u64()),
        (Some("warning"), Some(15), Some(6))
    );
    for key in ["message", "file", "expected", "found", "why", "hint"] {
        assert!(warning[key].is_string(), "{key}");
    }
    assert_eq!(json["summary"]["phases"][0]["rows_at_most"], 12);
}

#[test]
fn a_study_names_files_relative_to_itself_and_no_others() {
    let shell = Shell::new();
    let with = |workflow: &str| STUDY.replace("\"nuclei\"\nseed", &format!("\"{workflow}\"\nseed"));
    let nuclei = include_str!("../../study/src/shipped/nuclei.json");
    shell.write("flows/nuclei.json", nuclei).write("a/study.toml", with("../flows/nuclei.json"));
    assert_eq!(shell.run("check a/study.toml").exit, 0);
    shell.write("b/study.toml", with("flow.json"));
    insta::assert_snapshot!("companion-missing", shell.run("check b/study.toml"));
    shell.write("c/study.toml", with("/etc/passwd.json"));
    insta::assert_snapshot!("companion-absolute", shell.run("check c/study.toml"));
    shell.write("d/study.toml", with("../d"));
    assert_eq!(shell.run("check d/study.toml").exit, 2);
}

#[test]
fn a_sheet_of_images_is_read_beside_the_study() {
    let shell = Shell::new();
    let start = STUDY.find("[[image]]").unwrap();
    let end = STUDY.find("[parts]").unwrap();
    let study = format!("images = \"images.csv\"\n{}{}", &STUDY[..start], &STUDY[end..]);
    shell
        .write("study.toml", study)
        .write("images.csv", "name,file,truth,site\nx,synth:90x90,,A\ny,synth:90x80,,B\n");
    let json = shell.ok("check study.toml --json").json();
    assert_eq!(json["summary"]["images"], 2);
    shell.write("images.csv", "name,file\nx,x.svs\nx,y.svs\n");
    insta::assert_snapshot!("sheet-twice", shell.run("check study.toml"));
}

#[test]
fn a_study_for_another_machine_is_checked_without_its_images() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY.replace("synth:512x512?seed=1", "one.png"));
    let said = shell.run("check study.toml");
    assert!(said.exit == 2 && said.stderr.contains("cannot open the image one.png"), "{said}");
    shell.ok("check study.toml --without-images");
}

#[test]
fn many_missing_files_are_counted() {
    let shell = Shell::new();
    let (start, end) = (STUDY.find("[[image]]").unwrap(), STUDY.find("[parts]").unwrap());
    let study = format!("images = \"images.csv\"\n{}{}", &STUDY[..start], &STUDY[end..]);
    let lines: String = (0..30).map(|n| format!("i{n},none-{n}.svs\n")).collect();
    shell.write("study.toml", study).write("images.csv", format!("name,file\n{lines}"));
    let said = shell.run("check study.toml");
    assert!(said.stderr.contains("10 more files of images and truth cannot be opened"), "{said}");
    assert_eq!(said.stderr.matches("cannot open the image").count(), 20, "{said}");
}
