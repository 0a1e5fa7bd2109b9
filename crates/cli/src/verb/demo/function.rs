//! `onceflow demo --function`: a function whose indices are known, screened and decomposed as a workflow would be.

mod answer;

use onceflow_sensitivity::{Analysis, Options, Oracle, Outputs, Sample, Technique, Truth, analyze, sample};
use onceflow_study::{Design, Method, Morris, Saltelli, Space, Trajectories};

use crate::args::DemoFunction;
use crate::diagnostics::from_error;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Enough to find what matters.
const TRAJECTORIES: u64 = 20;

/// Enough for intervals of about a hundredth.
const BASE: u64 = 256;

/// Everything the demo found.
pub(super) struct Demo {
    oracle: Oracle,
    seed: u64,
    screen: Step,
    decompose: Step,
    truth: Truth,
}

/// One phase: its rows and what they say.
struct Step {
    sample: Sample,
    analysis: Analysis,
}

/// Screens, decomposes, prints.
pub(super) fn run(
    function: DemoFunction,
    seed: u64,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let demo = {
        let _progress = terminal.progress("screening and decomposing");
        compute(oracle(function), seed)?
    };
    if json {
        terminal.json(&answer::to_json(&demo))?;
    } else {
        terminal.result(&answer::to_text(&demo))?;
        terminal.say("\nNext: onceflow init -o study.toml   writes a study of your own to start from");
    }
    Ok(Exit::Ok)
}

fn oracle(function: DemoFunction) -> Oracle {
    match function {
        DemoFunction::Ishigami => Oracle::Ishigami,
        DemoFunction::SobolG => Oracle::SobolG,
        DemoFunction::Morris20 => Oracle::Morris20,
        DemoFunction::RoughDiscrete => Oracle::RoughDiscrete,
    }
}

fn compute(oracle: Oracle, seed: u64) -> Result<Demo, Failure> {
    let space = Space::new(oracle.parameters(), Vec::new()).map_err(|e| Failure::internal(e.to_string()))?;
    let morris = Morris { trajectories: TRAJECTORIES, values: Morris::VALUES, kind: Trajectories::Plain };
    let saltelli = Saltelli { base: BASE, second_order: false, replicates: Saltelli::REPLICATES };
    let screen = step(oracle, &space, Design { method: Method::Morris(morris), seed }, Technique::Morris)?;
    let decompose =
        step(oracle, &space, Design { method: Method::Saltelli(saltelli), seed }, Technique::Vbd)?;
    Ok(Demo { oracle, seed, screen, decompose, truth: oracle.truth() })
}

fn step(oracle: Oracle, space: &Space, design: Design, technique: Technique) -> Result<Step, Failure> {
    let seed = design.seed;
    let sample = sample(space, &design).map_err(|e| from_error("cannot sample", &e))?;
    let y = (0..sample.len()).map(|row| oracle.evaluate(sample.numbers(row))).collect();
    let options = Options { seed, ..Options::new(technique) };
    let analysis = analyze(space, &sample, &Outputs::single("score", y), &options)
        .map_err(|e| from_error("cannot analyse", &e))?;
    Ok(Step { sample, analysis })
}
