//! Why a task is computed, a row is what it is, or a bucket holds what it holds: in words and as JSON.

use onceflow_reuse::{Difference, MergedStage, Plan, Why};
use onceflow_study::{Diagnostic, counted, nearest};
use serde_json::{Value, json};

use super::graph::{no_such_bucket, rows_text, stage_in_buckets};
use super::{Merge, PhasePlan};
use crate::plan::grain::stands_for;
use crate::{EngineError, FoundSame, Level, OpenStudy};

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// All tasks of a row, or one of them.
    Row {
        /// The number of the row in the table of a run; 0 is the reference row.
        row: usize,
        /// One task.
        task: Option<String>,
    },
    /// A bucket.
    Bucket {
        /// Its number.
        bucket: usize,
        /// The stage whose bucket it is; without one, that with most buckets.
        stage: Option<String>,
    },
}

/// An explanation, for people and for scripts.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Lines of text.
    pub text: String,
    /// The same as JSON.
    pub json: Value,
}

impl OpenStudy {
    /// Explains the plan of the phase at a place, and what a run of it found.
    ///
    /// # Errors
    /// When it cannot be planned, or there is no such row, task or bucket.
    pub fn why(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        question: &Question,
        found: &FoundSame,
    ) -> Result<Explanation, EngineError> {
        let planned = self.grouped_plan(place, level, merge)?;
        match question {
            Question::Row { row, task } => explain_row(&planned, *row, task.as_deref(), found),
            Question::Bucket { bucket, stage } => {
                explain_bucket(&planned, stage_in_buckets(&planned, stage.as_deref())?, *bucket)
            }
        }
    }
}

fn explain_row(
    planned: &PhasePlan,
    number: usize,
    task: Option<&str>,
    found: &FoundSame,
) -> Result<Explanation, EngineError> {
    let (plan, numbers) = (&planned.plan, planned.numbers);
    let Some(row) = numbers.row(number).filter(|row| *row < plan.rows()) else {
        let error = Diagnostic::error(format!("phase `{}` has no row {number}", planned.phase));
        return Err(error.with_hint("give another row").into());
    };
    let tasks = match task {
        Some(name) => named(plan, name)?,
        None => (0..plan.flow().tasks.len()).collect(),
    };
    let mut text = format!("row {number} of {}, {} level\n", planned.phase, plan.level());
    if let Some(name) = task.filter(|name| plan.flow().task(name).is_none()) {
        let names: Vec<&str> = tasks.iter().map(|task| plan.flow().tasks[*task].name.as_str()).collect();
        text.push_str(&format!("{name} stands as {}\n", names.join(", ")));
    }
    text.push_str(&found.earlier_words(None, number));
    let (mut list, mut buckets) = (Vec::new(), Vec::new());
    for task in tasks {
        let why = plan.why(row, task);
        text.push_str(&task_text(planned, row, &why));
        let first = numbers.of(plan.first_row(plan.node(row, task)) as usize);
        let name = &plan.flow().tasks[task].name;
        text.push_str(&found.words(name, first));
        text.push_str(&found.object_words(name, first));
        text.push_str(&found.earlier_words(Some(name), first));
        let mut entry = task_json(planned, row, &why);
        let same = |(row, sites): &(usize, usize)| json!({ "row": row, "sites": sites });
        entry["same_in_run_as"] = found.of(name, first).iter().map(same).collect();
        entry["objects_in_run"] = found.object_words(name, first).trim().into();
        entry["earlier_in_run"] = found.earlier_words(Some(name), first).trim().into();
        list.push(entry);
    }
    for merged in &planned.merged {
        let bucket = merged.of_row()[row];
        let stage = &plan.flow().stages[merged.instances.stage].name;
        let (words, beside) = companion(planned, merged, row);
        text.push_str(&format!("  {stage} is in bucket {bucket} ({}): {words}\n", merged.how));
        buckets
            .push(json!({ "stage": stage, "bucket": bucket, "merging": merged.how, "nearest_row": beside }));
    }
    let level = plan.level().word();
    let json = json!({
        "version": 1, "row": number, "phase": planned.phase, "level": level, "tasks": list, "buckets": buckets,
        "earlier_in_run": found.earlier_words(None, number).trim(),
    });
    Ok(Explanation { text, json })
}

/// Why a row's instance is where it is: the other of its bucket that shares most with it.
fn companion(planned: &PhasePlan, merged: &MergedStage, row: usize) -> (String, Option<usize>) {
    let plan = &planned.plan;
    let (instances, of_row) = (&merged.instances, merged.of_row());
    let places = instances.tree.places();
    let place = |row: usize| places[instances.of_row[row] as usize];
    let others =
        (0..plan.rows()).filter(|other| of_row[*other] == of_row[row] && place(*other) != place(row));
    let shared = |other: usize| instances.tree.shared_between(place(row), place(other));
    let nearest = others.max_by_key(|other| (shared(*other), std::cmp::Reverse(*other)));
    let nearest = nearest.map(|other| (other, shared(other)));
    let chain = &plan.flow().stages[instances.stage].tasks;
    let words = match nearest {
        None => "no other row is in it".to_owned(),
        Some((_, 0)) => "it shares no task with the others in it, and fills its room".to_owned(),
        Some((other, depth)) => {
            let tasks: Vec<&str> =
                chain[..depth].iter().map(|task| plan.flow().tasks[*task].name.as_str()).collect();
            format!("with row {}, which shares {}", planned.numbers.of(other), tasks.join(", "))
        }
    };
    let sharing = nearest.filter(|(_, depth)| *depth > 0);
    (words, sharing.map(|(other, _)| planned.numbers.of(other)))
}

