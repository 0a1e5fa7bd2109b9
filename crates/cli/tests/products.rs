//! Results that outlive runs: taken by other runs, counted, verified and collected.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::{Said, Shell};

const STUDY: &str = r#"
name = "kept"
workflow = "nuclei"
images = ["synth:96x80?seed=3", "synth:96x80?seed=4"]
seed = 5

[parameters]
G1 = { from = 5, to = 80, step = 5 }
minSize = { from = 2, to = 40, step = 2 }

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 3
"#;

/// Two phases, of which the second compares with what the first found by defaults.
const FOUND: &str = r#"
name = "found"
workflow = "nuclei"
seed = 5

[[image]]
name = "a"
file = "synth:96x80?seed=3"
truth = "synth:96x80?seed=3"

[[image]]
name = "b"
file = "synth:120x80?seed=4"
truth = "synth:120x80?seed=4"

[parameters]
G1 = { from = 5, to = 80, step = 5 }
T1 = { from = 2.5, to = 7.5, step = 0.5 }
red = { from = 200, to = 240, step = 10 }
minSize = { from = 2, to = 40, step = 2 }

[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "truth"

[[phase]]
name = "screen"
method = "moat"
trajectories = 3

[[phase]]
name = "decompose"
method = "vbd"
base = 8
"#;

const ADDED: &str = r#"
[[metric]]
name = "number"
of = "nuclei"
measure = "objects"
"#;

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell
}

/// Runs with a store of its own.
fn run(shell: &Shell, words: &str) -> Said {
    let said = shell.run(&format!("run {words} --store store --json"));
    assert_eq!(said.exit, 0, "{said}");
    said
}

fn number(said: &Said, path: &str) -> f64 {
    said.json().pointer(path).unwrap().as_f64().unwrap()
}

#[test]
fn a_study_in_another_folder_takes_what_is_there_and_says_so() {
    let shell = shell();
    let first = run(&shell, "study.toml -o runs/first");
    assert_eq!(number(&first, "/tasks/by/products"), 0.0);
    let second = run(&shell, "study.toml -o runs/second");
    assert_eq!(number(&second, "/tasks/computed"), 0.0, "{second}");
    assert_eq!(number(&second, "/tasks/by/products"), number(&second, "/tasks/asked"));
    assert!(second.stderr.contains("20 of 20 instances taken from an earlier run, runs/first"), "{second}");
    for file in ["rows.csv", "metrics.csv"] {
        assert_eq!(shell.read(&format!("runs/first/{file}")), shell.read(&format!("runs/second/{file}")));
    }
    // The journal of the second run holds its rows: it is complete without the store.
    std::fs::remove_dir_all(shell.path("store")).unwrap();
    let again = shell.ok("run study.toml -o runs/second --store none --json");
    assert_eq!(again.json(), second.json(), "nothing is computed again");
}

#[test]
fn rows_and_images_that_are_new_are_computed_and_others_are_not() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    shell.write("more.toml", STUDY.replace("trajectories = 3", "trajectories = 5"));
    let more = run(&shell, "more.toml -o runs/more");
    // Two of the new rows have the values of old ones.
    assert!(more.stderr.contains("24 of 32 instances taken"), "{more}");
    shell.write("image.toml", STUDY.replace("seed=4\"]", "seed=4\", \"synth:96x80?seed=9\"]"));
    let image = run(&shell, "image.toml -o runs/image");
    assert!(image.stderr.contains("20 of 30 instances taken"), "{image}");
    for (name, study) in [("more", "more.toml"), ("image", "image.toml")] {
        shell.ok(&format!("run {study} -o runs/none-{name} --reuse none"));
        let rows = |folder: &str| shell.read(&format!("runs/{folder}/rows.csv"));
        assert_eq!(rows(name), rows(&format!("none-{name}")), "{name}");
    }
}

