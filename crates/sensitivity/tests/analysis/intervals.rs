//! Do intervals hold the truth as often as they say? Few seeds here: gross errors are caught, fine calibration is not.

use onceflow_sensitivity::{AnalysisOptions, IndexEstimate, Indices, Oracle, Outputs, Technique, analyze};

use crate::designs::{Draw, evaluate, first_and_total, morris, saltelli, space};

fn holds(estimate: &IndexEstimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}

/// Share of all intervals of all factors that hold the truth.
fn cover(oracle: Oracle, seeds: u64, replicates: u64) -> [f64; 2] {
    let (space, truth) = (space(oracle), oracle.truth());
    let options = AnalysisOptions { resamples: 300, ..AnalysisOptions::new(Technique::Vbd) };
    let mut hits = [0.0; 2];
    for seed in 0..seeds {
        let sample = saltelli(&space, 256, false, replicates, &mut Draw(seed * 7919));
        let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
        let (s1, st) = first_and_total(&analyze(&space, &sample, &outputs, &options).unwrap());
        for (hits, (estimates, truths)) in hits.iter_mut().zip([(s1, &truth.s1), (st, &truth.st)]) {
            *hits += estimates.iter().zip(truths).filter(|(e, t)| holds(e, **t)).count() as f64;
        }
    }
    hits.map(|h| h / (seeds as f64 * truth.s1.len() as f64))
}

#[test]
fn variance_based_intervals_cover_on_random_base_rows() {
    for oracle in [Oracle::Ishigami, Oracle::SobolG, Oracle::RoughDiscrete] {
        for replicates in [1, 8] {
            let found = cover(oracle, 60, replicates);
            assert!(found.iter().all(|c| (0.89..=1.0).contains(c)), "{oracle:?}, {replicates}: {found:?}");
        }
    }
}

#[test]
fn intervals_of_mean_absolute_effects_cover() {
    for oracle in [Oracle::SobolG, Oracle::Morris20] {
        let space = space(oracle);
        let run = |trajectories: u64, seed: u64| {
            let sample = morris(&space, trajectories, false, &mut Draw(seed));
            let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
            let analysis =
                analyze(&space, &sample, &outputs, &AnalysisOptions::new(Technique::Morris)).unwrap();
            let Indices::Morris(factors) = &analysis.outputs[0].indices else { panic!("not effects") };
            factors.iter().map(|f| f.mu_star).collect::<Vec<_>>()
        };
        let truth = run(20_000, 1);
        for trajectories in [10, 20, 40] {
            let seeds = 100;
            let hits = |seed: u64| {
                run(trajectories, 1000 + seed).iter().zip(&truth).filter(|(e, t)| holds(e, t.value)).count()
            };
            let share = (0..seeds).map(hits).sum::<usize>() as f64 / (seeds as usize * truth.len()) as f64;
            assert!((0.92..=0.98).contains(&share), "{oracle:?}, {trajectories} trajectories: {share}");
        }
    }
}
