//! `onceflow analyze`: round trips with a model of one's own, failures, and everything that does not fit together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod model;
mod shell;

use model::{ISHIGAMI, answer, ishigami};
use shell::{Said, Shell};

/// A folder with a problem, a sample and its results.
fn answered(options: &str) -> Shell {
    let shell = Shell::new();
    shell.write("p.txt", ISHIGAMI);
    shell.ok(&format!("sample --problem p.txt --seed 7 {options} -o X.csv"));
    shell.write("Y.csv", answer(&shell.read("X.csv"), "y", ishigami));
    shell
}

fn analyze(shell: &Shell, options: &str) -> Said {
    shell.run(&format!("analyze --problem p.txt -X X.csv -Y Y.csv {options}"))
}

const DESIGNS: [(&str, &str); 6] = [
    ("vbd", "--method saltelli --n 128"),
    ("morris", "--method morris --n 10"),
    ("correlation", "--method lhs --n 200"),
    ("rbd-fast", "--method mc --n 300"),
    ("delta", "--method sobol --n 256"),
    ("pawn", "--method halton --n 256"),
];

#[test]
fn every_method_in_words() {
    for (method, design) in DESIGNS {
        let shell = answered(design);
        insta::assert_snapshot!(
            format!("text-{method}"),
            analyze(&shell, &format!("--method {method} --resamples 50"))
        );
    }
}

#[test]
fn every_method_in_json_with_the_fixed_keys() {
    for (method, design) in DESIGNS {
        let keys: &[&str] = match method {
            "vbd" => &["name", "s1", "s1_low", "s1_high", "st", "st_low", "st_high"],
            "morris" => &["name", "mu", "mu_star", "sigma", "mu_star_low", "mu_star_high"],
            "correlation" => &["name", "pearson", "spearman", "pcc", "prcc", "src", "srrc"],
            "rbd-fast" => &["name", "s1"],
            "delta" => &["name", "delta", "s1"],
            _ => &["name", "median"],
        };
        let shell = answered(design);
        let json = analyze(&shell, &format!("--method {method} --resamples 50 --json")).json();
        assert_eq!((json["version"].as_u64(), json["method"].as_str()), (Some(1), Some(method)));
        assert_eq!(json["outputs"][0]["name"], "y");
        let parameters = json["outputs"][0]["parameters"].as_array().unwrap();
        assert_eq!(
            parameters.iter().map(|p| p["name"].as_str().unwrap()).collect::<Vec<_>>(),
            ["x1", "x2", "x3"]
        );
        for (parameter, key) in parameters.iter().flat_map(|p| keys.iter().map(move |k| (p, k))) {
            assert!(!parameter[key].is_null(), "{method}: {key}");
        }
    }
}

#[test]
fn indices_are_near_the_exact_ones() {
    let shell = answered("--method saltelli --n 4096 --second-order");
    let json = analyze(&shell, "--method vbd --second-order --json").json();
    let exact = [(0.3139, 0.5576), (0.4424, 0.4424), (0.0, 0.2437)];
    for (parameter, (s1, st)) in json["outputs"][0]["parameters"].as_array().unwrap().iter().zip(exact) {
        let near = |key: &str, exact: f64| {
            assert!((parameter[key].as_f64().unwrap() - exact).abs() < 0.02, "{parameter}")
        };
        near("s1", s1);
        near("st", st);
    }
}

#[test]
fn the_order_of_results_does_not_matter() {
    let shell = answered("--method saltelli --n 64");
    let straight = analyze(&shell, "--method vbd --json");
    let results = shell.read("Y.csv");
    let (header, rows) = results.split_once('\n').unwrap();
    let reversed: Vec<&str> = rows.lines().rev().collect();
    shell.write("Y.csv", format!("{header}\n{}\n", reversed.join("\n")));
    assert_eq!(analyze(&shell, "--method vbd --json").stdout, straight.stdout);
}

