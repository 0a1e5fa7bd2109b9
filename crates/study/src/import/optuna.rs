//! Trials of Optuna, from the journal of its file storage.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::{Diagnostic, Domain, Parameter, Space, Value};

/// A row of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct OptunaTrial {
    /// One value per parameter of the space.
    pub values: Vec<Value>,
    /// One value per objective; `None` when it failed.
    pub objectives: Option<Vec<f64>>,
    /// What its row is, and its number: shown as attributes.
    pub attributes: Vec<(String, String)>,
}

/// A trial while its lines are read.
#[derive(Default)]
struct ReadTrial {
    study: u64,
    state: u64,
    params: BTreeMap<String, Value>,
    objectives: Option<Vec<f64>>,
}

/// What a journal has for a space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptunaTrials {
    /// Trials that are complete and have a value of each parameter.
    pub trials: Vec<OptunaTrial>,
    /// Complete trials that lack a parameter, or have a value that none of ours is equal to.
    pub others: usize,
}

/// The complete trials of the first study in a journal.
///
/// # Errors
/// When a line is not of a journal.
pub fn read_optuna_journal(space: &Space, text: &str) -> Result<OptunaTrials, Box<Diagnostic>> {
    let mut trials: Vec<ReadTrial> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let json: Json = serde_json::from_str(line).map_err(|_| not_a_journal(number, line))?;
        let operation =
            json.get("op_code").and_then(Json::as_u64).ok_or_else(|| not_a_journal(number, line))?;
        apply(&mut trials, operation, &json);
    }
    let mut found = OptunaTrials::default();
    let first = trials.first().map_or(0, |trial| trial.study);
    for trial in trials.into_iter().filter(|trial| trial.state == COMPLETE && trial.study == first) {
        let values: Option<Vec<Value>> =
            space.parameters().iter().map(|own| own_value(own, &trial)).collect();
        match (values, trial.objectives) {
            (Some(values), Some(objectives)) => {
                found.trials.push(OptunaTrial {
                    values,
                    objectives: Some(objectives),
                    attributes: Vec::new(),
                });
            }
            _ => found.others += 1,
        }
    }
    Ok(found)
}

/// Optuna's number of a trial that is complete.
const COMPLETE: u64 = 1;

/// Operations of a journal that say something of trials: 4 creates one, 5 sets a parameter, 6 the state and the values.
fn apply(trials: &mut Vec<ReadTrial>, operation: u64, json: &Json) {
    let number = |key: &str| json.get(key).and_then(Json::as_u64);
    if operation == 4 {
        let mut trial = ReadTrial { study: number("study_id").unwrap_or(0), ..ReadTrial::default() };
        trial.state = number("state").unwrap_or(0);
        trial.objectives = objectives(json);
        let none = Map::new();
        let table = |key: &str| json.get(key).and_then(Json::as_object).unwrap_or(&none);
        for (name, stored) in table("params") {
            let distribution = table("distributions").get(name).and_then(Json::as_str).unwrap_or_default();
            trial.params.extend(external(distribution, stored).map(|value| (name.clone(), value)));
        }
        trials.push(trial);
        return;
    }
    let place = number("trial_id").and_then(|id| usize::try_from(id).ok());
    let Some(trial) = place.and_then(|place| trials.get_mut(place)) else { return };
    match operation {
        5 => {
            let text = |key: &str| json.get(key).and_then(Json::as_str).unwrap_or_default();
            let value = json.get("param_value_internal").and_then(|v| external(text("distribution"), v));
            trial.params.extend(value.map(|value| (text("param_name").to_owned(), value)));
        }
        6 => {
            trial.state = number("state").unwrap_or(0);
            trial.objectives = objectives(json).or(trial.objectives.take());
        }
        _ => {}
    }
}

fn objectives(json: &Json) -> Option<Vec<f64>> {
    let several = json.get("values").and_then(Json::as_array);
    several
        .map(|values| values.iter().map(Json::as_f64).collect())
        .unwrap_or_else(|| json.get("value").and_then(Json::as_f64).map(|value| vec![value]))
}

