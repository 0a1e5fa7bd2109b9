//! Moldable workflows from JSON texts, with every mistake named where it stands.

use std::sync::Arc;

use onceflow_study::{Data, Diagnostic, Diagnostics, LocatedNode, SourceText, TableReader, parse_json};

use super::workflow::{Margin, MoldableTask, MoldableWorkflow, WorkflowError};
use crate::batch::{BatchPolicy, workload_of};

/// A task whose durations are not in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuestion {
    /// Its name.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// The size of its input.
    pub size: f64,
    /// The numbers of nodes that it may have; all that were measured, if none are given.
    pub counts: Vec<u64>,
}

/// Durations by number of nodes, or why there are none.
type Durations = Result<Vec<(u64, u64)>, String>;

/// Reads a workflow: a cluster (`nodes`, `overhead`, `depth`, `load`), `policy`, `margin` and `tasks`. Tasks with `type` and
/// `size` in place of `seconds` are asked for.
///
/// # Errors
/// When the text is no JSON, or describes a workflow that cannot be planned.
pub fn read_moldable(
    source: &Arc<SourceText>,
    ask: &mut dyn FnMut(&TaskQuestion) -> Durations,
) -> Result<MoldableWorkflow, Diagnostics> {
    let root = parse_json(source).map_err(|error| Diagnostics::from(*error))?;
    let mut messages = Diagnostics::default();
    let workflow = workflow_at(source, &root, ask, &mut messages);
    match workflow {
        Some(workflow) if !messages.has_errors() => Ok(workflow),
        _ => Err(messages),
    }
}

fn workflow_at(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    ask: &mut dyn FnMut(&TaskQuestion) -> Durations,
    messages: &mut Diagnostics,
) -> Option<MoldableWorkflow> {
    let cluster = workload_of(source, root, &[], messages)?;
    let mut fields = TableReader::new(source, root, "workflow", messages)?;
    let policy =
        if fields.has("policy") { fields.word("policy", &BatchPolicy::WORDS)? } else { BatchPolicy::Easy };
    let margin =
        |share: f64| Margin::new(share).ok_or_else(|| "a share from 0 to 1000, such as 0.1".to_owned());
    let margin = if fields.has("margin") { fields.parsed("margin", margin)? } else { Margin::TENTH };
    let nodes: &[LocatedNode] = fields.required("tasks")?;
    let tasks: Vec<Option<MoldableTask>> =
        nodes.iter().map(|node| task_at(source, node, ask, messages)).collect();
    let tasks: Vec<MoldableTask> = tasks.into_iter().collect::<Option<_>>()?;
    let made = MoldableWorkflow::new(tasks, cluster, policy, margin);
    made.map_err(|error| messages.push(complaint(source, nodes, &error))).ok()
}

fn task_at(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    ask: &mut dyn FnMut(&TaskQuestion) -> Durations,
    messages: &mut Diagnostics,
) -> Option<MoldableTask> {
    let mut fields = TableReader::new(source, node, "task", messages)?;
    let id: String = fields.required("id")?;
    let after: Option<&[LocatedNode]> = fields.optional("after");
    let table: Option<&LocatedNode> = fields.optional("seconds");
    let kind: Option<String> = fields.optional("type");
    let size: Option<f64> = fields.optional("size");
    let counts: Option<&[LocatedNode]> = fields.optional("counts");
    // For `read_commands`.
    let _command: Option<&LocatedNode> = fields.optional("command");
    if table.is_none() && (kind.is_none() || size.is_none()) {
        fields.error_with_hint(
            "seconds",
            &format!("task `{id}` has no durations"),
            "`seconds`, or `type` and `size`",
            "write \"seconds\": {\"1\": 400, \"2\": 210}, or name what the performance data knows",
        );
    }
    fields.finish();
    let mut name = |node: &LocatedNode| TableReader::read::<String>(source, "after", node, messages);
    let after: Option<Vec<String>> = after.unwrap_or_default().iter().map(&mut name).collect();
    let mut count = |node: &LocatedNode| TableReader::read::<u64>(source, "counts", node, messages);
    let counts: Option<Vec<u64>> = counts.unwrap_or_default().iter().map(&mut count).collect();
    let seconds = match (table, kind, size) {
        (Some(table), _, _) => durations(source, &id, table, messages)?,
        (None, Some(kind), Some(size)) => {
            let question = TaskQuestion { id: id.clone(), kind, size, counts: counts? };
            let unknown = |why| {
                messages.push(Diagnostic::error(format!("task `{id}`: {why}")).at(source, node.span, ""))
            };
            ask(&question).map_err(unknown).ok()?
        }
        _ => return None,
    };
    Some(MoldableTask { id, after: after?, seconds })
}

