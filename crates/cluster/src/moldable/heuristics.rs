//! Plans that a search begins with.

use super::workflow::{MoldableTask, MoldableWorkflow};

/// All minimal, all cheapest, all fastest, and the critical path first.
pub(super) fn plans(workflow: &MoldableWorkflow) -> Vec<Vec<u16>> {
    let by = |key: fn(&(u64, u64)) -> u128| {
        let least = |task: &MoldableTask| {
            let least = task.seconds.iter().enumerate().min_by_key(|(_, point)| key(point));
            least.map_or(0, |(at, _)| at as u16)
        };
        workflow.tasks().iter().map(least).collect::<Vec<u16>>()
    };
    let cheapest = by(|(nodes, seconds)| u128::from(*nodes) * u128::from(*seconds));
    let fastest = by(|(_, seconds)| u128::from(*seconds));
    let mut plans = vec![vec![0; workflow.tasks().len()], cheapest.clone(), fastest];
    plans.extend(critical_path_first(workflow, cheapest));
    plans
}

/// Widens tasks of the critical path, those first that gain most for their nodes, until the path is no longer than the area
/// over all nodes (Radulescu and van Gemund 2001), and some steps of the way.
fn critical_path_first(workflow: &MoldableWorkflow, mut plan: Vec<u16>) -> Vec<Vec<u16>> {
    let mut way = Vec::new();
    // Each step widens one task, so that the way has an end; large workflows stop earlier.
    for step in 0..MOST_STEPS {
        let (path, length) = critical_path(workflow, &plan);
        let area = area(workflow, &plan);
        let gain = |task: &usize| {
            let points = &workflow.tasks()[*task].seconds;
            let at = usize::from(plan[*task]);
            let faster = (at + 1..points.len()).find(|next| points[*next].1 < points[at].1)?;
            let saved = (points[at].1 - points[faster].1) as f64;
            Some((saved / (points[faster].0 - points[at].0) as f64, *task, faster as u16))
        };
        let best = path.iter().filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, task, faster)) = best.filter(|_| length as f64 > area) else { break };
        plan[task] = faster;
        if step % 8 == 7 && way.len() < MOST_PLANS {
            way.push(plan.clone());
        }
    }
    way.push(plan);
    way
}

const MOST_STEPS: usize = 2000;
const MOST_PLANS: usize = 12;

fn area(workflow: &MoldableWorkflow, plan: &[u16]) -> f64 {
    let point = |(task, choice): (&MoldableTask, &u16)| task.seconds[usize::from(*choice)];
    let held =
        workflow.tasks().iter().zip(plan).map(point).map(|(nodes, seconds)| nodes as f64 * seconds as f64);
    held.sum::<f64>() / workflow.cluster().nodes() as f64
}

/// The tasks of the longest path, and its length.
fn critical_path(workflow: &MoldableWorkflow, plan: &[u16]) -> (Vec<usize>, u64) {
    let mut ends: Vec<(u64, Option<usize>)> = Vec::with_capacity(plan.len());
    for (task, after) in workflow.after().iter().enumerate() {
        let before = after.iter().copied().max_by_key(|before| ends[*before].0);
        let begin = before.map_or(0, |before| ends[before].0);
        ends.push((begin + workflow.tasks()[task].seconds[usize::from(plan[task])].1, before));
    }
    let mut path: Vec<usize> = (0..ends.len()).max_by_key(|task| ends[*task].0).into_iter().collect();
    let length = path.first().map_or(0, |last| ends[*last].0);
    while let Some(before) = path.last().and_then(|task| ends[*task].1) {
        path.push(before);
    }
    (path, length)
}
