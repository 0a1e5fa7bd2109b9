//! The two workflows of Jaros and Jaros (2022): ultrasound of the brain and photoacoustic images, of any length.

use super::workflow::MoldableTask;

/// Durations by number of nodes.
type Durations<'t> = &'t [(u64, u64)];

/// Neurostimulation: one processing task, trains of simulation, processing and simulation, and their results reduced by a
/// tree. Four trains are 20 tasks, 8 are 40, 16 are 80.
///
/// ```
/// # use onceflow_cluster::moldable::neurostimulation;
/// assert_eq!([4, 8, 16].map(|trains| neurostimulation(trains, &[(1, 9)], &[(1, 2)]).len()), [20, 40, 80]);
/// ```
pub fn neurostimulation(
    trains: usize,
    simulation: Durations<'_>,
    processing: Durations<'_>,
) -> Vec<MoldableTask> {
    let mut tasks = vec![task("p0".into(), &[], processing)];
    let mut reduced = Vec::new();
    for train in 0..trains {
        tasks.push(task(format!("a{train}"), &["p0".into()], simulation));
        tasks.push(task(format!("m{train}"), &[format!("a{train}")], processing));
        tasks.push(task(format!("b{train}"), &[format!("m{train}")], simulation));
        tasks.push(task(format!("r{train}"), &[format!("b{train}")], processing));
        reduced.push(format!("r{train}"));
    }
    reduce(&mut tasks, reduced, "r", trains, processing);
    tasks
}

/// Photoacoustic images: waves of simulations, each reduced to the input of the next, and a last simulation. Two waves of
/// three are 11 tasks.
///
/// ```
/// # use onceflow_cluster::moldable::photoacoustic;
/// assert_eq!(photoacoustic(2, 3, &[(1, 9)], &[(1, 2)]).len(), 11);
/// ```
pub fn photoacoustic(
    waves: usize,
    width: usize,
    simulation: Durations<'_>,
    processing: Durations<'_>,
) -> Vec<MoldableTask> {
    let mut tasks = Vec::new();
    let mut input: Vec<String> = Vec::new();
    for wave in 0..waves {
        let names: Vec<String> = (0..width.max(1)).map(|at| format!("s{wave}.{at}")).collect();
        tasks.extend(names.iter().map(|name| task(name.clone(), &input, simulation)));
        input = reduce(&mut tasks, names, &format!("q{wave}."), 0, processing);
    }
    tasks.push(task("last".into(), &input, simulation));
    tasks
}

/// Reduces results in pairs until one is left, whose name it gives back.
fn reduce(
    tasks: &mut Vec<MoldableTask>,
    mut names: Vec<String>,
    prefix: &str,
    mut number: usize,
    processing: Durations<'_>,
) -> Vec<String> {
    while names.len() > 1 {
        let mut next = Vec::new();
        for pair in names.chunks(2) {
            if let [single] = pair {
                next.push(single.clone());
                continue;
            }
            let name = format!("{prefix}{number}");
            number += 1;
            tasks.push(task(name.clone(), pair, processing));
            next.push(name);
        }
        names = next;
    }
    names
}

fn task(id: String, after: &[String], seconds: Durations<'_>) -> MoldableTask {
    MoldableTask { id, after: after.to_vec(), seconds: seconds.to_vec() }
}
