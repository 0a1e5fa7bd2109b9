//! Journals of Optuna.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{Domain, Parameter, Space, read_optuna_journal};

fuzz_target!(|text: &str| {
    let steps = Parameter::new("T1", Domain::Steps { from: 2.5, to: 7.5, step: 0.5 });
    let words = Parameter::new("kind", Domain::Categories(vec!["a".into(), "b".into()]));
    let Ok(space) = Space::new(vec![steps, words], Vec::new()) else { return };
    if let Ok(found) = read_optuna_journal(&space, text) {
        assert!(found.trials.iter().all(|trial| trial.values.len() == 2 && trial.objectives.is_some()));
    }
});
