//! Workloads from JSON texts, with every mistake named where it stands.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_study::{Data, Diagnostic, Diagnostics, LocatedNode, SourceText, TableReader, parse_json};

use super::workload::{BatchJob, RunningLoad, Workload, WorkloadError};

/// Reads a workload: `nodes`, `jobs`, and perhaps `overhead`, `depth` and `load`.
///
/// # Errors
/// When the text is no JSON, or describes jobs that cannot be simulated.
pub fn read_workload(source: &Arc<SourceText>) -> Result<Workload, Diagnostics> {
    let root = parse_json(source).map_err(|error| Diagnostics::from(*error))?;
    let mut messages = Diagnostics::default();
    let workload = workload_at(source, &root, &mut messages);
    match workload {
        Some(workload) if !messages.has_errors() => Ok(workload),
        _ => Err(messages),
    }
}

/// A workload from a table; other keys are left alone.
fn workload_at(source: &Arc<SourceText>, root: &LocatedNode, messages: &mut Diagnostics) -> Option<Workload> {
    let mut fields = TableReader::new(source, root, "workload", messages)?;
    let jobs: &[LocatedNode] = fields.required("jobs")?;
    workload_of(source, root, jobs, messages)
}

/// The cluster and the load of a table, with jobs behind those of the load.
pub(crate) fn workload_of(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    jobs: &[LocatedNode],
    messages: &mut Diagnostics,
) -> Option<Workload> {
    let mut fields = TableReader::new(source, root, "workload", messages)?;
    let cluster = ClusterFields::read(&mut fields)?;
    let nodes: Vec<&LocatedNode> = cluster.queued.iter().chain(jobs).collect();
    let mut reading = JobsReader { source, places: HashMap::new() };
    let jobs: Vec<Option<BatchJob>> = nodes.iter().map(|node| reading.job(node, messages)).collect();
    let jobs: Vec<BatchJob> = jobs.into_iter().collect::<Option<_>>()?;
    let made = cluster.workload(jobs);
    made.map_err(|error| messages.push(complaint(source, root, &nodes, &error))).ok()
}

/// What a file says of the cluster.
#[derive(Debug)]
struct ClusterFields<'a> {
    nodes: u64,
    overhead: u64,
    depth: Option<usize>,
    running: Vec<RunningLoad>,
    queued: &'a [LocatedNode],
}

impl<'a> ClusterFields<'a> {
    fn read(fields: &mut TableReader<'a, '_>) -> Option<Self> {
        let nodes = fields.required("nodes")?;
        let overhead = optional_time(fields, "overhead")?;
        let depth: Option<u64> = if fields.has("depth") { Some(fields.required("depth")?) } else { None };
        let load: Option<&LocatedNode> = fields.optional("load");
        let (running, queued) = match load.map(LocatedNode::as_table) {
            Some(Some(table)) => (table.get("running"), table.get("queued")),
            Some(None) => {
                fields.error("load", "the load is no table", "a table with `running` and `queued`");
                return None;
            }
            None => (None, None),
        };
        let list =
            |fields: &mut TableReader<'a, '_>, node: Option<&'a LocatedNode>| match node.map(|n| &n.data) {
                None => Some(&[][..]),
                Some(Data::List(list)) => Some(list.as_slice()),
                Some(_) => {
                    fields.error("load", "`running` and `queued` are lists", "a list");
                    None
                }
            };
        let (running, queued) = (list(fields, running)?, list(fields, queued)?);
        let running: Option<Vec<RunningLoad>> =
            running.iter().map(|node| running_job(fields, node)).collect();
        let depth = depth.map(|depth| depth as usize);
        Some(Self { nodes, overhead: overhead.unwrap_or(0), depth, running: running?, queued })
    }

    /// The same cluster with jobs, the first of which are those of the load.
    fn workload(&self, jobs: Vec<BatchJob>) -> Result<Workload, WorkloadError> {
        let workload = Workload::new(self.nodes, jobs)?.with_overhead(self.overhead)?;
        Ok(workload.with_load(self.running.clone(), self.queued.len())?.with_depth(self.depth))
    }
}

