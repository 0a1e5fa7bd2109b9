//! How to analyse: what the command line says, over what the study says.

use onceflow_sensitivity::{Estimator, FailurePolicy, Options, Technique};
use onceflow_study::{Diagnostic, Phase};

use crate::args::{AnalyzeArgs, EstimatorWord, FailuresWord, IndicesFormat, TechniqueWord};
use crate::failure::Failure;
use crate::phase;
use crate::problem::Loaded;

/// The indices that are wanted.
pub(super) fn wanted(args: &AnalyzeArgs, loaded: &Loaded) -> Result<Technique, Failure> {
    Ok(options(args, loaded, false)?.technique)
}

/// The options of the analysis of rows with roles, or of bare rows.
pub(super) fn options(args: &AnalyzeArgs, loaded: &Loaded, rows_are_bare: bool) -> Result<Options, Failure> {
    let phase = args.phase.as_deref().map(|name| phase::named(loaded, name)).transpose()?;
    let phase = phase.map(|(_, phase)| phase);
    let technique = match (args.method, phase) {
        (Some(word), _) => technique(word),
        (None, Some(phase)) => technique_of(phase)?,
        (None, None) => return Err(no_method()),
    };
    let study = loaded.study.as_ref();
    let usual = study.map_or_else(|| Options::new(technique), |study| Options::of_study(study, technique));
    let usual = phase.map_or(usual.clone(), |phase| usual.in_phase(phase));
    Ok(Options {
        technique,
        estimator: estimator(args, phase).unwrap_or_else(|| usual_estimator(args, rows_are_bare)),
        second_order: args.second_order || usual.second_order,
        confidence: args.confidence.unwrap_or(usual.confidence),
        resamples: args.resamples.unwrap_or(usual.resamples),
        seed: args.seed.or(loaded.seed()).unwrap_or(usual.seed),
        failures: failures(args).unwrap_or(usual.failures),
        threshold: args.threshold.unwrap_or(usual.threshold),
    })
}

fn technique(word: TechniqueWord) -> Technique {
    match word {
        TechniqueWord::Vbd => Technique::Vbd,
        TechniqueWord::Morris => Technique::Morris,
        TechniqueWord::Correlation => Technique::Correlation,
        TechniqueWord::RbdFast => Technique::RbdFast,
        TechniqueWord::Delta => Technique::Delta,
        TechniqueWord::Pawn => Technique::Pawn,
    }
}

/// The first analysis that the phase asks for.
fn technique_of(phase: &Phase) -> Result<Technique, Failure> {
    phase.analyses.first().and_then(|word| Technique::from_word(word)).ok_or_else(no_method)
}

fn no_method() -> Failure {
    Failure::bad_input(
        Diagnostic::error("no method to analyse by")
            .expected_found("--method, or --phase of a study that says one", "neither")
            .with_hint("add --method morris, vbd, correlation, rbd-fast, delta or pawn"),
    )
}

/// What the command line or the phase says.
fn estimator(args: &AnalyzeArgs, phase: Option<&Phase>) -> Option<Estimator> {
    let said = phase.and_then(|p| p.estimator);
    match args.estimator {
        Some(EstimatorWord::Controlled) => Some(Estimator::Controlled),
        Some(EstimatorWord::Saltelli) => Some(Estimator::Saltelli),
        Some(EstimatorWord::Janon) => Some(Estimator::Janon),
        Some(EstimatorWord::Martinez) => Some(Estimator::Martinez),
        None => Estimator::ALL.into_iter().find(|e| Some(e.word()) == said),
    }
}

/// Whoever exchanges files with SALib finds its numbers again, unless he asks for others.
fn usual_estimator(args: &AnalyzeArgs, rows_are_bare: bool) -> Estimator {
    if rows_are_bare || args.format() == IndicesFormat::Salib {
        Estimator::Saltelli
    } else {
        Estimator::default()
    }
}

fn failures(args: &AnalyzeArgs) -> Option<FailurePolicy> {
    args.failures.map(|word| match word {
        FailuresWord::Drop => FailurePolicy::Drop,
        FailuresWord::Bounds => FailurePolicy::Bounds,
        FailuresWord::Stop => FailurePolicy::Stop,
    })
}
