//! How it was computed: one paragraph to paste into a paper.

use onceflow_sensitivity::Analysis;
use onceflow_study::counted;

use super::and;
use crate::{Answer, ImageSummary, PhaseAnswer};

/// Workflow, images, design, estimators, intervals, seed and version.
pub(crate) fn how(answer: &Answer) -> String {
    let mut sentences = vec![format!(
        "The workflow {} was run by Onceflow {} on {} with seed {}.",
        answer.workflow,
        env!("CARGO_PKG_VERSION"),
        images(&answer.images),
        answer.seed
    )];
    let seams = answer.seams.word();
    let halo = if answer.halo > 0 { format!(" and a halo of {} px", answer.halo) } else { String::new() };
    sentences.push(format!("Images were cut into parts with {seams} seams{halo}."));
    sentences.extend(answer.phases.iter().map(phase));
    let mut citations: Vec<String> = Vec::new();
    for analysis in answer.phases.iter().flat_map(|phase| &phase.analyses) {
        citations.extend(cited(analysis).into_iter().filter(|c| !c.is_empty()));
    }
    let mut seen = std::collections::HashSet::new();
    citations.retain(|citation| seen.insert(citation.clone()));
    sentences.extend(citations);
    sentences.join(" ")
}

fn images(images: &[ImageSummary]) -> String {
    let with = images.iter().filter(|image| image.truth_objects.is_some()).count();
    let mut resolutions: Vec<String> =
        images.iter().filter_map(|image| image.um_per_pixel).map(|r| format!("{r} um/px")).collect();
    resolutions.dedup();
    let at = if resolutions.is_empty() { String::new() } else { format!(" at {}", and(&resolutions)) };
    format!("{}{at} ({with} with truth)", counted(images.len(), "image"))
}

fn phase(phase: &PhaseAnswer) -> String {
    let parameters = counted(phase.space.parameters().len(), "parameter");
    let rows = counted(phase.rows.len(), "row");
    let failed = if phase.failed > 0 { format!(", of which {} failed", phase.failed) } else { String::new() };
    format!("Phase {}: {}, {parameters}, {rows}{failed}.", phase.name, phase.method)
}

fn cited(analysis: &Analysis) -> Vec<String> {
    let full =
        |text: &str| if text.is_empty() { String::new() } else { format!("{}.", text.trim_end_matches('.')) };
    let word = analysis.technique.word();
    let estimator = if analysis.estimator.is_empty() {
        String::new()
    } else {
        full(&format!("Estimator ({word}): {}", analysis.estimator))
    };
    // Those of the other metrics differ in a number at most.
    let intervals =
        analysis.outputs.iter().take(1).filter(|o| !o.interval.citation.is_empty()).map(|output| {
            let percent = (output.interval.confidence * 1e4).round() / 1e2;
            full(&format!("Intervals ({word}, {percent} %): {}", output.interval.citation))
        });
    std::iter::once(estimator).chain(intervals).collect()
}