/// A stored value as the user wrote it: of a category its choice.
fn external(distribution: &str, stored: &Json) -> Option<Value> {
    let x = stored.as_f64()?;
    let distribution: Json = serde_json::from_str(distribution).ok()?;
    let Some(choices) = distribution.get("attributes")?.get("choices") else { return Some(Value::Real(x)) };
    let choice = choices.as_array()?.get(x as usize)?;
    choice.as_str().map(|word| Value::Text(word.into())).or_else(|| choice.as_f64().map(Value::Real))
}

/// The value of a parameter in a trial, in the kind of the parameter; `None` when its domain has not got it.
fn own_value(parameter: &Parameter, trial: &ReadTrial) -> Option<Value> {
    let value = parameter.kind.tidy(trial.params.get(&parameter.name)?);
    let fits = match &parameter.domain {
        Domain::Continuous { from, to } => value.as_f64().is_some_and(|x| (*from..=*to).contains(&x)),
        domain => domain.index_of(&value).is_some(),
    };
    fits.then_some(value)
}

fn not_a_journal(line: usize, text: &str) -> Box<Diagnostic> {
    let shown: String = text.chars().take(60).collect();
    let error = Diagnostic::error(format!("line {} is not of a journal of Optuna", line + 1));
    let error = error.expected_found("an object of JSON with \"op_code\"", format!("`{shown}`"));
    let hint = "give the file of optuna.storages.journal.JournalFileBackend; copy other storages with optuna.copy_study";
    Box::new(error.with_hint(hint))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn space() -> Space {
        let steps = Parameter::new("T1", Domain::Steps { from: 2.5, to: 7.5, step: 0.5 });
        let words = Parameter::new("kind", Domain::Categories(vec!["a".into(), "b".into()]));
        let whole = Parameter::new("n", Domain::Integers { from: 1, to: 9 });
        Space::new(vec![steps, words, whole], Vec::new()).unwrap()
    }

    /// The lines that Optuna itself writes, trial by trial.
    #[test]
    fn lines_of_optuna_are_read() {
        let float = r#"{\"name\": \"FloatDistribution\", \"attributes\": {\"step\": 0.5, \"low\": 2.5, \"high\": 7.5, \"log\": false}}"#;
        let int = r#"{\"name\": \"IntDistribution\", \"attributes\": {\"log\": false, \"step\": 1, \"low\": 1, \"high\": 9}}"#;
        let words =
            r#"{\"name\": \"CategoricalDistribution\", \"attributes\": {\"choices\": [\"b\", \"a\"]}}"#;
        let param = |trial: u32, name: &str, value: f64, distribution: &str| {
            format!(
                "{{\"op_code\": 5, \"worker_id\": \"w\", \"trial_id\": {trial}, \"param_name\": \"{name}\", \
                 \"param_value_internal\": {value}, \"distribution\": \"{distribution}\"}}\n"
            )
        };
        let mut text =
            "{\"op_code\": 0, \"worker_id\": \"w\", \"study_name\": \"s\", \"directions\": [2]}\n".to_owned();
        for trial in 0..2 {
            text.push_str("{\"op_code\": 4, \"worker_id\": \"w\", \"study_id\": 0, \"datetime_start\": \"2026-01-01T00:00:00\"}\n");
            text.push_str(&param(trial, "T1", 3.5, float));
            text.push_str(&param(trial, "kind", 0.0, words));
            let n = [4.0, 12.0][trial as usize];
            text.push_str(&param(trial, "n", n, int));
            text.push_str(&format!("{{\"op_code\": 6, \"worker_id\": \"w\", \"trial_id\": {trial}, \"state\": 1, \"values\": [0.25]}}\n"));
        }
        let read = read_optuna_journal(&space(), &text).unwrap();
        assert_eq!((read.trials.len(), read.others), (1, 1), "12 is no value of n");
        let values: Vec<String> = read.trials[0].values.iter().map(ToString::to_string).collect();
        assert_eq!(
            (values, &read.trials[0].objectives),
            (vec!["3.5".into(), "b".into(), "4".into()], &Some(vec![0.25]))
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["x", "{}", "[1]", "{\"op_code\": \"a\"}"] {
            assert!(read_optuna_journal(&space(), text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".*", code in 0..12_u8, id in any::<i64>()) {
            let _ = read_optuna_journal(&space(), &text);
            let _ = read_optuna_journal(&space(), &format!("{{\"op_code\":4}}\n{{\"op_code\":{code},\"trial_id\":{id}}}"));
        }
    }
}