#[test]
fn what_differs_is_never_taken() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    shell.write("metric.toml", format!("{STUDY}{ADDED}"));
    shell.write("values.toml", STUDY.replace("from = 5, to = 80, step = 5", "from = 6, to = 81, step = 5"));
    shell.write("seams.toml", format!("{STUDY}\n[parts]\nsize = 64\n"));
    for study in ["values", "seams", "metric"] {
        let said = run(&shell, &format!("{study}.toml -o runs/{study}"));
        shell.ok(&format!("run {study}.toml -o runs/none-{study} --reuse none"));
        let rows = |folder: &str| shell.read(&format!("runs/{folder}/rows.csv"));
        assert_eq!(rows(study), rows(&format!("none-{study}")), "{said}");
    }
}

/// The tasks that a run computed, by their names.
fn computed(shell: &Shell, folder: &str) -> Vec<String> {
    let trace: serde_json::Value =
        serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut names: Vec<String> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| event["name"].as_str().unwrap().into())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The study with two phases and a metric more, which needs a comparison of its own.
fn with_distance() -> String {
    let metric = "\n[[metric]]\nname = \"far\"\nof = \"nuclei\"\nmeasure = \"hausdorff_distance\"\nagainst = \"default\"\n";
    let phase = "\n[[phase]]\nname = \"screen\"";
    FOUND.replace(phase, &format!("{metric}{phase}"))
}

#[test]
fn for_an_added_metric_rows_are_only_compared() {
    for level in ["dataflow", "object"] {
        let shell = shell();
        shell.write("first.toml", FOUND);
        run(&shell, &format!("first.toml -o runs/first --reuse {level}"));
        shell.write("added.toml", with_distance());
        let added = run(&shell, &format!("added.toml -o runs/added --reuse {level}"));
        assert_eq!(computed(&shell, "runs/added"), ["compare"], "{added}");
        assert!(number(&added, "/tasks/computed") > 0.0);
        assert_balanced(&added);
        shell.ok("run added.toml -o runs/none --reuse none");
        for file in ["rows.csv", "metrics.csv"] {
            assert_eq!(
                shell.read(&format!("runs/added/{file}")),
                shell.read(&format!("runs/none/{file}")),
                "{file}"
            );
        }
    }
}

#[test]
fn an_audit_computes_a_share_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let audited = run(&shell, "study.toml -o runs/all --audit 100%");
    assert_eq!(number(&audited, "/tasks/by/products"), 0.0, "{audited}");
    let notes = |said: &Said| said.stderr.clone();
    assert!(
        notes(&audited).contains("22 results of earlier runs (100%) were computed again and compared"),
        "{audited}"
    );
    assert!(!notes(&audited).contains("differ"), "{audited}");
    let some = run(&shell, "study.toml -o runs/some --audit 0.3");
    let products = number(&some, "/tasks/by/products");
    assert!(products > 0.0 && products < number(&some, "/tasks/asked"), "{some}");
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let metric = run(&shell, "metric.toml -o runs/metric --audit 100%");
    assert_eq!(number(&metric, "/tasks/by/products"), 0.0, "{metric}");
    let said = shell.run("run study.toml -o runs/wrong --audit 200%");
    assert!(said.exit == 2 && said.stderr.contains("expected a share such as 1% or 0.01"), "{said}");
}

#[test]
fn a_plan_says_what_is_there_and_makes_no_store() {
    let shell = shell();
    let before = shell.ok("plan study.toml --store store");
    assert!(!before.stdout.contains("stored") && !shell.path("store").exists(), "{before}");
    run(&shell, "study.toml -o runs/first");
    let plan = shell.ok("plan study.toml --store store");
    assert!(plan.stdout.contains("stored     20 of 20 instances by earlier runs\n"), "{plan}");
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let plan = shell.ok("plan metric.toml --store store");
    assert!(
        plan.stdout.contains("0 of 20 instances by earlier runs; 20 more need only be compared"),
        "{plan}"
    );
    let json = shell.ok("run metric.toml -o runs/metric --dry-run --store store --json").json();
    let found = serde_json::json!({ "instances": 20, "taken": 0, "compared": 20 });
    let phases = serde_json::json!([{ "phase": json["phase"], "found": found }]);
    let expected = serde_json::json!({ "instances": 20, "taken": 0, "compared": 20, "phases": phases });
    assert_eq!(json["stored"], expected);
}

