//! How to analyse: what the command line says, over what the study says.

use onceflow_sensitivity::{AnalysisOptions, Estimator, FailurePolicy, Technique};
use onceflow_study::{Diagnostic, Phase};
use onceflow_terminal::Failure;

use crate::args::{AnalyzeArgs, EstimatorWord, FailuresWord, IndicesFormat, TechniqueWord};
use crate::phase;
use crate::problem::LoadedProblem;

/// The indices that are wanted.
pub(super) fn wanted(args: &AnalyzeArgs, loaded: &LoadedProblem) -> Result<Technique, Failure> {
    Ok(options(args, loaded, false)?.technique)
}

/// The options of the analysis of rows with roles, or of bare rows.
pub(super) fn options(
    args: &AnalyzeArgs,
    loaded: &LoadedProblem,
    rows_are_bare: bool,
) -> Result<AnalysisOptions, Failure> {
    let phase = args.phase.as_deref().map(|name| phase::named(loaded, name)).transpose()?;
    let phase = phase.map(|(_, phase)| phase);
    let technique = match (args.method, phase) {
        (Some(word), _) => technique(word),
        (None, Some(phase)) => technique_of(phase)?,
        (None, None) => return Err(no_method()),
    };
    let study = loaded.study.as_ref();
    let usual = study
        .map_or_else(|| AnalysisOptions::new(technique), |study| AnalysisOptions::of_study(study, technique));
    let usual = phase.map_or(usual.clone(), |phase| usual.in_phase(phase));
    Ok(AnalysisOptions {
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
        Diagnostic::error("no method of analysis")
            .expected_found("--method, or --phase of a study with a method", "neither")
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

/// The default estimator: that of SALib where files are exchanged with SALib, so that both agree.
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
