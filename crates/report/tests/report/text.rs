//! The terminal and the objects for programs.

use insta::assert_snapshot;
use onceflow_report::{answer_text, best_json, indices_json, run_json};

use crate::made_up::two_phases;

#[test]
fn the_terminal_gives_the_answer_before_the_account() {
    assert_snapshot!(answer_text(&two_phases()));
}

#[test]
fn the_work_adds_up_as_it_is_printed() {
    // Long accounts go on in a second line.
    let text = answer_text(&two_phases()).replace("\n            + ", " + ");
    let mut accounts = 0;
    for line in text.lines().filter(|line| line.contains(" asked = ")) {
        let (asked, terms) = line.trim_start_matches("Work").trim().split_once(" asked = ").unwrap();
        let asked = asked.trim_start_matches("proposed row: ");
        let terms = terms.split(':').next().unwrap();
        let number = |text: &str| text.replace(',', "").parse::<f64>().unwrap();
        let asked = number(asked.split_whitespace().next().unwrap());
        let sum: f64 = terms.split(" + ").map(|term| number(term.rsplit(' ').next().unwrap())).sum();
        assert!((asked - sum).abs() < 1e-9, "{line}");
        accounts += 1;
    }
    assert_eq!(accounts, 3, "{text}");
}

#[test]
fn the_object_of_a_run_balances() {
    let json = run_json(&two_phases());
    let by: u64 = json["tasks"]["by"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
    let count = |key: &str| json["tasks"][key].as_u64().unwrap();
    assert_eq!(count("asked"), by + count("failed") + count("computed"));
    assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn the_best_row_comes_with_its_values_and_doubts() {
    assert_snapshot!(serde_json::to_string_pretty(&best_json(&two_phases())).unwrap());
}

#[test]
fn indices_stand_by_phase_and_image() {
    let answer = two_phases();
    let json = indices_json(&answer);
    let phases = json["phases"].as_array().unwrap();
    assert_eq!((json["version"].as_u64(), phases.len()), (Some(1), 2));
    assert!(phases[0]["kept"].is_null());
    assert_eq!(phases[1]["kept"]["phase"], "screen");
    assert_eq!(phases[1]["rows"].as_u64().unwrap() as usize, answer.phases[1].rows.len());
    let images = phases[1]["images"].as_array().unwrap();
    let outputs = |image: usize| images[image]["analyses"][0]["outputs"].as_array().unwrap().len();
    assert_eq!((images[0]["name"].as_str(), outputs(0), outputs(1)), (Some("breast-01"), 3, 2));
    let own = onceflow_sensitivity::analysis_to_json(&answer.phases[1].analyses[0]);
    assert_eq!(phases[1]["analyses"][0], own);
}
