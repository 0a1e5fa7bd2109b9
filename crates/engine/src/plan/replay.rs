//! What a run of a study did, so that it can be done again in virtual time: which tasks ran, and how much of each was new.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

/// What one phase of a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// Tasks that ran, each for its first row at a site.
    ran: HashSet<(String, u64, u64)>,
    /// The share of the pixels of objects that were new to a task.
    new: BTreeMap<String, f64>,
}

impl Replay {
    /// Reads the trace of a run and its summary, of which one phase counts.
    ///
    /// # Errors
    /// What is not as a run writes it.
    pub fn read(trace: &Value, summary: &Value, phase: &str) -> Result<Self, String> {
        let events = trace["traceEvents"].as_array().ok_or("expected a list `traceEvents` in the trace")?;
        let of_phase = events.iter().filter(|event| event["ph"] == "X" && event["cat"] == phase);
        let place = |event: &Value| {
            let number = |key: &str| event["args"][key].as_u64();
            Some((event["name"].as_str()?.to_owned(), number("row")?, number("site")?))
        };
        let ran: Option<HashSet<_>> = of_phase.map(place).collect();
        let ran = ran.ok_or("expected `name`, `args.row` and `args.site` of every task in the trace")?;
        if ran.is_empty() {
            return Err(format!("expected tasks of the phase {phase} in the trace, found none"));
        }
        let new = |(task, counts): (&String, &Value)| {
            let pixels = |key: &str| counts[key].as_f64().filter(|pixels| *pixels > 0.0);
            let known = pixels("pixels_known").unwrap_or(0.0) / pixels("pixels_asked")?;
            Some((task.clone(), (1.0 - known).clamp(0.0, 1.0)))
        };
        let objects = summary["objects"].as_object();
        Ok(Self { ran, new: objects.into_iter().flatten().filter_map(new).collect() })
    }

    /// The share of a task's work that was done for the first row that asked for it, at a site.
    pub(crate) fn share(&self, task: &str, row: u64, site: u64) -> f64 {
        let new = self.new.get(task).copied().unwrap_or(1.0);
        if self.ran.contains(&(task.to_owned(), row, site)) { new } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(name: &str, phase: &str, row: u64) -> Value {
        json!({ "name": name, "cat": phase, "ph": "X", "args": { "row": row, "site": 0 } })
    }

    #[test]
    fn what_ran_costs_as_much_as_was_new_and_nothing_else_does() {
        let trace = json!({ "traceEvents": [event("t5", "a", 1), event("t6", "a", 1), event("t5", "b", 2)] });
        let summary = json!({ "objects": { "t6": { "pixels_asked": 8, "pixels_known": 6 } } });
        let replay = Replay::read(&trace, &summary, "a").unwrap();
        let shares =
            [("t5", 1), ("t6", 1), ("t5", 2), ("t6", 2)].map(|(task, row)| replay.share(task, row, 0));
        assert_eq!(shares, [1.0, 0.25, 0.0, 0.0]);
        assert_eq!(replay.share("t5", 1, 1), 0.0);
    }

    #[test]
    fn what_no_run_writes_is_refused() {
        for trace in
            [json!({}), json!({ "traceEvents": [] }), json!({ "traceEvents": [{ "ph": "X", "cat": "a" }] })]
        {
            assert!(Replay::read(&trace, &json!({}), "a").is_err());
        }
    }
}