#[test]
fn outputs_that_are_lost_are_computed_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let packs: Vec<_> =
        std::fs::read_dir(shell.path("store/packs")).unwrap().map(|file| file.unwrap().path()).collect();
    for pack in packs {
        let mut bytes = std::fs::read(&pack).unwrap();
        let middle = bytes.len() / 2..bytes.len();
        bytes[middle].iter_mut().step_by(997).for_each(|byte| *byte ^= 1);
        std::fs::write(&pack, bytes).unwrap();
    }
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let said = run(&shell, "metric.toml -o runs/metric");
    assert_balanced(&said);
    shell.ok("run metric.toml -o runs/none --reuse none");
    assert_eq!(shell.read("runs/metric/rows.csv"), shell.read("runs/none/rows.csv"));
}

/// Every task that was asked for is accounted for once.
fn assert_balanced(said: &Said) {
    let tasks = &said.json()["tasks"];
    let by = tasks["by"].as_object().unwrap().values().map(|count| count.as_f64().unwrap()).sum::<f64>();
    let others =
        ["computed", "failed", "resumed"].map(|name| tasks[name].as_f64().unwrap_or(0.0)).iter().sum::<f64>();
    assert_eq!(tasks["asked"].as_f64().unwrap(), by + others, "{tasks:#}");
}

#[test]
fn an_image_that_was_changed_is_another_image() {
    let shell = shell();
    shell.write(
        "study.toml",
        STUDY.replace(r#"["synth:96x80?seed=3", "synth:96x80?seed=4"]"#, r#"["a.png"]"#),
    );
    shell.ok("image synth --width 96 --height 80 --seed 1 -o a.png");
    run(&shell, "study.toml -o runs/first");
    assert_eq!(number(&run(&shell, "study.toml -o runs/same"), "/tasks/computed"), 0.0);
    std::fs::remove_file(shell.path("a.png")).unwrap();
    shell.ok("image synth --width 96 --height 80 --seed 2 -o a.png");
    let other = run(&shell, "study.toml -o runs/other");
    assert_eq!(number(&other, "/tasks/by/products"), 0.0, "{other}");
}

#[test]
fn without_reuse_or_without_a_store_nothing_is_taken() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    for words in ["--store none", "--store store --reuse none"] {
        let said = shell.ok(&format!("run study.toml -o runs/again {words} --json --force"));
        assert_eq!(number(&said, "/tasks/by/products"), 0.0, "{words}");
        std::fs::remove_dir_all(shell.path("runs/again")).unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_used_is_a_note_and_the_run_computes() {
    let shell = shell();
    shell.write("store/thesis.tex", "x");
    let said = run(&shell, "study.toml -o runs/first");
    assert!(said.stderr.contains("note: results of earlier runs are not used"), "{said}");
    assert!(said.stderr.contains("found thesis.tex"), "{said}");
    assert!(number(&said, "/tasks/computed") > 0.0);
    let said = shell.run("products stats --store store");
    assert!(said.exit == 2 && said.stderr.contains("no store of results"), "{said}");
}

#[test]
fn damage_is_found_set_aside_and_computed_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let pack = std::fs::read_dir(shell.path("store/packs")).unwrap().next().unwrap().unwrap().path();
    let sound = |said: &Said| said.stdout.split(',').next().unwrap().to_owned();
    let before = sound(&shell.ok("products verify --store store"));
    // Every record is longer than this step.
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes.iter_mut().step_by(64).for_each(|byte| *byte ^= 1);
    std::fs::write(&pack, &bytes).unwrap();
    let said = shell.run("products verify --store store");
    assert!(said.exit == 1 && said.stdout.contains("0 results are sound"), "{said}");
    let second = run(&shell, "study.toml -o runs/second");
    assert!(!second.stderr.contains("instances taken"), "{second}");
    assert_eq!(shell.read("runs/first/rows.csv"), shell.read("runs/second/rows.csv"));
    assert_eq!(sound(&shell.ok("products verify --store store")), before);
}

#[test]
fn the_numbers_of_a_store_reconcile_and_gc_gives_space_back() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    run(&shell, "study.toml -o runs/second");
    let stats = shell.ok("products stats --store store --json").json();
    let number = |path: &str| stats.pointer(path).unwrap().as_u64().unwrap();
    assert_eq!(number("/lookups"), number("/hits") + number("/misses"));
    // Rows, the outputs of rows, and regions; the second run took the rows, and pictures took outputs and regions.
    let products = number("/products");
    assert!(products > 40 && products <= 60 && number("/hits") > 20, "{stats:#}");
    assert_eq!(number("/bytes/packs"), number("/bytes/products") + number("/bytes/overhead"));
    let listed = shell.ok("products ls --store store --json").json();
    assert_eq!(listed["products"].as_array().unwrap().len() as u64, products);
    let key = listed["products"][3]["key"].as_str().unwrap().to_owned();
    shell.ok(&format!("products pin {key} --store store"));
    assert!(
        shell
            .ok("products gc --dry-run --size 0 --store store")
            .stdout
            .contains(&format!("would remove {}", products - 1))
    );
    shell.ok("products gc --size 0 --store store");
    let left = shell.ok("products ls --store store").stdout;
    assert!(left.lines().count() == 2 && left.contains(&key[..16]) && left.contains("pinned"), "{left}");
    let said = shell.run("products pin 123456789abcdef0 --store store");
    assert!(said.exit == 2 && said.stderr.contains("no result has a key"), "{said}");
    let said = shell.run("products pin xyz --store store");
    assert!(said.exit == 2 && said.stderr.contains("hexadecimal"), "{said}");
}

