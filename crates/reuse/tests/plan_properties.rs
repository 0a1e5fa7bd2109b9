//! A plan of random rows and a random workflow: nothing is lost, nothing that differs is merged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::{BTreeSet, HashMap};

use onceflow_reuse::{Level, NodeId, Plan, StaticKeys, TaskServed, plan};
use proptest::prelude::*;
use support::oracle::{Ended, Oracle, node_content};
use support::{Case, case, make_rows};

fn oracle(case: &Case) -> Oracle<'_> {
    Oracle { flow: &case.flow, rows: &case.rows, values: &case.values }
}

fn planned(case: &Case, level: Level) -> Plan {
    plan(case.flow.clone(), &case.rows, level).unwrap()
}

/// Equal keys are one node and one node has one key.
fn one_to_one(pairs: impl Iterator<Item = (String, NodeId)>) -> Result<(), TestCaseError> {
    let (mut nodes, mut keys) = (HashMap::new(), HashMap::new());
    for (key, node) in pairs {
        prop_assert_eq!(*nodes.entry(key.clone()).or_insert(node), node, "{} is two nodes", key);
        let first = keys.entry(node).or_insert_with(|| key.clone());
        prop_assert_eq!(&*first, &key, "two keys are one node");
    }
    Ok(())
}

/// Stages that a number picks.
fn picked(case: &Case, mask: u8) -> Vec<usize> {
    (0..case.flow.stages.len()).filter(|stage| mask >> stage & 1 == 1).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_task_of_every_row_is_served_once_by_what_it_asked_for(case in case()) {
        let oracle = oracle(&case);
        for level in Level::PLANNED {
            let plan = planned(&case, level);
            let served: Vec<_> = plan.expand().collect();
            let each: Vec<_> = served.iter().map(|(row, task, _)| (*row, *task)).collect();
            let asked = (0..case.rows.len()).flat_map(|row| (0..case.flow.tasks.len()).map(move |t| (row, t)));
            prop_assert_eq!(each, asked.collect::<Vec<_>>());
            for (row, task, node) in served {
                prop_assert_eq!(plan.task_of(node), task);
                prop_assert_eq!(node_content(&plan, node), oracle.content(row, task, &Ended::default()));
                prop_assert!(plan.rows_of(node).contains(&(row as u32)));
            }
            for id in 0..plan.planned() {
                let rows = plan.rows_of(NodeId(id as u32));
                prop_assert_eq!(rows[0], plan.first_row(NodeId(id as u32)));
                prop_assert!(rows.is_sorted() && rows.iter().all(|row| plan.node(*row as usize, plan.task_of(NodeId(id as u32))).0 == id as u32));
            }
            let demanded: usize = (0..plan.planned()).map(|id| plan.rows_of(NodeId(id as u32)).len()).sum();
            prop_assert_eq!(demanded, case.rows.len() * case.flow.tasks.len());
        }
    }

    #[test]
    fn a_level_merges_what_its_definition_says_and_contains_the_one_before(case in case()) {
        let oracle = oracle(&case);
        let mut before = usize::MAX;
        for level in Level::PLANNED {
            let plan = planned(&case, level);
            one_to_one(plan.expand().map(|(row, task, node)| {
                (format!("{task}: {}", oracle.key(level, row, task, &Ended::default())), node)
            }))?;
            prop_assert!(plan.planned() <= before);
            before = plan.planned();
        }
    }

    #[test]
    fn neighbours_in_the_order_share_as_much_as_they_can(case in case()) {
        for level in Level::PLANNED {
            let plan = planned(&case, level);
            let rows: BTreeSet<u32> = plan.order().iter().copied().collect();
            prop_assert_eq!((rows.len(), plan.order().len()), (case.rows.len(), case.rows.len()));
            prop_assert_eq!(case.rows.reference, case.rows.reference.map(|_| plan.order()[0] as usize));
            let tasks = fewest_first(&plan);
            for depth in 1..=tasks.len() {
                let path = |row: &u32| tasks[..depth].iter().map(|t| plan.node(*row as usize, *t)).collect::<Vec<_>>();
                let mut paths: Vec<_> = plan.order().iter().map(path).collect();
                let distinct = paths.iter().cloned().collect::<BTreeSet<_>>().len();
                paths.dedup();
                prop_assert_eq!(paths.len(), distinct, "rows with one beginning stand apart");
            }
        }
    }

    #[test]
    fn diverted_tasks_are_those_that_need_what_is_not_there(case in case(), masks in proptest::collection::vec((0u8..8, 0u8..8), 1..6)) {
        let oracle = oracle(&case);
        for level in Level::PLANNED {
            let mut plan = planned(&case, level);
            let mut keys = Vec::new();
            for row in 0..case.rows.len() {
                for (own, reference) in &masks {
                    let reference = picked(&case, *reference);
                    let own = if case.rows.reference == Some(row) { reference.clone() } else { picked(&case, *own) };
                    let ended = Ended { own, reference };
                    let nodes = plan.divert(row, &ended.own, &ended.reference);
                    prop_assert_eq!(&plan.divert(row, &ended.own, &ended.reference), &nodes, "idempotent");
                    let stage = |task: usize| case.flow.tasks[task].stage;
                    let expected: Vec<_> = (0..case.flow.tasks.len())
                        .filter(|task| !ended.own.contains(&stage(*task)) && oracle.moved(row, *task, &ended))
                        .collect();
                    prop_assert_eq!(nodes.iter().map(|(task, _)| *task).collect::<Vec<_>>(), expected);
                    for (task, node) in nodes {
                        prop_assert_eq!(node_content(&plan, node), oracle.content(row, task, &ended));
                        keys.push((format!("{task}: {}", oracle.key(level, row, task, &ended)), node));
                    }
                }
            }
            one_to_one(keys.into_iter())?;
            let smaller = |id: u32| plan.inputs_of(NodeId(id)).all(|input| !matches!(
                input, onceflow_reuse::NodeInput::Node { node, .. } if node.0 >= id));
            prop_assert!((0..plan.node_count() as u32).all(smaller), "inputs have smaller numbers");
        }
    }

    #[test]
    fn the_account_balances_and_names_the_first_level_that_merges(case in case(), ends in proptest::collection::vec((0u8..8, 0u8..12), 14)) {
        let oracle = oracle(&case);
        for level in Level::PLANNED {
            let mut plan = planned(&case, level);
            prop_assert_eq!(plan.account(), plan.account_with(&|row, task| TaskServed::Node(plan.node(row, task))));
            let (state, ended) = end_some(&case, &mut plan, &ends);
            let account = plan.account_with(&|row, task| state[row][task]);
            prop_assert!(account.is_balanced());
            for (task, entry) in account.tasks.iter().enumerate() {
                let rows = || (0..case.rows.len()).filter(|row| matches!(state[*row][task], TaskServed::Node(_)));
                let distinct = |level| rows().map(|row| oracle.key(level, row, task, &ended[row])).collect::<BTreeSet<_>>().len() as u64;
                let mut left = rows().count() as u64;
                for (by, found) in entry.by.iter().zip(Level::MERGING) {
                    let now = if found <= level { distinct(found) } else { left };
                    prop_assert_eq!(*by, left - now, "{} of task {} under {}", found, task, level);
                    left = now;
                }
                prop_assert_eq!(entry.planned, left);
            }
            let cost = account.weighed(&|task| 0.5 + task as f64);
            let sum = cost.by.iter().sum::<f64>() + cost.ended_early + cost.failed + cost.planned;
            prop_assert!((cost.asked - sum).abs() < 1e-9 * (1.0 + cost.asked));
        }
    }

    #[test]
    fn keys_are_equal_exactly_where_contents_are_and_know_no_order_of_rows(case in case(), turn in 0usize..14) {
        let source = |source: usize, _| [source as u8; 32];
        let plan = planned(&case, Level::Dataflow);
        let count = case.rows.len();
        let (mut keys, mut all) = (HashMap::new(), StaticKeys::default());
        for (_, _, node) in plan.expand() {
            let content = node_content(&plan, node);
            let key = all.key(&plan, node, &|at, scope| Some(source(at, scope))).unwrap();
            keys.insert(content, key);
            prop_assert_eq!(plan.key(node, &source), key);
        }
        prop_assert_eq!(keys.values().collect::<BTreeSet<_>>().len(), keys.len(), "two contents have one key");
        let moved = |row: usize| (row + turn) % count.max(1);
        let values: Vec<_> = (0..count).map(|row| case.values[moved(row)].clone()).collect();
        let mut rows = make_rows(&values);
        rows.reference = case.rows.reference.map(|reference| (0..count).find(|row| moved(*row) == reference).unwrap());
        let turned = onceflow_reuse::plan(case.flow.clone(), &rows, Level::Task).unwrap();
        for (row, task, node) in turned.expand().filter(|(_, _, node)| turned.lasts(*node)) {
            prop_assert_eq!(turned.key(node, &source), plan.key(plan.node(moved(row), task), &source));
        }
    }
}

