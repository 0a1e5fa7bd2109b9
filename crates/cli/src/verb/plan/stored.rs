//! What earlier runs computed of each phase.

use onceflow_engine::{StoredInstances, StoredPhase};
use onceflow_study::with_commas;
use serde_json::{Value, json};

/// A line for each phase, its name where there are several; nothing where earlier runs computed nothing.
pub(super) fn text(phases: &[StoredPhase]) -> String {
    let all = sum(phases);
    if all.taken + all.compared == 0 {
        return String::new();
    }
    let line = |(number, phase): (usize, &StoredPhase)| {
        let head = if number == 0 { "stored" } else { "" };
        let name = if phases.len() > 1 { format!("{}: ", phase.phase) } else { String::new() };
        format!("{head:11}{name}{}\n", words(phase))
    };
    phases.iter().enumerate().map(line).collect()
}

fn words(phase: &StoredPhase) -> String {
    let number = |count: u64| with_commas(count.into());
    match phase.found {
        Ok(StoredInstances { all, taken, compared }) => {
            let only = match compared {
                0 => String::new(),
                some => format!("; {} more need only be compared", number(some)),
            };
            format!("{} of {} instances by earlier runs{only}", number(taken), number(all))
        }
        Err(unknown) => format!("not known before the run: {}", unknown.words()),
    }
}

/// The phases of which the store is known, together.
fn sum(phases: &[StoredPhase]) -> StoredInstances {
    let mut sum = StoredInstances::default();
    phases.iter().filter_map(|phase| phase.found.ok()).for_each(|found| sum += found);
    sum
}

/// The sum over the phases of which it is known, and each phase.
pub(super) fn to_json(phases: &[StoredPhase]) -> Value {
    let numbers = |found: StoredInstances| json!({ "instances": found.all, "taken": found.taken, "compared": found.compared });
    let phase = |phase: &StoredPhase| {
        let mut object = json!({ "phase": phase.phase });
        match phase.found {
            Ok(found) => object["found"] = numbers(found),
            Err(unknown) => object["unknown"] = unknown.words().into(),
        }
        object
    };
    let mut object = numbers(sum(phases));
    object["phases"] = phases.iter().map(phase).collect();
    object
}
