//! Workflows that ran elsewhere, from WfCommons JSON (WfFormat 1.5).

use std::collections::BTreeMap;
use std::sync::Arc;

use onceflow_study::{Data, Diagnostics, LocatedNode, SourceText, TableReader, parse_json};

use super::workflow::MoldableTask;

/// How the durations of a trace, measured on one node, fall with more nodes: by Amdahl's law.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceScaling {
    /// The share of a task that more nodes do not shorten.
    pub serial: f64,
    /// The numbers of nodes that tasks may have.
    pub counts: Vec<u64>,
}

/// Reads the tasks of a trace with their dependencies and durations.
///
/// # Errors
/// When the text is no JSON, or no trace of this format.
pub fn read_wfcommons(
    source: &Arc<SourceText>,
    scaling: &TraceScaling,
) -> Result<Vec<MoldableTask>, Diagnostics> {
    let root = parse_json(source).map_err(|error| Diagnostics::from(*error))?;
    let mut messages = Diagnostics::default();
    let tasks = tasks_at(source, &root, scaling, &mut messages);
    match tasks {
        Some(tasks) if !messages.has_errors() => Ok(tasks),
        _ => Err(messages),
    }
}

fn tasks_at(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    scaling: &TraceScaling,
    messages: &mut Diagnostics,
) -> Option<Vec<MoldableTask>> {
    let workflow: &LocatedNode = TableReader::new(source, root, "trace", messages)?.required("workflow")?;
    let mut fields = TableReader::new(source, workflow, "workflow", messages)?;
    let (graph, ran) = (fields.required("specification")?, fields.required("execution")?);
    let runtimes = runtimes(source, ran, messages)?;
    let nodes: &[LocatedNode] =
        TableReader::new(source, graph, "specification", messages)?.required("tasks")?;
    nodes.iter().map(|node| task(source, node, &runtimes, scaling, messages)).collect()
}

fn runtimes(
    source: &Arc<SourceText>,
    ran: &LocatedNode,
    messages: &mut Diagnostics,
) -> Option<BTreeMap<String, f64>> {
    let nodes: &[LocatedNode] = TableReader::new(source, ran, "execution", messages)?.required("tasks")?;
    let one = |node: &LocatedNode, messages: &mut Diagnostics| {
        let mut fields = TableReader::new(source, node, "task", messages)?;
        let id: String = fields.required("id")?;
        let seconds: f64 = fields.required("runtimeInSeconds")?;
        if !(0.0..=MOST_SECONDS).contains(&seconds) {
            let expected = format!("seconds from 0 to {MOST_SECONDS}");
            fields.error("runtimeInSeconds", format!("the duration of `{id}`"), expected);
            return None;
        }
        Some((id, seconds))
    };
    nodes.iter().map(|node| one(node, messages)).collect()
}

/// The longest time of a task.
const MOST_SECONDS: f64 = 1e9;

fn task(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    runtimes: &BTreeMap<String, f64>,
    scaling: &TraceScaling,
    messages: &mut Diagnostics,
) -> Option<MoldableTask> {
    let mut fields = TableReader::new(source, node, "task", messages)?;
    let id: String = fields.required("id")?;
    let parents: &[LocatedNode] = fields.required("parents")?;
    let Some(seconds) = runtimes.get(&id) else {
        fields.error("id", format!("task `{id}` did not run"), "its `runtimeInSeconds` in `execution`");
        return None;
    };
    let text = |node: &LocatedNode| match &node.data {
        Data::Text(text) => Some(text.to_string()),
        _ => None,
    };
    let Some(after) = parents.iter().map(text).collect() else {
        fields.error("parents", format!("the parents of `{id}`"), "names of tasks in quotes");
        return None;
    };
    Some(MoldableTask { id, after, seconds: scaling.durations(*seconds) })
}

impl TraceScaling {
    /// Whole seconds by number of nodes, at least one.
    fn durations(&self, seconds: f64) -> Vec<(u64, u64)> {
        let serial = self.serial.clamp(0.0, 1.0);
        let on = |nodes: u64| (seconds * (serial + (1.0 - serial) / nodes as f64)).ceil().max(1.0);
        self.counts.iter().map(|nodes| (*nodes, on((*nodes).max(1)) as u64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRACE: &str = r#"{"name": "t", "workflow": {
        "specification": {"tasks": [{"id": "a", "parents": [], "children": ["b"]}, {"id": "b", "parents": ["a"]}], "files": []},
        "execution": {"tasks": [{"id": "b", "runtimeInSeconds": 90.5}, {"id": "a", "runtimeInSeconds": 0}]}}}"#;

    fn read(text: &str) -> Result<Vec<MoldableTask>, String> {
        let scaling = TraceScaling { serial: 0.1, counts: vec![1, 2, 10] };
        read_wfcommons(&SourceText::new("trace.json", text), &scaling).map_err(|error| error.to_string())
    }

    #[test]
    fn tasks_have_the_durations_of_their_runs() {
        let tasks = read(TRACE).unwrap();
        assert_eq!(
            (tasks[0].seconds.as_slice(), tasks[1].after.as_slice()),
            (&[(1, 1), (2, 1), (10, 1)][..], &["a".to_owned()][..])
        );
        assert_eq!(tasks[1].seconds, [(1, 91), (2, 50), (10, 18)]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = read(&TRACE.replace("\"id\": \"b\", \"run", "\"id\": \"x\", \"run")).unwrap_err();
        assert!(error.contains("task `b` did not run") && error.contains("trace.json:2"), "{error}");
        assert!(read("{}").unwrap_err().contains("workflow"));
        assert!(read(&TRACE.replace("90.5", "-1")).unwrap_err().contains("duration of `b`"));
    }

    proptest! {
        #[test]
        fn no_change_of_a_trace_does_harm(
            cuts in proptest::collection::vec((0usize..420, 0usize..12, r#"[0-9]{1,20}|-1|1e400|null|\[\]|\{\}|"a"|[,:\]}]|"#), 0..4),
            any in ".{0,80}",
        ) {
            let mut text: Vec<char> = TRACE.chars().collect();
            for (at, length, new) in cuts {
                let from = at.min(text.len());
                let to = (from + length).min(text.len());
                text.splice(from..to, new.chars());
            }
            for text in [text.into_iter().collect::<String>(), any] {
                if let Ok(tasks) = read(&text) {
                    prop_assert!(tasks.iter().all(|task| task.seconds.iter().all(|(_, seconds)| *seconds >= 1)));
                }
            }
        }
    }
}
