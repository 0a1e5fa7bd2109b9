//! Pictures of a plan: the workflow, what is left of it when equal work is done once, or the reuse tree of a bucket.

use onceflow_report::{BoxKind, Graph};
use onceflow_reuse::{Flow, FlowInput, MergedStage, Plan};
use onceflow_study::{Diagnostic, counted, with_commas};

use super::{Merge, PhasePlan};
use crate::{EngineError, Level, OpenStudy};

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphOf {
    /// The tasks and the regions between them.
    Workflow,
    /// The tasks with how many of each are left; small plans node by node.
    Compact,
    /// The reuse tree of a bucket: of the stage with that name, or of the one with most buckets.
    Bucket(usize, Option<String>),
}

/// In which language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphForm {
    /// For Graphviz.
    Dot,
    /// A picture.
    Svg,
}

/// More boxes than this are drawn together.
const MOST_BOXES: usize = 150;

impl OpenStudy {
    /// A picture of the plan of the phase at a place.
    ///
    /// # Errors
    /// When it cannot be planned, or there is no such bucket.
    pub fn graph(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        of: &GraphOf,
        form: GraphForm,
    ) -> Result<String, EngineError> {
        let drawing = match of {
            GraphOf::Workflow => workflow(&self.workflow.name, &self.flow),
            GraphOf::Compact => compact(&self.grouped_plan(place, level, merge)?),
            GraphOf::Bucket(number, stage) => {
                let planned = self.grouped_plan(place, level, merge)?;
                bucket(&planned, stage_in_buckets(&planned, stage.as_deref())?, *number)?
            }
        };
        Ok(match form {
            GraphForm::Dot => drawing.dot(),
            GraphForm::Svg => drawing.svg(),
        })
    }
}

fn workflow(name: &str, flow: &Flow) -> Graph {
    let mut drawing = Graph { title: name.to_owned(), ..Graph::default() };
    let sources: Vec<usize> =
        flow.sources.iter().map(|source| drawing.add(BoxKind::Source, vec![source.clone()])).collect();
    let mut tasks = Vec::new();
    for task in &flow.tasks {
        let reads: Vec<&str> = task.parameters().collect();
        let mut lines = vec![task.name.clone(), flow.stages[task.stage].name.clone()];
        lines.extend((!reads.is_empty()).then(|| reads.join(", ")));
        tasks.push(drawing.add(BoxKind::Task, lines));
    }
    for (at, task) in flow.tasks.iter().enumerate() {
        for input in &task.inputs {
            match *input {
                FlowInput::Source(source) => drawing.arrow(sources[source], tasks[at], ""),
                FlowInput::Task { task, output } => {
                    drawing.arrow(tasks[task], tasks[at], flow.tasks[task].outputs[output].name.clone());
                }
                FlowInput::Reference { task, output } => {
                    let name = format!("{} of the reference row", flow.tasks[task].outputs[output].name);
                    drawing.arrow(tasks[task], tasks[at], name);
                }
            }
        }
    }
    drawing
}

fn compact(planned: &PhasePlan) -> Graph {
    if planned.plan.planned() <= MOST_BOXES { nodes(planned) } else { counts(&planned.plan) }
}

/// Every node by itself.
fn nodes(planned: &PhasePlan) -> Graph {
    let plan = &planned.plan;
    let mut drawing = Graph { title: title(plan), ..Graph::default() };
    for id in (0..plan.planned() as u32).map(onceflow_reuse::NodeId) {
        let why = plan.why(plan.first_row(id) as usize, plan.task_of(id));
        let mut lines = vec![plan.flow().tasks[why.task].name.clone()];
        lines.extend(why.reads.iter().map(|(name, value)| format!("{name} = {value}")));
        lines.push(rows_text(&planned.numbers.all(&why.rows)));
        drawing.add(BoxKind::Task, lines);
    }
    for id in 0..plan.planned() as u32 {
        for input in plan.inputs_of(onceflow_reuse::NodeId(id)) {
            if let onceflow_reuse::NodeInput::Node { node, .. } = input {
                drawing.arrow(node.0 as usize, id as usize, "");
            }
        }
    }
    drawing
}

/// One box for each task, with how many of it are left.
fn counts(plan: &Plan) -> Graph {
    let (flow, account) = (plan.flow(), plan.account());
    let mut drawing = Graph { title: title(plan), ..Graph::default() };
    for (task, entry) in flow.tasks.iter().zip(&account.tasks) {
        let left = format!("{} of {}", with_commas(entry.planned.into()), with_commas(entry.asked.into()));
        drawing.add(BoxKind::Task, vec![task.name.clone(), left]);
    }
    for (at, task) in flow.tasks.iter().enumerate() {
        task.inputs.iter().filter_map(|input| input.maker()).for_each(|maker| drawing.arrow(maker, at, ""));
    }
    drawing
}