/// Tasks after what they need, of those that are free the one with fewest nodes first.
fn fewest_first(plan: &Plan) -> Vec<usize> {
    let tasks = &plan.flow().tasks;
    let nodes =
        |task: usize| (0..plan.planned() as u32).filter(|id| plan.task_of(NodeId(*id)) == task).count();
    let mut done: Vec<usize> = Vec::new();
    while done.len() < tasks.len() {
        let free = (0..tasks.len()).filter(|task| !done.contains(task)).filter(|task| {
            let needs = tasks[*task].inputs.iter().filter_map(|input| input.maker());
            needs.chain(tasks[*task].after.iter().copied()).all(|need| done.contains(&need))
        });
        done.push(free.min_by_key(|task| (nodes(*task), *task)).unwrap());
    }
    done
}

/// For each row and task what became of it, when some stages ended and some tasks failed; and what ended for each row.
fn end_some(case: &Case, plan: &mut Plan, choices: &[(u8, u8)]) -> (Vec<Vec<TaskServed>>, Vec<Ended>) {
    let reference = case.rows.reference.map_or(Vec::new(), |row| picked(case, choices[row].0));
    let (mut states, mut all) = (Vec::new(), Vec::new());
    for (row, (own, fails)) in choices.iter().enumerate().take(case.rows.len()) {
        let ended = Ended { own: picked(case, *own), reference: reference.clone() };
        let mut state: Vec<_> =
            (0..case.flow.tasks.len()).map(|task| TaskServed::Node(plan.node(row, task))).collect();
        for (task, served) in state.iter_mut().enumerate() {
            if ended.own.contains(&case.flow.tasks[task].stage) {
                *served = TaskServed::Ended;
            }
        }
        for (task, node) in plan.divert(row, &ended.own, &ended.reference) {
            state[task] = TaskServed::Node(node);
        }
        if let Some(served) = state.get_mut(*fails as usize) {
            *served = TaskServed::Failed;
        }
        states.push(state);
        all.push(ended);
    }
    (states, all)
}