#[test]
fn why_says_where_a_result_comes_from_and_whether_it_is_sound() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    run(&shell, "study.toml -o runs/second");
    let listed = shell.ok("products ls --store store --json").json();
    let key = listed["products"][3]["key"].as_str().unwrap().to_owned();
    shell.ok(&format!("products pin {key} --store store"));
    let said = shell.ok(&format!("products why {} --store store", &key[..16])).stdout;
    for words in
        [&key[..], "run     runs/first", "used    1 times", "pinned  yes", "sound   yes", "store/packs/"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let json = shell.ok(&format!("products why {key} --store store --json")).json();
    let product = &json["products"][0];
    assert_eq!(json["products"].as_array().unwrap().len(), 1);
    assert!(product["sound"].as_bool().unwrap() && product["pinned"].as_bool().unwrap(), "{json}");
    assert_eq!((product["run"].as_str(), product["uses"].as_u64()), (Some("runs/first"), Some(1)));
    // A byte of it is changed.
    let (pack, offset) = (product["pack"].as_str().unwrap(), product["offset"].as_u64().unwrap() as usize);
    let pack = shell.path(pack);
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[offset + 64] ^= 1;
    std::fs::write(&pack, &bytes).unwrap();
    let said = shell.run(&format!("products why {key} --store store"));
    assert!(
        said.exit == 1 && said.stdout.contains("sound   no") && said.stdout.contains("runs/first"),
        "{said}"
    );
    let said = shell.run("products why 123456789abcdef0 --store store");
    assert!(said.exit == 2 && said.stderr.contains("no result has a key that begins with"), "{said}");
}

#[test]
fn all_verbs_have_examples_and_json() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let help = shell.ok("products export --help").stdout;
    assert!(help.contains("  onceflow products export 3f2a --box") && help.contains("--json"), "{help}");
    for verb in ["ls", "stats", "verify", "gc", "pin 0", "unpin 0", "why 0"] {
        let name = verb.split(' ').next().unwrap();
        let help = shell.ok(&format!("products {name} --help")).stdout;
        assert!(help.contains(&format!("  onceflow products {name}")) && help.contains("--json"), "{help}");
        let said = shell.run(&format!("products {verb} --store store --json"));
        assert_eq!(said.json()["version"].as_u64(), Some(1), "{said}");
    }
}

