//! The best numbers of nodes for the tasks of a workflow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onceflow_cluster::QueueLoad;
use onceflow_cluster::batch::{BatchPolicy, WorkloadError};
use onceflow_cluster::moldable::{
    LowerBound, MoldableTask, MoldableWorkflow, PlanEvaluator, PlanGoal, PlanValue, SearchOptions,
    TaskQuestion, best_by_search, best_of_all, explain, front_of_all, pareto_front, read_moldable,
};
use onceflow_report::{PlanChoice, PlanPage, gantt_svg, gantt_text};
use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use super::MoldAnswer;
use super::chart::chart;
use super::performance::{Performance, PerformanceSource};
use crate::{EngineError, TextLimit, read_text};

/// What is optimised.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimizeRequest {
    /// The workflow.
    pub file: PathBuf,
    /// What a good plan is.
    pub goal: OptimizeGoal,
    /// Measurements for tasks without durations.
    pub performance: Option<PerformanceSource>,
    /// The rule of the scheduler, in place of the file's.
    pub policy: Option<BatchPolicy>,
    /// The seed of the search.
    pub seed: u64,
    /// The search ends then at the latest.
    pub at_most: Option<Duration>,
    /// Whether a page is wanted: it takes the front too.
    pub with_page: bool,
}

/// What a good plan is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptimizeGoal {
    /// A single one.
    Best(PlanGoal),
    /// All that no other beats in both makespan and cost.
    Front,
}

/// So many plans are simply tried.
const TRY_ALL: u64 = 20_000;

/// A plan by its choices, with its value.
type Valued = (PlanValue, Vec<u16>);

/// Optimises a workflow.
///
/// # Errors
/// When a file cannot be read, or the workflow cannot be planned.
pub fn mold_optimize(request: &OptimizeRequest) -> Result<MoldAnswer, EngineError> {
    let workflow = workflow(request)?;
    let evaluator = PlanEvaluator::new(&workflow).map_err(|error| unplannable(&error))?;
    let search = Search { evaluator: &evaluator, request, began: Instant::now() };
    match request.goal {
        OptimizeGoal::Best(goal) => {
            let (best, way) = search.best(goal);
            let page = request.with_page.then(|| search.page(&search.front().0, Some((&best, goal))));
            Ok(one_plan(&evaluator, goal, &best, way, page))
        }
        OptimizeGoal::Front => {
            let (front, way) = search.front();
            let page = request.with_page.then(|| search.page(&front, None));
            Ok(whole_front(&workflow, &front, way, page))
        }
    }
}

/// A workflow with a plan for it.
#[derive(Debug)]
pub(super) struct ChosenPlan {
    pub(super) workflow: MoldableWorkflow,
    /// For each task the place of its number of nodes.
    pub(super) plan: Vec<u16>,
}

/// The plan that a file names, else the best one; behind a load in place of the file's.
pub(super) fn chosen_plan(
    request: &OptimizeRequest,
    counts: Option<&Path>,
    load: Option<&QueueLoad>,
) -> Result<ChosenPlan, EngineError> {
    let mut workflow = workflow(request)?;
    if let Some(load) = load {
        let (running, queued) = load.on(workflow.cluster().nodes());
        workflow = workflow.behind(running, queued).map_err(|error| unplannable(&error))?;
    }
    if let Some(file) = counts {
        let plan = counts_of(file, &workflow)?;
        return Ok(ChosenPlan { workflow, plan });
    }
    let goal = match request.goal {
        OptimizeGoal::Best(goal) => goal,
        OptimizeGoal::Front => PlanGoal::OnDemand { alpha: 0.5 },
    };
    let plan = {
        let evaluator = PlanEvaluator::new(&workflow).map_err(|error| unplannable(&error))?;
        Search { evaluator: &evaluator, request, began: Instant::now() }.best(goal).0.1
    };
    Ok(ChosenPlan { workflow, plan })
}

fn unplannable(error: &WorkloadError) -> EngineError {
    EngineError::bad_input(Diagnostic::error(error.to_string()))
}

/// The numbers of nodes of a plan that `mold optimize --json` printed.
fn counts_of(file: &Path, workflow: &MoldableWorkflow) -> Result<Vec<u16>, EngineError> {
    let source = read_text(file, TextLimit::Description)?;
    let root: Value = serde_json::from_str(&source.text).unwrap_or_default();
    let list = |key: &str| root[key].as_array().cloned().unwrap_or_default();
    let counts: BTreeMap<String, u64> = list("order")
        .iter()
        .zip(list("counts"))
        .filter_map(|(id, count)| Some((id.as_str()?.to_owned(), count.as_u64()?)))
        .collect();
    let choice = |task: &MoldableTask| {
        let found = counts.get(&task.id);
        let at = found.and_then(|count| task.seconds.iter().position(|(known, _)| known == count));
        at.map(|at| at as u16).ok_or_else(|| {
            let found = found.map_or("none".to_owned(), u64::to_string);
            let known: Vec<String> = task.seconds.iter().map(|(count, _)| count.to_string()).collect();
            let message = Diagnostic::error(format!("{} is no plan of this workflow", file.display()));
            let expected = format!("nodes of `{}`: one of {}", task.id, known.join(", "));
            EngineError::bad_input(
                message.expected_found(expected, found).with_hint("write it with mold optimize --json"),
            )
        })
    };
    workflow.tasks().iter().map(choice).collect()
}