#[test]
fn failed_and_missing_rows_are_told_and_survived() {
    let shell = answered("--method saltelli --n 64");
    let results = shell.read("Y.csv");
    let broken: Vec<String> = results
        .lines()
        .enumerate()
        .filter(|(i, _)| *i != 20)
        .map(|(i, line)| if i == 5 || i == 77 { format!("{},nan", i - 1) } else { line.to_owned() })
        .collect();
    shell.write("Y.csv", broken.join("\n"));
    insta::assert_snapshot!("failures-drop", analyze(&shell, "--method vbd"));
    insta::assert_snapshot!("failures-stop", analyze(&shell, "--method vbd --failures stop"));
    let widths = |policy: &str| {
        let json = analyze(&shell, &format!("--method vbd --failures {policy} --json")).json();
        let parameters = json["outputs"][0]["parameters"].as_array().unwrap().clone();
        let width = |p: &serde_json::Value| p["s1_high"].as_f64().unwrap() - p["s1_low"].as_f64().unwrap();
        parameters.iter().map(width).collect::<Vec<_>>()
    };
    let (drop, bounds) = (widths("drop"), widths("bounds"));
    assert!(drop.iter().zip(&bounds).all(|(d, b)| b >= d), "{drop:?} {bounds:?}");
    assert_eq!(analyze(&shell, "--method vbd --failures stop").exit, 1);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let with = |design: &str, change: &dyn Fn(&Shell), words: &str| {
        let shell = answered(design);
        change(&shell);
        analyze(&shell, words)
    };
    let saltelli = "--method saltelli --n 8";
    let replace = |file: &'static str, from: &'static str, to: &'static str| {
        move |shell: &Shell| {
            let text = shell.read(file);
            assert!(text.contains(from), "{text}");
            shell.write(file, text.replacen(from, to, 1));
        }
    };
    let nothing = |_: &Shell| {};
    let drop_row = |shell: &Shell| {
        let text = shell.read("X.csv");
        let kept: Vec<&str> = text.lines().enumerate().filter(|(i, _)| *i != 3).map(|(_, l)| l).collect();
        shell.write("X.csv", kept.join("\n"));
    };
    let extra_row = |shell: &Shell| {
        shell.write("Y.csv", shell.read("Y.csv") + "99,1.5\n");
    };
    let twice = |shell: &Shell| {
        shell.write("Y.csv", shell.read("Y.csv") + "1,1.5\n");
    };
    let other = |shell: &Shell| {
        shell.write("p.txt", "x1 -4 4\nx2 -4 4\nother 0 1\n");
    };
    let all_failed = |shell: &Shell| {
        shell.write("Y.csv", answer(&shell.read("X.csv"), "y", |_| f64::NAN));
    };
    for (name, said) in [
        ("vbd-of-morris", with("--method morris --n 4", &nothing, "--method vbd")),
        ("morris-of-vbd", with(saltelli, &nothing, "--method morris")),
        ("vbd-of-points", with("--method lhs --n 40", &nothing, "--method vbd")),
        ("no-second-order", with(saltelli, &nothing, "--method vbd --second-order")),
        ("mixed-up-role", with(saltelli, &replace("X.csv", "AB:x1", "AB:x2"), "--method vbd")),
        ("row-left-out-of-x", with(saltelli, &drop_row, "--method vbd")),
        ("row-unknown", with(saltelli, &extra_row, "--method vbd")),
        ("row-twice", with(saltelli, &twice, "--method vbd")),
        ("word-for-a-number", with(saltelli, &replace("Y.csv", "\n3,", "\n3,abc"), "--method vbd")),
        ("another-problem", with(saltelli, &other, "--method vbd")),
        ("no-such-output", with(saltelli, &nothing, "--method vbd --output Y")),
        ("all-failed", with(saltelli, &all_failed, "--method vbd")),
        ("confidence", with(saltelli, &nothing, "--method vbd --confidence 95")),
        ("no-method", with(saltelli, &nothing, "")),
        (
            "missing-x",
            with(saltelli, &|s: &Shell| std::fs::remove_file(s.path("X.csv")).unwrap(), "--method vbd"),
        ),
    ] {
        assert_eq!(said.exit, 2, "{name}\n{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn salib_texts_are_analysed_by_their_order() {
    let shell = Shell::new();
    shell.write("p.txt", ISHIGAMI);
    let words = "sample --problem p.txt --method saltelli --n 64 --seed 7 --second-order";
    shell.ok(&format!("{words} --format salib -o X.txt"));
    shell.ok(&format!("{words} -o X.csv"));
    let answers = answer(&shell.read("X.csv"), "Y", ishigami);
    let column: String =
        answers.lines().skip(1).map(|l| format!("{}\n", l.split(',').nth(1).unwrap())).collect();
    shell.write("Y.csv", answers.clone()).write("Y.txt", column);
    let analyze = |words: &str| shell.ok(&format!("analyze --problem p.txt --method vbd --json {words}"));
    let points = |said: &Said| {
        let parameters = said.json()["outputs"][0]["parameters"].as_array().unwrap().clone();
        parameters.iter().map(|p| (p["s1"].as_f64().unwrap(), p["st"].as_f64().unwrap())).collect::<Vec<_>>()
    };
    // Without the design beside it a matrix has no replicates, so only the points can agree.
    std::fs::rename(shell.path("X.txt.design.json"), shell.path("design.json")).unwrap();
    let plain = points(&analyze("-X X.csv -Y Y.csv --second-order --estimator saltelli"));
    assert_eq!(points(&analyze("-X X.txt -Y Y.txt --second-order")), plain);
    assert_eq!(points(&analyze("-X X.txt -Y Y.txt")), plain, "second order is found out");
    assert_ne!(
        points(&analyze("-X X.csv -Y Y.csv")),
        plain,
        "rows with replicates have a control by default"
    );
    let assumed = analyze("-Y Y.txt --second-order");
    assert_eq!(points(&assumed), plain);
    insta::assert_snapshot!("assumed", assumed.stderr);
    std::fs::rename(shell.path("design.json"), shell.path("X.txt.design.json")).unwrap();
    let whole = |words: &str| analyze(&format!("{words} -Y Y.csv --second-order")).stdout;
    assert_eq!(
        whole("-X X.txt"),
        whole("-X X.csv --estimator saltelli"),
        "the design beside a matrix brings its roles and replicates back"
    );
    assert_eq!(whole("-X X.txt --estimator controlled"), whole("-X X.csv"));
    let keys = shell.ok("analyze --problem p.txt --method vbd -X X.csv -Y Y.csv --format salib").json();
    for key in ["S1", "S1_conf", "ST", "ST_conf"] {
        assert_eq!(keys[key].as_array().unwrap().len(), 3, "{key}");
    }
    let csv = shell.ok("analyze --problem p.txt --method vbd -X X.csv -Y Y.csv --format csv");
    assert_eq!(csv.stdout.lines().count(), 4);
}

#[test]
fn several_outputs_and_a_chosen_one() {
    let shell = answered("--method morris --n 4");
    let two: String = shell
        .read("Y.csv")
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 0 { "row,y,z\n".into() } else { format!("{line},{}\n", i % 3) })
        .collect();
    shell.write("Y.csv", two);
    let names = |words: &str| {
        let json = analyze(&shell, &format!("--method morris --json {words}")).json();
        json["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| o["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["y", "z"]);
    assert_eq!(names("--output z"), ["z"]);
}

#[test]
fn the_result_may_go_to_a_file_and_the_sample_may_hold_the_results() {
    let shell = answered("--method mc --n 50");
    let said = analyze(&shell, "--method correlation -o out/");
    assert_eq!(said.exit, 3, "{said}");
    assert_eq!(analyze(&shell, "--method correlation -o Y.csv").exit, 2, "an input is never replaced");
    let printed = analyze(&shell, "--method correlation --json");
    let written = analyze(&shell, "--method correlation --json -o indices.json");
    assert_eq!((shell.read("indices.json"), written.stdout.as_str()), (printed.stdout.clone(), ""));
    let results = shell.read("Y.csv");
    let both: String = shell
        .read("X.csv")
        .lines()
        .zip(results.lines())
        .map(|(x, y)| format!("{x},{}\n", y.split(',').nth(1).unwrap()))
        .collect();
    shell.write("both.csv", both);
    let together = shell.ok("analyze --problem p.txt --method correlation -X both.csv -Y both.csv --json");
    assert_eq!(together.stdout, printed.stdout);
}

#[test]
fn equal_commands_give_equal_bytes_on_any_number_of_threads() {
    let shell = answered("--method saltelli --n 256 --replicates 1");
    let words = "analyze --problem p.txt --method vbd -X X.csv -Y Y.csv --json";
    let with = |threads: &str| shell.run_with(words, "", &[("RAYON_NUM_THREADS", threads)]).stdout;
    assert_eq!(with("1"), with("3"));
}

#[test]
fn plots_are_written_into_a_folder() {
    for (method, design, kinds) in [
        ("vbd", "--method saltelli --n 64 --second-order", ["bars", "convergence", "heat-map"].as_slice()),
        ("morris", "--method morris --n 8", &["bars", "convergence", "scatter"]),
        ("correlation", "--method mc --n 50", &["bars"]),
    ] {
        let shell = answered(design);
        let second_order = if method == "vbd" { "--second-order" } else { "" };
        let words = format!("--method {method} {second_order} --resamples 20 --plots plots/new --json");
        let said = analyze(&shell, &words);
        assert_eq!((said.exit, said.json()["version"].as_u64()), (0, Some(1)), "{said}");
        for kind in kinds {
            let svg = shell.read(&format!("plots/new/y-{method}-{kind}.svg"));
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{method} {kind}");
        }
    }
}

#[test]
fn the_name_of_an_output_never_leads_out_of_the_folder() {
    let shell = answered("--method morris --n 4");
    shell.write("Y.csv", shell.read("Y.csv").replacen("row,y", "row,../../y", 1));
    assert_eq!(analyze(&shell, "--method morris --plots plots").exit, 0);
    assert!(shell.exists("plots/______y-morris-bars.svg"));
}
