//! How often intervals hold the exact indices, and how wide they are, on the functions whose indices are known.
//! `cargo run --release -p onceflow-sensitivity --example interval_coverage -- [SEEDS [SHARE OF FAILED ROWS]]`

#![allow(clippy::print_stdout, reason = "a program whose result is a printed table")]

use std::error::Error;

use onceflow_sensitivity::{Estimate, Indices, Options, Oracle, Outputs, Technique, analyze, sample};
use onceflow_study::{Design, Method, Saltelli, Space};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let seeds = arguments.next().map_or(Ok(200), |s| s.parse())?;
    let failed: f64 = arguments.next().map_or(Ok(0.0), |s| s.parse())?;
    println!("function        replicates  base  cover s1 (least)  half  cover st (least)  half");
    for oracle in Oracle::ALL {
        for (replicates, base) in [(8, 64), (8, 256), (8, 1024), (4, 1024), (16, 1024), (1, 256)] {
            let found: Vec<Vec<[Estimate; 2]>> = (0..seeds)
                .into_par_iter()
                .map(|seed| indices(oracle, replicates, base, seed, failed))
                .collect::<Result<_, _>>()?;
            let truth = oracle.truth();
            let [s1, st] =
                [(0, &truth.s1), (1, &truth.st)].map(|(order, truth)| summary(&found, order, truth));
            println!("{:<15} {replicates:>10} {base:>5}  {s1}  {st}", oracle.name());
        }
    }
    Ok(())
}

fn indices(
    oracle: Oracle,
    replicates: u64,
    base: u64,
    seed: u64,
    failed: f64,
) -> Result<Vec<[Estimate; 2]>, Failure> {
    let space = Space::new(oracle.parameters(), Vec::new())?;
    let method = Method::Saltelli(Saltelli { base, second_order: false, replicates });
    let sample = sample(&space, &Design { method, seed })?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut fails = || f64::from(generator.next_u32()) < failed * f64::from(u32::MAX);
    let evaluate = |row: usize| if fails() { f64::NAN } else { oracle.evaluate(sample.numbers(row)) };
    let y = (0..sample.len()).map(evaluate).collect();
    let analysis = analyze(&space, &sample, &Outputs::single("y", y), &Options::new(Technique::Vbd))?;
    match &analysis.outputs[0].indices {
        Indices::Vbd { factors, .. } => Ok(factors.iter().map(|f| [f.s1, f.st]).collect()),
        _ => Err("not variance-based".into()),
    }
}

/// Cover over all factors, cover of the worst factor, mean half width.
fn summary(found: &[Vec<[Estimate; 2]>], order: usize, truth: &[f64]) -> String {
    let holds = |e: &Estimate, t: f64| e.low <= t && t <= e.high;
    let cover =
        |f: usize| found.iter().filter(|e| holds(&e[f][order], truth[f])).count() as f64 / found.len() as f64;
    let covers: Vec<f64> = (0..truth.len()).map(cover).collect();
    let least = covers.iter().copied().fold(1.0, f64::min);
    let widths: f64 = found.iter().flatten().map(|e| e[order].half_width()).sum();
    let count = truth.len() as f64;
    let mean = covers.iter().sum::<f64>() / count;
    format!("{:>7.1} % {:>5.0} %  {:.4}", 100.0 * mean, 100.0 * least, widths / count / found.len() as f64)
}
