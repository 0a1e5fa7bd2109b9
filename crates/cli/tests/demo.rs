//! `onceflow demo`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

#[test]
fn the_answer_with_the_exact_values_beside() {
    insta::assert_snapshot!(Shell::new().run("demo"));
}

#[test]
fn every_function_is_answered_and_its_exact_totals_lie_near() {
    for function in ["ishigami", "sobol-g", "morris-20", "rough-discrete"] {
        let json = Shell::new().ok(&format!("demo --function {function} --json")).json();
        assert_eq!(json["version"], 1);
        let found = json["phases"][1]["outputs"][0]["parameters"].as_array().unwrap();
        let exact = json["exact"].as_array().unwrap();
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(exact) {
            assert_eq!(found["name"], exact["name"]);
            let (found, exact) = (found["st"].as_f64().unwrap(), exact["st"].as_f64().unwrap());
            assert!((found - exact).abs() < 0.05, "{function}: {found} for {exact}");
        }
    }
}

#[test]
fn the_seed_may_come_from_the_environment_and_the_command_line_wins() {
    let shell = Shell::new();
    let seed = |words: &str| shell.run_with(words, "", &[("ONCEFLOW_SEED", "5")]).json()["seed"].as_u64();
    assert_eq!(seed("demo --json"), Some(5));
    assert_eq!(seed("demo --json --seed 6"), Some(6));
}