fn workflow(request: &OptimizeRequest) -> Result<MoldableWorkflow, EngineError> {
    let source = read_text(&request.file, TextLimit::Description)?;
    let performance = request.performance.as_ref().map(PerformanceSource::read).transpose()?;
    let workflow = read_moldable(&source, &mut |question| durations(question, performance.as_ref()));
    let workflow = workflow.map_err(EngineError::Invalid)?;
    Ok(match request.policy {
        Some(policy) => workflow.with_policy(policy),
        None => workflow,
    })
}

/// Durations of a task from measurements: the estimates of its numbers of nodes, in whole seconds.
fn durations(
    question: &TaskQuestion,
    performance: Option<&Performance<'_>>,
) -> Result<Vec<(u64, u64)>, String> {
    let Some(performance) = performance else {
        return Err(format!(
            "the durations of `{}` are not in the file; give measurements with --performance",
            question.kind
        ));
    };
    let estimator = performance.estimator(&question.kind).map_err(|error| error.to_string())?;
    let measured = performance.measured(&question.kind);
    let counts = if question.counts.is_empty() { measured } else { question.counts.clone() };
    let one = |nodes: u64| {
        let estimate = estimator.estimate(question.size, nodes).map_err(|error| error.to_string())?;
        Ok((nodes, estimate.seconds.round().max(1.0) as u64))
    };
    counts.into_iter().map(one).collect()
}

/// How a plan was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundBy {
    TryingAll { plans: u64 },
    Search { evaluations: Option<usize> },
}

struct Search<'s, 'w> {
    evaluator: &'s PlanEvaluator<'w>,
    request: &'s OptimizeRequest,
    began: Instant,
}

impl Search<'_, '_> {
    fn options(&self) -> SearchOptions {
        SearchOptions { seed: self.request.seed, ..SearchOptions::default() }
    }

    fn goes_on(&self) -> bool {
        self.request.at_most.is_none_or(|most| self.began.elapsed() < most)
    }

    fn plans(&self) -> u64 {
        self.evaluator.workflow().plan_count().unwrap_or(u64::MAX)
    }

    fn best(&self, goal: PlanGoal) -> (Valued, FoundBy) {
        if let Some(best) = best_of_all(self.evaluator, goal, TRY_ALL) {
            return ((best.value, best.plan), FoundBy::TryingAll { plans: self.plans() });
        }
        let found = best_by_search(self.evaluator, goal, &self.options(), &|| self.goes_on());
        ((found.value, found.plan), FoundBy::Search { evaluations: Some(found.evaluations) })
    }

    fn front(&self) -> (Vec<Valued>, FoundBy) {
        if let Some(front) = front_of_all(self.evaluator, TRY_ALL) {
            return (front, FoundBy::TryingAll { plans: self.plans() });
        }
        let options = self.options();
        let front = pareto_front(self.evaluator, &options, &|| self.goes_on());
        (front, FoundBy::Search { evaluations: None })
    }

    /// The page of a front, and of a plan that was found for a goal.
    fn page(&self, front: &[Valued], best: Option<(&Valued, PlanGoal)>) -> String {
        let mut all: Vec<Valued> = front.to_vec();
        if let Some((best, _)) = best
            .filter(|(best, _)| !all.iter().any(|(value, _)| value.dominates(&best.0) || *value == best.0))
        {
            all.retain(|(value, _)| !best.0.dominates(value));
            all.push(best.clone());
        }
        all.sort();
        let alphas = best_for(&all, self.evaluator.reference());
        let choices = all.iter().zip(alphas).map(|((value, plan), alphas)| self.choice(*value, plan, alphas));
        let alpha = match best {
            Some((_, PlanGoal::OnDemand { alpha })) => alpha,
            Some((_, PlanGoal::Static)) => 1.0,
            None => 0.5,
        };
        let title = format!("Plans of {}", self.request.file.display());
        PlanPage { title, front: choices.collect(), alpha }.html()
    }

    fn choice(&self, value: PlanValue, plan: &[u16], alphas: Option<(f64, f64)>) -> PlanChoice {
        let workflow = self.evaluator.workflow();
        let names = workflow.tasks().iter().map(|task| task.id.clone());
        let shown = alphas.and_then(|_| workflow.workload(plan).ok());
        PlanChoice {
            value: (value.makespan, value.cost as u64),
            alphas,
            counts: names.zip(workflow.counts(plan)).collect(),
            chart: shown.map(|workload| chart(String::new(), &workload, &self.evaluator.schedule(plan))),
            words: if alphas.is_some() { explain(self.evaluator, plan) } else { String::new() },
        }
    }
}

/// Steps of the slider.
const ALPHAS: u32 = 100;