fn task_text(planned: &PhasePlan, row: usize, why: &Why) -> String {
    let (plan, numbers) = (&planned.plan, planned.numbers);
    let name = &plan.flow().tasks[why.task].name;
    let reads: Vec<String> = why.reads.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let reads =
        if reads.is_empty() { "reads no parameter".into() } else { format!("reads {}", reads.join(", ")) };
    let others: Vec<u32> = why.rows.iter().copied().filter(|other| *other as usize != row).collect();
    let shared = if others.is_empty() {
        "for this row alone".into()
    } else {
        format!("shared with {}", rows_text(&numbers.all(&others)))
    };
    let mut text = format!("  {name}: {reads}; {shared}\n");
    match &why.nearest {
        Some(nearest) => {
            let differs: Vec<String> = nearest.differs.iter().map(words).collect();
            text.push_str(&format!(
                "      its nearest other is that of row {}: {}\n",
                numbers.of(nearest.row as usize),
                differs.join("; ")
            ));
        }
        None => text.push_str("      there is no other: all rows share it\n"),
    }
    text
}

fn words(difference: &Difference) -> String {
    match difference {
        Difference::Parameter { name, here, there } => format!("{name} is {there} there, {here} here"),
        Difference::Input { region, because } => {
            let parameters = Difference::parameters(because);
            let parameters: Vec<String> = parameters.into_iter().map(words).collect();
            let because =
                if parameters.is_empty() { "made in another bucket".into() } else { parameters.join(", ") };
            format!("it takes another {region} ({because})")
        }
        Difference::Apart => {
            "equal in all it reads and takes, but in another bucket, or an operation that never repeats"
                .into()
        }
    }
}

fn task_json(planned: &PhasePlan, row: usize, why: &Why) -> Value {
    let (plan, numbers) = (&planned.plan, planned.numbers);
    let reads: serde_json::Map<String, Value> =
        why.reads.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect();
    json!({
        "task": plan.flow().tasks[why.task].name,
        "node": why.node.0,
        "reads": reads,
        "computed_for": why.rows.first().map(|first| numbers.of(*first as usize)),
        "reused": why.rows.first().is_some_and(|first| *first as usize != row),
        "rows": numbers.all(&why.rows),
        "nearest": why.nearest.as_ref().map(|nearest| json!({
            "row": numbers.of(nearest.row as usize),
            "differs": nearest.differs.iter().map(difference_json).collect::<Vec<_>>(),
        })),
    })
}

fn difference_json(difference: &Difference) -> Value {
    match difference {
        Difference::Parameter { name, here, there } => {
            json!({ "parameter": name, "here": here.to_string(), "there": there.to_string() })
        }
        Difference::Input { region, because } => {
            json!({ "region": region, "because": because.iter().map(difference_json).collect::<Vec<_>>() })
        }
        Difference::Apart => json!({ "apart": true }),
    }
}

fn explain_bucket(
    planned: &PhasePlan,
    merged: &MergedStage,
    bucket: usize,
) -> Result<Explanation, EngineError> {
    let plan = &planned.plan;
    if bucket >= merged.buckets.len() {
        return Err(no_such_bucket(bucket, merged.buckets.len()));
    }
    let stage = &plan.flow().stages[merged.instances.stage];
    let places = merged.buckets.get(bucket);
    let rows = planned.numbers.all(&merged.rows().swap_remove(bucket));
    let tree = &merged.instances.tree;
    let shared = places.windows(2).map(|pair| tree.shared_between(pair[0], pair[1])).min();
    let shared = shared.unwrap_or(tree.depth());
    let mean = merged.cost() / merged.costs.len() as f64;
    let (cost, whole) = (merged.costs[bucket], merged.instances.work.whole() * places.len() as f64);
    let together = match shared {
        0 => "no task".to_owned(),
        depth => stage.tasks[..depth]
            .iter()
            .map(|task| plan.flow().tasks[*task].name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    };
    let text = format!(
        "bucket {bucket} of {}, stage {} ({})\n  {}: {}\n  all of them share {together}\n  \
         {cost:.4} s instead of {whole:.4} s without sharing; the mean of all buckets is {mean:.4} s\n",
        merged.buckets.len(),
        stage.name,
        merged.how,
        counted(places.len(), "instance"),
        rows_text(&rows),
    );
    let json = json!({
        "version": 1, "bucket": bucket, "buckets": merged.buckets.len(), "stage": stage.name, "merging": merged.how, "instances": places.len(),
        "rows": rows, "all_share": shared, "cost": cost, "cost_without_sharing": whole, "mean_cost": mean,
    });
    Ok(Explanation { text, json })
}

/// The task with that name, or those that stand in its place.
fn named(plan: &Plan, name: &str) -> Result<Vec<usize>, EngineError> {
    let tasks = &plan.flow().tasks;
    let found = match plan.flow().task(name) {
        Some(task) => vec![task],
        None => (0..tasks.len()).filter(|task| stands_for(&tasks[*task], name)).collect(),
    };
    if found.is_empty() { Err(no_such_task(plan, name)) } else { Ok(found) }
}

fn no_such_task(plan: &Plan, name: &str) -> EngineError {
    let names: Vec<&str> = plan.flow().tasks.iter().map(|task| task.name.as_str()).collect();
    let error = Diagnostic::error(format!("there is no task `{name}`"));
    let error = error.expected_found(format!("one of {}", names.join(", ")), format!("`{name}`"));
    let near = nearest(name, names.iter().copied());
    let hint = near.map_or_else(|| "give one of them".to_owned(), |near| format!("did you mean `{near}`?"));
    error.with_hint(hint).into()
}