fn title(plan: &Plan) -> String {
    let tasks = plan.rows() * plan.flow().tasks.len();
    let (left, asked) = (with_commas(plan.planned() as u128), with_commas(tasks as u128));
    format!("{}, {}: {left} of {asked} tasks", counted(plan.rows(), "row"), plan.level())
}

/// The reuse tree of a bucket: what its rows share stands above them once.
fn bucket(planned: &PhasePlan, merged: &MergedStage, number: usize) -> Result<Graph, EngineError> {
    let plan = &planned.plan;
    if number >= merged.buckets.len() {
        return Err(no_such_bucket(number, merged.buckets.len()));
    }
    let rows: Vec<usize> = merged.rows().swap_remove(number).into_iter().map(|row| row as usize).collect();
    let chain = &plan.flow().stages[merged.instances.stage].tasks;
    let name = &plan.flow().stages[merged.instances.stage].name;
    let title = format!("{name}, {}: bucket {number}, {}", merged.how, counted(rows.len(), "row"));
    let mut drawing = Graph { title, ..Graph::default() };
    let total: usize = chain.iter().map(|task| distinct(plan, &rows, *task)).sum();
    if total + rows.len() > MOST_BOXES {
        for (at, task) in chain.iter().enumerate() {
            let left = format!("{} of {}", distinct(plan, &rows, *task), rows.len());
            drawing.add(BoxKind::Task, vec![plan.flow().tasks[*task].name.clone(), left]);
            (at > 0).then(|| drawing.arrow(at - 1, at, ""));
        }
        return Ok(drawing);
    }
    let mut known = std::collections::BTreeMap::new();
    for row in rows {
        let mut above = None;
        for task in chain {
            let node = plan.node(row, *task);
            let at = *known.entry(node).or_insert_with(|| {
                let why = plan.why(row, *task);
                let mut lines = vec![plan.flow().tasks[*task].name.clone()];
                lines.extend(why.reads.iter().map(|(name, value)| format!("{name} = {value}")));
                drawing.add(BoxKind::Task, lines)
            });
            above.into_iter().for_each(|above| drawing.arrow(above, at, ""));
            above = Some(at);
        }
        let leaf = drawing.add(BoxKind::Row, vec![format!("row {}", planned.numbers.of(row))]);
        above.into_iter().for_each(|above| drawing.arrow(above, leaf, ""));
    }
    Ok(drawing)
}

fn distinct(plan: &Plan, rows: &[usize], task: usize) -> usize {
    let mut nodes: Vec<_> = rows.iter().map(|row| plan.node(*row, task)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.len()
}

/// `row 3`, `rows 3, 4, 5`, `rows 3, 4, 5 and 12 more`.
pub(super) fn rows_text(rows: &[u32]) -> String {
    const FEW: usize = 4;
    let list = |rows: &[u32]| rows.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match rows {
        [row] => format!("row {row}"),
        rows if rows.len() <= FEW => format!("rows {}", list(rows)),
        rows => format!("rows {} and {} more", list(&rows[..FEW - 1]), rows.len() - (FEW - 1)),
    }
}

/// The stage with a name that is in buckets; without a name, the one with most buckets.
pub(super) fn stage_in_buckets<'a>(
    planned: &'a PhasePlan,
    name: Option<&str>,
) -> Result<&'a MergedStage, EngineError> {
    let named = |stage: &MergedStage| planned.plan.flow().stages[stage.instances.stage].name.as_str();
    let merged = &planned.merged;
    let Some(name) = name else {
        return merged.iter().max_by_key(|stage| stage.buckets.len()).ok_or_else(no_buckets);
    };
    if merged.is_empty() {
        return Err(no_buckets());
    }
    merged.iter().find(|stage| named(stage) == name).ok_or_else(|| {
        let known: Vec<&str> = merged.iter().map(named).collect();
        let error = Diagnostic::error(format!("the stage `{name}` has no buckets"));
        let error = error.expected_found(format!("one of {}", known.join(", ")), format!("`{name}`"));
        error.with_hint("give one of them after --stage").into()
    })
}

fn no_buckets() -> EngineError {
    let error = Diagnostic::error("the plan has no buckets");
    error
        .expected_found("--merge or --buckets", "neither")
        .with_hint("add --reuse task --merge rtma, say")
        .into()
}

pub(super) fn no_such_bucket(number: usize, count: usize) -> EngineError {
    let error = Diagnostic::error(format!("there is no bucket {number}"));
    let last = count.saturating_sub(1);
    error
        .expected_found(format!("a number from 0 to {last}"), number.to_string())
        .with_hint("give another")
        .into()
}
