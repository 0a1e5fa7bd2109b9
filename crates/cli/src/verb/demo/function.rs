//! `onceflow demo --function`: screens and decomposes a function with known indices, like a workflow.

mod answer;

use onceflow_sensitivity::{
    Analysis, AnalysisOptions, ExactIndices, Oracle, Outputs, Sample, Technique, analyze, sample,
};
use onceflow_study::{Design, Method, MorrisDesign, SaltelliDesign, Space, Trajectories};
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::DemoFunction;
use crate::diagnostics::from_error;

/// Trajectories of the screening, enough to find influential parameters.
const TRAJECTORIES: u64 = 20;

/// Base rows of the decomposition, enough for intervals of about 0.01.
const BASE: u64 = 256;

/// The results of the demo.
pub(super) struct FunctionDemo {
    oracle: Oracle,
    seed: u64,
    screen: DemoPhase,
    decompose: DemoPhase,
    truth: ExactIndices,
}

/// One phase: its rows and their analysis.
struct DemoPhase {
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

fn compute(oracle: Oracle, seed: u64) -> Result<FunctionDemo, Failure> {
    let space = Space::new(oracle.parameters(), Vec::new()).map_err(|e| Failure::internal(e.to_string()))?;
    let morris =
        MorrisDesign { trajectories: TRAJECTORIES, values: MorrisDesign::VALUES, kind: Trajectories::Plain };
    let saltelli = SaltelliDesign { base: BASE, second_order: false, replicates: SaltelliDesign::REPLICATES };
    let screen = step(oracle, &space, Design { method: Method::Morris(morris), seed }, Technique::Morris)?;
    let decompose =
        step(oracle, &space, Design { method: Method::Saltelli(saltelli), seed }, Technique::Vbd)?;
    Ok(FunctionDemo { oracle, seed, screen, decompose, truth: oracle.truth() })
}

fn step(oracle: Oracle, space: &Space, design: Design, technique: Technique) -> Result<DemoPhase, Failure> {
    let seed = design.seed;
    let sample = sample(space, &design).map_err(|e| from_error("cannot sample", &e))?;
    let y = (0..sample.len()).map(|row| oracle.evaluate(sample.numbers(row))).collect();
    let options = AnalysisOptions { seed, ..AnalysisOptions::new(technique) };
    let analysis = analyze(space, &sample, &Outputs::single("score", y), &options)
        .map_err(|e| from_error("cannot analyse", &e))?;
    Ok(DemoPhase { sample, analysis })
}
