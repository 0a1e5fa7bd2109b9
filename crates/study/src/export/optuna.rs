//! The journal of Optuna's file storage: lines of JSON that its dashboard opens.

use serde_json::{Map, Value as Json, json};

use crate::import::OptunaTrial;
use crate::{Domain, Parameter, Space, Value};

/// Writers of a journal have names; one that reads it goes on in its own.
const WRITER: &str = "onceflow";

/// The operations of a journal and the states of trials, by Optuna's numbers.
const CREATE_STUDY: u8 = 0;
const CREATE_TRIAL: u8 = 4;
const COMPLETE: u8 = 1;
const FAIL: u8 = 3;
const MINIMIZE: u8 = 1;
const MAXIMIZE: u8 = 2;

/// The text of a journal with one study; `objectives` says of each whether more is better. Values of parameters that their
/// domain has not are left out of a trial, as are numbers that are not finite.
pub fn optuna_journal(space: &Space, study: &str, maximize: &[bool], trials: &[OptunaTrial]) -> String {
    let directions: Vec<u8> = maximize.iter().map(|more| if *more { MAXIMIZE } else { MINIMIZE }).collect();
    let head = json!({ "op_code": CREATE_STUDY, "worker_id": WRITER, "study_name": study, "directions": directions });
    let lines = trials.iter().enumerate().map(|(number, trial)| trial_line(space, number, trial));
    std::iter::once(head).chain(lines).map(|line| format!("{line}\n")).collect()
}

fn trial_line(space: &Space, number: usize, trial: &OptunaTrial) -> Json {
    let (mut distributions, mut params) = (Map::new(), Map::new());
    for (parameter, value) in space.parameters().iter().zip(&trial.values) {
        if let Some(stored) = internal(parameter, value) {
            distributions.insert(parameter.name.clone(), distribution(parameter).to_string().into());
            params.insert(parameter.name.clone(), stored);
        }
    }
    let values = trial.objectives.clone().filter(|values| values.iter().all(|value| value.is_finite()));
    let (one, several) = match values.as_deref() {
        Some([one]) => (json!(one), Json::Null),
        Some(several) => (Json::Null, json!(several)),
        None => (Json::Null, Json::Null),
    };
    let attributes: Map<String, Json> =
        trial.attributes.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "op_code": CREATE_TRIAL,
        "worker_id": WRITER,
        "study_id": 0,
        "datetime_start": moment(number),
        "datetime_complete": moment(number + 1),
        "state": if values.is_some() { COMPLETE } else { FAIL },
        "value": one,
        "values": several,
        "distributions": distributions,
        "params": params,
        "user_attrs": attributes,
        "system_attrs": {},
        "intermediate_values": {},
    })
}

/// Trials need times; what ran when is in the trace of a run, and the same search gives the same file.
fn moment(second: usize) -> String {
    let (days, second) = (second / 86_400, second % 86_400);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("2000-01-{:02}T{hour:02}:{minute:02}:{:02}.000000+00:00", 1 + days.min(30), second % 60)
}

/// The value as Optuna stores it: words and lists by their places.
fn internal(parameter: &Parameter, value: &Value) -> Option<Json> {
    match parameter.domain {
        Domain::Categories(_) | Domain::Values(_) => {
            parameter.domain.index_of(value).map(|place| json!(place as f64))
        }
        _ => value.as_f64().filter(|x| x.is_finite()).map(|x| json!(x)),
    }
}

fn distribution(parameter: &Parameter) -> Json {
    let float = |low: f64, high: f64, step: Option<f64>| json!({ "name": "FloatDistribution", "attributes": { "step": step, "low": low, "high": high, "log": false } });
    let choices =
        |choices: Json| json!({ "name": "CategoricalDistribution", "attributes": { "choices": choices } });
    let ends = parameter.domain.ends().unwrap_or_default();
    match &parameter.domain {
        Domain::Continuous { from, to } => float(*from, *to, None),
        Domain::Integers { from, to } => json!({
            "name": "IntDistribution", "attributes": { "log": false, "step": 1, "low": from, "high": to }
        }),
        Domain::Steps { step, .. } => float(ends.0, ends.1, Some(*step)),
        Domain::Values(values) => choices(json!(values)),
        Domain::Categories(words) => choices(json!(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let steps = Parameter::new("T1", Domain::Steps { from: 2.5, to: 7.5, step: 0.5 });
        let words = Parameter::new("kind", Domain::Categories(vec!["a".into(), "b".into()]));
        let list = Parameter::new("connectivity", Domain::Values(vec![4.0, 8.0]));
        let whole = Parameter::new("n", Domain::Integers { from: 1, to: 9 });
        Space::new(vec![steps, words, list, whole], Vec::new()).unwrap()
    }

    fn trial(objectives: Option<Vec<f64>>) -> OptunaTrial {
        let values = vec![Value::Real(3.0), Value::Text("b".into()), Value::Real(8.0), Value::Integer(4)];
        OptunaTrial { values, objectives, attributes: vec![("role".into(), "tune".into())] }
    }

    #[test]
    fn a_journal_has_a_study_and_its_trials() {
        let trials = [trial(Some(vec![0.5])), trial(None), trial(Some(vec![f64::NAN]))];
        let text = optuna_journal(&space(), "nuclei", &[true], &trials);
        let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[0]["directions"]), (4, &json!([2])));
        assert_eq!(lines[1]["params"], json!({ "T1": 3.0, "kind": 1.0, "connectivity": 1.0, "n": 4.0 }));
        let kind: Json = serde_json::from_str(lines[1]["distributions"]["kind"].as_str().unwrap()).unwrap();
        assert_eq!(kind["attributes"]["choices"], json!(["a", "b"]));
        let states: Vec<&Json> = lines[1..].iter().map(|line| &line["state"]).collect();
        assert_eq!(states, [&json!(1), &json!(3), &json!(3)]);
        assert_eq!((&lines[1]["value"], &lines[2]["value"]), (&json!(0.5), &Json::Null));
    }

    #[test]
    fn what_is_written_comes_back() {
        let trial = |t1: f64, word: &str, n: i64, objectives| OptunaTrial {
            values: vec![Value::Real(t1), Value::Text(word.into()), Value::Real(8.0), Value::Integer(n)],
            objectives,
            attributes: Vec::new(),
        };
        let trials = [
            trial(3.0, "b", 4, Some(vec![0.5])),
            trial(7.5, "a", 9, None),
            trial(2.5, "a", 1, Some(vec![1.0])),
        ];
        let read =
            crate::import::read_optuna_journal(&space(), &optuna_journal(&space(), "s", &[true], &trials))
                .unwrap();
        assert_eq!(
            read.trials.iter().map(|t| t.objectives.clone()).collect::<Vec<_>>(),
            [Some(vec![0.5]), Some(vec![1.0])]
        );
        let same = |a: &Value, b: &Value| a.as_f64() == b.as_f64() && a.to_string() == b.to_string();
        let pairs = read.trials[0].values.iter().zip(&trials[0].values);
        assert!(pairs.clone().all(|(a, b)| same(a, b)), "{:?}", read.trials[0]);
        assert_eq!(read.others, 0);
    }

    #[test]
    fn several_objectives_stand_in_a_list() {
        let text = optuna_journal(&space(), "nuclei", &[true, false], &[trial(Some(vec![0.5, 2.0]))]);
        assert!(text.contains("\"directions\":[2,1]") && text.contains("\"values\":[0.5,2.0]"), "{text}");
    }
}
