//! New plans from others: crossover and mutation.

use super::random::SearchRandom;

/// A plan of two: each task's choice from either, or the first tasks' from one and the others' from the other.
pub(super) fn crossed(a: &[u16], b: &[u16], random: &mut SearchRandom) -> Vec<u16> {
    if random.happens(0.5) {
        let cut = random.below(a.len() + 1);
        return a[..cut].iter().chain(&b[cut..]).copied().collect();
    }
    a.iter().zip(b).map(|(a, b)| if random.happens(0.5) { *a } else { *b }).collect()
}

/// Changes about one task's choice: to a neighbour among its numbers of nodes, now and then to any.
pub(super) fn mutate(plan: &mut [u16], counts: &[u16], random: &mut SearchRandom) {
    let chance = 1.0 / plan.len().max(1) as f64;
    let sure = random.below(plan.len());
    for (task, choice) in plan.iter_mut().enumerate() {
        if task != sure && !random.happens(chance) {
            continue;
        }
        *choice = if random.happens(0.2) {
            random.below(usize::from(counts[task])) as u16
        } else if random.happens(0.5) {
            choice.saturating_sub(1)
        } else {
            (*choice + 1).min(counts[task] - 1)
        };
    }
}

/// A plan of any choices.
pub(super) fn any(counts: &[u16], random: &mut SearchRandom) -> Vec<u16> {
    counts.iter().map(|count| random.below(usize::from(*count)) as u16).collect()
}
