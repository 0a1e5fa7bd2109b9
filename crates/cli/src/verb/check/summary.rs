//! What a file asks, in a few lines.

use onceflow_study::{
    Catalogue, Design, Problem, Seams, Study, StudySummary, Workflow, counted, with_commas,
};
use serde_json::{Value, json};

use crate::design::rows_json;
use onceflow_engine::DocumentContent;

/// The lines that `check` prints first.
pub(super) fn text(content: &DocumentContent) -> String {
    match content {
        DocumentContent::Study(study, workflow) => StudySummary::new(study, workflow.as_deref()).to_string(),
        DocumentContent::Workflow(workflow) => workflow_text(workflow),
        DocumentContent::Problem(problem) => problem_text(problem),
    }
}

fn line(word: &str, text: &str) -> String {
    format!("{word:<12}{text}")
}

fn workflow_text(workflow: &Workflow) -> String {
    let mut lines = vec![line("workflow", &workflow.headline())];
    for stage in &workflow.stages {
        lines.push(line("stage", &format!("{}: {}", stage.name, counted(stage.tasks().count(), "task"))));
    }
    if !workflow.outputs.is_empty() {
        lines.push(line("outputs", &workflow.outputs.join(", ")));
    }
    lines.join("\n")
}

fn problem_text(problem: &Problem) -> String {
    let space = &problem.space;
    let names: Vec<&str> = space.parameters().iter().map(|p| p.name.as_str()).collect();
    let mut lines = vec![line("parameters", &format!("{}: {}", names.len(), names.join(", ")))];
    if space.factors().len() < names.len() {
        let groups: Vec<&str> = space.factors().iter().map(|f| f.name.as_str()).collect();
        lines.push(line("factors", &format!("{}: {}", groups.len(), groups.join(", "))));
    }
    if let Some(design) = &problem.design {
        lines.push(line("design", &design_text(problem, design)));
    }
    if !problem.outputs.is_empty() {
        lines.push(line("outputs", &problem.outputs.join(", ")));
    }
    lines.join("\n")
}

fn design_text(problem: &Problem, design: &Design) -> String {
    format!(
        "{}, seed {}: {} rows",
        design.method.word(),
        design.seed,
        with_commas(problem.space.rows(&design.method))
    )
}

/// The same for scripts.
pub(super) fn to_json(content: &DocumentContent) -> Value {
    match content {
        DocumentContent::Study(study, workflow) => study_json(study, workflow.as_deref()),
        DocumentContent::Workflow(workflow) => workflow_json(workflow),
        DocumentContent::Problem(problem) => json!({
            "parameters": names(problem),
            "factors": problem.space.factors().len(),
            "outputs": problem.outputs,
            "design": problem.design.as_ref().map(|design| json!({
                "method": design.method.word(),
                "seed": design.seed,
                "rows": rows_json(problem.space.rows(&design.method)),
            })),
        }),
    }
}

fn names(problem: &Problem) -> Vec<&str> {
    problem.space.parameters().iter().map(|p| p.name.as_str()).collect()
}

fn study_json(study: &Study, workflow: Option<&Workflow>) -> Value {
    let summary = StudySummary::new(study, workflow);
    let phases: Vec<Value> = study
        .phases
        .iter()
        .zip(&summary.counts.phases)
        .map(|(phase, count)| {
            json!({
                "name": phase.name,
                "method": phase.design.method.word(),
                "seed": phase.design.seed,
                "rows_at_most": rows_json(count.most),
                "rows_known": !count.depends,
                "rows_if_kept": count.half.map(|(kept, rows)| json!({ "kept": kept, "rows": rows_json(rows) })),
            })
        })
        .collect();
    json!({
        "name": study.name,
        "seed": study.seed,
        "workflow": workflow.map(workflow_json),
        "parameters": summary.parameters,
        "images": summary.images,
        "images_with_truth": summary.with_truth,
        "parts": summary.counts.parts.map(rows_json),
        "seams": study.parts.seams.word(),
        "halo": workflow.filter(|_| study.parts.seams == Seams::Owned).map(|w| study.halo(w, &Catalogue::nuclei())),
        "metrics": study.outputs(),
        "phases": phases,
    })
}

fn workflow_json(workflow: &Workflow) -> Value {
    json!({
        "name": workflow.name,
        "version": workflow.version,
        "stages": workflow.stage_count(),
        "tasks": workflow.task_count(),
        "parameters": workflow.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        "outputs": workflow.outputs,
    })
}