#[test]
fn names_of_runs_do_nothing_to_the_terminal() {
    let shell = shell();
    run(&shell, "study.toml -o runs/\u{1b}[31mred");
    let said = shell.ok("products ls --store store").stdout;
    assert!(said.contains("[31mred") && !said.contains('\u{1b}'), "{said}");
}

/// What `why` says of a row with a store, before a run.
fn stored(shell: &Shell, words: &str) -> serde_json::Value {
    shell.ok(&format!("why study.toml {words} --store store --json")).json()["stored"].clone()
}

#[test]
fn why_says_what_the_store_has_of_a_row_before_a_run_and_which_run_it_came_from_after() {
    let shell = shell();
    let text = |words: &str| shell.ok(&format!("why {words} --store store")).stdout;
    assert!(!text("study.toml --row 3").contains("the store"), "there is no store yet");
    run(&shell, "study.toml -o runs/first");
    let before = text("study.toml --row 3");
    assert!(
        before.contains("  the store has all that it gives on 2 of 2 parts, from runs/first"),
        "{before}"
    );
    assert!(before.contains("  the store has its nuclei on 2 of 2 parts, from runs/first"), "{before}");
    let pieces = stored(&shell, "--row 3");
    assert_eq!((pieces[0]["what"].as_str(), pieces[0]["run"].as_str()), (Some("row"), Some("runs/first")));
    assert!(pieces[0]["seconds"].as_f64().unwrap() > 0.0, "{pieces}");
    let uses = shell.ok("products stats --store store --json").json()["hits"].as_u64().unwrap();
    assert_eq!(uses, 0, "to ask is not to use");
    shell.write("other.toml", STUDY.replace("seed=3", "seed=8"));
    let other = text("other.toml --row 3");
    assert!(other.contains("on 1 of 2 parts"), "{other}");

    let second = run(&shell, "study.toml -o runs/second");
    let earlier = &second.json()["earlier"];
    assert_eq!((earlier[0]["run"].as_str(), earlier[0]["rows"].as_u64()), (Some("runs/first"), Some(20)));
    assert!(earlier[0]["seconds_saved"].as_f64().unwrap() > 0.0, "{earlier}");
    let list = shell.read("runs/second/earlier.csv");
    assert_eq!(list.lines().count(), 21, "{list}");
    assert!(list.lines().nth(1).unwrap().starts_with("screen,,0,0,row,"), "{list}");
    let after = text("study.toml --row 3 --run runs/second");
    assert!(after.contains("  all that it gave came from an earlier run on 2 parts, runs/first"), "{after}");
    for file in ["answer.txt", "report.html"] {
        let found = shell.read(&format!("runs/second/{file}"));
        assert!(found.contains("20 instances whole from runs/first: "), "{file}");
    }
    assert!(!shell.path("runs/first/earlier.csv").exists(), "the first run took nothing");

    shell.write("found.toml", FOUND);
    run(&shell, "found.toml -o runs/found");
    shell.write("added.toml", with_distance());
    let added = run(&shell, "added.toml -o runs/added");
    assert!(number(&added, "/earlier/0/compared") > 0.0, "{added}");
    let after = text("added.toml --row 3 --run runs/added");
    assert!(after.contains("  its outputs came from an earlier run on 2 parts, runs/found"), "{after}");
}

#[test]
fn results_of_whole_images_are_found_again() {
    let shell = shell();
    let image_tasks = |folder: &str| {
        let trace: serde_json::Value =
            serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().clone();
        events.iter().filter(|event| event["name"] == "statistics").count()
    };
    run(&shell, "study.toml -o runs/first");
    assert_eq!(image_tasks("runs/first"), 2, "once for each image");
    // Other rows of the same images: the statistics of the stains are there.
    shell.write("others.toml", STUDY.replace("seed = 5", "seed = 77"));
    let others = run(&shell, "others.toml -o runs/others");
    assert!(number(&others, "/tasks/computed") > 0.0);
    assert_eq!(image_tasks("runs/others"), 0);
    let list = shell.read("runs/others/earlier.csv");
    assert!(list.contains("screen,statistics,"), "{list}");
    shell.ok("run others.toml -o runs/none --reuse none");
    assert_eq!(shell.read("runs/others/rows.csv"), shell.read("runs/none/rows.csv"));
}