/// For which alphas each plan of a front is the best.
fn best_for(front: &[Valued], reference: PlanValue) -> Vec<Option<(f64, f64)>> {
    let mut spans: Vec<Option<(f64, f64)>> = vec![None; front.len()];
    for step in 0..=ALPHAS {
        let alpha = f64::from(step) / f64::from(ALPHAS);
        let goal = PlanGoal::OnDemand { alpha };
        let better = |a: &usize, b: &usize| {
            let of = |at: usize| (front[at].0, front[at].1.as_slice());
            goal.compare(reference, of(*a), of(*b))
        };
        let Some(best) = (0..front.len()).min_by(better) else { continue };
        spans[best] = Some((spans[best].map_or(alpha, |(from, _)| from), alpha));
    }
    spans
}

fn one_plan(
    evaluator: &PlanEvaluator<'_>,
    goal: PlanGoal,
    (value, plan): &Valued,
    way: FoundBy,
    html: Option<String>,
) -> MoldAnswer {
    let workflow = evaluator.workflow();
    let fitness = goal.fitness(*value, evaluator.reference());
    let counts = workflow.counts(plan);
    let bound = LowerBound::of(workflow);
    let mut text = String::new();
    let (words, evaluations) = way_words(way);
    // Writing to a string does not fail.
    let _ = writeln!(text, "makespan  {} s", value.makespan);
    let _ = writeln!(text, "cost      {} node-seconds", value.cost);
    let _ = writeln!(text, "fitness   {fitness:.6}, {words}\n");
    let names = workflow.tasks().iter().map(|task| &task.id);
    let width = names.clone().map(|name| name.chars().count()).max().unwrap_or(0).max("task".len());
    let _ = writeln!(text, "{:<width$}  nodes  seconds  limit", "task");
    for ((name, nodes), seconds) in names.zip(&counts).zip(seconds(workflow, plan)) {
        let limit = workflow.margin().limit(seconds);
        let _ = writeln!(text, "{name:<width$}  {nodes:>5}  {seconds:>7}  {limit:>5}");
    }
    let explained = explain(evaluator, plan);
    let _ = write!(text, "\n{explained}\n");
    let workload = workflow.workload(plan).ok();
    let title = format!("{} s, {} node-seconds", value.makespan, value.cost);
    let chart = workload.map(|workload| chart(title, &workload, &evaluator.schedule(plan)));
    text.extend(chart.as_ref().map(gantt_text));
    let order: Vec<&str> = workflow.tasks().iter().map(|task| task.id.as_str()).collect();
    let json = json!({
        "version": 1, "counts": counts, "makespan": value.makespan, "cost": value.cost as u64, "fitness": fitness,
        "order": order, "found_by": if matches!(way, FoundBy::TryingAll { .. }) { "trying all plans" } else { "search" },
        "evaluations": evaluations, "explanation": explained,
        "reference": { "makespan": evaluator.reference().makespan, "cost": evaluator.reference().cost as u64 },
        "lower_bound": { "critical_path": bound.critical_path, "area": bound.area },
    });
    MoldAnswer { json, text, svg: chart.as_ref().map(gantt_svg), html }
}

fn seconds(workflow: &MoldableWorkflow, plan: &[u16]) -> Vec<u64> {
    workflow.tasks().iter().zip(plan).map(|(task, choice)| task.seconds[usize::from(*choice)].1).collect()
}

fn way_words(way: FoundBy) -> (String, Option<u64>) {
    match way {
        FoundBy::TryingAll { plans } => (format!("the best of all {plans} plans"), Some(plans)),
        FoundBy::Search { evaluations: Some(evaluations) } => {
            (format!("found by a search of {evaluations} plans"), Some(evaluations as u64))
        }
        FoundBy::Search { evaluations: None } => ("found by a search".into(), None),
    }
}

fn front_words(way: FoundBy) -> String {
    match way {
        FoundBy::TryingAll { plans } => format!("of all {plans} plans"),
        FoundBy::Search { .. } => "found by a search".into(),
    }
}

fn whole_front(
    workflow: &MoldableWorkflow,
    front: &[Valued],
    way: FoundBy,
    html: Option<String>,
) -> MoldAnswer {
    let points: Vec<Value> =
        front.iter().map(|(value, _)| json!([value.makespan, value.cost as u64])).collect();
    let plans: Vec<Value> = front.iter().map(|(_, plan)| json!(workflow.counts(plan))).collect();
    let order: Vec<&str> = workflow.tasks().iter().map(|task| task.id.as_str()).collect();
    let mut text = format!("{} plans that no other beats in both, {}\n\n", front.len(), front_words(way));
    let _ = writeln!(text, "{:>10}  {:>12}  nodes of {}", "makespan", "cost", order.join(", "));
    for (value, plan) in front {
        let counts: Vec<String> = workflow.counts(plan).iter().map(u64::to_string).collect();
        let _ = writeln!(text, "{:>10}  {:>12}  {}", value.makespan, value.cost, counts.join(" "));
    }
    let json = json!({ "version": 1, "front": points, "plans": plans, "order": order });
    MoldAnswer { json, text, svg: None, html }
}
