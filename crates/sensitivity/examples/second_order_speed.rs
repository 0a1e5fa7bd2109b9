//! Times the second-order analysis that the speed goal names: 30 factors, 4,096 base rows, 1,000 resamples.
//! `cargo run --release -p onceflow-sensitivity --example second_order_speed`

#![allow(clippy::print_stdout, reason = "a program whose result is one printed line")]

use std::error::Error;
use std::time::Instant;

use onceflow_sensitivity::{Options, Outputs, Technique, analyze, sample};
use onceflow_study::{Design, Domain, Method, Parameter, Saltelli, Space};

fn main() -> Result<(), Box<dyn Error>> {
    let unit = Domain::Continuous { from: 0.0, to: 1.0 };
    let parameters = (1..=30).map(|i| Parameter::new(format!("x{i}"), unit.clone())).collect();
    let space = Space::new(parameters, Vec::new())?;
    // One replicate, so that the bootstrap is used.
    let method = Method::Saltelli(Saltelli { base: 4096, second_order: true, replicates: 1 });
    let sample = sample(&space, &Design { method, seed: 1 })?;
    let y = (0..sample.len()).map(|row| model(sample.numbers(row))).collect();
    let outputs = Outputs::single("y", y);
    let options = Options { second_order: true, resamples: 1000, ..Options::new(Technique::Vbd) };
    let start = Instant::now();
    let analysis = analyze(&space, &sample, &outputs, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} rows, 495 indices with intervals from 1,000 resamples: {seconds:.3} s", analysis.rows);
    Ok(())
}

fn model(x: &[f64]) -> f64 {
    x.iter().zip(1..).map(|(x, i)| (x - 0.3).powi(2) / f64::from(i)).sum::<f64>() + x[0] * x[1]
}
