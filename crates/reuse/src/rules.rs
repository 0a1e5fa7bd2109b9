//! How a plan came about: an ordered list of named rules, each with what it did and what it leaves.
//!
//! The levels are rules that find equal work, buckets take some of it back, and the last rule refuses what cannot run.

use crate::{Broken, Level, MergedStage, Plan};

/// What one rule did.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReport {
    /// Its name.
    pub rule: &'static str,
    /// Tasks of one part before and after it.
    pub tasks: (u64, u64),
    /// Their cost before and after it.
    pub cost: (f64, f64),
    /// What it did, in words.
    pub did: String,
}

/// A rule: its name, and what it leaves of the plan.
struct PlanRule {
    name: &'static str,
    leaves: Leaves,
}

/// What a rule leaves of a plan with such buckets and costs; nothing where it does not apply.
type Leaves = fn(&Plan, &[MergedStage], &TaskCosts<'_>) -> Option<RuleResult>;

/// What one of a task costs.
type TaskCosts<'a> = dyn Fn(usize) -> f64 + 'a;

/// Tasks and cost that are left, and what was done, in words.
type RuleResult = (u64, f64, String);

/// All rules, in the order in which they apply.
const RULES: [PlanRule; 5] = [
    PlanRule { name: "replicate", leaves: |plan, _, costs| Some(at(plan, Level::None, costs)) },
    PlanRule { name: "merge equal stages", leaves: |plan, _, costs| level(plan, Level::Stage, costs) },
    PlanRule {
        name: "merge equal beginnings of chains",
        leaves: |plan, _, costs| level(plan, Level::Task, costs),
    },
    PlanRule { name: "merge equal tasks", leaves: |plan, _, costs| level(plan, Level::Dataflow, costs) },
    PlanRule { name: "cut into buckets", leaves: buckets },
];

impl Plan {
    /// Applies the rules to what was asked, each checked: none but the cut into buckets leaves more than it found, and what
    /// is left in the end is the plan.
    ///
    /// `whole` is the plan before it was cut into buckets: itself when there are none. `costs` says what one of a task costs.
    ///
    /// # Errors
    /// When a rule broke a promise, or the plan cannot be run.
    pub fn rules(
        &self,
        whole: &Self,
        merged: &[MergedStage],
        costs: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<RuleReport>, Broken> {
        let mut reports: Vec<RuleReport> = Vec::new();
        for PlanRule { name, leaves } in RULES {
            let cut = name == RULES[RULES.len() - 1].name;
            let Some((tasks, cost, did)) = leaves(if cut { self } else { whole }, merged, costs) else {
                continue;
            };
            let before = reports.last().map_or((tasks, cost), |last| (last.tasks.1, last.cost.1));
            if !cut && tasks > before.0 {
                return Err(Broken::Grew { rule: name, before: before.0, after: tasks });
            }
            reports.push(RuleReport { rule: name, tasks: (before.0, tasks), cost: (before.1, cost), did });
        }
        self.verify()?;
        let planned = self.planned() as u64;
        let (left, cost) = reports.last().map_or((planned, 0.0), |last| (last.tasks.1, last.cost.1));
        if left != planned {
            return Err(Broken::Lost { left, planned });
        }
        let did = "every row gets its tasks once, each after what it needs; the account balances".into();
        reports.push(RuleReport { rule: "verify", tasks: (left, left), cost: (cost, cost), did });
        Ok(reports)
    }
}

fn level(plan: &Plan, level: Level, costs: &TaskCosts<'_>) -> Option<RuleResult> {
    (level <= plan.level()).then(|| at(plan, level, costs))
}

fn at(plan: &Plan, level: Level, costs: &TaskCosts<'_>) -> RuleResult {
    let account = plan.account();
    let did = match level {
        Level::None => format!("{} rows ask for {} tasks each", plan.rows(), plan.flow().tasks.len()),
        Level::Stage => "a stage that reads and takes the same is one".to_owned(),
        Level::Task => "a task after an equal beginning of its stage's chain is one".to_owned(),
        Level::Dataflow => "a task that reads and takes the same is one, whatever came before".to_owned(),
        Level::Convergent => "a task that reads the same and whose inputs hold the same is one".to_owned(),
        Level::Object => "an object that was worked on in the same way is worked on once".to_owned(),
    };
    (account.total().left_at(level), account.weighed(costs).left_at(level), did)
}

fn buckets(plan: &Plan, merged: &[MergedStage], costs: &TaskCosts<'_>) -> Option<RuleResult> {
    let stage = |merged: &MergedStage| {
        let name = &plan.flow().stages[merged.instances.stage].name;
        format!("{name}: {} buckets by {}", merged.buckets.len(), merged.how)
    };
    let did: Vec<String> = merged.iter().map(stage).collect();
    let account = plan.account();
    (!did.is_empty()).then(|| (account.total().planned, account.weighed(costs).planned, did.join(", ")))
}