/// A time that may be there; nothing at all when it cannot be read.
fn optional_time(fields: &mut TableReader<'_, '_>, key: &str) -> Option<Option<u64>> {
    if fields.has(key) { fields.required(key).map(Some) } else { Some(None) }
}

fn running_job<'a>(fields: &mut TableReader<'a, '_>, node: &'a LocatedNode) -> Option<RunningLoad> {
    let Some(table) = node.as_table() else {
        fields.error("load", "a running job is no table", "a table with `nodes` and `left`");
        return None;
    };
    let mut number = |key: &str| match table.get(key).map(|node| &node.data) {
        Some(Data::Integer(number)) if *number >= 0 => Some(Some(*number as u64)),
        None => Some(None),
        _ => {
            fields.error("load", format!("running jobs of the load: `{key}`"), "a whole number from 0 on");
            None
        }
    };
    let (nodes, left, limit_left) = (number("nodes")?, number("left")?, number("limit_left")?);
    let (Some(nodes), Some(left)) = (nodes, left) else {
        fields.error("load", "a running job of the load has no `nodes` or `left`", "both");
        return None;
    };
    Some(RunningLoad { nodes, left, limit_left: limit_left.unwrap_or(left) })
}

/// Reads jobs one after the other and knows the places of the earlier ones.
#[derive(Debug)]
struct JobsReader<'a> {
    source: &'a Arc<SourceText>,
    places: HashMap<String, usize>,
}

impl<'a> JobsReader<'a> {
    fn job(&mut self, node: &'a LocatedNode, messages: &mut Diagnostics) -> Option<BatchJob> {
        let source = self.source;
        let mut fields = TableReader::new(source, node, "job", messages)?;
        let id: String = fields.required("id")?;
        let mut number = |key: &str, required: bool| {
            if !required && !fields.has(key) {
                return Some(0);
            }
            let number: i64 = fields.required(key)?;
            let wrong = |_| fields.error(key, format!("job `{id}`: a negative `{key}`"), "0 or more");
            u64::try_from(number).map_err(wrong).ok()
        };
        let (nodes, run) = (number("nodes", true), number("run", true));
        let (limit, submit) = (number("limit", true), number("submit", false));
        let after: Option<&[LocatedNode]> = fields.optional("after");
        fields.finish();
        let after = after.unwrap_or_default();
        let after: Option<Vec<usize>> = after.iter().map(|node| self.place(&id, node, messages)).collect();
        let place = self.places.len();
        self.places.entry(id.clone()).or_insert(place);
        Some(BatchJob { id, nodes: nodes?, run: run?, limit: limit?, after: after?, submit: submit? })
    }

    fn place(&self, id: &str, node: &LocatedNode, messages: &mut Diagnostics) -> Option<usize> {
        let name: String = TableReader::read(self.source, "after", node, messages)?;
        let place = self.places.get(&name).copied();
        if place.is_none() {
            let error = WorkloadError::After { id: id.to_owned(), found: format!("`{name}`") };
            messages.push(Diagnostic::error(error.to_string()).at(self.source, node.span, ""));
        }
        place
    }
}

/// The error at the job that it names.
fn complaint(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    nodes: &[&LocatedNode],
    error: &WorkloadError,
) -> Diagnostic {
    let id = match error {
        WorkloadError::Width { id, .. } | WorkloadError::After { id, .. } => Some(id),
        WorkloadError::Twice(id) | WorkloadError::Times(id) => Some(id),
        _ => None,
    };
    let named = |node: &&&LocatedNode| {
        let found = node.as_table().and_then(|table| table.get("id"));
        found.is_some_and(|node| matches!((&node.data, id), (Data::Text(text), Some(id)) if text == id))
    };
    let load = root.as_table().and_then(|table| table.get("load"));
    let at =
        nodes.iter().rfind(named).copied().or(load).map_or(0..0, |node| node.span.start..node.span.start);
    Diagnostic::error(error.to_string()).at(source, at, "")
}