/// The pixels of a grey image, row by row.
fn pixels(shell: &Shell, file: &str) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(shell.path(file)).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let bytes = reader.next_frame(&mut pixels).unwrap().buffer_size();
    pixels.truncate(bytes);
    pixels
}

#[test]
fn a_box_of_a_kept_mask_is_exported() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let pieces = stored(&shell, "--row 3");
    let of_mask = pieces.as_array().unwrap().iter().find(|piece| piece["what"] == "output").unwrap();
    let key = of_mask["key"].as_str().unwrap();
    let said = shell.ok(&format!("products export {} --store store -o mask.png", &key[..16]));
    assert!(said.stderr.contains("96 x 80 pixels written to mask.png; 1 of 1 pieces read"), "{said}");
    let json = shell
        .ok(&format!("products export {key} --box 10,20,30x40 --store store -o piece.png --json"))
        .json();
    assert_eq!((json["width"].as_u64(), json["height"].as_u64()), (Some(30), Some(40)), "{json}");
    let (whole, piece) = (pixels(&shell, "mask.png"), pixels(&shell, "piece.png"));
    let cut: Vec<u8> = (20..60).flat_map(|y| whole[96 * y + 10..96 * y + 40].to_vec()).collect();
    assert!(cut == piece && whole.contains(&255) && whole.contains(&0));
    let row = pieces[0]["key"].as_str().unwrap();
    for (words, problem) in [
        (format!("{key} --box 90,0,10x10"), "within 96 x 80"),
        (format!("{key} --box 1,2,3"), "X,Y,WIDTHxHEIGHT"),
        (row.to_owned(), "another kind of result"),
        ("0123456789abcdef".to_owned(), "no result has a key"),
    ] {
        let said = shell.run(&format!("products export {words} --store store -o wrong.png"));
        assert!(said.exit == 2 && said.stderr.contains(problem), "{words}: {said}");
    }
    shell.write("mine.png", "mine");
    let said = shell.run(&format!("products export {key} --store store -o mine.png"));
    assert!(said.exit == 2 && shell.read("mine.png") == "mine", "{said}");
}

#[test]
fn the_size_of_the_store_is_a_setting_of_runs_products_and_memo() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let limit = |said: &Said| number(said, "/bytes/limit");
    let stats = "products stats --store store --json";
    assert_eq!(limit(&shell.ok(&format!("{stats} --store-size '3 GiB'"))), (3u64 << 30) as f64);
    let environment = [("ONCEFLOW_STORE_SIZE", "2 GiB")];
    assert_eq!(limit(&shell.run_with(stats, "", &environment)), (2u64 << 30) as f64);
    shell.write("config/onceflow/profile.toml", "store_size = \"1 GiB\"\nstore = \"store\"\n");
    // The tester's variable names no store: the profile does.
    let of_profile = shell.run_with("products stats --json", "", &[("ONCEFLOW_STORE", "")]);
    assert_eq!((of_profile.exit, limit(&of_profile)), (0, (1u64 << 30) as f64), "{of_profile}");
    let shown = shell.run_with("config show", "", &[("ONCEFLOW_STORE", "")]).stdout;
    assert!(shown.contains("store_size") && shown.contains("1 GiB"), "{shown}");
    let wrong = shell.run_with(stats, "", &[("ONCEFLOW_STORE_SIZE", "much")]);
    assert!(wrong.exit == 2 && wrong.stderr.contains("ONCEFLOW_STORE_SIZE"), "{wrong}");
    // A run and a command keep to it.
    let full = shell.ok("run study.toml -o runs/second --store store --store-size '8 KiB' --audit 100%");
    assert!(format!("{full}").contains("The store of results was full"), "{full}");
    assert!(number(&shell.ok(stats), "/bytes/products") < 8192.0);
    let kept = "memo --store store --store-size 1000 -- printf '%0900d' 7";
    (0..2).for_each(|_| drop(shell.ok(kept)));
    assert!(number(&shell.ok(stats), "/bytes/products") <= 1000.0);
}
