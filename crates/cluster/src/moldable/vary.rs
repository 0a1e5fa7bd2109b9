//! New plans from others: crossover and mutation.

use super::random::SearchRandom;
use super::space::SearchSpace;

/// A plan of two: each task's choice from either, or the first tasks' from one and the others' from the other.
pub(super) fn crossed(a: &[u16], b: &[u16], random: &mut SearchRandom) -> Vec<u16> {
    if random.happens(0.5) {
        let cut = random.below(a.len() + 1);
        return a[..cut].iter().chain(&b[cut..]).copied().collect();
    }
    a.iter().zip(b).map(|(a, b)| if random.happens(0.5) { *a } else { *b }).collect()
}

/// The share of changes that concern tasks that are alike.
const ALIKE: f64 = 0.7;
/// Of these, the share in which two of them change places.
const SWAPPED: f64 = 0.3;
/// The share of steps that go along numbers of nodes that pay.
const PAYING: f64 = 0.9;

/// Changes a plan a little: tasks that are alike together, or about one task's choice.
pub(super) fn mutate(plan: &mut [u16], space: &SearchSpace, random: &mut SearchRandom) {
    if plan.is_empty() {
        return;
    }
    if random.happens(ALIKE) {
        mutate_alike(plan, space, random);
    } else {
        mutate_some(plan, space, random);
    }
}

/// Two tasks change places, or some take the choice of one of them, a step away.
fn mutate_alike(plan: &mut [u16], space: &SearchSpace, random: &mut SearchRandom) {
    let alike = &space.alike[random.below(space.alike.len())];
    let one = alike[random.below(alike.len())];
    if random.happens(SWAPPED) {
        plan.swap(one, alike[random.below(alike.len())]);
        return;
    }
    let choice = space.step(one, plan[one], random);
    let share = 1.0 / (1 + random.below(alike.len())) as f64;
    for task in alike {
        if random.happens(share) {
            plan[*task] = choice;
        }
    }
}

/// About one task's choice: to one near it, now and then to any.
fn mutate_some(plan: &mut [u16], space: &SearchSpace, random: &mut SearchRandom) {
    let chance = 1.0 / plan.len().max(1) as f64;
    let sure = random.below(plan.len());
    for (task, choice) in plan.iter_mut().enumerate() {
        if task != sure && !random.happens(chance) {
            continue;
        }
        let count = space.counts[task];
        *choice = if random.happens(0.2) {
            random.below(usize::from(count)) as u16
        } else if random.happens(PAYING) {
            space.step(task, *choice, random)
        } else if random.happens(0.5) {
            choice.saturating_sub(1)
        } else {
            (*choice + 1).min(count - 1)
        };
    }
}

/// A plan of any choices.
pub(super) fn any(counts: &[u16], random: &mut SearchRandom) -> Vec<u16> {
    counts.iter().map(|count| random.below(usize::from(*count)) as u16).collect()
}