/// `{"1": 400, "2": 210}`.
fn durations(
    source: &Arc<SourceText>,
    id: &str,
    table: &LocatedNode,
    messages: &mut Diagnostics,
) -> Option<Vec<(u64, u64)>> {
    let Some(entries) = table.as_table() else {
        messages.push(wrong(
            source,
            &format!("task `{id}`: `seconds`"),
            table,
            "a table of durations by number of nodes",
        ));
        return None;
    };
    let mut point = |(key, node): (&String, &LocatedNode)| match (key.parse::<u64>(), &node.data) {
        (Ok(count), Data::Integer(seconds)) if count > 0 && *seconds >= 0 => Some((count, *seconds as u64)),
        _ => {
            let expected = "a number of nodes from 1 and a whole number of seconds from 0";
            messages.push(wrong(source, &format!("task `{id}`: duration on `{key}` nodes"), node, expected));
            None
        }
    };
    entries.entries.iter().map(|entry| point((&entry.key, &entry.value))).collect()
}

fn wrong(source: &Arc<SourceText>, what: &str, node: &LocatedNode, expected: &str) -> Diagnostic {
    Diagnostic::error(what).at(source, node.span, "").expected_found(expected, node.describe())
}

/// The error at the task that it names.
fn complaint(source: &Arc<SourceText>, nodes: &[LocatedNode], error: &WorkflowError) -> Diagnostic {
    let id = match error {
        WorkflowError::Unknown { id, .. } | WorkflowError::NoCount { id, .. } => Some(id),
        WorkflowError::Twice(id) => Some(id),
        WorkflowError::Cycle(_) | WorkflowError::Workload(_) => None,
    };
    let named = |node: &&LocatedNode| {
        let found = node.as_table().and_then(|table| table.get("id"));
        found.is_some_and(|node| matches!((&node.data, id), (Data::Text(text), Some(id)) if text == id))
    };
    let at = nodes.iter().rfind(named).or(nodes.first()).map_or(0, |node| node.span.start);
    Diagnostic::error(error.to_string()).at(source, at..at, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::moldable::PlanEvaluator;

    const WORKFLOW: &str = r#"{"nodes": 4, "policy": "easy", "margin": 0.1, "load": {"running": [{"nodes": 1, "left": 3}]},
        "tasks": [{"id": "a", "seconds": {"1": 20, "2": 11}}, {"id": "b", "after": ["a"], "type": "T", "size": 8, "counts": [1, 2]}]}"#;

    /// A workflow that is read can be planned.
    fn read(text: &str) -> bool {
        let mut ask = |question: &TaskQuestion| {
            if question.size > 0.0 { Ok(vec![(1, 9), (2, 5)]) } else { Err("no size".into()) }
        };
        let Ok(workflow) = read_moldable(&SourceText::new("flow.json", text), &mut ask) else { return false };
        let first = vec![0; workflow.tasks().len()];
        PlanEvaluator::new(&workflow).unwrap().value(&first).makespan >= u64::from(first.is_empty())
    }

    #[test]
    fn the_text_that_is_changed_below_is_a_workflow() {
        assert!(read(WORKFLOW));
    }

    proptest! {
        #[test]
        fn no_change_of_a_workflow_does_harm(
            cuts in proptest::collection::vec((0usize..300, 0usize..12, r#"[0-9]{1,20}|-1|1e9|null|\[\]|\{\}|"a"|"b"|[,:\]}]|"#), 0..4),
        ) {
            let mut text: Vec<char> = WORKFLOW.chars().collect();
            for (at, length, new) in cuts {
                let from = at.min(text.len());
                let to = (from + length).min(text.len());
                text.splice(from..to, new.chars());
            }
            read(&text.into_iter().collect::<String>());
        }
    }
}
